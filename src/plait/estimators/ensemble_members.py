"""Members of an ensemble: copies of a model, each fitted on its own rows and features."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from plait.core.randomness import generator, seeds

__all__ = ["Member", "fitted_member"]


@dataclass(frozen=True, eq=False)
class Member:
    """One fitted member.

    Parameters
    ----------
    estimator : classifier
        The fitted copy.
    rows, columns : ndarray of int64
        The training rows and the features it saw, ascending.
    """

    estimator: Any
    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]

    def answer(self, method: str, X: Any) -> Any:
        """Call a method of the member on its features of X."""
        return getattr(self.estimator, method)(X[:, self.columns])


def fitted_member(
    estimator: Any,
    X: Any,
    Y: npt.NDArray[np.uint8],
    sample_weight: Any,
    candidates: npt.NDArray[np.int64],
    *,
    row_fraction: float,
    feature_fraction: float,
    seed: int,
) -> Member:
    """Return a copy fitted on `round(fraction * size)` rows and features (one at least), drawn without replacement.

    `candidates` are the rows to draw from. Everything follows from the seed, so that it does not matter which worker
    fits the member.
    """
    draws = generator(seed)
    rows = _drawn(draws, candidates, row_fraction)
    columns = _drawn(draws, np.arange(X.shape[1]), feature_fraction)
    copy = clone(estimator)
    if "random_state" in copy.get_params():
        copy.set_params(random_state=seeds(draws, 1)[0])
    weights = {} if sample_weight is None else {"sample_weight": sample_weight[rows]}
    return Member(copy.fit(X[rows][:, columns], Y[rows], **weights), rows, columns)


def _drawn(draws: np.random.Generator, values: npt.NDArray[np.int64], share: float) -> npt.NDArray[np.int64]:
    size = max(1, round(share * len(values)))
    return np.sort(draws.choice(values, size=size, replace=False))
