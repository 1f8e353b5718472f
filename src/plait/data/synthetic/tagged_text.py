"""Rows of words with tags, both with a long tail: the shape of large text collections."""

from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.core.checks import Interval, check_value
from plait.core.randomness import generator
from plait.data.dataset import Dataset
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["make_tagged_text"]

# Frequencies fall as rank^-s (Zipf's law): of words about as in English text, of tags a little slower.
_WORD_SLOPE, _TAG_SLOPE = 1.05, 0.9
# Words that belong to a tag, tags that go with a tag and how often they do, and the most tags of a row.
_OWN_WORDS, _FRIENDS, _FRIENDLY, _MOST_TAGS = 40, 4, 0.6, 10
# Share of a row's words that come from its tags; the others come from the language.
_ABOUT_TAGS = 0.4
_BLOCK = 1 << 17


def make_tagged_text(
    n_samples: int,
    n_features: int,
    n_labels: int,
    *,
    n_words: int = 60,
    n_tags: float = 3.0,
    random_state: Any = None,
) -> Dataset:
    """Make sparse rows of words with a few tags each, as benchmarks of size need them.

    Frequencies of words and tags follow Zipf's law. A row has a first tag, further ones that often go with it, words of
    its tags and words of the language; equal words are counted, values are logarithms of counts, rows have length 1.
    Rows are made in blocks: memory beyond the answer does not grow with `n_samples`.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        Sizes.
    n_words : int, default=60
        Words drawn for a row; some fall together, so that about four fifths are distinct.
    n_tags : float, default=3.0
        Tags drawn for a row, on average; a row has 1 to 10, of which some may be the same.
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same data every time.

    Returns
    -------
    dataset : Dataset
        X is a CSR matrix of float32, Y a CSR matrix.

    Examples
    --------
    >>> data = make_tagged_text(1000, 5000, 50, random_state=0)
    >>> data.X.shape, data.Y.shape, bool(40 < data.X.nnz / 1000 < 60), bool(2 < data.Y.nnz / 1000 < 3)
    ((1000, 5000), (1000, 50), True, True)
    """
    owner = "make_tagged_text"
    check_sizes(owner, random_state, n_samples=n_samples, n_features=n_features, n_labels=n_labels, n_words=n_words)
    check_value(owner, "n_tags", n_tags, (Interval(float, 1, _MOST_TAGS),))
    random = generator(random_state)
    world = _World(random, n_features, n_labels)
    sizes = [min(_BLOCK, n_samples - first) for first in range(0, n_samples, _BLOCK)]
    parts = [world.rows(random, size, n_words, n_tags) for size in sizes]
    X, Y = (sparse.vstack(each, format="csr") for each in zip(*parts, strict=True))
    return Dataset(X, Y, name="tagged text")


class _World:
    """How frequent words and tags are, and which go together."""

    def __init__(self, random: np.random.Generator, n_features: int, n_labels: int) -> None:
        self.shape = n_features, n_labels
        self.words, self.tags = _zipf(n_features, _WORD_SLOPE), _zipf(n_labels, _TAG_SLOPE)
        self.friends = random.integers(0, n_labels, size=(n_labels, _FRIENDS))
        # Half of a tag's words are frequent ones, half any.
        own, some = _drawn(random, self.words, (n_labels, _OWN_WORDS)), (n_labels, _OWN_WORDS)
        self.own_words = np.where(random.random(some) < 0.5, own, random.integers(0, n_features, size=some))

    def rows(self, random: np.random.Generator, n_rows: int, n_words: int, n_tags: float) -> tuple[Any, Any]:
        """Return words and tags of some rows, as CSR matrices."""
        tags = _drawn(random, self.tags, (n_rows, _MOST_TAGS))
        friends = self.friends[tags[:, :1], random.integers(0, _FRIENDS, size=tags.shape)]
        with_first = random.random(tags.shape) < _FRIENDLY
        with_first[:, 0] = False
        tags = np.where(with_first, friends, tags)
        counts = np.minimum(1 + random.poisson(n_tags - 1, size=n_rows), _MOST_TAGS)
        words = _drawn(random, self.words, (n_rows, n_words))
        about = round(_ABOUT_TAGS * n_words)
        which = (random.random((n_rows, about)) * counts[:, None]).astype(np.int64)
        of = np.take_along_axis(tags, which, axis=1)
        words[:, :about] = self.own_words[of, random.integers(0, _OWN_WORDS, size=of.shape)]
        used = np.arange(_MOST_TAGS) < counts[:, None]
        Y = _counted(tags[used], counts, self.shape[1])
        Y.data[:] = 1
        X = _counted(words.ravel(), np.full(n_rows, n_words), self.shape[0]).astype(np.float32)
        np.log1p(X.data, out=X.data)
        lengths = np.sqrt(np.add.reduceat(np.square(X.data), X.indptr[:-1]))
        X.data /= np.repeat(lengths, np.diff(X.indptr))
        return X, Y.astype(np.int64)


def _zipf(n: int, slope: float) -> Floats:
    """Return the cumulated shares of n things whose frequencies fall by Zipf's law."""
    shares = np.cumsum(np.arange(1, n + 1, dtype=np.float64) ** -slope)
    return np.asarray(shares / shares[-1])


def _drawn(random: np.random.Generator, cumulated: Floats, shape: tuple[int, ...]) -> Ints:
    return np.minimum(np.searchsorted(cumulated, random.random(shape)), len(cumulated) - 1)


def _counted(columns: Ints, lengths: Ints, n_columns: int) -> Any:
    """Return how often each column stands in each row, whose columns stand one after the other."""
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    ones = np.ones(len(columns), dtype=np.int8)
    table = sparse.csr_matrix((ones, columns.astype(np.int32), pointers), shape=(len(lengths), n_columns))
    table.sum_duplicates()
    return table
