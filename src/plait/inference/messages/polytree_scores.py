"""Scores of a distribution as the kernels of polytrees read them: linear ones in parts, all others as tables."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.inference.messages.message_plan import Families
from plait.joint import GraphDistribution, LinearDistribution
from plait.joint.distribution import Evidence
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.structure import LabelGraph

__all__ = ["PolytreeScores", "known_labels", "scores_in_blocks", "setting_index", "setting_shifts"]


class SettingIndex(NamedTuple):
    """Which parents are 1 in which setting: all settings of the first label, then of the second, and so on.

    Parameters
    ----------
    label : ndarray of int64, shape (n_settings,)
        The label of each setting.
    number : ndarray of int64, shape (n_ones,)
        A setting, once for each of its parents that is 1, in the order of the parents.
    child, parent : ndarray of int64, shape (n_ones,)
        The label of that setting, and the parent.
    """

    label: Ints
    number: Ints
    child: Ints
    parent: Ints


@lru_cache(maxsize=64)
def setting_index(graph: LabelGraph, order: tuple[int, ...] | None = None) -> SettingIndex:
    """Return the index of a graph's settings, labels in the given order; None is their own.

    Examples
    --------
    >>> setting_index(LabelGraph([[], [0]]))
    SettingIndex(label=array([0, 1, 1]), number=array([2]), child=array([1]), parent=array([0]))
    """
    labels: list[int] = []
    ones: list[tuple[int, int, int]] = []
    begin = 0
    for label in range(graph.n_labels) if order is None else order:
        size = 1 << len(graph.parents[label])
        labels.extend([label] * size)
        for bit, parent in enumerate(graph.parents[label]):
            ones.extend((begin + m, label, parent) for m in range(size) if (m >> bit) & 1)
        begin += size
    number, child, parent_of = np.array(ones, dtype=np.int64).reshape(-1, 3).T.copy()
    return SettingIndex(np.array(labels, dtype=np.int64), number, child, parent_of)


def setting_shifts(model: LinearDistribution, index: SettingIndex) -> npt.NDArray[np.float64]:
    """Return what the parents add to the score in every setting.

    Examples
    --------
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> setting_shifts(model, setting_index(model.graph))
    array([0., 0., 3.])
    """
    weights = np.asarray(model.parent_coef[index.child, index.parent]).ravel()
    return np.bincount(index.number, weights=weights, minlength=index.label.size).astype(np.float64)


# Exponentials of numbers up to twice this are finite.
_LARGEST_SPAN = 300.0
# Tables of so many numbers are held at once (64 MiB).
_TABLE_SIZE = 1 << 23


class PolytreeScores(NamedTuple):
    """Scores of some rows.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows, n_columns)
        Linear scores: those without parents, a column for each label, in the graph's numbering. Tables: a column for
        each setting of each label's parents, in the numbering of `Families`.
    place : ndarray of int64, shape (n_columns,)
        The number of each column in `Families`.
    linear : bool
        Which of the two.
    shifts, gains : ndarray of float64, shape (n_settings,)
        What each setting adds to the linear score, and its exponential.
    bounds : ndarray of float64, shape (n_columns,)
        Scores beyond the bound are clipped whatever parents add; 0 where parents can add too much for exponentials.
    simple : ndarray of bool, shape (n_labels,)
        Labels with linear scores whose exponentials can be multiplied.
    """

    values: Floats
    place: Ints
    linear: bool
    shifts: Floats
    gains: Floats
    bounds: Floats
    simple: npt.NDArray[np.bool_]


def scores_in_blocks(distribution: GraphDistribution, families: Families) -> Iterator[tuple[slice, PolytreeScores]]:
    """Return slices of rows with their scores: all rows at once where scores are linear, else blocks of tables."""
    n_rows, n_settings = distribution.n_rows, int(families.entry[-1])
    if isinstance(distribution, LinearDistribution):
        yield slice(0, n_rows), _linear_scores(distribution, families)
        return
    step = max(1, _TABLE_SIZE // max(n_settings, 1))
    for begin in range(0, n_rows, step):
        rows = slice(begin, min(begin + step, n_rows))
        yield rows, _tables(distribution.take(rows), families)


def known_labels(evidence: Evidence | None, rows: slice) -> Evidence:
    """Return the evidence of some rows; no rows where nothing is known."""
    if evidence is None or not (evidence[rows] >= 0).any():
        return np.empty((0, 0), dtype=np.int8)
    return np.ascontiguousarray(evidence[rows])


def _linear_scores(distribution: LinearDistribution, families: Families) -> PolytreeScores:
    shifts = setting_shifts(distribution, setting_index(distribution.graph, tuple(families.label.tolist())))
    # parent_coef is zero off the graph.
    spans = np.asarray(abs(distribution.parent_coef).sum(axis=1)).ravel()[families.label]
    simple = spans <= _LARGEST_SPAN
    gains = np.exp(np.clip(shifts, -_LARGEST_SPAN, _LARGEST_SPAN))
    values = np.ascontiguousarray(distribution.base, dtype=np.float64)
    return PolytreeScores(
        values, families.place, True, shifts, gains, np.where(simple, SCORE_LIMIT + spans, 0.0), simple
    )


def _tables(distribution: GraphDistribution, families: Families) -> PolytreeScores:
    n_settings = int(families.entry[-1])
    values = np.empty((distribution.n_rows, n_settings))
    for j, label in enumerate(families.label):
        values[:, families.entry[j] : families.entry[j + 1]] = distribution.table(int(label))
    none, bounds, place = np.zeros(n_settings), np.full(n_settings, SCORE_LIMIT), np.arange(n_settings)
    return PolytreeScores(values, place, False, none, none, bounds, np.zeros(distribution.n_labels, dtype=bool))
