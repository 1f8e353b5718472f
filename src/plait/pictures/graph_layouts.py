"""Where the labels of a graph stand in a picture: in folders, in a list with arcs beside it, or by levels.

A polytree is drawn like a tree of folders, in which parents stand above their children: a label's other parents one
column further to the right above it, its children below it. No line crosses another. In a forest the columns are the
levels. A list in the order of the chain with arcs beside it serves any graph. Levels from left to right (a layered or
Sugiyama drawing) serve graphs of few edges: few crossings, children beside their parents.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.core.lazy_modules import lazy_module

__all__ = ["GraphLayout", "layout_of", "level_layout"]

_isotonic = lazy_module("sklearn.isotonic")

Groups = Sequence[Sequence[int]]
_SWEEPS = 8


@dataclass(frozen=True)
class GraphLayout:
    """Rows and columns of labels.

    Parameters
    ----------
    row_of : tuple of float
        For every label its row, 0 at the top.
    columns : tuple of int
        For every label its column; all 0 in a list.
    style : {"folders", "arcs", "levels"}
        What edges are: lines along a column and a row, arcs beside the list, or curves from level to level.

    Examples
    --------
    >>> layout = layout_of([[], [0], [0]], [[1, 2], [], []], [0, 1, 2], True)
    >>> layout.style, layout.rows, layout.columns
    ('folders', (0, 1, 2), (0, 1, 1))
    """

    row_of: tuple[float, ...]
    columns: tuple[int, ...]
    style: str

    @property
    def rows(self) -> tuple[int, ...]:
        """The labels from top to bottom."""
        return tuple(sorted(range(len(self.row_of)), key=self.row_of.__getitem__))

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return max(self.columns, default=0) + 1


def layout_of(parents: Groups, children: Groups, order: Sequence[int], is_polytree: bool) -> GraphLayout:
    """Return folders for a polytree, and a list with arcs for any other graph.

    Parameters
    ----------
    parents, children : sequence of sequences of int
        Of every label.
    order : sequence of int
        The labels, parents before children.
    is_polytree : bool
        Whether the graph has no ring, whatever the directions.

    Returns
    -------
    GraphLayout

    Examples
    --------
    >>> layout_of([[], [], [0, 1]], [[2], [2], []], [0, 1, 2], True)
    GraphLayout(row_of=(0, 1, 2), columns=(0, 2, 1), style='folders')
    """
    if not is_polytree:
        return GraphLayout(_places(order), (0,) * len(order), "arcs")
    rows: list[int] = []
    columns = [-1] * len(order)
    for start in order:
        if columns[start] < 0:
            _place(start, parents, children, rows, columns)
    return GraphLayout(_places(rows), tuple(columns), "folders")


def _places(rows: Sequence[int]) -> tuple[int, ...]:
    places = [0] * len(rows)
    for row, label in enumerate(rows):
        places[label] = row
    return tuple(places)


def _place(start: int, parents: Groups, children: Groups, rows: list[int], columns: list[int]) -> None:
    """Add one part of a polytree: the other parents of a label above it, its children below."""
    stack = [(start, start, False)]
    while stack:
        label, source, ready = stack.pop()
        if ready:
            rows.append(label)
            continue
        columns[label] = 0 if label == start else columns[source] + 1
        # What is pushed last comes first: other parents, the label itself, then children in ascending order.
        stack.extend((child, label, False) for child in reversed(children[label]) if child != source)
        stack.append((label, source, True))
        stack.extend((parent, label, False) for parent in reversed(parents[label]) if parent != source)


def level_layout(parents: Groups) -> GraphLayout:
    """Return levels as columns; rows of one column are at least 1 apart.

    Parameters
    ----------
    parents : sequence of sequences of int
        For every label its parents; no cycles.

    Returns
    -------
    GraphLayout

    Examples
    --------
    >>> level_layout([[], [0], [0]])
    GraphLayout(row_of=(0.5, 0.0, 1.0), columns=(0, 1, 1), style='levels')
    """
    children: list[list[int]] = [[] for _ in parents]
    for child, group in enumerate(parents):
        for parent in group:
            children[parent].append(child)
    columns = [0] * len(parents)
    for label in _parents_first(parents, children):
        columns[label] = max((columns[parent] + 1 for parent in parents[label]), default=0)
    for label, group in enumerate(children):
        # Labels without parents stand right before their first child, not far away from all.
        if group and not parents[label]:
            columns[label] = min(columns[child] for child in group) - 1
    groups: list[list[int]] = [[] for _ in range(max(columns, default=-1) + 1)]
    for label in _walk(parents, children):
        groups[columns[label]].append(label)
    around = [sorted({*parents[label], *children[label]}) for label in range(len(parents))]
    is_forest = all(len(group) <= 1 for group in parents)
    return GraphLayout(_level_rows(groups, around, keep=is_forest), tuple(columns), "levels")


def _walk(parents: Groups, children: Groups) -> list[int]:
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


def _parents_first(parents: Groups, children: Groups) -> list[int]:
    waiting = [len(group) for group in parents]
    order = [label for label, count in enumerate(waiting) if count == 0]
    for label in order:
        for child in children[label]:
            waiting[child] -= 1
            if waiting[child] == 0:
                order.append(child)
    return order


def _level_rows(groups: list[list[int]], around: Groups, keep: bool) -> tuple[float, ...]:
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
            rows[group] = _isotonic.isotonic_regression(wanted[turn] - apart) + apart
    first = rows.min(initial=np.inf)
    return tuple(round(float(row - first), 3) for row in rows)
