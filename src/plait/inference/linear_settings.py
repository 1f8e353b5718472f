"""What the parents add to linear scores, for every setting of every label's parents."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Ints
from plait.joint import LinearDistribution
from plait.structure import LabelGraph

__all__ = ["SettingIndex", "setting_index", "setting_shifts"]


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
    weights = model.parent_coef[index.child, index.parent]
    return np.bincount(index.number, weights=weights, minlength=index.label.size).astype(np.float64)
