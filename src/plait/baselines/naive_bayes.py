"""ML-NB: naive Bayes for every label, all labels at once [Zhang2009]."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.utils.sparsefuncs import mean_variance_axis

from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import InstanceOf, Interval, Nothing, OneOf
from plait.core.multilabel_classifier import WeightedClassifier
from plait.core.sentences import ParameterError, complaint
from plait.counts.vocabulary import Vocabulary, distinct_symbols
from plait.features.engine.columns import column_bounds

__all__ = ["MultilabelNaiveBayes"]

# Labels that are summed together; bounds the memory for their indicators.
_LABELS = 256
# Variances are at least so much of the variance of the whole column, plus so much.
FLOOR_SHARE, FLOOR = 1e-9, 1e-12


class MultilabelNaiveBayes(WeightedClassifier):
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
    nominal : None, "auto", "all", or sequence of bool, int or str, default=None
        Columns whose values are names: a mask, their numbers, or their names in a data frame; "auto" takes the columns
        that hold nothing but 0 and 1, "all" takes every column. By default every column is a number.
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

    The experiments of SCLS count the values that a discretiser leaves:
    `make_pipeline(LAIMDiscretizer(), SCLS(n_features="sqrt"), MultilabelNaiveBayes(nominal="all"))`.

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
        "nominal": (Nothing(), OneOf(("auto", "all")), InstanceOf((list, tuple, np.ndarray))),
        "s": (Interval(float, 0, None, closed="neither"),),
    }

    def __init__(self, nominal: Any = None, s: float = 1.0) -> None:
        self.nominal = nominal
        self.s = s

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        self.nominal_ = nominal_mask(type(self).__name__, self.nominal, X, getattr(self, "feature_names_in_", ()))
        # A matrix that stores nearly everything takes less memory without the places.
        self._as_dense = not sparse.issparse(X) or 12 * X.nnz >= 8 * X.shape[0] * X.shape[1]
        classes = ClassSums.of(Y, weights)
        numeric, nominal = self._parts(X)
        self._numeric = GaussianColumns.fitted(numeric, classes)
        self._nominal = NominalColumns.fitted(nominal, classes, float(self.s)) if self.nominal_.any() else None
        self.class_prior_ = (self.s + classes.mass) / (2 * self.s + classes.mass.sum(axis=1, keepdims=True))
        self.means_, self.variances_ = self._numeric.means, self._numeric.variances

    def _parts(self, X: Any) -> tuple[Any, Any]:
        """Return the numeric and the nominal columns."""
        X = X.toarray() if self._as_dense and sparse.issparse(X) else X
        if not self.nominal_.any():
            return X, X[:, :0]
        if self.nominal_.all():
            return X[:, :0], X
        return X[:, ~self.nominal_], X[:, self.nominal_]

    def _log_odds(self, X: Any) -> Floats:
        numeric, nominal = self._parts(X)
        odds = np.log(self.class_prior_[:, 1]) - np.log(self.class_prior_[:, 0])
        odds = odds + self._numeric.log_odds(numeric)
        return odds if self._nominal is None else odds + self._nominal.log_odds(nominal)

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        return self._log_odds(X) > 0

    def _marginals(self, X: Any) -> Floats:
        return np.asarray(expit(self._log_odds(X)))


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Weighted rows of all labels, ready to be summed by class.

    The rarer class of a label is summed, and the other one is what is left of all rows: at least half of them, so
    little is lost by subtracting, and only the rows of rare labels are read.

    Parameters
    ----------
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    weights : ndarray of float64, shape (n_samples,)
        Weights of rows.
    mass : ndarray of float64, shape (n_labels, 2)
        Weight of the rows without and with each label.
    """

    Y: npt.NDArray[np.uint8]
    weights: Floats
    mass: Floats

    @staticmethod
    def of(Y: npt.NDArray[np.uint8], sample_weight: Any = None) -> "ClassSums":
        """Return the sums' ground: labels and weights."""
        weights = np.ones(Y.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        ones = np.array([weights[column != 0].sum() for column in Y.T])
        others = np.array([weights[column == 0].sum() for column in Y.T])
        return ClassSums(Y, weights, np.column_stack([others, ones]))

    def sums(self, values: Any) -> Floats:
        """Return the weighted sums of columns over the rows of each class, (n_labels, 2, n_columns).

        Examples
        --------
        >>> ClassSums.of(np.array([[1], [0], [1]], dtype=np.uint8)).sums(np.array([[1.0], [2.0], [4.0]])).ravel()
        array([2., 5.])
        """
        n_labels = self.Y.shape[1]
        everything = np.asarray(self.weights @ values).ravel()
        found = np.empty((n_labels, 2, values.shape[1]))
        rarer = (self.mass[:, 1] <= self.mass[:, 0]).astype(np.int64)
        for start in range(0, n_labels, _LABELS):
            labels = np.arange(start, min(start + _LABELS, n_labels))
            part = self._rows_of(labels, rarer[labels], sparse.issparse(values)) @ values
            part = part.toarray() if sparse.issparse(part) else np.asarray(part)
            found[labels, rarer[labels]] = part
            found[labels, 1 - rarer[labels]] = everything - part
        return found

    def _rows_of(self, labels: npt.NDArray[np.int64], classes: npt.NDArray[np.int64], as_sparse: bool) -> Any:
        """Return the weights of the rows of one class of some labels, 0 for other rows, (n_labels, n_samples)."""
        belongs = classes[:, None] == self.Y[:, labels].T
        if not as_sparse:
            return belongs * self.weights
        rows = sparse.csr_matrix(belongs, dtype=np.float64)
        rows.data *= self.weights[rows.indices]
        return rows


@dataclass(frozen=True, eq=False)
class GaussianColumns:
    """Log-odds of labels that are quadratic in the columns: the log-ratio of two normal densities each.

    Parameters
    ----------
    means, variances : ndarray of float64, shape (n_labels, 2, n_columns)
        Of each column over the rows without and with each label; NaN where there are none.
    centres, scales : ndarray of float64, shape (n_columns,)
        Columns are moved and divided by these before they are squared, which keeps digits; sparse ones are not moved.
    squares, slopes : ndarray of float64, shape (n_labels, n_columns)
        Coefficients of the squared and of the plain scaled columns.
    constant : ndarray of float64, shape (n_labels,)
        What is left.
    """

    means: Floats
    variances: Floats
    centres: Floats
    scales: Floats
    squares: Floats
    slopes: Floats
    constant: Floats

    @staticmethod
    def fitted(X: Any, classes: ClassSums) -> "GaussianColumns":
        """Return normal densities of the columns of X (dense or CSR) given each label."""
        centres, scales, varies = _scaling(X, classes.weights)
        Z = _scaled(X, centres, scales)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = classes.sums(Z) / classes.mass[:, :, None]
            variances = classes.sums(_squared(Z)) / classes.mass[:, :, None] - means**2
        variances = np.maximum(variances, FLOOR_SHARE * varies + FLOOR / scales**2)
        m0, m1, v0, v1 = means[:, 0], means[:, 1], variances[:, 0], variances[:, 1]
        # A column that does not vary has the same density under both classes.
        known = varies & (classes.mass.min(axis=1) > 0)[:, None]
        squares = np.where(known, 0.5 / v0 - 0.5 / v1, 0.0)
        slopes = np.where(known, m1 / v1 - m0 / v0, 0.0)
        rest = np.where(known, 0.5 * np.log(v0 / v1) + 0.5 * m0**2 / v0 - 0.5 * m1**2 / v1, 0.0)
        return GaussianColumns(
            means * scales + centres, variances * scales**2, centres, scales, squares, slopes, rest.sum(axis=1)
        )

    def log_odds(self, X: Any) -> Floats:
        """Return the sum over columns of log P(x | label) - log P(x | no label), (n_samples, n_labels)."""
        Z = _scaled(X, self.centres, self.scales)
        return np.asarray(_squared(Z) @ self.squares.T) + np.asarray(Z @ self.slopes.T) + self.constant


@dataclass(frozen=True, eq=False)
class NominalColumns:
    """Log-odds of labels by a table of values for each column.

    P(value v | class) = (n_v + s) / (n + s V), where n_v of the n rows of the class have the value and V values occur
    in the column; a value that did not occur in training has n_v = 0.

    Parameters
    ----------
    vocabulary : Vocabulary
        Values other than 0 of each column.
    zero_odds : ndarray of float64, shape (n_labels,)
        Log-odds where all columns are 0.
    changes : ndarray of float64, shape (n_planes + n_columns, n_labels)
        What a value adds in place of 0; the last ones are values not seen in training, by column.
    """

    vocabulary: Vocabulary
    zero_odds: Floats
    changes: Floats

    @staticmethod
    def fitted(X: Any, classes: ClassSums, s: float) -> "NominalColumns":
        """Return frequencies of the values in the columns of X (dense or CSR) given each label."""
        rows = _entries(X)
        vocabulary, planes = distinct_symbols(rows.indices.astype(np.int64), rows.data, X.shape[1])
        marks = sparse.csr_matrix((np.ones(planes.size), planes, rows.indptr), (X.shape[0], vocabulary.n_planes))
        counts = classes.sums(marks)
        # Values other than 0 that occur, and 0 unless every row has another value.
        occurs = np.bincount(planes, minlength=vocabulary.n_planes) > 0
        columns = vocabulary.plane_columns
        n_values = np.bincount(columns[occurs], minlength=X.shape[1])
        n_values += np.bincount(rows.indices, minlength=X.shape[1]) < X.shape[0]
        zeros = np.maximum(classes.mass[:, :, None] - np.add.reduceat(counts, vocabulary.offsets[:-1], axis=2), 0.0)
        size = np.log(classes.mass[:, :, None] + s * n_values)
        known = (classes.mass.min(axis=1) > 0)[:, None]

        def odds(n: Floats, of_columns: Any) -> Floats:
            logs = np.log(n + s) - size[:, :, of_columns]
            return np.where(known, logs[:, 1] - logs[:, 0], 0.0)

        zero, seen = odds(zeros, slice(None)), odds(np.maximum(counts, 0.0), columns)
        unseen = odds(np.zeros_like(zeros), slice(None))
        changes = np.hstack([seen - zero[:, columns], unseen - zero])
        return NominalColumns(vocabulary, zero.sum(axis=1), np.ascontiguousarray(changes.T))

    def log_odds(self, X: Any) -> Floats:
        """Return the sum over columns of log P(x | label) - log P(x | no label), (n_samples, n_labels)."""
        rows = _entries(X)
        planes = self._planes(rows.indices.astype(np.int64), rows.data)
        marks = sparse.csr_matrix((np.ones(planes.size), planes, rows.indptr), (X.shape[0], self.changes.shape[0]))
        return np.asarray(marks @ self.changes) + self.zero_odds

    def _planes(self, columns: Ints, values: Floats) -> Ints:
        """Return the row of `changes` for each entry."""
        known = np.unique(self.vocabulary.values)
        keys = self.vocabulary.plane_columns * known.size + np.searchsorted(known, self.vocabulary.values)
        rank = np.minimum(np.searchsorted(known, values), known.size - 1)
        wanted = columns * known.size + rank
        found = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        seen = (keys[found] == wanted) & (known[rank] == values)
        return np.where(seen, found, self.vocabulary.n_planes + columns)


def _entries(X: Any) -> sparse.csr_matrix:
    """Return the values other than 0."""
    rows = sparse.csr_matrix(X, dtype=np.float64, copy=sparse.issparse(X))
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def nominal_mask(owner: str, nominal: Any, X: Any, names: Any = ()) -> npt.NDArray[np.bool_]:
    """Return which columns of X hold names.

    Parameters
    ----------
    owner : str
        Whose parameter it is, for errors.
    nominal : None, "auto", "all", or sequence of bool, int or str
        No column; those that hold nothing but 0 and 1; every column; or a mask, numbers, or names of columns.
    X : ndarray or CSR matrix
        The training rows.
    names : sequence of str
        Names of the columns of X, where it has them.

    Examples
    --------
    >>> X = np.array([[0.0, 2.0], [1.0, 3.0]])
    >>> nominal_mask("MLNB", "auto", X), nominal_mask("MLNB", [1], X)
    (array([ True, False]), array([False,  True]))
    """
    n_columns = X.shape[1]
    if nominal is None:
        return np.zeros(n_columns, dtype=np.bool_)
    if isinstance(nominal, str):
        return _zero_one_columns(X) if nominal == "auto" else np.ones(n_columns, dtype=np.bool_)
    numbers = {name: column for column, name in enumerate(names)}
    given = [each.item() if isinstance(each, np.generic) else each for each in nominal]
    if len(given) == n_columns and all(isinstance(each, bool) for each in given):
        return np.array(given, dtype=np.bool_)
    given = [numbers.get(each, each) for each in given]
    if not all(Interval(int, 0, n_columns - 1).accepts(each) for each in given):
        must = f"None, 'auto', a mask of {n_columns} columns, their numbers or their names"
        raise ParameterError(complaint(owner, "nominal", must, nominal))
    mask = np.zeros(n_columns, dtype=np.bool_)
    mask[np.array(given, dtype=np.int64)] = True
    return mask


def _zero_one_columns(X: Any) -> npt.NDArray[np.bool_]:
    if not sparse.issparse(X):
        return np.asarray(((X == 0) | (X == 1)).all(axis=0))
    others = (X.data != 0) & (X.data != 1)
    return np.bincount(X.indices[others], minlength=X.shape[1]) == 0


def _scaling(X: Any, weights: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    low, high = column_bounds(X)
    varies = high > low
    if sparse.issparse(X):
        _, variances = mean_variance_axis(X.astype(np.float64), axis=0, weights=weights)
        centres = np.zeros(X.shape[1])
    else:
        centres = np.where(varies, weights @ X / weights.sum(), low)
        variances = weights @ (X - centres) ** 2 / weights.sum()
    return centres, np.sqrt(np.where(varies & (variances > 0), variances, 1.0)), varies


def _scaled(X: Any, centres: Floats, scales: Floats) -> Any:
    if not sparse.issparse(X):
        return (X - centres) / scales
    Z = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    Z.data /= scales[Z.indices]
    return Z


def _squared(Z: Any) -> Any:
    return Z.multiply(Z).tocsr() if sparse.issparse(Z) else Z * Z
