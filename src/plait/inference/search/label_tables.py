"""All label vectors: as numbers in lexicographic order, and tables of their probabilities in blocks of rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.sentences import ParameterError
from plait.inference.search.prefixes import refuse_margins
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution
from plait.joint.distribution import Evidence
from plait.structure import LabelGraph

__all__ = [
    "MOST_LABELS",
    "LogTable",
    "all_label_vectors",
    "best_by_table",
    "distinct_vectors",
    "enumerated_blocks",
    "label_sums",
    "largest_places",
    "prefix_marginals",
    "table_serves",
    "vector_numbers",
    "vectors_of",
]

# By label along the order: the setting of its parents after every prefix, None where that is the prefix's own number;
# and the prefix of every label vector.
_PrefixTree = tuple[tuple[Ints | None, ...], Ints]
# Up to so many labels they are kept from question to question: half a megabyte for each graph.
_KEPT_LABELS = 15


# Up to so many labels inferences look up the table of all label vectors instead of running compiled searches: the modes
# of 593 rows take 0.7 ms with 6 labels and 8 ms with 10, and 29 ms would be needed with 12; compiled searches take less
# than 1 ms after seconds of compilation.
TABLE_LABELS = 10


# 2 ** 20 vectors are 8 MiB of probabilities for every row; beyond, time and memory double with every label.
MOST_LABELS = 20


# Probabilities of a block of rows: at most this many (1 MiB, which stays in the cache), but at least one row.
_BLOCK = 1 << 17


# Rows of at most so many values are sorted whole.
_SORTED = 1 << 10


def all_label_vectors(n_labels: int) -> Labels:
    """Return all 2 ** n_labels label vectors, the smallest first: label 0 is the highest bit of the place.

    Examples
    --------
    >>> all_label_vectors(2)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]], dtype=uint8)
    """
    return vectors_of(np.arange(1 << n_labels), n_labels)


def vectors_of(numbers: npt.NDArray[np.int64], n_labels: int) -> Labels:
    """Return the vectors (..., n_labels) at these places of `all_label_vectors`; at most 31 labels.

    Examples
    --------
    >>> vectors_of(np.array([6, 1]), 3)
    array([[1, 1, 0],
           [0, 0, 1]], dtype=uint8)
    """
    lowest_bytes = np.asarray(numbers, dtype=">u4")[..., None].view(np.uint8)
    return np.ascontiguousarray(np.unpackbits(lowest_bytes, axis=-1)[..., 32 - n_labels :])


def vector_numbers(vectors: Labels) -> npt.NDArray[np.int64]:
    """Return the places of vectors (..., n_labels) in `all_label_vectors`; at most 62 labels.

    Examples
    --------
    >>> vector_numbers(all_label_vectors(3))
    array([0, 1, 2, 3, 4, 5, 6, 7])
    """
    numbers = np.zeros(vectors.shape[:-1], dtype=np.int64)
    for label in range(vectors.shape[-1]):
        numbers = (numbers << 1) | vectors[..., label]
    return numbers


def distinct_vectors(vectors: Labels) -> tuple[Labels, npt.NDArray[np.intp]]:
    """Return the vectors (m, n_labels) that differ, the smallest first, and for each one its place among them.

    Examples
    --------
    >>> distinct_vectors(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.uint8))
    (array([[0, 1],
           [1, 0]], dtype=uint8), array([1, 0, 1]))
    """
    _, first, place = np.unique(_sortable(vectors), return_index=True, return_inverse=True)
    return vectors[first], place.ravel()


def _sortable(vectors: Labels) -> npt.NDArray[Any]:
    """Return one key for each vector, in the order of the vectors: a number where 64 bits suffice, else bytes."""
    packed = np.packbits(vectors, axis=1)
    n_bytes = packed.shape[1]
    if n_bytes > 8:
        return packed.view(np.dtype((np.void, n_bytes))).ravel()
    padded = np.zeros((len(packed), 8), dtype=np.uint8)
    padded[:, :n_bytes] = packed
    return padded.view(">u8").ravel().astype(np.uint64)


def label_sums(probabilities: Floats) -> tuple[Floats, Floats]:
    """Return the sum of all vectors' probabilities (n_rows, 2 ** n_labels) and of those with each label.

    The vectors with the first label are the second half; adding it to the first leaves a table of one label less.
    """
    n_labels = probabilities.shape[1].bit_length() - 1
    by_label = np.empty((len(probabilities), n_labels))
    for label in range(n_labels):
        half = probabilities.shape[1] // 2
        by_label[:, label] = probabilities[:, half:].sum(axis=1)
        probabilities = probabilities[:, :half] + probabilities[:, half:]
    return probabilities[:, 0].copy(), by_label


def table_serves(distribution: LabelDistribution, most: int = 1 << TABLE_LABELS) -> bool:
    """Say whether the table of all label vectors answers what else kernels would, with at most `most` conditionals."""
    few = distribution.n_labels <= TABLE_LABELS and (1 << distribution.n_labels) - 1 <= most
    return few and not kernels_pay(distribution.n_labels, TABLE_LABELS + 1)


def best_by_table(owner: str, distribution: LabelDistribution, n_best: int) -> tuple[Labels, Floats]:
    """Return the most probable vectors of every row, best first, and log P of each; -inf where there are fewer.

    Of vectors with equal probability the smallest comes first.
    """
    n_labels = distribution.n_labels
    n_found = min(n_best, 1 << n_labels)
    vectors = np.zeros((distribution.n_rows, n_best, n_labels), dtype=np.uint8)
    log_weights = np.full((distribution.n_rows, n_best), -np.inf)
    for rows, probabilities in enumerated_blocks(owner, distribution):
        places = largest_places(probabilities, n_found)
        vectors[rows, :n_found] = vectors_of(places, n_labels)
        with np.errstate(divide="ignore"):
            log_weights[rows, :n_found] = np.log(np.take_along_axis(probabilities, places, axis=1))
    return vectors, log_weights


@dataclass(frozen=True, eq=False)
class LogTable:
    """log P(y | x) of all label vectors of several rows, (n_rows, 2 ** n_labels), to look vectors up in."""

    logs: Floats
    evidence: Evidence | None

    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x) of vectors (n_rows, n_labels) or (n_rows, m, n_labels)."""
        places = vector_numbers(Y).reshape(len(self.logs), int(np.prod(Y.shape[1:-1])))
        return np.take_along_axis(self.logs, places, axis=1).reshape(Y.shape[:-1])

    def take(self, rows: Any) -> "LogTable":
        """Return the table of some rows."""
        return LogTable(self.logs[rows], None if self.evidence is None else self.evidence[rows])


def largest_places(values: Floats, n: int) -> Ints:
    """Return the places of each row's n largest values, largest first, the first place first among equals."""
    if n == 1:
        return values.argmax(axis=1)[:, None]
    if values.shape[1] <= _SORTED:
        return np.argsort(-values, axis=1, kind="stable")[:, :n]
    return np.array([_largest(row, n) for row in values], dtype=np.int64).reshape(len(values), n)


def _largest(values: Floats, n: int) -> Ints:
    places = np.flatnonzero(values >= np.partition(values, -n)[-n])
    return places[np.argsort(-values[places], kind="stable")[:n]]


def enumerated_blocks(
    owner: str, distribution: LabelDistribution, n_entries: int | None = None
) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of rows and P(y | x) of all label vectors, the smallest vector first; 0 against the evidence.

    Parameters
    ----------
    owner : str
        Whom an error names.
    distribution : LabelDistribution
        P(y | x) of several rows, at most 20 labels.
    n_entries : int, optional
        How many probabilities a block has at most, but for a single row.
    """
    distribution, trees = _flat_with_trees(owner, distribution)
    for rows in _row_blocks(distribution, _BLOCK if n_entries is None else n_entries):
        yield rows, _table(distribution.take(rows), trees)


def prefix_marginals(owner: str, distribution: LabelDistribution) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of rows and their marginals, without evidence; of a mixture the weighted mean of its components'.

    P(y_k = 1) is the sum, over the values of the labels before k, of their probability times that of the label: half as
    many numbers as there are vectors for the last label, and no table of all vectors.
    """
    distribution, trees = _flat_with_trees(owner, distribution)
    for rows in _row_blocks(distribution, _BLOCK):
        yield rows, _prefix_marginals(distribution.take(rows), trees)


def _flat_with_trees(
    owner: str, distribution: LabelDistribution
) -> tuple[LabelDistribution, dict[LabelGraph, _PrefixTree]]:
    """Return a distribution without mixtures in mixtures, and the prefixes of its graphs; or say why it has none."""
    refuse_margins(owner, distribution)
    if distribution.n_labels > MOST_LABELS:
        raise ParameterError(
            f"{owner} needs at most {MOST_LABELS} labels to go through all label vectors, but there are "
            f"{distribution.n_labels}. Use MonteCarlo() for marginals and BestFirst() for modes."
        )
    if isinstance(distribution, MixtureDistribution):
        distribution = distribution.flattened()
    parts = distribution.components if isinstance(distribution, MixtureDistribution) else (distribution,)
    return distribution, {part.graph: _prefix_tree(part.graph) for part in parts if isinstance(part, GraphDistribution)}


def _row_blocks(distribution: LabelDistribution, n_entries: int) -> Iterator[slice]:
    step = max(1, n_entries >> distribution.n_labels)
    for start in range(0, distribution.n_rows, step):
        yield slice(start, min(start + step, distribution.n_rows))


def _prefix_marginals(block: LabelDistribution, trees: dict[LabelGraph, _PrefixTree]) -> Floats:
    if isinstance(block, MixtureDistribution):
        total = np.zeros((block.n_rows, block.n_labels))
        for weight, part in zip(np.exp(block.log_weights), block.components, strict=True):
            total += weight * _prefix_marginals(part, trees)
        return total
    if not isinstance(block, GraphDistribution):
        total, by_label = label_sums(_table(block, trees))
        return by_label / total[:, None]
    marginals, size = np.empty((block.n_rows, block.n_labels)), 1
    prefixes = np.ones((block.n_rows, max(1, 1 << (block.n_labels - 1))))
    for label, setting in zip(block.graph.order, trees[block.graph][0], strict=True):
        on = np.exp(np.ascontiguousarray(block.table(label)))
        on = on if setting is None else on.take(setting, axis=1)
        off = prefixes[:, :size]
        off /= 1.0 + on
        on *= off
        marginals[:, label] = on.sum(axis=1)
        if 2 * size <= prefixes.shape[1]:
            prefixes[:, size : 2 * size] = on
        size *= 2
    return marginals


def _table(block: LabelDistribution, trees: dict[LabelGraph, _PrefixTree]) -> Floats:
    if isinstance(block, MixtureDistribution):
        total = np.zeros((block.n_rows, 1 << block.n_labels))
        for weight, part in zip(np.exp(block.log_weights), block.components, strict=True):
            total += weight * _table(part, trees)
        return total
    if isinstance(block, GraphDistribution):
        return _table_of_graph(block, *trees[block.graph])
    vectors = all_label_vectors(block.n_labels)
    shared = np.broadcast_to(vectors, (block.n_rows, *vectors.shape))
    return np.asarray(np.exp(block.log_prob(shared)))


def _table_of_graph(block: GraphDistribution, settings: tuple[Ints | None, ...], prefixes: Ints) -> Floats:
    """Return the table of a product over a graph: prefixes of one length times both values of the next label.

    Products of at most 20 probabilities of at least 1e-6 cannot underflow, so no logarithms are needed. What is against
    the evidence has probability 0; what agrees keeps its own, which leaves P(evidence) as the sum over all vectors.
    """
    table, size = np.ones((block.n_rows, 1 << block.n_labels)), 1
    for label, setting in zip(block.graph.order, settings, strict=True):
        on = np.exp(np.ascontiguousarray(block.table(label)))
        off = 1.0 / (1.0 + on)
        on *= off
        if block.evidence is not None:
            off[block.evidence[:, label] == 1] = 0.0
            on[block.evidence[:, label] == 0] = 0.0
        if setting is not None:
            off, on = off.take(setting, axis=1), on.take(setting, axis=1)
        np.multiply(table[:, :size], on, out=table[:, size : 2 * size])
        table[:, :size] *= off
        size *= 2
    return table.take(prefixes, axis=1)


def _prefix_tree(graph: LabelGraph) -> _PrefixTree:
    """Return the settings of all prefixes, and the prefixes of all vectors; kept for graphs of few labels."""
    return _kept_prefix_tree(graph) if graph.n_labels <= _KEPT_LABELS else _made_prefix_tree(graph)


def _made_prefix_tree(graph: LabelGraph) -> _PrefixTree:
    """A prefix is a number whose bit t is the value of the t-th label of the order."""
    place, settings = np.argsort(graph.order), []
    for t, label in enumerate(graph.order):
        prefixes = np.arange(1 << t)
        setting = _gathered(prefixes, place[list(graph.parents[label])])
        settings.append(None if np.array_equal(setting, prefixes) else setting)
    # The first label is the highest bit of a vector's number.
    bit_of_place = graph.n_labels - 1 - np.array(graph.order, dtype=np.int64)
    return tuple(settings), _gathered(np.arange(1 << graph.n_labels), bit_of_place)


_kept_prefix_tree = lru_cache(maxsize=64)(_made_prefix_tree)


def _gathered(numbers: Ints, bits: Ints) -> Ints:
    """Return numbers whose bit a is bit `bits[a]` of the given ones."""
    gathered = np.zeros_like(numbers)
    for a, bit in enumerate(bits):
        gathered |= ((numbers >> bit) & 1) << a
    return gathered
