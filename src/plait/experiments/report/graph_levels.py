"""Where the labels of a sparse graph stand: levels as columns, few crossings, children beside their parents."""

from collections.abc import Sequence

import numpy as np
from sklearn.isotonic import isotonic_regression

__all__ = ["level_places"]

_SWEEPS = 8


def level_places(parents: Sequence[Sequence[int]]) -> tuple[list[int], list[float]]:
    """Return the column and the row of each label; rows of one column are at least 1 apart.

    Parameters
    ----------
    parents : sequence of sequences of int
        For every label its parents; no cycles.

    Examples
    --------
    >>> level_places([[], [0], [0]])
    ([0, 1, 1], [0.5, 0.0, 1.0])
    """
    children: list[list[int]] = [[] for _ in parents]
    for child, group in enumerate(parents):
        for parent in group:
            children[parent].append(child)
    order = _walk(parents, children)
    columns = [0] * len(parents)
    for label in _parents_first(parents, children):
        columns[label] = max((columns[parent] + 1 for parent in parents[label]), default=0)
    for label, group in enumerate(children):
        # Labels without parents stand right before their first child, not far away from all.
        if group and not parents[label]:
            columns[label] = min(columns[child] for child in group) - 1
    groups: list[list[int]] = [[] for _ in range(max(columns, default=-1) + 1)]
    for label in order:
        groups[columns[label]].append(label)
    around = [sorted({*parents[label], *children[label]}) for label in range(len(parents))]
    is_forest = all(len(group) <= 1 for group in parents)
    return columns, _rows(groups, around, keep=is_forest)


def _walk(parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]) -> list[int]:
    """Return the labels depth first from those without parents: in a forest, an order without crossings."""
    seen = [False] * len(parents)
    order = []
    stack = [label for label in reversed(range(len(parents))) if not parents[label]]
    while stack:
        label = stack.pop()
        if not seen[label]:
            seen[label] = True
            order.append(label)
            stack.extend(reversed(children[label]))
    return order


def _parents_first(parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]) -> list[int]:
    waiting = [len(group) for group in parents]
    order = [label for label, count in enumerate(waiting) if count == 0]
    for label in order:
        for child in children[label]:
            waiting[child] -= 1
            if waiting[child] == 0:
                order.append(child)
    return order


def _rows(groups: list[list[int]], around: Sequence[Sequence[int]], keep: bool) -> list[float]:
    """Move labels towards the middle of their neighbours, column by column, forth and back, and keep them apart.

    With `keep` the order in each column stays: that of a forest has no crossings.
    """
    rows = np.zeros(len(around))
    for group in groups:
        rows[group] = np.arange(len(group))
    for sweep in range(_SWEEPS):
        # The last sweeps go against the edges, so that parents end in the middle of their children.
        for group in groups if sweep % 2 == 0 else reversed(groups):
            wanted = np.array([rows[around[label]].mean() if around[label] else rows[label] for label in group])
            turn = np.arange(len(group)) if keep else np.argsort(wanted, kind="stable")
            group[:] = [group[k] for k in turn]
            apart = np.arange(len(group))
            rows[group] = isotonic_regression(wanted[turn] - apart) + apart
    first = rows.min(initial=np.inf)
    return [round(float(row - first), 3) for row in rows]
