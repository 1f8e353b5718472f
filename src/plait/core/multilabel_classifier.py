"""`MultilabelClassifier`: the scikit-learn contract that all classifiers of plait share, whatever they learn."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from plait.core.labels import Targets, as_targets
from plait.core.plain_rejections import plainly_rejected
from plait.core.sentences import ParameterError

__all__ = ["MultilabelClassifier"]


class MultilabelClassifier(ClassifierMixin, BaseEstimator):
    """Base of all classifiers: checks what comes in, remembers names, and brings answers into the form of y.

    `fit` of a subclass calls `_training_data`, and sets its own attributes; `predict` and `predict_proba` call
    `_rows`, and end with `_labels_out` and `_probabilities_out`. Fitted on a single column in one dimension, a
    classifier behaves as a binary classifier of scikit-learn; on a matrix, every column is a label.

    Attributes
    ----------
    label_names_ : ndarray of str
        Names of the labels, from the columns of a data frame, else "y0", "y1", ...
    n_labels_, n_features_in_ : int
        How many labels and features.
    classes_ : ndarray
        Numbers of the labels; the classes of y if it was a single column in one dimension.
    """

    def _finite(self) -> bool | str:
        """Say what X may hold, as scikit-learn's `ensure_all_finite`."""
        return True

    def _training_data(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, npt.NDArray[np.uint8], Any]:
        """Return X (dense float or CSR), labels as `uint8` and weights (or None), checked; remember names."""
        owner = type(self).__name__
        targets = as_targets(owner, y)
        X = self._numbers(X)
        if X.shape[0] != targets.Y.shape[0]:
            raise ParameterError(
                f"{owner} needs X and y to have the same number of rows, but X has {X.shape[0]} and y has "
                f"{targets.Y.shape[0]}. Pass rows of the same objects."
            )
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self._remember(targets)
        return X, targets.Y, sample_weight

    def _numbers(self, X: Any, *, reset: bool = True) -> Any:
        """Return X as numbers, dense or CSR; words, and numbers that are not finite, are errors that say what to do."""
        form: dict[str, Any] = {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}
        finite = self._finite()
        with plainly_rejected(type(self).__name__, X, nan_allowed=finite == "allow-nan"):
            return validate_data(self, X, reset=reset, ensure_all_finite=finite, **form)

    def _remember(self, targets: Targets) -> None:
        self.label_names_ = np.array(targets.names, dtype=object)
        self.n_labels_ = len(targets.names)
        self._one_column = targets.classes is not None
        # As scikit-learn's own multi-label classifiers: the classes of a binary column, or the numbers of the labels.
        self.classes_ = np.arange(self.n_labels_) if targets.classes is None else targets.classes

    def _rows(self, X: Any) -> Any:
        """Return rows to predict, checked against those seen at `fit`."""
        check_is_fitted(self)
        return self._numbers(X, reset=False)

    def _labels_out(self, labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return 0/1 labels (n_samples, n_labels) in the form of y: integers, or classes of a single column."""
        if not self._one_column:
            return labels.astype(np.int64)
        return np.asarray(self.classes_[labels[:, 0].astype(np.int64) * (len(self.classes_) - 1)])

    def _probabilities_out(self, marginals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
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
