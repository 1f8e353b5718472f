"""`MultilabelClassifier`: the scikit-learn contract that all classifiers of plait share, whatever they learn."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from plait.core.arrays import Floats, Labels
from plait.core.checks import Interval, check_parameters, check_value
from plait.core.chunked.recognition import answers_chunks, chunks_of, gathered
from plait.core.label_forms import LabelledRows, read_labels
from plait.core.labels import Targets, as_targets, label_matrix
from plait.core.named_answers import TopLabels, label_sets, row_frame, top_labels
from plait.core.plain_rejections import plainly_rejected
from plait.core.progress_bar import shows_progress
from plait.core.sentences import ParameterError, warn_user
from plait.core.unknown_labels import has_unknown, known_cells, known_rows_of_column, unknown_as_absent, whole_rows

__all__ = ["MultilabelClassifier", "WeightedClassifier", "available_where", "scores_labels"]


# What X may hold once it has been checked.
_FLOATS = (np.float64, np.float32)
# Where the pages are; `project.urls` says the same to package indexes.
DOCUMENTATION = "https://plait.readthedocs.io/en/stable"

Method = TypeVar("Method", bound=Callable[..., Any])


def available_where(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Return scikit-learn's `available_if`, with which a method keeps its static type, so that editors know it."""
    return available_if(check)


def _gives_probabilities(model: "MultilabelClassifier") -> bool:
    return model._probabilistic()


def scores_labels(model: "MultilabelClassifier") -> bool:
    """Say whether a classifier has a number between 0 and 1 for every label: probabilities, or shares of votes."""
    return hasattr(model, "predict_proba")


class MultilabelClassifier(ClassifierMixin, BaseEstimator):
    """Base of all classifiers: checks what comes in, remembers names, and brings answers into the form of y.

    A subclass writes `_fit`, `_decide` and `_marginals`, which take what has been checked; or it writes `fit`,
    `predict` and `predict_proba` itself, with `_training_data` and `_rows` at their beginning and `_labels_out` and
    `_probabilities_out` at their end. Fitted on one column in one dimension, it is a binary classifier of scikit-learn.

    Attributes
    ----------
    label_names_ : ndarray of str
        Names of the labels, from the columns of a data frame, else "y0", "y1", ...
    n_labels_, n_features_in_ : int
        How many labels and features.
    classes_ : ndarray
        Numbers of the labels; the classes of y if it was a single column in one dimension.

    Examples
    --------
    >>> from plait.baselines import MLkNN
    >>> MLkNN(n_neighbors=1).fit([[0.0], [1.0]] * 5, [{"sea"}, {"sea", "sun"}] * 5).predict_sets([[0.9]])
    [('sea', 'sun')]
    """

    # Whether rows are answered without a look at them, see `plait.posterior.Predictor`.
    _trusted = False
    # Whether y may hold NaN, for labels that are not known.
    takes_unknown_labels: ClassVar[bool] = False
    # Where notebooks lead who wants to know more about a class.
    _doc_link_module = "plait"
    _doc_link_template = DOCUMENTATION + "/api/names/{page}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        room = ".".join(type(self).__module__.split(".")[:2])
        return {"page": f"{room}.{type(self).__name__}"}

    @shows_progress("fitting")
    def fit(self, X: Any, y: Any = None) -> Self:
        """Train the classifier.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or Dataset
            Features; a data set brings its labels with it.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit(*self._training_data(X, y))
        return self

    def _fit(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        """Learn from checked rows, labels and weights of rows (None where there are none); set fitted attributes."""
        raise NotImplementedError

    @answers_chunks
    @shows_progress("predicting by")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels that the classifier decides on.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
            0/1 labels; of a single column its classes.
        """
        return self._labels_out(self._decide(self._rows(X)))

    def _like(self, method: str, **how: Any) -> Any:
        """Return what a method answers about no rows; None where that is no array."""
        check_is_fitted(self)
        if method == "predict":
            return self._labels_out(np.zeros((0, self.n_labels_), dtype=np.uint8))
        return self._probabilities_out(np.zeros((0, self.n_labels_))) if method == "predict_proba" else None

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        """Return 0/1 labels (n_samples, n_labels) of checked rows; unless a subclass says more, the likely ones."""
        return self._marginals(X) > 0.5

    @available_where(_gives_probabilities)
    @answers_chunks
    @shows_progress("predicting by")
    def predict_proba(self, X: Any) -> Floats:
        """Return the marginals P(label | x); scores between 0 and 1 where a method has no probabilities proper.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Of each label; fitted on a single column in one dimension, of each class, as scikit-learn does.
        """
        return self._probabilities_out(self._marginals(self._rows(X)))

    def _marginals(self, X: Any) -> Floats:
        """Return P(label | x), (n_samples, n_labels), of checked rows."""
        raise NotImplementedError

    @answers_chunks
    def predict_sets(self, X: Any, **params: Any) -> list[tuple[str, ...]]:
        """Return the labels that `predict` decides on, by name.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        **params
            Handed to `predict`, such as `loss="f1"` where it takes a loss.

        Returns
        -------
        sets : list of tuples of str
            The names of each row's labels, in the order of `label_names_`.
        """
        labels = self.predict(X, **params)
        if self._one_column:
            labels = self._has_label(labels)
        return label_sets(labels, self.label_names_.tolist())

    @available_where(scores_labels)
    @answers_chunks
    def top_labels(self, X: Any, k: int = 5) -> TopLabels:
        """Return the most probable labels of every row, by name and with their probabilities.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        k : int, default=5
            How many; all labels where there are fewer.

        Returns
        -------
        top : TopLabels
            Unpacks into `names` and `probabilities` of shape (n_samples, k); `to_frame()` is a table of them.
        """
        check_value("top_labels", "k", k, (Interval(int, 1, None),))
        probabilities = self.predict_proba(X)
        if self._one_column:
            probabilities = probabilities[:, -1:] * self._has_label(self.classes_[-1:])
        return top_labels(probabilities, self.label_names_.tolist(), k, row_frame(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows whose labels are all predicted right.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array, sparse matrix, data frame, or rows of names
            True labels, in any form that `fit` takes. A name that was never seen is a label that is missed.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows.
        """
        if y is None and isinstance(X, LabelledRows):
            X, y = X.X, X.Y
        owner = f"{type(self).__name__}.score"
        if self._one_column:
            return float(super().score(*known_rows_of_column(owner, X, y, sample_weight)))
        predicted, given = self.predict(X), read_labels(owner, "y", y, known=self.label_names_.tolist(), more=True)
        table = label_matrix(owner, "y", given.table, unknown=True)
        # Whether a whole row is right cannot be said where a label is unknown: such rows count for nothing.
        whole = whole_rows(owner, table)
        labels = sparse.csr_matrix(unknown_as_absent(table))
        unseen = 0 if given.names is None else len(set(given.names) - set(self.label_names_))
        if labels.shape != (predicted.shape[0], self.n_labels_ + unseen):
            raise ParameterError(
                f"{owner} needs y to have shape {predicted.shape}, but it has {labels.shape}. "
                "Pass one row for each row of X and one column for each label."
            )
        known, others = labels[:, : self.n_labels_], labels[:, self.n_labels_ :]
        wrong = (known != sparse.csr_matrix(predicted)).sum(axis=1) + others.sum(axis=1)
        right = np.asarray(wrong).ravel() == 0
        weights = None if sample_weight is None else np.asarray(sample_weight)[whole]
        return float(np.average(right[whole], weights=weights))

    def _has_label(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return which classes of a single column mean that the label is there, as one column."""
        last = self.classes_[-1]
        return np.asarray((values == last) & (len(self.classes_) > 1 or last not in (0, False))).reshape(-1, 1)

    def _probabilistic(self) -> bool:
        """Say whether there is `predict_proba` (before `fit`: whether there will be, as far as known)."""
        return True

    def _takes_sparse_labels(self) -> bool:
        """Say whether labels that come as a sparse matrix may stay one."""
        return False

    def _finite(self) -> bool | str:
        """Say what X may hold, as scikit-learn's `ensure_all_finite`."""
        return True

    def _training_data(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Labels, Any]:
        """Return X (dense float or CSR), labels as `uint8` and weights (or None), checked; remember names."""
        owner, names, self._column_names = type(self).__name__, None, None
        chunks = chunks_of(owner, X, y, sample_weight)
        if chunks is not None:
            X, y, names, sample_weight, self._reading = gathered(owner, chunks)
        elif y is None and isinstance(X, LabelledRows):
            X, y, names, self._column_names = X.X, X.Y, X.label_names, X.feature_names
        known = {"keep_sparse": self._takes_sparse_labels(), "unknown": self.takes_unknown_labels}
        targets = as_targets(owner, y, **known)
        targets = targets if names is None else replace(targets, names=tuple(names))
        X = self._numbers(X)
        if X.shape[0] != targets.Y.shape[0]:
            raise ParameterError(
                f"{owner} needs X and y to have the same number of rows, but X has {X.shape[0]} and y has "
                f"{targets.Y.shape[0]}. Pass rows of the same objects."
            )
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        X, targets, sample_weight = self._rows_that_say_something(X, targets, sample_weight)
        self._remember(targets)
        return X, targets.Y, sample_weight

    def _rows_that_say_something(self, X: Any, targets: Targets, sample_weight: Any) -> tuple[Any, Targets, Any]:
        """Return training data without rows of which no label is known; they change nothing."""
        if not has_unknown(targets.Y):
            return X, targets, sample_weight
        known = known_cells(targets.Y)
        rows = np.flatnonzero(known.any(axis=1))
        if not len(rows):
            raise ParameterError(
                f"{type(self).__name__} needs y to hold known labels, but all of them are NaN. Pass some of 0 and 1."
            )
        silent = [targets.names[label] for label in np.flatnonzero(~known.any(axis=0))]
        if silent:
            warn_user(
                f"{type(self).__name__} knows nothing of {len(silent)} label(s), which are unknown in every row: "
                f"{', '.join(silent[:5])}{', ...' if len(silent) > 5 else ''}. Each is as probable as not.",
            )
        Y = targets.Y[rows]
        Y = Y if (Y < 0).any() else Y.view(np.uint8)
        return X[rows], replace(targets, Y=Y), None if sample_weight is None else sample_weight[rows]

    def _checked_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Labels, Any]:
        """Return training data as `_training_data` does, X in one piece by rows, as a `Problem` of learners holds it.

        A frame, which is kept by columns, then gives the same bits as an array.
        """
        X, Y, sample_weight = self._training_data(X, y, sample_weight)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return X if sparse.issparse(X) else np.ascontiguousarray(X), Y, weights

    def _numbers(self, X: Any, *, reset: bool = True) -> Any:
        """Return X as numbers, dense or CSR; words, and numbers that are not finite, are errors that say what to do."""
        if not reset and self._needs_no_look(X):
            return X
        form: dict[str, Any] = {"accept_sparse": "csr", "dtype": _FLOATS}
        finite = self._finite()
        with plainly_rejected(type(self).__name__, X, nan_allowed=finite == "allow-nan"):
            return validate_data(self, X, reset=reset, ensure_all_finite=finite, **form)

    def _needs_no_look(self, X: Any) -> bool:
        """Say at once whether rows are what scikit-learn's longer check would let pass unchanged: floats, all finite.

        That check takes longer than most answers for a single row.
        """
        if self._trusted:
            return True
        if type(X) not in (np.ndarray, sparse.csr_matrix, sparse.csr_array) or hasattr(self, "feature_names_in_"):
            return False
        right = X.ndim == 2 and X.shape[0] > 0 and X.shape[1] == self.n_features_in_ and X.dtype in _FLOATS
        return bool(right) and bool(np.isfinite(X if isinstance(X, np.ndarray) else X.data).all())

    def _remember(self, targets: Targets) -> None:
        self.label_names_ = np.array(targets.names, dtype=object)
        self.n_labels_ = len(targets.names)
        self._one_column = targets.classes is not None
        # As scikit-learn's own multi-label classifiers: the classes of a binary column, or the numbers of the labels.
        self.classes_ = np.arange(self.n_labels_) if targets.classes is None else targets.classes

    def _rows(self, X: Any) -> Any:
        """Return rows to predict, checked against those seen at `fit`."""
        if not hasattr(self, "n_features_in_"):
            check_is_fitted(self)
        return self._numbers(X.X if isinstance(X, LabelledRows) else X, reset=False)

    def _labels_out(self, labels: Any) -> Any:
        """Return 0/1 labels (n_samples, n_labels) in the form of y: integers, or classes of a single column."""
        if not self._one_column:
            return labels.astype(np.int64)
        return np.asarray(self.classes_[labels[:, 0].astype(np.int64) * (len(self.classes_) - 1)])

    def _probabilities_out(self, marginals: Floats) -> Floats:
        """Return P(label) as (n_samples, n_labels); for a single column one column for each class."""
        if not self._one_column:
            return marginals
        if len(self.classes_) == 1:
            return np.ones((len(marginals), 1))
        return np.column_stack([1.0 - marginals[:, 0], marginals[:, 0]])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._finite() == "allow-nan"
        tags.target_tags.multi_output = True
        tags.target_tags.required = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags


class WeightedClassifier(MultilabelClassifier):
    """Base of classifiers that take weights of rows; rows of weight zero are left out before `_fit`."""

    @shows_progress("fitting")
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train the classifier.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or Dataset
            Features; a data set brings its labels with it.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows, where the estimator inside (if there is one) takes them.

        Returns
        -------
        self
        """
        check_parameters(self)
        self._fit(*self._weighted_rows(*self._training_data(X, y, sample_weight)))
        return self

    def _weighted_rows(self, X: Any, Y: Labels, weights: Any) -> tuple[Any, Labels, Any]:
        """Return the rows whose weight is not zero."""
        if weights is None or weights.all():
            return X, Y, weights
        rows = np.flatnonzero(weights)
        if len(rows) == 0:
            raise ParameterError(
                f"{type(self).__name__} needs sample_weight to be above 0 somewhere, but all weights are zero. "
                "Pass a positive weight for at least one row."
            )
        return X[rows], Y[rows], weights[rows]
