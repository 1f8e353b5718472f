"""`TextScores`: logistic regression on columns weighed by how rare they are, or topics of them, in unit rows."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from plait.core.arrays import Floats, Labels
from plait.estimators.auto_joint.base_scores import BaseScores, Folds
from plait.estimators.auto_joint.logistic_scores import LogisticScores

__all__ = ["TextScores"]


class TextScores(BaseScores):
    """Log-odds of logistic regressions on tf-idf: rows of different lengths, and words of different rarity, compare.

    With `n_components` they are on topics, the leading singular directions of tf-idf [Deerwester1990]: words that occur
    together speak for a label though only some have been seen with it. On some sets that says more, on others less.
    Weights of columns and topics are found without a look at labels, so once for all folds.

    Parameters
    ----------
    n_components : int, optional
        Number of topics, at most half as many as rows; by default, and where columns are not more, the regression is on
        the weighed columns themselves.

    Attributes
    ----------
    weighing_ : TfidfTransformer
        Of the columns.
    topics_ : TruncatedSVD or None
        Of the weighed columns.
    regression_ : LogisticScores
        On the weighed columns or the topics.

    References
    ----------
    [Deerwester1990] Deerwester, Dumais, Furnas, Landauer and Harshman: Indexing by latent semantic analysis, 1990.

    Examples
    --------
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=[TextScores(n_components=50), "neighbours"])
    AutoJoint(learners=[TextScores(n_components=50), 'neighbours'])
    """

    name = "text"
    topics_: Any = None

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Weigh columns, find topics if they are wanted, and cross-fit logistic regression."""
        X = sparse.csr_matrix(X)
        self.weighing_, self.topics_ = TfidfTransformer().fit(X), None
        if self.n_components is not None and X.shape[1] > self.n_components:
            size = max(1, min(self.n_components, X.shape[0] // 2))
            self.topics_ = TruncatedSVD(size, random_state=seed % 2**31).fit(self.weighing_.transform(X))
        self.regression_ = LogisticScores(standardize=False)
        return self.regression_.out_of_fold(self._placed(X), Y, folds, sample_weight=sample_weight)

    def log_odds(self, X: Any) -> Floats:
        """Return the log-odds of the regression."""
        return self.regression_.log_odds(self._placed(sparse.csr_matrix(X)))

    def _placed(self, X: Any) -> Any:
        weighed = sparse.csr_matrix(self.weighing_.transform(X))
        return weighed if self.topics_ is None else np.ascontiguousarray(normalize(self.topics_.transform(weighed)))
