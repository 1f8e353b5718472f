"""`LabelSupport`: what an inference found, as label vectors with weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.logspace import log_normalize, log_sum_exp

__all__ = ["LabelSupport"]

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class LabelSupport:
    """Label vectors of several rows, with weights, and how far they can be trusted.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_rows, n_vectors, n_labels)
        Label vectors; those of a search best first. May be a broadcast view.
    log_weights : ndarray of float64, shape (n_rows, n_vectors)
        For kind "modes" log P(y | x), evidence not divided out; for "distribution" the same, for all vectors that
        agree with the evidence; for "sample" log weights up to a constant. -inf marks a place that is not used.
    kind : str
        "modes" (the best vectors found), "distribution" (every vector), or "sample" (vectors drawn).
    method : str
        Which inference it was, in words.
    exact : ndarray of bool, shape (n_rows,)
        For "modes": whether the first vector is proved to be the mode (and the others the next best); for
        "distribution" True; for "sample" False.
    marginals : ndarray of float64, shape (n_rows, n_labels), optional
        P(y_k = 1 | x, evidence) where the inference knows it exactly.
    log_evidence : ndarray of float64, shape (n_rows,), optional
        log P(evidence | x), where known (estimated, for a sample); 0 without evidence.
    n_evaluations : ndarray of int64, shape (n_rows,), optional
        How many conditionals were evaluated: nodes of a search, draws of a sample.
    effective_size : ndarray of float64, shape (n_rows,), optional
        Effective number of samples under importance weights.
    """

    vectors: Labels
    log_weights: Floats
    kind: str
    method: str
    exact: npt.NDArray[np.bool_]
    marginals: Floats | None = None
    log_evidence: Floats | None = None
    n_evaluations: npt.NDArray[np.int64] | None = None
    effective_size: Floats | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.log_weights.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.vectors.shape[2])

    def mode(self) -> Labels:
        """Return the vector with the largest weight, summed over equal vectors for a sample; (n_rows, n_labels)."""
        if self.kind == "sample":
            merged = self.merged()
            best = merged.log_weights.argmax(axis=1)
            return np.asarray(merged.vectors[np.arange(self.n_rows), best])
        best = self.log_weights.argmax(axis=1)
        return np.ascontiguousarray(
            np.broadcast_to(self.vectors, (self.n_rows, *self.vectors.shape[1:]))[np.arange(self.n_rows), best]
        )

    def weights(self) -> Floats:
        """Return weights that sum to one in every row."""
        return np.exp(log_normalize(self.log_weights, axis=1))

    def marginal_estimate(self) -> Floats:
        """Return the exact marginals where known, else those of the weighted vectors; (n_rows, n_labels)."""
        if self.marginals is not None:
            return self.marginals
        return np.asarray(np.einsum("nm,nmk->nk", self.weights(), self.vectors))

    def merged(self) -> "LabelSupport":
        """Return the support with equal vectors of a row put together, heaviest first (ties: smallest vector)."""
        pairs = [_merge(vectors, logs) for vectors, logs in zip(self.vectors, self.log_weights, strict=True)]
        longest = max((len(logs) for _, logs in pairs), default=0)
        vectors = np.zeros((self.n_rows, longest, self.n_labels), dtype=np.uint8)
        log_weights = np.full((self.n_rows, longest), -np.inf)
        for row, (distinct, logs) in enumerate(pairs):
            vectors[row, : len(logs)] = distinct
            log_weights[row, : len(logs)] = logs
        return self._replaced(vectors=vectors, log_weights=log_weights)

    def _replaced(self, **changes: Any) -> "LabelSupport":
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return LabelSupport(**{**values, **changes})


def _merge(vectors: Labels, log_weights: Floats) -> tuple[Labels, Floats]:
    used = np.isfinite(log_weights)
    distinct, place = np.unique(vectors[used], axis=0, return_inverse=True)
    place = place.ravel()
    logs = np.array([log_sum_exp(log_weights[used][place == k]) for k in range(len(distinct))])
    heaviest_first = np.argsort(-logs, kind="stable")
    return distinct[heaviest_first], logs[heaviest_first]
