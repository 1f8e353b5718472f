"""`Found`: the best vectors of a search, row by row."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.inference.label_support import LabelSupport

__all__ = ["Found", "best_distinct"]


@dataclass(frozen=True, eq=False)
class Found:
    """The best vectors of a search, best first.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_rows, n_best, n_labels)
        Label vectors.
    log_weights : ndarray of float64, shape (n_rows, n_best)
        log P of each; -inf where a row has fewer vectors.
    exact : ndarray of bool, shape (n_rows,)
        Whether these are proved to be the most probable ones.
    n_evaluations : ndarray of int64, shape (n_rows,)
        Conditionals evaluated.
    """

    vectors: Labels
    log_weights: Floats
    exact: npt.NDArray[np.bool_]
    n_evaluations: npt.NDArray[np.int64]

    def put(self, rows: npt.NDArray[np.int64], other: "Found") -> None:
        """Put what another search found in the place of the listed rows."""
        for name in ("vectors", "log_weights", "exact", "n_evaluations"):
            getattr(self, name)[rows] = getattr(other, name)

    @classmethod
    def joined(cls, parts: Iterable["Found"]) -> "Found":
        """Return the rows of several searches, one below the other."""
        parts = list(parts)
        names = ("vectors", "log_weights", "exact", "n_evaluations")
        return cls(*(np.concatenate([getattr(found, name) for found in parts]) for name in names))

    def support(self, method: str) -> LabelSupport:
        """Return the same as a support."""
        return LabelSupport(
            self.vectors, self.log_weights, "modes", method, self.exact, n_evaluations=self.n_evaluations
        )


def best_distinct(vectors: Labels, log_weights: Floats, n_best: int) -> tuple[Labels, Floats]:
    """Return the best vectors that differ, best first, -inf where there are fewer."""
    best, logs = np.zeros((n_best, vectors.shape[1]), dtype=np.uint8), np.full(n_best, -np.inf)
    seen: set[bytes] = set()
    for place in np.argsort(-log_weights, kind="stable"):
        key = vectors[place].tobytes()
        if len(seen) < n_best and key not in seen and log_weights[place] > -np.inf:
            best[len(seen)], logs[len(seen)] = vectors[place], log_weights[place]
            seen.add(key)
    return best, logs
