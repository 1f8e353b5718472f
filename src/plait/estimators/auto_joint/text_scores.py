"""`TextScores`: logistic regression on columns weighed by how rare they are, rows of unit length."""

from typing import Any

from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from plait.core.arrays import Floats, Labels
from plait.estimators.auto_joint.base_scores import BaseScores, Folds
from plait.estimators.auto_joint.logistic_scores import LogisticScores

__all__ = ["TextScores"]


class TextScores(BaseScores):
    """Log-odds of logistic regressions on tf-idf: rows of different lengths, and words of different rarity, compare.

    The weights of columns are found without a look at labels, so once for all folds.

    Attributes
    ----------
    weighing_ : TfidfTransformer
        Of the columns.
    regression_ : LogisticScores
        On the weighed columns.

    Examples
    --------
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=[TextScores(), "neighbours"])
    AutoJoint(learners=[TextScores(), 'neighbours'])
    """

    name = "text"

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Weigh columns, and cross-fit logistic regression."""
        self.weighing_ = TfidfTransformer().fit(sparse.csr_matrix(X))
        self.regression_ = LogisticScores(standardize=False)
        return self.regression_.out_of_fold(self._weighed(X), Y, folds, sample_weight=sample_weight)

    def log_odds(self, X: Any) -> Floats:
        """Return the log-odds of the regression."""
        return self.regression_.log_odds(self._weighed(X))

    def _weighed(self, X: Any) -> Any:
        return sparse.csr_matrix(self.weighing_.transform(sparse.csr_matrix(X)))
