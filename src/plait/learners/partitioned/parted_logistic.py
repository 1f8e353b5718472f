"""L2 logistic regression of every label where rows lie in parts: what `LogisticLearner` does, by sums over parts."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from plait.core.arrays import Bools, Floats, Ints
from plait.core.sentences import ParameterError, warn_user
from plait.learners.linear_conditionals import LinearConditionals, parent_matrix
from plait.learners.logistic.logistic_batch import MOST_STRENGTH, Solution
from plait.learners.logistic.penalty_search import choose_penalties
from plait.learners.partitioned.newton_rounds import PartedProblem, solve_in_rounds
from plait.learners.partitioned.part_sums import Parts
from plait.learners.partitioned.row_part import RowPart
from plait.learners.training.column_scaling import ColumnMoments
from plait.learners.training.problem import LARGEST, Problem, constant_labels, constant_scores
from plait.structure import LabelGraph
from plait.structure.co_occurrences import CoOccurrences

__all__ = [
    "PartFacts",
    "PartedRows",
    "fit_logistic_parts",
    "gathered_labels",
    "label_counts",
    "part_facts",
    "sampled_rows",
]

# Dense columns up to which their covariances are counted.
_FEW_COLUMNS = 1000


class PartFacts(NamedTuple):
    """What is known of the rows of some parts.

    Parameters
    ----------
    moments : ColumnMoments
        Of the features.
    n_ones : ndarray of int, shape (n_labels,)
        How many rows have each label.
    mass : ndarray of float64, shape (n_labels,)
        What these rows weigh.
    whole : bool
        Whether weights are whole numbers.
    """

    moments: ColumnMoments
    n_ones: Ints
    mass: Floats
    whole: bool

    def plus(self, other: "PartFacts") -> "PartFacts":
        """Return what is known of the rows of both."""
        sums = self.moments + other.moments, self.n_ones + other.n_ones, self.mass + other.mass
        return PartFacts(*sums, self.whole and other.whole)


def part_facts(part: RowPart) -> tuple[int, PartFacts]:
    """Return the number of rows of a part, and what is known of them."""
    ones = np.asarray(part.Y.sum(axis=0, dtype=np.int64)).ravel()
    mass = ones.astype(np.float64) if part.weights is None else np.asarray(part.weights @ part.Y)
    whole = part.weights is None or bool((part.weights == np.floor(part.weights)).all())
    return part.n_rows, PartFacts(ColumnMoments.of(part.X, part.weights), ones, mass, whole)


def label_counts(part: RowPart, copied: bool) -> CoOccurrences:
    """Return how often the labels of a part meet; rows count as often as they weigh where that is said, else once."""
    copies = part.weights.astype(np.int64) if copied and part.weights is not None else None
    return CoOccurrences(sparse.csr_array(part.Y), copies)


def gathered_labels(part: RowPart, rows: Ints) -> tuple[Any, Any]:
    """Return the labels of some rows of a part, sparse, and what these weigh."""
    return part.Y[rows], None if part.weights is None else part.weights[rows]


def sampled_rows(part: RowPart, rows: Ints) -> tuple[Any, Any, Any]:
    """Return some rows of a part."""
    return part.X[rows], part.Y[rows], None if part.weights is None else part.weights[rows]


def _gram(part: RowPart, parents: Ints) -> Floats:
    """Return the products of all columns of the design, the column of ones last."""
    total = 0.0
    for _, block in part.blocks(parents):
        columns = np.column_stack([block.X, block.parents.toarray(), np.ones(block.X.shape[0])])
        total = total + columns.T @ (columns if block.weights is None else columns * block.weights)
    return np.asarray(total)


@dataclass(frozen=True, eq=False)
class PartedRows:
    """Rows in parts, what is known of all of them, and some of them in memory.

    Parameters
    ----------
    parts : Parts
        Where the rows lie.
    n_rows : int
        How many there are.
    facts : PartFacts
        Of all rows.
    dense : bool
        Whether the features are dense.
    sample : tuple (X, Y, weights)
        Some rows, all of them where they are few.
    """

    parts: Parts
    n_rows: int
    facts: PartFacts
    dense: bool
    sample: tuple[Any, Any, Any]

    @property
    def moments(self) -> ColumnMoments:
        """Of the features."""
        return self.facts.moments

    @property
    def n_ones(self) -> Ints:
        """How many rows have each label, (n_labels,)."""
        return self.facts.n_ones

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.moments.means)

    @property
    def class_mass(self) -> Floats:
        """What the rows without and with each label weigh, (n_labels, 2)."""
        total = float(self.moments.n_rows)
        # Whatever rounding leaves of sums of weights.
        ones = np.where(self.n_ones == self.n_rows, total, self.facts.mass)
        return np.column_stack([total - ones, ones])


def fit_logistic_parts(
    settings: Any, rows: PartedRows, graph: LabelGraph, support: Bools | None, made_by: str
) -> LinearConditionals:
    """Return the conditionals of all labels, to the tolerance of the settings.

    Where C is searched for, it is found on the rows of the sample; the fit starts there.
    """
    _require_moderate(settings, rows, made_by)
    mass = rows.class_mass
    fitted = np.flatnonzero(~constant_labels(mass))
    parents = _parents(rows, graph)
    C, near = _penalties(settings, rows, graph, support, fitted, made_by)
    problem = _problem(settings, rows, graph, support, fitted, parents, C)
    start = None if near is None else _start(near, problem, fitted)
    found = solve_in_rounds(problem, start, tol=settings.tol, max_iter=settings.max_iter)
    _warn(fitted[~found.converged], settings, made_by)
    return _conditionals(rows, graph, fitted, parents, C, problem, found, made_by)


def _require_moderate(settings: Any, rows: PartedRows, made_by: str) -> None:
    largest = float(rows.moments.sizes.max(initial=0.0))
    if largest > LARGEST:
        raise ParameterError(
            f"{made_by} needs X to hold numbers of at most {LARGEST:g} where rows come in chunks, but it holds "
            f"{largest:g}. Divide the columns by their standard deviations."
        )


def _parents(rows: PartedRows, graph: LabelGraph) -> Ints:
    used = np.zeros(len(rows.n_ones), dtype=np.bool_)
    for parents in graph.parents:
        used[list(parents)] = True
    return np.flatnonzero(used & (rows.n_ones > 0) & (rows.n_ones < rows.n_rows))


def _penalties(
    settings: Any, rows: PartedRows, graph: LabelGraph, support: Bools | None, fitted: Ints, made_by: str
) -> tuple[Floats, LinearConditionals | None]:
    """Return C of each label that is fitted, and fits of the sample that are near."""
    if isinstance(settings.C, str):
        X, Y, weights = rows.sample
        few = Problem(X, Y, graph, support, weights)
        known = np.flatnonzero(~constant_labels(few.class_mass()))
        C, near = choose_penalties(settings, few, known)
        whole = np.full(len(rows.n_ones), float(np.median(C)) if len(C) else 1.0)
        whole[known] = C
        return whole[fitted], near
    given = np.asarray(settings.C, dtype=np.float64)
    if given.ndim and len(given) != len(rows.n_ones):
        raise ParameterError(
            f"{made_by} needs C to have one number for each of {len(rows.n_ones)} labels, but it has {len(given)}. "
            "Pass one for each column of Y, or one number for all."
        )
    return np.broadcast_to(given, (len(rows.n_ones),))[fitted].astype(np.float64), None


def _problem(
    settings: Any,
    rows: PartedRows,
    graph: LabelGraph,
    support: Bools | None,
    fitted: Ints,
    parents: Ints,
    C: Floats,
) -> PartedProblem:
    mass = rows.class_mass[fitted]
    factors = np.ones_like(mass)
    if isinstance(settings.class_weight, dict):
        factors[:] = [float(settings.class_weight.get(0, 1.0)), float(settings.class_weight.get(1, 1.0))]
    elif settings.class_weight is not None:
        factors = mass.sum(axis=1, keepdims=True) / (2 * mass)
    shares = rows.class_mass[parents, 1] / rows.moments.n_rows
    parent_scales = np.sqrt(shares * (1.0 - shares)) if settings.scale_parents else np.ones(len(parents))
    scales = np.concatenate([rows.moments.scales(settings.standardize), parent_scales])
    weighted = mass * factors
    return PartedProblem(
        rows.parts,
        scales,
        parents,
        (np.minimum(C, MOST_STRENGTH)[:, None] * factors).T,
        fitted,
        np.log(weighted[:, 1]) - np.log(weighted[:, 0]),
        _support(rows.n_features, graph, support, fitted, parents),
        _covariances(rows, parents, scales) if rows.dense and len(scales) <= _FEW_COLUMNS else None,
        settings.fit_intercept,
    )


def _support(n_features: int, graph: LabelGraph, support: Bools | None, fitted: Ints, parents: Ints) -> Bools | None:
    if support is None and not len(parents):
        return None
    allowed = np.zeros((len(fitted), n_features + len(parents)), dtype=np.bool_)
    allowed[:, :n_features] = True if support is None else support[fitted]
    place = {int(label): n_features + column for column, label in enumerate(parents)}
    for row, label in enumerate(fitted):
        allowed[row, [place[parent] for parent in graph.parents[label] if parent in place]] = True
    return allowed


def _covariances(rows: PartedRows, parents: Ints, scales: Floats) -> Floats:
    gram = rows.parts.total(_gram, parents)
    means = gram[-1, :-1] / gram[-1, -1]
    return np.asarray((gram[:-1, :-1] / gram[-1, -1] - np.outer(means, means)) / np.outer(scales, scales))


def _start(near: LinearConditionals, problem: PartedProblem, fitted: Ints) -> Solution:
    coef = np.hstack([near.coef_, near.dense_parent_coef[:, problem.parents]])[fitted] * problem.scales
    if problem.support is not None:
        coef *= problem.support
    # A label that the sample does not have starts at its share of all rows.
    unknown = ~coef.any(axis=1)
    return Solution.start(coef, np.where(unknown, problem.log_odds, near.intercept_[fitted]))


def _conditionals(
    rows: PartedRows,
    graph: LabelGraph,
    fitted: Ints,
    parents: Ints,
    C: Floats,
    problem: PartedProblem,
    found: Solution,
    made_by: str,
) -> LinearConditionals:
    n_labels, d = len(rows.n_ones), rows.n_features
    own = found.coef / problem.scales
    coef = np.zeros((n_labels, d))
    coef[fitted] = own[:, :d]
    row, column = np.nonzero(own[:, d:])
    parent_coef = parent_matrix(graph, own[:, d:][row, column], (fitted[row], parents[column]))
    whole: list[Any] = [
        constant_scores(rows.class_mass),
        np.zeros(n_labels, dtype=np.int64),
        np.ones(n_labels, dtype=np.bool_),
        np.full(n_labels, np.nan),
    ]
    for values, those in zip(whole, (found.intercept, found.n_iter, found.converged, C), strict=True):
        values[fitted] = those
    intercept, n_iter, converged, strengths = whole
    return LinearConditionals(
        graph, coef, parent_coef, intercept, n_iter_=n_iter, converged_=converged, C_=strengths, made_by=made_by
    )


def _warn(failed: Ints, settings: Any, made_by: str) -> None:
    if len(failed):
        names = ", ".join(map(str, failed[:5])) + (", ..." if len(failed) > 5 else "")
        warn_user(
            f"{made_by} did not reach tol={settings.tol} in {settings.max_iter} Newton steps for {len(failed)} "
            f"label(s): {names}. Raise max_iter or tol, lower C, or scale the columns of X.",
            ConvergenceWarning,
        )
