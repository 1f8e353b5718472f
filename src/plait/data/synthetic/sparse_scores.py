"""Six labels as linear scores of sparse text-like rows, with a few labels flipped: a case for one label at a time.

Stands in for the data set synth1 of [PCC, section 5; FinleyJoachims2008], whose generator is not known here: sizes,
labels a row and difficulty are about the same, the data are not.

A row counts the 60 words of a text about its topics. Every topic has a vocabulary of its own, with few frequent and
many rare words, and there are words without a topic. The score of label j is the number of topic j's words, which is
linear in x; the label is on where the score is above 0. Then labels are flipped by chance.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Bools, Floats
from plait.core.randomness import generator
from plait.data.dataset import Dataset
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["SparseScores", "synth1_like"]


_N_FEATURES, _N_LABELS, _N_WORDS, _VOCABULARY = 6000, 6, 60, 500
_WITHOUT_TOPIC = 0.3  # share of words
_COMMON = 0.3  # correlation of the hidden topic strengths, so that rows with all six labels occur
_NOISE = 0.02
_CARDINALITY = 2.045  # [PCC, table 1]


@dataclass(frozen=True, eq=False)
class SparseScores:
    """What `synth1_like` made: two data sets, and the `weights` (n_features, n_labels) with label_j = [x @ w_j > 0].

    Two per cent of the labels differ from that.

    Attributes
    ----------
    train, test : Dataset
        The two parts.
    weights : ndarray of float64, shape (n_features, n_labels)
        What the labels were made with.

    Examples
    --------
    >>> from plait.data.synthetic import synth1_like
    >>> made = synth1_like(random_state=0)
    >>> made.train.Y.shape, made.weights.shape
    ((471, 6), (6000, 6))
    """

    train: Dataset
    test: Dataset
    weights: Floats


def synth1_like(random_state: Any = None, *, n_train: int = 471, n_test: int = 5045) -> SparseScores:
    """Make 6000 sparse features and six labels, one to six a row and 2.05 on average.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same data every time.
    n_train, n_test : int, default=471 and 5045
        Rows of the two parts; the defaults are those of [PCC, table 1].

    Returns
    -------
    SparseScores

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait.data.synthetic import synth1_like
    >>> made = synth1_like(0)
    >>> made.train.X.shape, made.test.n_samples, made.train.n_labels
    ((471, 6000), 5045, 6)
    """
    check_sizes("synth1_like", random_state, n_train=n_train, n_test=n_test)
    random = generator(random_state)
    n_samples = n_train + n_test
    common = random.normal(size=(n_samples, 1))
    strengths = np.sqrt(_COMMON) * common + np.sqrt(1 - _COMMON) * random.normal(size=(n_samples, _N_LABELS))
    flips = random.random((n_samples, _N_LABELS)) < _NOISE
    topics = _topics(strengths, flips)
    column_of = random.permutation(_N_FEATURES)
    X = _texts(topics, column_of, random)
    weights = np.zeros((_N_FEATURES, _N_LABELS))
    for j in range(_N_LABELS):
        weights[column_of[j * _VOCABULARY : (j + 1) * _VOCABULARY], j] = 1
    scores = X @ weights
    dataset = Dataset(X, _never_none((scores > 0) ^ flips, scores), name="synth1_like")
    return SparseScores(dataset.rows(np.arange(n_train)), dataset.rows(np.arange(n_train, n_samples)), weights)


def _never_none(labels: Bools, scores: Floats) -> Bools:
    """Return labels in which a row without any has the one that scores highest."""
    empty = np.flatnonzero(~labels.any(axis=1))
    labels = labels.copy()
    labels[empty, scores[empty].argmax(axis=1)] = True
    return labels


def _topics(strengths: Floats, flips: Bools) -> Bools:
    """Return the topics of each row: those above a bound, at which the labels, flips included, are as many as wanted.

    The lower the bound the more labels, so bisection finds it.
    """
    low, high = -8.0, 8.0
    for _ in range(50):
        bound = (low + high) / 2
        topics = _never_none(strengths > bound, strengths)
        if _never_none(topics ^ flips, strengths).sum() > _CARDINALITY * len(strengths):
            low = bound
        else:
            high = bound
    return topics


def _texts(topics: Bools, column_of: npt.NDArray[np.int64], random: np.random.Generator) -> sparse.csr_matrix:
    """Return the word counts of one text a row."""
    shape = (len(topics), _N_WORDS)
    first_on = np.argsort(~topics, axis=1, kind="stable")  # a row's topics, then the others
    pick = (random.random(shape) * topics.sum(axis=1)[:, None]).astype(np.int64)
    topic = np.take_along_axis(first_on, pick, axis=1)
    topic[random.random(shape) < _WITHOUT_TOPIC] = _N_LABELS
    chance = random.random(shape)
    of_topic = np.searchsorted(_vocabulary(_VOCABULARY), chance)
    of_none = np.searchsorted(_vocabulary(_N_FEATURES - _N_LABELS * _VOCABULARY), chance)
    word = column_of[topic * _VOCABULARY + np.where(topic < _N_LABELS, of_topic, of_none)]
    rows = np.repeat(np.arange(len(topics)), _N_WORDS)
    return sparse.coo_matrix((np.ones(word.size), (rows, word.ravel())), shape=(len(topics), _N_FEATURES)).tocsr()


def _vocabulary(n_words: int) -> Floats:
    """Return the cumulative frequencies of words, which fall like 1 / (rank + 4)."""
    cumulative = np.cumsum(1 / (np.arange(n_words) + 5.0))
    return cumulative / cumulative[-1]
