"""`CountedDraws`: samples of many rows as vectors that differ, and how often each was drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints, Labels
from plait.joint._sampling_kernels import expand_rows, fill_vectors, mixed

__all__ = ["CountedDraws"]


@dataclass(frozen=True, eq=False)
class CountedDraws:
    """Vectors that differ, row after row, as lists of the labels that are 1: a few bytes for each of them.

    Parameters
    ----------
    n_labels : int
        Number of labels.
    row_starts : ndarray of int64, shape (n_rows + 1,)
        Where the vectors of each row start.
    counts : ndarray of int64, shape (m,)
        How often each vector was drawn.
    log_prob : ndarray of float64, shape (m,)
        log P(y | x) of each vector, evidence not divided out.
    log_weights : ndarray of float64, shape (m,)
        log P of the known labels given the others' draws; 0 without evidence.
    one_starts : ndarray of int64, shape (m + 1,)
        Where the ones of each vector start.
    ones : ndarray of int32
        Labels that are 1.
    n_evaluations : ndarray of int64, shape (n_rows,)
        Conditionals evaluated.
    """

    n_labels: int
    row_starts: Ints
    counts: Ints
    log_prob: Floats
    log_weights: Floats
    one_starts: Ints
    ones: npt.NDArray[np.int32]
    n_evaluations: Ints

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.row_starts.size - 1

    def padded(self) -> tuple[Labels, Ints, Floats, Floats]:
        """Return vectors (n_rows, most, n_labels), counts, log P and log weights (n_rows, most); counts 0 pad them."""
        sizes = np.diff(self.row_starts)
        shape = (self.n_rows, int(sizes.max(initial=1)))
        vectors = np.zeros((*shape, self.n_labels), dtype=np.uint8)
        fill_vectors(self.row_starts, self.one_starts, self.ones, vectors)
        used = np.arange(shape[1]) < sizes[:, None]
        counts, log_prob, log_weights = np.zeros(shape, np.int64), np.full(shape, -np.inf), np.full(shape, -np.inf)
        counts[used], log_prob[used], log_weights[used] = self.counts, self.log_prob, self.log_weights
        return vectors, counts, log_prob, log_weights

    def expanded(self, n_samples: int, seeds: npt.NDArray[np.uint64]) -> tuple[Labels, Floats]:
        """Return every sample, each row's in random order: (n_rows, n_samples, n_labels), and their log weights.

        A row with fewer samples has them in its first places, then zeros.
        """
        vectors = np.zeros((self.n_rows, n_samples, self.n_labels), dtype=np.uint8)
        log_weights = np.zeros((self.n_rows, n_samples))
        # A stream of its own: the draws used the one that starts at the seed.
        states = np.array([mixed(~seed) for seed in seeds], dtype=np.uint64)
        expand_rows(
            self.row_starts, self.counts, self.log_weights, self.one_starts, self.ones, states, vectors, log_weights
        )
        return vectors, log_weights

    @classmethod
    def joined(cls, n_labels: int, parts: Sequence[dict[str, Any]], n_evaluations: Ints) -> "CountedDraws":
        """Return the vectors of several blocks of rows, one after the other; sizes become starts."""
        whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        starts = {name: np.concatenate([[0], whole[name].cumsum()]).astype(np.int64) for name in ("rows", "sizes")}
        kept = (whole["counts"], whole["log_prob"], whole["log_weights"])
        return cls(n_labels, starts["rows"], *kept, starts["sizes"], whole["ones"], n_evaluations)
