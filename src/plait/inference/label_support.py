"""`LabelSupport`: what an inference found, as label vectors with weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.core.sentences import ParameterError
from plait.inference.search.label_tables import distinct_vectors
from plait.inference.search.prefixes import Found

__all__ = ["LabelSupport"]


# Vectors are turned into floats in blocks of about this many entries (32 MiB).
_ENTRIES = 1 << 22
_EQUAL = 1e-12
# Counts up to this one keep all their digits through a logarithm and back, but for the last few.
_LOG_OF_MOST_DRAWS = np.log(1e9)
_BY_ROW = (
    "vectors",
    "log_weights",
    "exact",
    "marginals",
    "log_evidence",
    "n_evaluations",
    "effective_size",
    "log_prob",
)


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
        P(y_k = 1 | x, evidence) where the inference knows it, exactly unless `exact_marginals` is False.
    log_evidence : ndarray of float64, shape (n_rows,), optional
        log P(evidence | x), where known (estimated, for a sample); 0 without evidence.
    n_evaluations : ndarray of int64, shape (n_rows,), optional
        How many conditionals were evaluated: nodes of a search, draws of a sample.
    effective_size : ndarray of float64, shape (n_rows,), optional
        Effective number of samples under importance weights.
    log_prob : ndarray of float64, shape (n_rows, n_vectors), optional
        log P(y | x) of the vectors of a sample; decides between vectors drawn equally often.
    distinct : bool, default=False
        Whether the vectors of a row are known to differ.
    exact_marginals : bool, default=True
        Whether `marginals`, where given, are exact; those of loopy belief propagation or mean field are not.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.inference import Exhaustive
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> weights = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> two = LinearDistribution(LabelGraph([[], [0]]), base=np.zeros((1, 2)), parent_coef=weights)
    >>> found = Exhaustive().infer(two)
    >>> found.vectors.shape, found.kind, found.exact
    ((1, 1, 2), 'modes', array([ True]))
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
    log_prob: Floats | None = None
    distinct: bool = False
    exact_marginals: bool = True

    @classmethod
    def of_search(cls, found: Found, method: str) -> "LabelSupport":
        """Return what a search found as a support.

        Parameters
        ----------
        found : Found
            Vectors, log-probabilities, what is proved and how much was looked at.
        method : str
            How they were found, in words.
        """
        return cls(found.vectors, found.log_weights, "modes", method, found.exact, n_evaluations=found.n_evaluations)

    @classmethod
    def of_marginals(cls, marginals: Floats, method: str, **known: Any) -> "LabelSupport":
        """Return marginals alone, without label vectors; exact ones unless `exact` and the like are given.

        Parameters
        ----------
        marginals : ndarray of float64, shape (n_rows, n_labels)
            P(label) of every row.
        method : str
            How they were found, in words.
        **known
            Other fields of the support, such as `exact`.
        """
        n_rows, n_labels = marginals.shape
        nothing = np.empty((n_rows, 0, n_labels), dtype=np.uint8), np.empty((n_rows, 0))
        known = {"kind": "modes", "exact": np.ones(n_rows, dtype=np.bool_), **known}
        return cls(*nothing, method=method, marginals=marginals, **known)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.log_weights.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.vectors.shape[2])

    def mode(self) -> Labels:
        """Return the vector with the largest weight, summed over equal vectors for a sample; (n_rows, n_labels).

        Of vectors of a sample with equal weight, the more probable where `log_prob` is known, else the smallest.
        """
        self._require_vectors()
        if self.kind == "sample":
            merged = self if self.distinct else self.merged()
            return np.asarray(merged.vectors[np.arange(self.n_rows), merged._heaviest()])
        best = self.log_weights.argmax(axis=1)
        return np.ascontiguousarray(
            np.broadcast_to(self.vectors, (self.n_rows, *self.vectors.shape[1:]))[np.arange(self.n_rows), best]
        )

    def _heaviest(self) -> npt.NDArray[np.intp]:
        """Return the place of each row's heaviest vector, the most probable of equal ones."""
        if self.log_prob is None:
            return self.log_weights.argmax(axis=1)
        # Logarithms of equal counts are equal; what rounding adds to weights is far below one sample.
        equal = self.log_weights >= self.log_weights.max(axis=1, keepdims=True) - _EQUAL
        return np.where(equal, self.log_prob, -np.inf).argmax(axis=1)

    def weights(self) -> Floats:
        """Return weights that sum to one in every row."""
        weights = self._relative_weights()
        return weights / weights.sum(axis=1, keepdims=True)

    def marginal_estimate(self) -> Floats:
        """Return the marginals where they are known, else those of the weighted vectors; (n_rows, n_labels)."""
        if self.marginals is not None:
            return self.marginals
        # Divided at the end: vectors of equal weight are counted, and half of them is exactly 0.5.
        weights = self._relative_weights()
        return self.weighted_sum(weights) / weights.sum(axis=1, keepdims=True)

    def weighted_sum(self, weights: Floats) -> Floats:
        """Return the sum of each row's vectors times weights (n_rows, n_vectors); (n_rows, n_labels).

        Parameters
        ----------
        weights : ndarray of float64, shape (n_rows, n_vectors)
            One for each vector.
        """
        shared = self.shared_vectors()
        if shared is not None:
            return np.asarray(weights @ shared.astype(np.float64))
        total = np.empty((self.n_rows, self.n_labels))
        step = max(1, _ENTRIES // max(1, self.vectors[:1].size))
        for start in range(0, self.n_rows, step):
            rows = slice(start, start + step)
            total[rows] = np.matmul(weights[rows, None, :], self.vectors[rows].astype(np.float64))[:, 0]
        return total

    def shared_vectors(self) -> Labels | None:
        """Return the vectors (n_vectors, n_labels) where all rows have the same ones (a broadcast view), else None."""
        return self.vectors[0] if self.n_rows and (self.n_rows == 1 or self.vectors.strides[0] == 0) else None

    def take(self, rows: slice) -> "LabelSupport":
        """Return the support of some rows.

        Parameters
        ----------
        rows : slice or array of int
            Which.
        """
        known = {name: getattr(self, name) for name in _BY_ROW}
        return self._replaced(**{name: None if value is None else value[rows] for name, value in known.items()})

    def _relative_weights(self) -> Floats:
        """Return weights of which the largest of each row is 1; for draws that were counted, the counts."""
        self._require_vectors()
        peak = self.log_weights.max(axis=1, keepdims=True, initial=-np.inf)
        relative = np.asarray(np.exp(self.log_weights - peak))
        if self.kind == "sample":
            counted = ((peak >= 0) & (peak < _LOG_OF_MOST_DRAWS))[:, 0]
            draws = np.exp(self.log_weights[counted])
            counts = np.rint(draws)
            # A logarithm loses the last digits of a count; with them a tie of counts stays a tie.
            whole = (np.abs(draws - counts) <= _EQUAL * draws).all(axis=1)
            relative[np.flatnonzero(counted)[whole]] = counts[whole]
        return relative

    def _require_vectors(self) -> None:
        if self.n_rows and self.log_weights.shape[1] == 0:
            raise ParameterError(
                f"this question needs label vectors, but {self.method} was asked for marginals and found none. "
                'Ask for the mode or the distribution: infer(distribution, wanted="distribution").'
            )

    def merged(self) -> "LabelSupport":
        """Return the support with equal vectors of a row put together, heaviest first.

        Of equal weights the smallest vector comes first, or the most probable where `log_prob` is known.
        """
        if self.distinct and self.log_prob is not None:
            return self._sorted(np.lexsort((-self.log_prob, -self.log_weights), axis=1))
        pairs = [_merge(vectors, logs) for vectors, logs in zip(self.vectors, self.log_weights, strict=True)]
        longest = max((len(logs) for _, logs in pairs), default=1)
        vectors = np.zeros((self.n_rows, longest, self.n_labels), dtype=np.uint8)
        log_weights = np.full((self.n_rows, longest), -np.inf)
        for row, (distinct, logs) in enumerate(pairs):
            vectors[row, : len(logs)] = distinct
            log_weights[row, : len(logs)] = logs
        return self._replaced(vectors=vectors, log_weights=log_weights, log_prob=None, distinct=True)

    def with_log_prob(self, log_prob: Floats) -> "LabelSupport":
        """Return the same with log P(y | x) of its vectors.

        Parameters
        ----------
        log_prob : ndarray of float64, shape (n_rows, n_vectors)
            Of the vectors.
        """
        return self._replaced(log_prob=log_prob)

    def _sorted(self, order: npt.NDArray[np.intp]) -> "LabelSupport":
        parts = {"log_weights": self.log_weights, "log_prob": self.log_prob}
        sorted_parts = {
            name: np.take_along_axis(part, order, axis=1) for name, part in parts.items() if part is not None
        }
        return self._replaced(vectors=np.take_along_axis(self.vectors, order[:, :, None], axis=1), **sorted_parts)

    def _replaced(self, **changes: Any) -> "LabelSupport":
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return LabelSupport(**{**values, **changes})


def _merge(vectors: Labels, log_weights: Floats) -> tuple[Labels, Floats]:
    used = np.isfinite(log_weights)
    distinct, place = distinct_vectors(vectors[used])
    peak = log_weights[used].max(initial=-np.inf)
    # Sums of exponentials, not of logarithms: vectors of equal weight are counted, and ties stay ties.
    logs = np.log(np.bincount(place, weights=np.exp(log_weights[used] - peak))) + peak
    heaviest_first = np.argsort(-logs, kind="stable")
    return distinct[heaviest_first], logs[heaviest_first]
