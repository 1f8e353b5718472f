"""`Problem`: the checked input of a learner, its labels with one value only, and its parents as columns."""

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_array

from plait.core.arrays import Floats, Ints
from plait.core.checks import Constraint, Interval, Nothing, OneOf, check_value
from plait.core.labels import as_label_matrix
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, shown
from plait.core.unknown_labels import has_unknown, known_cells, known_shares, unknown_as_absent
from plait.features import FeatureMask
from plait.structure import LabelGraph

__all__ = [
    "CLASS_WEIGHT_RULES",
    "ParentColumns",
    "Problem",
    "checked_problem",
    "class_weighted",
    "constant_labels",
    "constant_scores",
    "require_moderate",
    "row_splits",
    "weighing_rows",
]

# A class whose rows weigh less than this is taken as absent (weights of a mixture's EM can get that small).
LEAST_MASS = 1e-8
LARGEST = 1e15


@dataclass(frozen=True, eq=False)
class Problem:
    """What all learners train on.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    Y : ndarray of uint8, or CSR matrix, shape (n_samples, n_labels)
        Labels; sparse for learners with `takes_sparse_labels` only. Of int8 with -1 for unknown labels, which do not
        count as targets; of float64 from 0 to 1 (soft targets) for learners with `takes_soft_targets` only.
    graph : LabelGraph
        Which labels each label depends on.
    support : ndarray of bool, shape (n_labels, n_features), or None
        Which features each label may use; None for all.
    weights : ndarray of float64, shape (n_samples,) or (n_samples, n_labels), or None
        Weights of rows, for all labels or for each.
    parents : ndarray of shape (n_samples, n_labels), or None
        The values from 0 to 1 that labels have as parents of others; None where they are those of Y.
    """

    X: Any
    Y: Any
    graph: LabelGraph
    support: npt.NDArray[np.bool_] | None = None
    weights: Floats | None = None
    parents: Any = None

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.Y.shape[1])

    @property
    def row_weights(self) -> Floats | None:
        """Weights of rows that are the same for all labels, or None."""
        return self.weights if self.weights is not None and self.weights.ndim == 1 else None

    def weights_of(self, label: int) -> Floats | None:
        """Return the weights of rows for one label, or None where all are one."""
        if self.weights is None or self.weights.ndim == 1:
            return self.weights
        return self.weights[:, label]

    @property
    def parent_values(self) -> Any:
        """The values that labels have as parents of others, (n_samples, n_labels); unknown ones their shares."""
        if self.parents is None and has_unknown(self.Y):
            return np.where(self.Y >= 0, self.Y, known_shares(self.Y))
        return self.Y if self.parents is None else self.parents

    def with_known_targets(self) -> "Problem":
        """Return the problem with unknown labels as targets that weigh nothing; itself where all are known."""
        if not has_unknown(self.Y):
            return self
        known = known_cells(self.Y).astype(np.float64)
        given = 1.0 if self.weights is None else self.weights if self.weights.ndim == 2 else self.weights[:, None]
        return replace(self, Y=unknown_as_absent(self.Y), weights=known * given, parents=self.parent_values)

    def part(self, rows: Ints) -> "Problem":
        """Return some rows of the problem, their numbers ascending."""
        if len(rows) == self.Y.shape[0]:
            return self
        weights = None if self.weights is None else self.weights[rows]
        parents = None if self.parents is None else self.parents[rows]
        return replace(self, X=self.X[rows], Y=self.Y[rows], weights=weights, parents=parents)

    def of_labels(self, labels: list[int]) -> "Problem":
        """Return the problem of some of the labels; its graph, over all of them, is left to the caller."""
        weights = self.weights if self.weights is None or self.weights.ndim == 1 else self.weights[:, labels]
        support = None if self.support is None else self.support[labels]
        parents = None if self.parents is None else self.parents[:, labels]
        return replace(self, Y=self.Y[:, labels], support=support, weights=weights, parents=parents)

    def class_mass(self) -> Floats:
        """Return the weight of the rows of each class, shape (n_labels, 2): column 1 for rows that have the label."""
        if self.weights is None:
            ones = np.asarray(self.Y.sum(axis=0, dtype=np.float64)).ravel()
            total = np.full(self.n_labels, float(self.Y.shape[0]))
        else:
            weights = self.weights if self.weights.ndim == 2 else self.weights[:, None]
            ones = column_sums(weights, self.Y)
            total = np.broadcast_to(weights.sum(axis=0), ones.shape)
        return np.column_stack([total - ones, ones])


def checked_problem(
    owner: str,
    X: Any,
    Y: Any,
    graph: LabelGraph | None,
    mask: FeatureMask | None,
    sample_weight: Any,
    *,
    allow_nan: bool = False,
    sparse_labels: bool = False,
    parent_values: Any = None,
) -> Problem:
    """Return the input of a learner, checked; errors name `owner`. Labels stay sparse where `sparse_labels` says so."""
    # Rows in one piece whatever X came as, so that a frame (kept by columns) gives the same bits as an array.
    floats = (np.float64, np.float32)
    X = check_array(X, accept_sparse="csr", dtype=floats, order="C", ensure_all_finite=False, input_name="X")
    _require_finite(owner, X, allow_nan)
    labels = as_label_matrix(owner, Y, unknown=True)
    if not (sparse.issparse(labels) and sparse_labels):
        labels = labels.toarray() if sparse.issparse(labels) else np.ascontiguousarray(labels)
    if labels.shape[0] != X.shape[0]:
        raise ParameterError(
            f"{owner} needs X and Y to have the same number of rows, but X has {X.shape[0]} and Y has "
            f"{labels.shape[0]}. Pass rows of the same objects."
        )
    graph = LabelGraph([[]] * labels.shape[1]) if graph is None else graph
    if not isinstance(graph, LabelGraph) or graph.n_labels != labels.shape[1]:
        raise ParameterError(
            f"{owner} needs graph to be a LabelGraph over {labels.shape[1]} labels, but it is {shown(graph)}. "
            "Build it from as many parent lists as Y has columns, or pass None."
        )
    support = None if mask is None else _checked_support(owner, mask, labels.shape[1], X.shape[1])
    parents = None if parent_values is None else _checked_parents(owner, parent_values, labels.shape)
    return Problem(X, labels, graph, support, _checked_weights(owner, sample_weight, labels.shape), parents)


def _checked_parents(owner: str, values: Any, shape: tuple[int, ...]) -> Floats:
    parents = np.asarray(values, dtype=np.float64)
    if parents.shape != shape or not ((parents >= 0) & (parents <= 1)).all():
        raise ParameterError(
            f"{owner} needs parent_values to be numbers from 0 to 1 of shape {shape}, but they have shape "
            f"{parents.shape} or are not. Pass one for each row and label."
        )
    return parents


def _require_finite(owner: str, X: Any, allow_nan: bool) -> None:
    try:
        assert_all_finite(X, allow_nan=allow_nan, input_name="X")
    except ValueError as error:
        found = "NaN" if not allow_nan and np.isnan(X.data if sparse.issparse(X) else X).any() else "infinite ones"
        todo = (
            "Impute them, or use SklearnLearner with an estimator that takes NaN." if found == "NaN" else "Clip them."
        )
        raise ParameterError(f"{owner} needs X to hold finite numbers, but it holds {found}. {todo}") from error


def require_moderate(owner: str, X: Any) -> None:
    """Refuse features whose sums of squares are beyond float32, for a learner that takes columns as they are."""
    largest = float(np.abs(X.data if sparse.issparse(X) else X).max(initial=0.0))
    if largest > LARGEST:
        raise ParameterError(
            f"{owner} needs X to hold numbers of at most {LARGEST:g}, as columns are not scaled, but it holds "
            f"{largest:g}. Divide the columns by their standard deviations."
        )


def _checked_support(owner: str, mask: FeatureMask, n_labels: int, n_features: int) -> npt.NDArray[np.bool_] | None:
    support = getattr(mask, "support", None)
    if support is None or support.shape != (n_labels, n_features):
        raise ParameterError(
            f"{owner} needs mask to be a FeatureMask of {n_labels} labels and {n_features} features, but it is "
            f"{shown(mask)}. Pass what a selector's select(X, Y) returns for the same columns, or None."
        )
    return None if support.all() else support


def _checked_weights(owner: str, sample_weight: Any, shape: tuple[int, ...]) -> Floats | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape not in (shape[:1], shape):
        raise ParameterError(
            f"{owner} needs sample_weight to have shape {shape[:1]} or {shape}, but it has {weights.shape}. "
            "Pass one weight for each row, or one for each row and label."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        wrong = weights[~np.isfinite(weights) | (weights < 0)]
        raise ParameterError(
            f"{owner} needs sample_weight to hold finite numbers of at least 0, but it holds {wrong[0]}. "
            "Pass non-negative weights."
        )
    return weights


def row_splits(owner: str, n_samples: int, folds: float | int | None, random_state: Any) -> list[tuple[Ints, Ints]]:
    """Return (training rows, scored rows) of every split, both in ascending order.

    Parameters
    ----------
    owner : str
        Who asks, for errors.
    n_samples : int
        Number of rows.
    folds : float, int or None
        A share of rows to hold out once; or a number of parts each of which is held out in turn; or None to train on
        all rows and score them again.
    random_state : None, int, RandomState or Generator
        Shuffles the rows.

    Examples
    --------
    >>> [held.tolist() for _, held in row_splits("row_splits", 5, 2, random_state=0)]
    [[2, 3, 4], [0, 1]]
    """
    check_value(owner, "folds", folds, (Interval(float, 0, 1, closed="neither"), Interval(int, 2, None), Nothing()))
    everything = np.arange(n_samples)
    if folds is None:
        return [(everything, everything)]
    least = 2 if folds < 1 else int(folds)
    if n_samples < least:
        raise ParameterError(
            f"{owner} needs at least {least} rows for folds={folds}, but X has {n_samples}. "
            "Pass more rows, fewer folds, or folds=None."
        )
    shuffled = generator(random_state).permutation(n_samples)
    if folds < 1:
        held_out = min(max(round(folds * n_samples), 1), n_samples - 1)
        parts = [shuffled[:held_out]]
    else:
        parts = np.array_split(shuffled, int(folds))
    return [(np.setdiff1d(everything, part), np.sort(part)) for part in parts]


def column_sums(weights: Floats, Y: Any) -> Floats:
    """Return the weights of the rows that have each label; weights of shape (n_samples, 1) or (n_samples, n_labels)."""
    if not sparse.issparse(Y):
        return np.asarray((weights * Y).sum(axis=0))
    return np.asarray(Y.multiply(weights).sum(axis=0), dtype=np.float64).ravel()


def constant_labels(class_mass: Floats) -> npt.NDArray[np.bool_]:
    """Return which labels have one value only; takes `Problem.class_mass()`."""
    return np.asarray((class_mass < LEAST_MASS).any(axis=1))


def constant_scores(class_mass: Floats) -> Floats:
    """Return the log-odds of the Laplace estimate (n_1 + 1) / (N + 2) of every label.

    Examples
    --------
    >>> constant_scores(np.array([[8.0, 0.0]])).round(4)  # 1/10 against 9/10
    array([-2.1972])
    """
    return np.asarray(np.log(class_mass[:, 1] + 1.0) - np.log(class_mass[:, 0] + 1.0))


@dataclass(frozen=True, eq=False)
class ParentColumns:
    """The columns of Y that stand beside X.

    Parameters
    ----------
    labels : ndarray of int
        Labels that are a parent of some label and not constant, ascending.
    values : ndarray or CSR matrix of shape (n_samples, len(labels)), or None
        Their columns; None where there is none.
    """

    labels: npt.NDArray[np.int64]
    values: Any

    @classmethod
    def of(cls, problem: Problem) -> "ParentColumns":
        """Return the parents of a problem; a constant parent says nothing and gets the coefficient 0 (SPEC 9.3)."""
        used = np.zeros(problem.n_labels, dtype=np.bool_)
        for parents in problem.graph.parents:
            used[list(parents)] = True
        values = problem.parent_values
        kind = np.int64 if values.dtype.kind in "biu" else np.float64
        ones = np.asarray(values.sum(axis=0, dtype=kind)).ravel()
        used &= (ones > 0) & (ones < problem.Y.shape[0])
        if kind is np.float64:  # numbers between 0 and 1 can all be the same
            used &= values.min(axis=0) < values.max(axis=0)
        labels = np.flatnonzero(used)
        return cls(labels, values[:, labels] if len(labels) else None)

    def support(self, problem: Problem) -> npt.NDArray[np.bool_] | None:
        """Return which columns of [X, parents] each label may use, or None where that is all."""
        if problem.support is None and not len(self.labels):
            return None
        n_features = problem.X.shape[1]
        allowed = np.zeros((problem.n_labels, n_features + problem.n_labels), dtype=np.bool_)
        allowed[:, :n_features] = True if problem.support is None else problem.support
        for label, parents in enumerate(problem.graph.parents):
            allowed[label, [n_features + parent for parent in parents]] = True
        return allowed[:, np.concatenate([np.arange(n_features), n_features + self.labels])]


def class_weighted(problem: Problem, class_weight: Any) -> Problem:
    """Return the problem with row weights multiplied by class weights, label by label.

    "balanced" gives class c of a label the weight `n / (2 n_c)`, with weighted counts where rows have weights, as
    scikit-learn does; labels with one class only stay as they are. A dict maps 0 and 1 to weights, 1 where missing.
    """
    if class_weight is None:
        return problem
    if isinstance(class_weight, dict):
        factors = np.tile([float(class_weight.get(0, 1.0)), float(class_weight.get(1, 1.0))], (problem.n_labels, 1))
    else:
        mass = problem.class_mass()
        factors = np.divide(mass.sum(axis=1, keepdims=True), 2 * mass, out=np.ones_like(mass), where=mass > 0)
    Y = problem.Y.toarray() if sparse.issparse(problem.Y) else problem.Y
    weights = np.where(Y == 1, factors[:, 1], factors[:, 0])
    soft = Y.dtype.kind == "f"
    if soft:  # a target between the classes counts as a share of a row of each
        weights = factors[:, 1] * Y + factors[:, 0] * (1.0 - Y)
        Y = factors[:, 1] * Y / weights
    if problem.weights is not None:
        weights *= problem.weights if problem.weights.ndim == 2 else problem.weights[:, None]
    return replace(problem, weights=weights, Y=Y) if soft else replace(problem, weights=weights)


def weighing_rows(problem: Problem) -> Problem:
    """Return the problem without the rows whose weight is 0 for every label; one row is left where all weigh 0."""
    if problem.weights is None:
        return problem
    some = problem.weights > 0 if problem.weights.ndim == 1 else (problem.weights > 0).any(axis=1)
    if some.all():
        return problem
    rows = np.flatnonzero(some) if some.any() else np.arange(1)
    parents = None if problem.parents is None else problem.parents[rows]
    return replace(problem, X=problem.X[rows], Y=problem.Y[rows], weights=problem.weights[rows], parents=parents)


WEIGHT = Interval(float, 0, sys.float_info.max, closed="right")


@dataclass(frozen=True)
class ClassWeights(Constraint):
    """A dict from the classes 0 and 1 of every label to their weights.

    Examples
    --------
    >>> ClassWeights().accepts({0: 1.0, 1: 5}), ClassWeights().accepts({2: 1.0})
    (True, False)
    """

    def accepts(self, value: Any) -> bool:
        """Say whether all keys are classes and all values weights."""
        if not isinstance(value, dict) or any(key not in (0, 1) for key in value):
            return False
        return all(WEIGHT.accepts(weight) for weight in value.values())

    def describe(self) -> str:
        """Say so."""
        return "a dict from the classes 0 and 1 to finite weights above 0"

    def wrong(self) -> list[Any]:
        """Return dicts with another class, and with weights of 0, below and infinite."""
        return [{2: 1.0}, {1: -1.0}, {0: 0.0, 1: 1.0}, {0: float("inf")}, {1: "heavy"}]


CLASS_WEIGHT_RULES: tuple[Constraint, ...] = (Nothing(), OneOf(("balanced",)), ClassWeights())
