"""`Batch`: many logistic regressions over one design, and their `Solution`."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Ints

__all__ = ["MOST_STRENGTH", "Batch", "FewExtras", "Solution"]

# Weaker penalties than 1 / MOST_STRENGTH are as good as none: they are taken as this one, which keeps the coefficients
# of separable data finite. Weights of rows beyond it, or all below its inverse, are first brought to 1.
MOST_STRENGTH = 1e10


@dataclass(frozen=True, eq=False)
class FewExtras:
    """Which columns each problem may use, where each uses a few columns (parents) behind those of the features.

    Of many labels a mask of all columns, and coefficients of all columns, would be mostly zeros. Coefficients are
    packed: those of the features, then those of the extra columns that the problem uses, as many as any problem has.

    Parameters
    ----------
    n_own, n_columns : int
        How many columns are features, and how many there are in all.
    extras : ndarray of int, shape (n_problems, width)
        The extra columns of each problem, -1 where it has fewer.
    own : ndarray of bool, shape (n_problems, n_own), or None
        Which features each problem may use; None for all.
    order : ndarray of int, shape (n_columns,), or None
        How the design numbers the columns.

    Examples
    --------
    >>> few = FewExtras(2, 5, np.array([[3, -1]]))
    >>> few.mask(0), few.spread(0, np.array([0.5, 0.6, 0.7, 0.0])), few.packed(0, np.arange(5.0))
    (array([ True,  True, False,  True, False]), array([0.5, 0.6, 0. , 0.7, 0. ]), array([0., 1., 3., 0.]))
    """

    n_own: int
    n_columns: int
    extras: Ints
    own: npt.NDArray[np.bool_] | None = None
    order: Ints | None = None

    @property
    def width(self) -> int:
        """Length of packed coefficients."""
        return self.n_own + self.extras.shape[1]

    def __getitem__(self, problems: Ints) -> "FewExtras":
        """Return some of the problems."""
        return replace(self, extras=self.extras[problems], own=None if self.own is None else self.own[problems])

    def mask(self, problem: int) -> npt.NDArray[np.bool_]:
        """Return which columns a problem may use, as the design numbers them."""
        return self.spread(problem, np.ones(self.width, dtype=np.bool_))

    def spread(self, problem: int, packed: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return packed coefficients as those of all columns, as the design numbers them."""
        whole, used = np.zeros(self.n_columns, dtype=packed.dtype), self.extras[problem] >= 0
        whole[: self.n_own] = packed[: self.n_own] if self.own is None else packed[: self.n_own] * self.own[problem]
        whole[self.extras[problem][used]] = packed[self.n_own :][used]
        return whole if self.order is None else whole[self.order]

    def packed(self, problem: int, coefficients: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return coefficients of all columns, in their own numbers, packed."""
        used = self.extras[problem]
        return np.append(coefficients[: self.n_own], np.where(used >= 0, coefficients[used], 0))


@dataclass(frozen=True, eq=False)
class Solution:
    """What the solver found, in units of the design: see `Design.original`.

    Parameters
    ----------
    coef : ndarray of shape (n_problems, n_columns)
        Coefficients; zero off the support. Packed where the support is `FewExtras`.
    intercept : ndarray of shape (n_problems,)
        Intercepts.
    objective : ndarray of shape (n_problems,)
        strength * sum of weighted losses + 1/2 ||coef||^2 before the last step, hence slightly too high.
    n_iter : ndarray of int, shape (n_problems,)
        Newton steps taken.
    converged : ndarray of bool, shape (n_problems,)
        Whether the tolerance was reached.
    """

    coef: Floats
    intercept: Floats
    objective: Floats
    n_iter: npt.NDArray[np.int64]
    converged: npt.NDArray[np.bool_]

    @classmethod
    def start(cls, coef: Floats, intercept: Floats) -> "Solution":
        """Return a start: coefficients of which nothing else is known."""
        nothing = np.zeros(len(intercept))
        return cls(coef, intercept, nothing, nothing.astype(np.int64), nothing > 0)

    @classmethod
    def empty(cls, n_problems: int, n_columns: int) -> "Solution":
        """Return room for solutions."""
        return cls.start(np.zeros((n_problems, n_columns)), np.zeros(n_problems))

    @classmethod
    def joined(cls, parts: "Sequence[Solution]", places: Ints) -> "Solution":
        """Return solutions that were found apart, in the order of `places` among all of them."""
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts])[places] for name in names))


@dataclass(frozen=True, eq=False)
class Batch:
    """The problems of one call; problem m has target `targets[:, columns[m]]`, strength `strengths[m]` and so on.

    Parameters
    ----------
    targets : ndarray or CSC matrix of shape (n_rows, n_labels)
        0/1 labels.
    columns : ndarray of int, shape (n_problems,)
        Which label each problem predicts; a label may occur several times.
    strengths : ndarray of shape (n_problems,)
        C of each problem.
    weights : ndarray of shape (n_rows, n_weights), or None
        Vectors of row weights.
    weight_columns : ndarray of int, shape (n_problems,)
        Which vector of weights each problem uses.
    support : ndarray of bool, shape (n_problems, n_columns), FewExtras or None
        Which columns of the design each problem may use.
    start : tuple of ndarray (coef, intercept), or None
        Where to start, in units of the design.
    taken : ndarray of int, shape (n_problems,), or None
        Steps that led there and count as steps of the solver.
    shared : ndarray of bool, shape (n_columns,), or None
        Of a part of a batch: the columns that all problems of the whole use.
    """

    targets: Any
    columns: Ints
    strengths: Floats
    weights: Floats | None = None
    weight_columns: Ints | None = None
    support: Any = None
    start: tuple[Floats, Floats] | None = None
    taken: Ints | None = None
    shared: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        targets: Any,
        strengths: float | Floats,
        columns: Sequence[int] | Ints | None,
        weights: Floats | None,
        weight_columns: Sequence[int] | Ints | None,
        support: Any,
        start: Solution | None,
    ) -> "Batch":
        """Return a batch with the defaults filled in: every label once, one vector of weights for all or one each."""
        columns = np.arange(targets.shape[1]) if columns is None else np.asarray(columns, dtype=np.int64)
        chosen = None
        if weights is not None:
            weights = weights[:, None] if weights.ndim == 1 else weights
            if weight_columns is None:
                weight_columns = np.zeros_like(columns) if weights.shape[1] == 1 else columns
            chosen = np.asarray(weight_columns, dtype=np.int64)
        strengths = np.broadcast_to(np.asarray(strengths, dtype=np.float64), columns.shape)
        heaviest = 1.0 if weights is None else float(weights.max(initial=0.0))
        if weights is not None and heaviest > 0 and not 1.0 / MOST_STRENGTH <= heaviest <= MOST_STRENGTH:
            # Never their product, which can be beyond all floats, and no weight beyond float32.
            strengths = np.minimum(strengths, MOST_STRENGTH / heaviest) * heaviest
            weights = np.where(weights > 0, np.maximum(weights / heaviest, 1e-30), 0.0)
        strengths = np.minimum(strengths, MOST_STRENGTH)
        begin = None if start is None else (start.coef, start.intercept)
        return cls(targets, columns, strengths, weights, chosen, support, begin)

    @property
    def n_problems(self) -> int:
        """Number of problems."""
        return len(self.columns)

    def target(self, problem: int) -> npt.NDArray[Any]:
        """Return the 0/1 column that a problem predicts."""
        label = self.columns[problem]
        if not sparse.issparse(self.targets):
            return np.asarray(self.targets[:, label])
        column = np.zeros(self.targets.shape[0], dtype=np.uint8)
        column[self.targets.indices[self.targets.indptr[label] : self.targets.indptr[label + 1]]] = 1
        return column

    def cost(self, problem: int) -> Floats | float:
        """Return strength times row weights, or the strength where all rows count alike."""
        if self.weights is None or self.weight_columns is None:
            return float(self.strengths[problem])
        return np.asarray(self.strengths[problem] * self.weights[:, self.weight_columns[problem]])

    def in_order(self, order: Ints) -> "Batch":
        """Return the batch for columns of the design in another order."""
        if isinstance(self.support, FewExtras):
            return replace(self, support=replace(self.support, order=order))
        support = None if self.support is None else self.support[:, order]
        start = None if self.start is None else (self.start[0][:, order], self.start[1])
        return replace(self, support=support, start=start)

    def mask(self, problem: int) -> npt.NDArray[Any]:
        """Return which columns a problem may use, where there is a support."""
        return self.support.mask(problem) if isinstance(self.support, FewExtras) else self.support[problem]

    def start_of(self, problem: int) -> npt.NDArray[Any]:
        """Return the coefficients that a problem starts from, where there is a start, zero off its support."""
        assert self.start is not None
        coef = self.start[0][problem]
        if isinstance(self.support, FewExtras):
            return self.support.spread(problem, coef)
        return coef if self.support is None else coef * self.support[problem]

    def kept(self, problem: int, coefficients: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the coefficients of a solved problem as a solution holds them."""
        return self.support.packed(problem, coefficients) if isinstance(self.support, FewExtras) else coefficients

    def part(self, problems: Ints) -> "Batch":
        """Return some of the problems."""
        chosen: dict[str, Any] = {
            "columns": self.columns[problems],
            "strengths": self.strengths[problems],
            "weight_columns": None if self.weight_columns is None else self.weight_columns[problems],
            "support": None if self.support is None else self.support[problems],
            "start": None if self.start is None else (self.start[0][problems], self.start[1][problems]),
            "taken": None if self.taken is None else self.taken[problems],
        }
        return replace(self, shared=self.shared_columns(), **chosen)

    def shared_columns(self) -> npt.NDArray[np.bool_] | None:
        """Return which columns all problems use, of a part those that all problems of the whole use; None for all."""
        if self.shared is not None or self.support is None or isinstance(self.support, FewExtras):
            return self.shared
        return np.asarray(self.support.all(axis=0))

    def log_odds(self) -> Floats:
        """Return the log-odds of the weighted share of ones of each problem: the best intercepts without any column."""
        if self.weights is None or self.weight_columns is None:
            ones = self._ones()
            zeros = self.targets.shape[0] - ones
        else:
            # Sums over one column at a time, whose bits do not depend on how many there are.
            weights, y = self.weights[:, self.weight_columns], self.targets[:, self.columns]
            y = y.toarray() if sparse.issparse(y) else y
            ones, zeros = (weights * y).sum(axis=0), (weights * (1.0 - y)).sum(axis=0)
        known = (ones > 0) & (zeros > 0)
        return np.asarray(np.log(np.where(known, ones, 1.0)) - np.log(np.where(known, zeros, 1.0)))

    def rarity(self) -> Floats:
        """Return the number of rows of the rarer class of each problem, weights aside."""
        ones = self._ones()
        return np.minimum(ones, self.targets.shape[0] - ones)

    def _ones(self) -> Floats:
        """Return the number of rows that have the label of each problem."""
        return np.asarray(self.targets.sum(axis=0, dtype=np.float64)).ravel()[self.columns]
