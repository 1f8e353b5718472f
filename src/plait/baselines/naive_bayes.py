"""ML-NB: naive Bayes for every label, all labels at once [Zhang2009]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.baselines.class_sums import ClassSums
from plait.baselines.gaussian_columns import GaussianColumns
from plait.baselines.nominal_columns import NominalColumns, nominal_mask
from plait.core.arrays import Floats
from plait.core.checks import InstanceOf, Interval, Nothing, OneOf, check_parameters
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.sentences import ParameterError

__all__ = ["MultilabelNaiveBayes"]


class MultilabelNaiveBayes(MultilabelClassifier):
    """Naive Bayes for every label [Zhang2009], as the evaluation of SCLS uses it.

    For each label by itself P(label | x) ~ P(label) prod_f P(x_f | label), with smoothed priors (s + n_1) / (2 s + N);
    numbers are normal given the label, nominal columns have smoothed frequencies (s + n_v) / (s V + n). A label is
    given if it is more likely than not.

    It assumes that features are independent given the label, and that labels are independent given the features. A good
    choice after a selector that has removed redundant features, on few rows, or where training must cost no more than
    two passes over X. Its decisions are better than its probabilities, which many features that say the same drive to
    0 and 1.

    Parameters
    ----------
    nominal : None, "auto", or sequence of bool, int or str, default=None
        Columns whose values are names: a mask, their numbers, or their names in a data frame; "auto" takes the columns
        that hold nothing but 0 and 1. By default every column is a number.
    s : float, default=1.0
        How much is added to every count of rows.

    Attributes
    ----------
    nominal_ : ndarray of bool, shape (n_features,)
        Which columns are nominal.
    class_prior_ : ndarray of shape (n_labels, 2)
        P(no label) and P(label).
    means_, variances_ : ndarray of shape (n_labels, 2, n_numeric)
        Of the numeric columns, without and with each label; variances are at least 1e-9 of the variance of the whole
        column, plus 1e-12. NaN for labels with one value only.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers.

    Notes
    -----
    Text as 0/1 columns: with `nominal="auto"` they have frequencies, which fits them. As numbers, a word that no row of
    a label has gets a variance close to 0, and one such word in a new row outweighs all others.

    The original method adds a principal component analysis and a genetic search for features; put any transformer or
    selector before it instead: `make_pipeline(SCLS(n_features="sqrt"), MultilabelNaiveBayes())`.

    A label with one value only has the probability (s + n_1) / (2 s + N) whatever the row. A nominal value that did not
    occur in training counts as seen in no row. A sparse X is never made dense, unless nearly all of it is stored;
    numeric columns of sparse matrices should not lie far from 0 compared to their spread, or digits are lost.

    References
    ----------
    Zhang, Pena and Robles: Feature selection for multi-label naive Bayes classification [Zhang2009].

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from plait.features import SCLS
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 10))
    >>> Y = (X[:, [2, 5]] + 0.2 * rng.normal(size=(400, 2)) > 0).astype(int)
    >>> model = make_pipeline(SCLS(n_features=2), MultilabelNaiveBayes()).fit(X, Y)
    >>> sorted(model[0].ranking_.tolist()), bool((model.predict(X) == Y).mean() > 0.9)
    ([2, 5], True)
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "nominal": (Nothing(), OneOf(("auto",)), InstanceOf((list, tuple, np.ndarray))),
        "s": (Interval(float, 0, None, closed="neither"),),
    }

    def __init__(self, nominal: Any = None, s: float = 1.0) -> None:
        self.nominal = nominal
        self.s = s

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MultilabelNaiveBayes":
        """Estimate priors, means, variances and frequencies of all labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows.

        Returns
        -------
        self
        """
        check_parameters(self)
        X, Y, weights = self._weighing_rows(*self._training_data(X, y, sample_weight))
        self.nominal_ = nominal_mask(type(self).__name__, self.nominal, X, getattr(self, "feature_names_in_", ()))
        # A matrix that stores nearly everything takes less memory without the places.
        self._as_dense = not sparse.issparse(X) or 12 * X.nnz >= 8 * X.shape[0] * X.shape[1]
        classes = ClassSums.of(Y, weights)
        numeric, nominal = self._parts(X)
        self._numeric = GaussianColumns.fitted(numeric, classes)
        self._nominal = NominalColumns.fitted(nominal, classes, float(self.s)) if self.nominal_.any() else None
        self.class_prior_ = (self.s + classes.mass) / (2 * self.s + classes.mass.sum(axis=1, keepdims=True))
        self.means_, self.variances_ = self._numeric.means, self._numeric.variances
        return self

    def _weighing_rows(self, X: Any, Y: npt.NDArray[np.uint8], weights: Any) -> tuple[Any, Any, Any]:
        """Leave out rows that weigh nothing: their values must not count as seen."""
        if weights is None or weights.all():
            return X, Y, weights
        rows = np.flatnonzero(weights)
        if rows.size == 0:
            raise ParameterError(
                f"{type(self).__name__} needs sample_weight to be above 0 somewhere, but all weights are zero. "
                "Pass a positive weight for at least one row."
            )
        return X[rows], Y[rows], weights[rows]

    def _parts(self, X: Any) -> tuple[Any, Any]:
        """Return the numeric and the nominal columns."""
        X = X.toarray() if self._as_dense and sparse.issparse(X) else X
        if not self.nominal_.any():
            return X, X[:, :0]
        if self.nominal_.all():
            return X[:, :0], X
        return X[:, ~self.nominal_], X[:, self.nominal_]

    def _log_odds(self, X: Any) -> Floats:
        numeric, nominal = self._parts(self._rows(X))
        odds = np.log(self.class_prior_[:, 1]) - np.log(self.class_prior_[:, 0])
        odds = odds + self._numeric.log_odds(numeric)
        return odds if self._nominal is None else odds + self._nominal.log_odds(nominal)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels that are more likely than not, (n_samples, n_labels)."""
        return self._labels_out(self._log_odds(X) > 0)

    def predict_proba(self, X: Any) -> Floats:
        """Return P(label | x), (n_samples, n_labels)."""
        return self._probabilities_out(expit(self._log_odds(X)))
