"""`Learner`: the base of all learners, which checks the input and hands on fitted conditionals."""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from plait.core.arrays import Floats, Labels
from plait.core.checks import Constraint, HasMethods, Interval, check_parameters, check_value
from plait.core.progress_bar import progress
from plait.features import FeatureMask
from plait.learners.conditionals import Conditionals
from plait.learners.training.problem import Problem, checked_problem, row_splits
from plait.structure import LabelGraph, PairDependence

__all__ = ["Learner"]


class Learner(BaseEstimator, ABC):
    """Base of all learners: a subclass writes `_fit(problem, start)` and lists its parameters in `parameter_rules`.

    A learner is a recipe without state: `fit` hands on the fitted conditionals and leaves the learner as it was, so
    one learner serves any number of fits.

    Examples
    --------
    >>> from plait.learners import LogisticLearner
    >>> from plait.structure import LabelGraph
    >>> learner = LogisticLearner(C=1.0)
    >>> isinstance(learner, Learner)
    True
    >>> found = learner.fit([[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 1], [1, 1], [1, 1]], LabelGraph([[], [0]]))
    >>> found.coef_.round(1).tolist()  # of the feature, for both labels
    [[0.8], [0.7]]
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}
    # Whether it has `fit_pairs` and `fit_pairs_checked`, which structures over pairs of labels need.
    fits_pairs: ClassVar[bool] = False
    # Whether `sample_weight` may have a column for each label, and what is fitted is linear.
    weighs_labels: ClassVar[bool] = False
    # Whether it has `fit_parts`, for rows that lie in parts.
    fits_parts: ClassVar[bool] = False
    # Whether `Problem.Y` may be a CSR matrix.
    takes_sparse_labels: ClassVar[bool] = False
    # Whether `Problem.Y` may hold numbers between 0 and 1, which EM makes of unknown labels.
    takes_soft_targets: ClassVar[bool] = False

    @property
    def gives_probabilities(self) -> bool:
        """Whether what `fit` hands on gives probabilities, as far as it is known before."""
        return True

    @abstractmethod
    def _fit(self, problem: Problem, start: Conditionals | None) -> Conditionals:
        """Train on a checked problem."""

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
    ) -> Conditionals:
        """Train the conditionals of all labels.

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
            Weights of rows, for all labels or for each label.
        start : Conditionals, optional
            What an earlier fit of the same shape handed on, to start from; a learner that has no use for it
            leaves it aside.
        parent_values : array of shape (n_samples, n_labels), optional
            Numbers from 0 to 1 that labels have as parents of others, apart from what they are as targets; by default
            those of Y, and of an unknown label the share of rows that have it.

        Returns
        -------
        conditionals : Conditionals
        """
        self.check()
        form = {"allow_nan": self._allows_nan(), "sparse_labels": self.takes_sparse_labels}
        form["parent_values"] = parent_values
        problem = checked_problem(type(self).__name__, X, Y, graph, mask, sample_weight, **form)
        return self.fit_checked(problem, start)

    def check(self) -> None:
        """Refuse parameters that are wrong, as `fit` does; for callers of `fit_checked`."""
        check_parameters(self)

    def fit_checked(self, problem: Problem, start: Conditionals | None = None) -> Conditionals:
        """Train on a problem whose parts have been checked, without looking at them again.

        For callers that train many times on rows they have checked once, with parameters that `check_parameters` has
        seen: steps of EM, members of an ensemble, folds of a search. They make a `Problem` of X (floats in C order or
        CSR, finite), Y (uint8), the graph, the mask's `support` (None where it is all True) and float64 weights.

        Parameters
        ----------
        problem : Problem
            Rows, labels, graph, features of each label and weights.
        start : Conditionals, optional
            Where to start from.
        """
        return self._fit(problem.with_known_targets(), start)

    def out_of_fold(
        self,
        X: Any,
        Y: Any,
        graph: LabelGraph | None = None,
        mask: FeatureMask | None = None,
        *,
        cv: Any = 5,
        sample_weight: Any = None,
        start: Conditionals | None = None,
        random_state: Any = None,
    ) -> Floats:
        """Return the scores of every row by conditionals that were trained without it.

        Parameters
        ----------
        X, Y, graph, mask, sample_weight
            As for `fit`.
        cv : int, splitter or iterable of (training rows, held-out rows), default=5
            A number of parts that are held out in turn, after a shuffle; or any of scikit-learn's splitters, which gets
            X and Y. A row that is never held out has the score NaN, one that is held out again its last.
        start : Conditionals, optional
            What `fit` gave for all rows. Folds start there and keep the C that cross-validation chose there, which
            saves most of their time; of the rows held out they then know no more than this one number a label.
        random_state : None, int, RandomState or Generator
            Shuffles the rows where `cv` is a number.

        Returns
        -------
        scores : ndarray of float64, shape (n_samples, n_labels)
            Log-odds (margins where the learner gives no probabilities), parents as recorded in Y.
        """
        self.check()
        name = type(self).__name__
        problem = checked_problem(name, X, Y, graph, mask, sample_weight, allow_nan=self._allows_nan())
        check_value(name, "cv", cv, (Interval(int, 2, None), HasMethods(("split",)), HasMethods(("__iter__",))))
        splits = cv.split(problem.X, problem.Y) if hasattr(cv, "split") else cv
        if isinstance(cv, numbers.Integral):
            splits = row_splits(name, len(problem.Y), int(cv), random_state)
        learner = self if start is None else self.settled(start)
        scores = np.full(problem.Y.shape, np.nan)
        for split in progress(splits, f"{name}, folds"):
            training, held_out = (np.sort(np.arange(len(problem.Y))[rows]) for rows in split)
            rows = problem.part(held_out)
            fitted = learner.fit_checked(problem.part(training), start)
            scores[held_out] = fitted.recorded_scores(rows.X, rows.parent_values)
        return scores

    def fit_pairs_checked(
        self, problem: Problem, *, folds: Any = 1 / 3, random_state: Any = None, candidates: Any = None
    ) -> PairDependence:
        """Train every ordered pair of labels on a checked problem and score rows held out, where `fits_pairs`.

        With `candidates`, the parents of each label, other pairs count as the fits without parents.

        Parameters
        ----------
        problem : Problem
            Rows, labels and weights.
        folds, random_state, candidates, **form
            As `fit_pairs` of the learner takes them.
        """
        raise NotImplementedError

    def fit_parts(self, rows: Any, graph: LabelGraph, support: Any) -> Conditionals:
        """Train on `PartedRows`, with the features of each label in `support` (None for all), where `fits_parts`.

        Parameters
        ----------
        rows : PartedRows
            Rows and labels in parts.
        graph : LabelGraph
            Which labels each label depends on.
        support : ndarray of bool, shape (n_labels, n_features), or None
            Features of each label.
        """
        raise NotImplementedError

    def graph_batch(self, X: Any, Y: Labels) -> Any:
        """Return what trains several graphs on the same checked rows together, a `GraphBatch`; here None.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        Y : ndarray of uint8, shape (n_samples, n_labels)
            Labels.
        """
        return None

    def penalty_on(self, X: Any, Y: Labels) -> Callable[[Sequence[Conditionals]], float]:
        """Return what the penalty takes off the log-likelihood of conditionals of these rows, as a function of them.

        Steps of EM are compared by it. A learner that keeps its penalty to itself has none, as here.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        Y : ndarray of uint8, shape (n_samples, n_labels)
            Labels.
        """
        return _nothing

    def on_fixed_scales(self, X: Any, found: Conditionals) -> tuple["Learner", Floats]:
        """Return a learner that keeps penalties and takes columns as they are, and what to divide those of X by.

        For steps of EM, where `takes_soft_targets`: with copies of rows that change from step to step, neither may.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        found : Conditionals
            What an earlier fit handed on.
        """
        raise NotImplementedError

    def settled(self, found: Conditionals) -> "Learner":
        """Return a learner that keeps what cross-validation chose for the conditionals it trained: here itself.

        Parameters
        ----------
        found : Conditionals
            What an earlier fit handed on.
        """
        return self

    def _allows_nan(self) -> bool:
        """Say whether X may hold NaN."""
        return False


def _nothing(conditionals: Sequence[Conditionals]) -> float:
    return 0.0
