"""`LogisticLearner`: L2 logistic regression of all labels in one batch."""

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import (
    Boolean,
    Constraint,
    Interval,
    OneOf,
    check_parameters,
)
from plait.core.parallel import one_blas_thread
from plait.core.sentences import ParameterError, shown, warn_user
from plait.features import FeatureMask
from plait.learners.conditionals import Conditionals
from plait.learners.learner import Learner
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.logistic.logistic_batch import MOST_STRENGTH
from plait.learners.logistic.pair_dependence import pair_dependence_of
from plait.learners.logistic.penalty_search import choose_penalties
from plait.learners.logistic.prepared_problem import GraphBatch, PreparedProblem, l2_penalty
from plait.learners.partitioned.checked_parts import training_chunks, training_parts
from plait.learners.partitioned.parted_logistic import PartedRows, fit_logistic_parts
from plait.learners.training.column_scaling import column_scales
from plait.learners.training.problem import CLASS_WEIGHT_RULES, Problem, checked_problem
from plait.structure.label_graph import LabelGraph
from plait.structure.pair_dependence import PairDependence

__all__ = ["LogisticLearner"]

_NAMED = 5


@dataclass(frozen=True)
class PositiveNumbers(Constraint):
    """A list or array of positive numbers, one for each label.

    Examples
    --------
    >>> PositiveNumbers().accepts([0.1, 10]), PositiveNumbers().accepts([1.0, 0.0])
    (True, False)
    """

    def accepts(self, value: Any) -> bool:
        """Say whether all are numbers above 0."""
        if not isinstance(value, list | tuple | np.ndarray):
            return False
        given = np.asarray(value)
        known = given.ndim == 1 and given.dtype.kind in "iuf"
        return known and bool((given > 0).all())

    def describe(self) -> str:
        """Say so."""
        return "one such number for each label"

    def wrong(self) -> list[Any]:
        """Return lists with a zero, with a NaN, with a word, and one of two dimensions."""
        return [[1.0, 0.0], [float("nan")], ["one"], np.ones((2, 1))]


class LogisticLearner(Learner):
    """L2 logistic regression of every label on its features and parents, all labels solved together.

    Each label minimises `C * sum_i weight_i * log-loss_i + 1/2 ||w||^2` over its (scaled) features and its parents, as
    scikit-learn's `LogisticRegression` does for one label; the intercept is not penalised. Labels with one value only
    are not fitted, see `constant_labels`.

    Parameters
    ----------
    C : float, array of shape (n_labels,) or "cv", default=1.0
        Inverse strength of the regularisation (the L2 penalty), for all labels or for each; np.inf is no penalty
        (labels whose rows can be separated get C = 1e10, and a warning). With "cv" every label gets
        its own by held-out log-loss, among half decades from 0.0005 to 500; the decades are 1 / (2 lambda) for lambda
        = 1000, 100, ..., 0.001 in `sum log P - lambda ||w||^2` [PCC, section 5.1]. The decade that is best for all
        labels together is found first; each label then chooses within a decade of it by its own losses and those of all
        labels, which count for 20 rows of its rarer class: what a rare label alone would choose is chance. Of equal
        losses the strongest penalty is taken. A third of the rows is held out, in turn, or once from 10,000 rows on;
        scales and class weights are taken from the training parts alone, row weights count in training and in the loss.
        Where a training part lacks a class, the label is a constant there. `C_` of what `fit` hands on says what was
        chosen. The search costs about as much as 4 to 8 fits.
    penalty : {"l2"}, default="l2"
        The penalty.
    fit_intercept : bool, default=True
        Whether labels have an intercept.
    standardize : bool, "auto" or "balanced", default="auto"
        Whether columns of X are divided by their standard deviation over the training rows before the penalty is
        applied. Weights of rows count there as in the loss; weights of rows and labels do not, but rows that weigh
        nothing for any label are left out. With "auto", columns of 0 and 1 are left as they are, and columns with more
        zeros than other values (word counts) are divided by the root mean square of these values, or, where most
        columns are dense, of all their rows; such sizes within half a decade of their median count as equal, so that
        weights of words keep their proportions. With "balanced", all columns are then divided by one more number, so
        that their variances sum to one: the penalty is the same for all columns, and hundreds of features that need a
        strong one would hold back the single columns of labels as parents. For labels as parents see `scale_parents`.
        Coefficients are handed on in units of X.
    tol : float, default=1e-6
        A label is solved when its last Newton step promised to lower the objective by less than this share; the step
        is still taken, so what is left is usually far less. The default keeps within 1e-6 of the least objective.
        Small problems, of at most 65,536 numbers in X and parents, are solved to the last digits whatever it says.
    max_iter : int, default=100
        Most steps for a label. Over dense columns most of them are quasi-Newton steps, which cost far less.
    class_weight : None, "balanced" or dict, default=None
        Weights of the classes 0 and 1 of each label, as in scikit-learn.
    dtype : {"auto", "float32", "float64"}, default="auto"
        Floats to work with. "auto" keeps coefficients and gradients in float64 and solves Newton's systems in float32,
        which reaches any `tol`; "float32" uses it throughout and stops at a relative gap of about 1e-6.
    scale_parents : bool, default=False
        Whether labels as parents are divided by their standard deviations too before the penalty is applied, as
        toolkits do in which they are columns like others: a rare label then counts as much as a common one. Their
        coefficients are still handed on for labels of 0 and 1.
    sparsify : float, default=0.0
        Coefficients of features of at most this size, in units of X, are dropped after training, and `coef_` is then a
        CSR array: of many words and labels a few per cent of them say nearly all.

    See Also
    --------
    plait.learners.LinearConditionals : what `fit` hands on.
    plait.learners.LinearSVMLearner : margins instead of probabilities.
    plait.learners.SklearnLearner : any scikit-learn classifier.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> Y = (X[:, :2] + rng.normal(size=(200, 2)) > 0).astype(int)
    >>> fitted = LogisticLearner().fit(X, Y)
    >>> fitted.coef_.shape, fitted.converged_
    ((2, 3), array([ True,  True]))
    >>> bool(((fitted.base_scores(X) > 0) == Y).mean() > 0.7)
    True
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "C": (Interval(float, 0, None, closed="neither"), PositiveNumbers(), OneOf(("cv",))),
        "penalty": (OneOf(("l2",)),),
        "fit_intercept": (Boolean(),),
        "standardize": (Boolean(), OneOf(("auto", "balanced"))),
        "tol": (Interval(float, 0, None, closed="neither"),),
        "max_iter": (Interval(int, 1, None),),
        "class_weight": CLASS_WEIGHT_RULES,
        "dtype": (OneOf(("auto", "float32", "float64")),),
        "scale_parents": (Boolean(),),
        "sparsify": (Interval(float, 0, None),),
    }

    fits_pairs: ClassVar[bool] = True
    weighs_labels: ClassVar[bool] = True
    takes_sparse_labels: ClassVar[bool] = True
    takes_soft_targets: ClassVar[bool] = True
    fits_parts: ClassVar[bool] = True

    def __init__(
        self,
        C: Any = 1.0,
        penalty: str = "l2",
        fit_intercept: bool = True,
        standardize: bool | str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100,
        class_weight: Any = None,
        dtype: str = "auto",
        scale_parents: bool = False,
        sparsify: float = 0.0,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.dtype = dtype
        self.scale_parents = scale_parents
        self.sparsify = sparsify

    def fit_pairs(
        self,
        X: Any,
        Y: Any,
        *,
        sample_weight: Any = None,
        mask: FeatureMask | None = None,
        folds: float | int | None = 1 / 3,
        coefficients: bool = False,
        consistent: bool = False,
        random_state: Any = None,
    ) -> PairDependence:
        """Train P(y_i | x, y_j) for every ordered pair of labels and P(y_i | x) for every label; score held-out rows.

        The pairs of a target share its penalty, its features and its second derivatives and are solved together.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        Y : array or sparse matrix of shape (n_samples, n_labels)
            0/1 labels.
        sample_weight : array of shape (n_samples,) or (n_samples, n_labels), optional
            Weights of rows, in training and in scoring.
        mask : FeatureMask, optional
            Which features each label may use; a pair uses those of its target i.
        folds : float, int or None, default=1/3
            The share of rows to hold out once, or a number of parts that are held out in turn (sums run over all of
            them), or None to train on all rows and score the same rows.
        coefficients : bool, default=False
            Whether to hand on the coefficients of all pairs, trained on all rows: (n_labels, n_labels, n_features)
            numbers, and one more round of training unless `folds` is None.
        consistent : bool, default=False
            Whether the information of a pair is a true mutual information: P(y_i | x) is then taken from
            P(y_j | x) and P(y_i | x, y_j) instead of the fit without j.
        random_state : None, int, RandomState or Generator
            Shuffles the rows before some are held out.

        Returns
        -------
        pairs : PairDependence
            With a label that is constant in training, all pairs are the fit without the parent: its information is 0.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 2))
        >>> first = rng.random(300) < 0.5
        >>> Y = np.column_stack([first, first ^ (rng.random(300) < 0.1), rng.random(300) < 0.5])
        >>> pairs = LogisticLearner().fit_pairs(X, Y, random_state=0)
        >>> pairs.n_held_out, pairs.conditional_information.argmax(axis=1)[:2].tolist()
        (100, [1, 0])
        """
        check_parameters(self)
        problem = checked_problem(type(self).__name__, X, Y, None, mask, sample_weight)
        return self.fit_pairs_checked(
            problem, folds=folds, coefficients=coefficients, consistent=consistent, random_state=random_state
        )

    def fit_pairs_checked(
        self, problem: Problem, *, folds: Any = 1 / 3, random_state: Any = None, candidates: Any = None, **form: Any
    ) -> PairDependence:
        """Do what `fit_pairs` does on a checked problem, whose graph is not used; all pairs, or those of candidates."""
        with one_blas_thread():
            return pair_dependence_of(
                self, problem, folds=folds, random_state=random_state, candidates=candidates, **form
            )

    def _fit(self, problem: Problem, start: Conditionals | None) -> LinearConditionals:
        begin = self._checked_start(problem, start)
        prepared = PreparedProblem(self, problem)
        C, near = self._inverse_penalties(prepared)
        begin = begin if near is None else near
        solution = prepared.solve(C, None if begin is None else prepared.start_at(begin), polish=True)
        found = prepared.conditionals(C, solution, type(self).__name__, last=True)
        self._require_finite(found)
        separated = self._separated(prepared, C, found)
        self._warn(np.setdiff1d(prepared.fitted[~solution.converged], separated), separated)
        return found.sparsified(float(self.sparsify))

    def fit(
        self,
        X: Any,
        Y: Any = None,
        graph: LabelGraph | None = None,
        mask: FeatureMask | None = None,
        *,
        sample_weight: Any = None,
        start: Conditionals | None = None,
        parent_values: Any = None,
    ) -> LinearConditionals:
        """Train the conditionals of all labels; X and Y may also come in chunks, see `Learner.fit`."""
        chunks = training_chunks(type(self).__name__, X, Y, sample_weight)
        if chunks is None or start is not None or parent_values is not None:
            said = {"sample_weight": sample_weight, "start": start, "parent_values": parent_values}
            found = super().fit(X, Y, graph, mask, **said)
            assert isinstance(found, LinearConditionals)
            return found
        self.check()
        rows = training_parts(type(self).__name__, chunks, 0).rows
        graph = LabelGraph([[]] * len(rows.n_ones)) if graph is None else graph
        return self.fit_parts(rows, graph, None if mask is None else mask.support)

    def fit_parts(self, rows: PartedRows, graph: LabelGraph, support: Any) -> LinearConditionals:
        """Train where rows lie in parts: the same solutions to the tolerance, by sums over the parts."""
        return fit_logistic_parts(self, rows, graph, support, type(self).__name__)

    def _require_finite(self, found: LinearConditionals) -> None:
        parents = found.parent_coef_.data if sparse.issparse(found.parent_coef_) else found.parent_coef_
        each = np.array([np.isfinite(row).all() for row in found.coef_], dtype=np.bool_)
        each &= np.isfinite(found.intercept_)
        if not np.isfinite(parents).all():
            each &= np.isfinite(found.dense_parent_coef).all(axis=1)
        lost = np.flatnonzero(~each)
        if lost.size:
            raise ParameterError(
                f"{type(self).__name__} needs numbers of moderate size, but the coefficients of {len(lost)} label(s) "
                f"are not finite: {_named(lost)}. Scale the columns of X, lower C, or divide sample_weight."
            )

    @staticmethod
    def _separated(prepared: PreparedProblem, C: Floats, found: LinearConditionals) -> Ints:
        """Return the labels that have as good as no penalty and whose rows are all on the right side."""
        open_end = prepared.fitted[C >= MOST_STRENGTH]
        if not open_end.size:
            return open_end
        Y = prepared.rows.Y.toarray() if sparse.issparse(prepared.rows.Y) else prepared.rows.Y
        parents = Y if prepared.rows.parents is None else prepared.rows.parents
        right = (found.recorded_scores(prepared.rows.X, parents) > 0) == (Y == 1)
        return open_end[right.all(axis=0)[open_end]]

    def _inverse_penalties(self, prepared: PreparedProblem) -> tuple[Floats, LinearConditionals | None]:
        """Return C of each label that is fitted, and where a search for it ended."""
        if isinstance(self.C, str):
            with one_blas_thread():
                return choose_penalties(self, prepared.rows, prepared.fitted)
        if isinstance(self.C, numbers.Real):
            return np.full(len(prepared.fitted), float(self.C)), None
        given = np.asarray(self.C, dtype=np.float64)
        n_labels = prepared.rows.n_labels
        if len(given) != n_labels:
            raise ParameterError(
                f"{type(self).__name__} needs C to have one number for each of {n_labels} labels, but it has "
                f"{len(given)}. Pass one for each column of Y, or one number for all."
            )
        return given[prepared.fitted], None

    def graph_batch(self, X: Any, Y: Labels) -> GraphBatch | None:
        """Return all labels of several graphs as one batch; None where classes have weights."""
        return GraphBatch(self, X, Y) if self.class_weight is None else None

    def penalty_on(self, X: Any, Y: Labels) -> Callable[[Sequence[Conditionals]], float]:
        """Return `sum_k ||w_k||^2 / (2 C_k)` over scaled columns and labels that were fitted, as a function."""
        scales = column_scales(X, self.standardize), column_scales(Y.astype(np.float64), self.scale_parents)
        return partial(l2_penalty, *scales)

    def on_fixed_scales(self, X: Any, found: Conditionals) -> tuple[Learner, Floats]:
        """Return the learner with the C of earlier conditionals and without scaling, and the scales of X."""
        assert isinstance(found, LinearConditionals)
        assert found.C_ is not None
        strengths = np.where(np.isfinite(found.C_), found.C_, 1.0)
        fixed: Learner = clone(self).set_params(standardize=False, C=strengths)
        return fixed, column_scales(X, self.standardize)

    def settled(self, found: Conditionals) -> Learner:
        """Return the learner with the C of earlier conditionals instead of a search; itself without "cv"."""
        if not isinstance(self.C, str):
            return self
        assert isinstance(found, LinearConditionals)
        assert found.C_ is not None
        return clone(self).set_params(C=np.where(np.isfinite(found.C_), found.C_, 1.0))

    def _checked_start(self, problem: Problem, start: Conditionals | None) -> LinearConditionals | None:
        if start is None:
            return None
        shape = (problem.n_labels, problem.X.shape[1])
        if not isinstance(start, LinearConditionals) or start.coef_.shape != shape:
            raise ParameterError(
                f"{type(self).__name__} needs start to be LinearConditionals of {shape[0]} labels and {shape[1]} "
                f"features, but it is {_described(start)}. Pass what an earlier fit of the same shape gave, or None."
            )
        return start

    def _warn(self, failed: Ints, separated: Ints) -> None:
        if len(failed):
            warn_user(
                f"{type(self).__name__} did not reach tol={self.tol} in {self.max_iter} Newton steps for "
                f"{len(failed)} label(s): {_named(failed)}. Raise max_iter or tol, lower C, or scale the columns of X.",
                ConvergenceWarning,
            )
        if len(separated):
            warn_user(
                f"{type(self).__name__} separates the training rows of {len(separated)} label(s) without error: "
                f"{_named(separated)}. Their best coefficients without a penalty are infinite; those given are of "
                f"C={MOST_STRENGTH:g}. Pass a smaller C, or 'cv'.",
                ConvergenceWarning,
            )


def _named(labels: Ints) -> str:
    return ", ".join(str(label) for label in labels[:_NAMED]) + (", ..." if len(labels) > _NAMED else "")


def _described(start: Any) -> str:
    if isinstance(start, LinearConditionals):
        return f"of {start.coef_.shape[0]} labels and {start.coef_.shape[1]} features"
    return shown(start)
