"""`RowPart`: some rows with their labels, and the sums over them that training needs.

All sums are additive over parts. Coefficients come in units of X, so that parts know nothing of scales; a column of the
design is a column of X or a label that is a parent of some label.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Floats, Ints

__all__ = ["LENGTHS", "Panel", "RowPart", "curvature", "derivatives", "losses_along"]

# Rows whose scores are held at a time.
_ROWS = 1 << 14
# Lengths of a Newton step that are tried.
LENGTHS = np.array([0.0, 1.0, 0.5, 0.25, 0.125, 0.03125])


class Panel(NamedTuple):
    """Labels that take a Newton step together, at their coefficients of now.

    Parameters
    ----------
    number : int
        Of the step; what a part remembers of another step is of no use.
    labels, parents : ndarray of int
        The labels, and those that are columns of the design.
    coef, intercept : ndarray of shape (n_columns, n_problems) and (n_problems,)
        Where the step begins.
    cost : ndarray of shape (2, n_problems)
        C times the weight of a row without the label, and with it.
    """

    number: int
    labels: Ints
    parents: Ints
    coef: Floats
    intercept: Floats
    cost: Floats


class Memory:
    """What a part keeps from one sum to the next: the curvature of a step, as long as it is small."""

    most = 1 << 28

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, Array]] = {}

    def keep(self, number: int, first: int, values: Array) -> None:
        """Keep the values of a block of rows."""
        held = sum(block.nbytes for at, (step, block) in self._kept.items() if at != first and step == number)
        self._kept = {at: kept for at, kept in self._kept.items() if kept[0] == number}
        if held + values.nbytes <= self.most:
            self._kept[first] = number, values

    def kept(self, number: int, first: int) -> Array | None:
        """Return the values of a block of rows, if they are of this step."""
        step, values = self._kept.get(first, (None, None))
        return values if step == number else None


@dataclass(frozen=True, eq=False)
class RowPart:
    """Some rows.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        Features.
    Y : CSR matrix of uint8, shape (n_rows, n_labels)
        Labels.
    memory : Memory
        What is kept from one sum to the next.
    weights : ndarray of float64, shape (n_rows,), or None
        Weights of the rows; None where all are one.
    """

    X: Any
    Y: Any
    memory: Any
    weights: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def blocks(self, parents: Ints) -> Iterator[tuple[int, "_Block"]]:
        """Give blocks of rows with the number of their first one; an empty one where there are no rows."""
        for first in range(0, max(1, self.n_rows), _ROWS):
            rows = slice(first, first + _ROWS)
            labels = self.Y[rows].tocsc()
            weights = None if self.weights is None else self.weights[rows, None]
            yield first, _Block(self.X[rows], labels, labels[:, parents].astype(np.float64), weights)


class _Block(NamedTuple):
    """Rows as a design."""

    X: Any
    Y: Any
    parents: Any
    weights: Any

    def forward(self, coef: Floats) -> Floats:
        n_features = self.X.shape[1]
        return np.asarray(self.X @ coef[:n_features] + self.parents @ coef[n_features:])

    def backward(self, values: Floats, *, squared: bool = False) -> Floats:
        X = self.X
        if squared:
            X = X.multiply(X).tocsr() if sparse.issparse(X) else np.square(X)
        # The square of a label is the label.
        return np.concatenate([np.asarray(X.T @ values), np.asarray(self.parents.T @ values)])

    def target(self, labels: Ints) -> Floats:
        return np.asarray(self.Y[:, labels].toarray(), dtype=np.float64)

    def cost(self, target: Floats, cost: Floats) -> Floats:
        """Return C times the weight of each row, by whether it has the label."""
        found = cost[0] + (cost[1] - cost[0]) * target
        return np.asarray(found if self.weights is None else found * self.weights)


def _probability(scores: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-scores)))


def derivatives(part: RowPart, panel: Panel) -> tuple[Floats, ...]:
    """Return loss, its slope and bend along the intercept, gradient, and A'S1 and (A*A)'S of the curvature S."""
    total: Any = None
    for first, block in part.blocks(panel.parents):
        target = block.target(panel.labels)
        scores = block.forward(panel.coef) + panel.intercept
        p, weight = _probability(scores), block.cost(target, panel.cost)
        loss = (weight * (np.logaddexp(0.0, scores) - target * scores)).sum(axis=0)
        residual, bend = weight * (p - target), weight * p * (1.0 - p)
        part.memory.keep(panel.number, first, bend.astype(np.float32))
        sums = (
            loss,
            residual.sum(axis=0),
            bend.sum(axis=0),
            block.backward(residual),
            block.backward(bend),
            block.backward(bend, squared=True),
        )
        total = sums if total is None else tuple(a + b for a, b in zip(total, sums, strict=True))
    return total


def curvature(part: RowPart, panel: Panel, columns: Ints, directions: Floats) -> tuple[Floats, ...]:
    """Return A'SAP, the sums of SAP, and P'A'SAP for directions P of some problems of the panel."""
    total: Any = None
    for first, block in part.blocks(panel.parents):
        bend = part.memory.kept(panel.number, first)
        if bend is None:
            target = block.target(panel.labels)
            p = _probability(block.forward(panel.coef) + panel.intercept)
            bend = (block.cost(target, panel.cost) * p * (1.0 - p)).astype(np.float32)
            part.memory.keep(panel.number, first, bend)
        along = block.forward(directions)
        weighted = bend[:, columns] * along
        sums = block.backward(weighted), weighted.sum(axis=0), (weighted * along).sum(axis=0)
        total = sums if total is None else tuple(a + b for a, b in zip(total, sums, strict=True))
    return total


def losses_along(part: RowPart, panel: Panel, steps: Floats, changes: Floats) -> tuple[Floats]:
    """Return the losses after each of `LENGTHS` of a step of coefficients and intercepts, (n_lengths, n_problems)."""
    found = np.zeros((len(LENGTHS), len(panel.labels)))
    for _, block in part.blocks(panel.parents):
        target = block.target(panel.labels)
        scores, along = block.forward(panel.coef) + panel.intercept, block.forward(steps) + changes
        weight = block.cost(target, panel.cost)
        for place, length in enumerate(LENGTHS):
            there = scores + length * along
            found[place] += (weight * (np.logaddexp(0.0, there) - target * there)).sum(axis=0)
    return (found,)
