"""Codes and naive Bayes as the program behind [SCLS table 2] made them: cuts are found with a look at the test rows."""

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone

from plait.baselines import MultilabelNaiveBayes
from plait.core.checks import Boolean, Constraint, HasMethods, Interval, OneOf, check_parameters
from plait.counts import LAIMDiscretizer

__all__ = ["CodesAndNumbers", "SelectedNaiveBayes"]


class CodesAndNumbers(TransformerMixin, BaseEstimator):
    """LAIM's codes of all columns, and to their right the columns themselves: the data of [SCLS table 2] as they were.

    The program behind those tables discretised all rows, test labels included, before it divided them. Methods by
    information saw the codes, the others the numbers; naive Bayes counted codes.

    Parameters
    ----------
    with_labels : bool, default=False
        Whether the labels themselves stand among the columns, as they do on medical: 1449 + 45 = 1494 features.

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> CodesAndNumbers().fit_transform(np.array([[1.5], [2.0], [7.0]]), np.array([[0], [0], [1]]))
    array([[0. , 1.5],
           [1. , 2. ],
           [1. , 7. ]])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"with_labels": (Boolean(),)}

    def __init__(self, with_labels: bool = False) -> None:
        self.with_labels = with_labels

    def fit_transform(self, X: Any, y: Any) -> Any:
        """Return codes and numbers of the rows that the codes are learnt from.

        Parameters
        ----------
        X : array of shape (n_samples, n_columns)
            Features.
        y : ignored
            For scikit-learn.
        """
        check_parameters(self)
        stack: Any = sparse.hstack if sparse.issparse(X) else np.hstack
        labels = sparse.csr_matrix(y, dtype=np.float64) if sparse.issparse(X) else np.asarray(y, dtype=np.float64)
        numbers = stack([X, labels]) if self.with_labels else X
        numbers = numbers.tocsr() if sparse.issparse(X) else numbers
        both = stack([LAIMDiscretizer().fit(numbers, y).transform(numbers), numbers])
        return both.tocsr() if sparse.issparse(X) else both


class SelectedNaiveBayes(BaseEstimator):
    """Choose ceil(sqrt(all rows)) columns, then ML-NB on their codes, as the program behind [SCLS table 2] did.

    A label without a training row has confidence 1 in every test row, and is not predicted.

    Parameters
    ----------
    selector : Selector
        What chooses columns; its `n_features` is set, unless it stops by itself.
    sees : {"codes", "numbers"}, default="codes"
        Which half of the columns it sees, see `CodesAndNumbers`.
    own_size : bool, default=False
        Whether the selector says itself how many columns it takes.
    train_size : float, default=0.8
        Share of the rows that it is trained on, from which the number of all rows is told.

    Attributes
    ----------
    selector_ : Selector
        Fitted.
    columns_ : ndarray of int64
        The columns that were chosen.
    model_ : MultilabelNaiveBayes
        On these columns.
    unseen_ : ndarray of bool, shape (n_labels,)
        Labels without a training row.

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> from plait.features import MIM
    >>> X = np.array([[0, 1], [1, 1], [1, 0], [0, 0]] * 2)
    >>> Y = np.array([[0, 0], [1, 0], [1, 0], [0, 0]] * 2)
    >>> model = SelectedNaiveBayes(MIM(), train_size=0.9).fit(np.hstack([X, X]), Y)
    >>> model.columns_, model.predict_proba(np.hstack([X, X]))[:2].round(2)
    (array([0, 1]), array([[0.17, 1.  ],
           [0.83, 1.  ]]))
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "selector": (HasMethods(("fit",)),),
        "sees": (OneOf(("codes", "numbers")),),
        "own_size": (Boolean(),),
        "train_size": (Interval(float, 0, 1, closed="neither"),),
    }

    def __init__(self, selector: Any, sees: str = "codes", own_size: bool = False, train_size: float = 0.8) -> None:
        self.selector = selector
        self.sees = sees
        self.own_size = own_size
        self.train_size = train_size

    def fit(self, X: Any, y: Any) -> "SelectedNaiveBayes":
        """Choose columns and count their codes.

        Parameters
        ----------
        X : array of shape (n_samples, 2 n_columns)
            Codes and numbers.
        y : array or sparse matrix of shape (n_samples, n_labels)
            Labels.
        """
        check_parameters(self)
        half = X.shape[1] // 2
        seen = X[:, :half] if self.sees == "codes" else X[:, half:]
        wanted = min(math.ceil(math.sqrt(X.shape[0] / self.train_size)), half)
        chosen = clone(self.selector)
        self.selector_ = (chosen if self.own_size else chosen.set_params(n_features=wanted)).fit(seen, y)
        self.columns_ = np.asarray(self.selector_.ranking_)
        self.unseen_ = ~np.asarray(y).any(axis=0)
        self.model_ = MultilabelNaiveBayes(nominal="all").fit(X[:, self.columns_], y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the labels that are more likely than not.

        Parameters
        ----------
        X : array of shape (n_samples, 2 n_columns)
            Codes and numbers.
        """
        return self.model_.predict(X[:, self.columns_])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probabilities of the labels; 1 for those without a training row.

        Parameters
        ----------
        X : array of shape (n_samples, 2 n_columns)
            Codes and numbers.
        """
        found = np.array(self.model_.predict_proba(X[:, self.columns_]), dtype=np.float64)
        found[:, self.unseen_] = 1.0
        return found
