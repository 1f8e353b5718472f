"""`SklearnLearner`: any scikit-learn classifier for each label."""

import pickle
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from plait.core.checks import HasMethods
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError, warn_user
from plait.features import FeatureMask
from plait.learners.conditionals import Conditionals
from plait.learners.fitted_classifiers import RESPONSES, FittedClassifiers, own_features, read_only, with_parents
from plait.learners.learner import Learner
from plait.learners.logistic.pair_dependence import refitted_pair_dependence
from plait.learners.training.problem import Problem, checked_problem, constant_labels, constant_scores
from plait.learners.training.wrapped_estimators import estimator_name, fit_failure, routed_metadata, seeded_clones
from plait.structure import LabelGraph, PairDependence

__all__ = ["SklearnLearner"]


_NAMED = 5


Columns = tuple[npt.NDArray[np.int64], ...] | None


class SklearnLearner(Learner):
    """One copy of a scikit-learn classifier for each label, on the label's features and the values of its parents.

    Takes any classifier: trees, boosting, naive Bayes, neighbours, a pipeline, a grid search. Scores are the log-odds
    of its `predict_proba`; without that its `decision_function` or, last, its `predict` decide, and questions that need
    probabilities are refused.

    Parameters
    ----------
    estimator : classifier
        Cloned for each label, never fitted itself. An integer `random_state` is used for every label as it is; where
        it is None or a RandomState, each label gets an integer of its own, drawn before the work starts.
    n_jobs : int, optional
        How many labels are trained at once, by `joblib`: -1 for as many as there are processors; None is 1 unless a
        `joblib` context (Dask, Ray) says otherwise. The result is the same, bit for bit, for any number.

    Notes
    -----
    Labels with one value only get no classifier but the Laplace estimate (n_1 + 1) / (N + 2), and so do labels that
    have neither features nor parents. Rows of weight 0 are left out, which for any classifier is the same as if they
    were absent.

    X stays sparse if it is sparse, and may hold NaN where the classifier takes it. The parents' values stand to the
    right of the features, in the order of `graph.parents`.

    Memory: a label without mask and without parents is trained on X itself (protected, so that no estimator can change
    it in place); any other on a copy of its columns, one copy for each label that is being trained at the moment.

    See Also
    --------
    plait.learners.FittedClassifiers : what `fit` hands on.
    plait.learners.LogisticLearner : logistic regression of all labels in one batch, far faster.
    plait.learners.LinearSVMLearner : linear support vector machines of all labels.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> Y = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> learner = SklearnLearner(DecisionTreeClassifier(random_state=0))
    >>> conditionals = learner.fit(X, Y, LabelGraph([[], [0]]))
    >>> np.exp(conditionals.log_prob(1, X, Y[:, [0]])).round(2)
    array([0., 1., 1., 0.])
    """

    parameter_rules: ClassVar = {
        "estimator": (HasMethods(("fit", "predict", "get_params", "set_params")),),
        "n_jobs": JOBS_RULES,
    }

    fits_pairs: ClassVar[bool] = True

    def __init__(self, estimator: Any, n_jobs: int | None = None):
        self.estimator = estimator
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        Y: Any,
        graph: LabelGraph | None = None,
        mask: FeatureMask | None = None,
        *,
        sample_weight: Any = None,
        start: Conditionals | None = None,
        parent_values: Any = None,
        **metadata: Any,
    ) -> FittedClassifiers:
        """Train one classifier for each label.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        Y : array or sparse matrix of shape (n_samples, n_labels)
            0/1 labels, NaN where unknown: such a label does not count as a target.
        graph : LabelGraph, optional
            Which labels each label depends on; by default no label depends on any other.
        mask : FeatureMask, optional
            Which features each label may use; by default all.
        sample_weight : array of shape (n_samples,) or (n_samples, n_labels), optional
            Weights of rows, for all labels or for each label; an estimator that takes none refuses them.
        start : Conditionals, optional
            Left aside.
        parent_values : array of shape (n_samples, n_labels), optional
            Numbers from 0 to 1 that labels have as parents of others; by default those of Y.
        **metadata : object
            What the estimator requests, such as `groups`, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        conditionals : FittedClassifiers
        """
        self.check()
        form = {"allow_nan": self._allows_nan(), "parent_values": parent_values}
        problem = checked_problem(type(self).__name__, X, Y, graph, mask, sample_weight, **form)
        return self._fit(problem, start, metadata)

    def fit_checked(self, problem: Problem, start: Conditionals | None = None) -> FittedClassifiers:
        """Train on a checked problem; rows whose label is unknown are left out, label by label."""
        return self._fit(problem, start)

    def fit_pairs(
        self,
        X: Any,
        Y: Any,
        *,
        sample_weight: Any = None,
        mask: FeatureMask | None = None,
        folds: float | int | None = 1 / 3,
        consistent: bool = False,
        random_state: Any = None,
    ) -> PairDependence:
        """Train P(y_i | x, y_j) for every ordered pair of labels and P(y_i | x) for every label; score held-out rows.

        Every pair is a classifier of its own, trained anew on every split: n_labels^2 of them.

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
        consistent : bool, default=False
            Whether the information of a pair is a true mutual information, see `LogisticLearner.fit_pairs`.
        random_state : None, int, RandomState or Generator
            Shuffles the rows before some are held out.

        Returns
        -------
        pairs : PairDependence
            With a label that is constant in training, all pairs are the fit without the parent: its information is 0.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 2))
        >>> first = rng.random(300) < 0.5
        >>> Y = np.column_stack([first, first ^ (rng.random(300) < 0.1), rng.random(300) < 0.5])
        >>> pairs = SklearnLearner(GaussianNB()).fit_pairs(X, Y, random_state=0)
        >>> pairs.n_held_out, pairs.conditional_information.argmax(axis=1)[:2].tolist()
        (100, [1, 0])
        """
        self.check()
        allow_nan = self._allows_nan()
        problem = checked_problem(type(self).__name__, X, Y, None, mask, sample_weight, allow_nan=allow_nan)
        return self.fit_pairs_checked(problem, folds=folds, consistent=consistent, random_state=random_state)

    def fit_pairs_checked(
        self, problem: Problem, *, folds: Any = 1 / 3, random_state: Any = None, candidates: Any = None, **form: Any
    ) -> PairDependence:
        """Do what `fit_pairs` does on a checked problem, whose graph is not used; all pairs, or those of candidates."""
        return refitted_pair_dependence(
            self, problem, folds=folds, random_state=random_state, candidates=candidates, **form
        )

    @property
    def gives_probabilities(self) -> bool:
        """Whether the estimator has `predict_proba`."""
        return hasattr(self.estimator, "predict_proba")

    def check(self) -> None:
        """Refuse parameters that are wrong, and regressors."""
        super().check()
        self._refuse_regressors()

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata of `fit` go: to the estimator's `fit`."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def _allows_nan(self) -> bool:
        # The tags of pipelines and searches say little about NaN; the estimator itself knows, and its refusal is
        # handed on with the label's number.
        return True

    def _refuse_regressors(self) -> None:
        if hasattr(self.estimator, "__sklearn_tags__") and is_regressor(self.estimator):
            raise ParameterError(
                f"SklearnLearner needs estimator to be a classifier, but {estimator_name(self.estimator)} is a "
                "regressor. Pass a classifier."
            )

    def _fit(
        self, problem: Problem, start: Conditionals | None, metadata: Mapping[str, Any] | None = None
    ) -> FittedClassifiers:
        del start
        columns = _columns(problem)
        mass = problem.with_known_targets().class_mass()
        idle = constant_labels(mass) | _without_inputs(problem)
        fitted = self._fitted(problem, columns, np.flatnonzero(~idle), dict(metadata or {}))
        return FittedClassifiers(
            graph=problem.graph,
            n_features=problem.X.shape[1],
            estimators_=tuple(fitted.get(label) for label in range(problem.n_labels)),
            constant_scores_=constant_scores(mass),
            columns_=columns,
            response=_response([*fitted.values()] or [self.estimator]),
            made_by=estimator_name(self.estimator),
        )

    def _fitted(
        self, problem: Problem, columns: Columns, labels: npt.NDArray[np.int64], metadata: dict[str, Any]
    ) -> dict[int, Any]:
        """Return the fitted classifiers of some labels."""
        if problem.weights is not None:
            metadata["sample_weight"] = problem.weights
        routed = routed_metadata(self, metadata)
        tasks = self._tasks(problem, columns, labels, routed)
        try:
            found = Parallel(n_jobs=self.n_jobs)(delayed(fit_label)(**task) for task in tasks)
        except LabelFailure as failure:
            label, cause = failure.args
            raise fit_failure(self.estimator, label, cause) from cause
        self._warn([label for label, _, converged in found if not converged])
        return {label: classifier for label, classifier, _ in found}

    def _warn(self, failed: list[int]) -> None:
        if failed:
            named = ", ".join(map(str, failed[:_NAMED])) + (", ..." if len(failed) > _NAMED else "")
            warn_user(
                f"SklearnLearner's {estimator_name(self.estimator)} did not converge for {len(failed)} label(s): "
                f"{named}. Raise its max_iter or tol, or put a scaler before it.",
                ConvergenceWarning,
            )

    def _tasks(
        self, problem: Problem, columns: Columns, labels: npt.NDArray[np.int64], routed: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield what each label needs to be trained; copies are made where it is trained."""
        clones, X = seeded_clones(self.estimator, problem.n_labels), read_only(problem.X)
        for label in progress(labels.tolist(), "SklearnLearner, labels"):
            yield {
                "label": label,
                "estimator": clones[label],
                "X": X,
                "columns": None if columns is None else columns[label],
                "parent_values": problem.parent_values[:, list(problem.graph.parents[label])],
                "target": problem.Y[:, label].astype(np.int64),
                "weights": problem.weights_of(label),
                "metadata": {
                    name: problem.weights_of(label) if value is problem.weights else value
                    for name, value in routed.items()
                },
            }


def _columns(problem: Problem) -> Columns:
    return None if problem.support is None else tuple(map(np.flatnonzero, problem.support))


def _without_inputs(problem: Problem) -> npt.NDArray[np.bool_]:
    """Return which labels have neither features nor parents."""
    if problem.support is None:
        return np.zeros(problem.n_labels, dtype=np.bool_)
    return np.array([not parents for parents in problem.graph.parents]) & ~problem.support.any(axis=1)


def _response(estimators: list[Any]) -> str:
    """Return the best way of answering that all classifiers have."""
    return next(each for each in RESPONSES if all(hasattr(estimator, each) for estimator in estimators))


class LabelFailure(Exception):  # noqa: N818 - carries a label and an error out of a worker, and is never shown
    """A classifier could not be trained: the label and the error, as arguments."""


def fit_label(
    label: int,
    estimator: Any,
    X: Any,
    columns: npt.NDArray[np.int64] | None,
    parent_values: npt.NDArray[np.uint8],
    target: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64] | None,
    metadata: dict[str, Any],
) -> tuple[int, Any, bool]:
    """Return the label, its classifier fitted on the label's columns and the values of its parents, and whether it
    has converged.

    Rows of weight 0, and those whose label is unknown, are left out, from `metadata` too. An error is raised as
    `LabelFailure(label, error)`.
    """
    used = (target >= 0) & (weights is None or weights > 0)
    if not np.all(used):
        rows = np.flatnonzero(used)
        X, parent_values, target = X[rows], parent_values[rows], target[rows]
        metadata = {name: _rows_of(value, rows, used.size) for name, value in metadata.items()}
    failure = None
    try:
        converged = _fit_quietly(estimator, with_parents(own_features(X, columns), parent_values), target, metadata)
    except MemoryError:
        raise
    except Exception as error:
        failure = LabelFailure(label, _carried(error))
    if failure is not None:
        # Raised out here, without cause or context: these do not survive the way back from another process, and some
        # schedulers try to send them along, so that an error that cannot travel would break the one that can.
        raise failure
    return label, estimator, converged


def _fit_quietly(estimator: Any, inputs: Any, target: npt.NDArray[np.int64], metadata: dict[str, Any]) -> bool:
    """Fit and say whether no `ConvergenceWarning` came; other warnings go on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        estimator.fit(inputs, target, **metadata)
    converged = True
    for each in caught:
        if issubclass(each.category, ConvergenceWarning):
            converged = False
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return converged


def _rows_of(value: Any, rows: npt.NDArray[np.int64], n_samples: int) -> Any:
    if np.ndim(value) == 0 or np.shape(value)[0] != n_samples:
        return value
    return np.asarray(value)[rows]


def _carried(error: Exception) -> Exception:
    """Return the error, or one in its words where it cannot go from process to process."""
    try:
        same = pickle.loads(pickle.dumps(error))
    except Exception:
        same = None
    return error if type(same) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
