"""`WeighingClassifier`: what classifiers share in which rows without weight are as good as absent."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.sentences import ParameterError

__all__ = ["WeighingClassifier"]


class WeighingClassifier(MultilabelClassifier):
    """Base of classifiers that take weights of rows: `fit` of a subclass calls `_weighing_data`."""

    def _weighing_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, npt.NDArray[np.uint8], Any]:
        """Return the checked training data without the rows that weigh nothing: they are as good as absent."""
        X, Y, weights = self._training_data(X, y, sample_weight)
        if weights is None or weights.all():
            return X, Y, weights
        rows = np.flatnonzero(weights)
        if len(rows) == 0:
            raise ParameterError(
                f"{type(self).__name__} needs sample_weight to be above 0 somewhere, but all weights are zero. "
                "Pass a positive weight for at least one row."
            )
        return X[rows], Y[rows], weights[rows]
