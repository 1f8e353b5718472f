"""Where labels and edges stand in a picture: every label has a row of its own, so that names never meet.

A polytree is drawn like a tree of folders, in which parents stand above their children: a label's other parents one
column further to the right above it, its children below it. No line crosses another. In a forest the columns are the
levels. Any other graph is a list in the order of the chain with arcs beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["GraphLayout", "layout_of"]

Groups = Sequence[Sequence[int]]


@dataclass(frozen=True)
class GraphLayout:
    """Rows and columns of labels.

    Parameters
    ----------
    rows : tuple of int
        The labels from top to bottom.
    columns : tuple of int
        For every label its column; all 0 where edges are arcs.
    arcs : bool
        Whether edges are arcs beside the list, or lines from column to column.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    arcs: bool

    @property
    def row_of(self) -> tuple[int, ...]:
        """For every label its row, 0 at the top."""
        places = [0] * len(self.rows)
        for row, label in enumerate(self.rows):
            places[label] = row
        return tuple(places)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return max(self.columns, default=0) + 1


def layout_of(parents: Groups, children: Groups, order: Sequence[int], is_polytree: bool) -> GraphLayout:
    """Return where everything stands.

    Examples
    --------
    >>> layout_of([[], [], [0, 1]], [[2], [2], []], [0, 1, 2], True)
    GraphLayout(rows=(0, 1, 2), columns=(0, 2, 1), arcs=False)
    """
    if not is_polytree:
        return GraphLayout(tuple(order), (0,) * len(order), True)
    rows: list[int] = []
    columns = [-1] * len(order)
    for start in order:
        if columns[start] < 0:
            _place(start, parents, children, rows, columns)
    return GraphLayout(tuple(rows), tuple(columns), False)


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
