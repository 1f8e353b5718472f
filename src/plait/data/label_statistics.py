"""What is in a data set: sizes, label counts, label imbalance and label pairs [PACC, section 6.1 and equation 9].

n_j : rows with label j
cardinality = mean labels a row;  density = cardinality / n_labels;  distinct = number of different label sets
IR_j = max_k n_k / n_j;  IRbar = mean_j IR_j;  CVIR = standard deviation of IR_j (n_labels - 1 below) / IRbar

Labels that are never on have no finite IR and are left out of IRbar and CVIR.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.checks import Interval, check_value
from plait.core.sentences import ParameterError, complaint
from plait.data.dataset import Dataset

__all__ = ["LabelPair", "Statistics", "statistics"]

# Beyond both bounds a data set counts as imbalanced [PACC, section 6.1].
_LARGE_MEAN_IR, _LARGE_CVIR = 1.5, 0.2


class LabelPair(NamedTuple):
    """Two labels and the number of rows that have both."""

    first: str
    second: str
    n_samples: int


@dataclass(frozen=True, eq=False, repr=False)
class Statistics:
    """What `statistics` found in a data set.

    Attributes
    ----------
    n_samples, n_features, n_labels : int
        Sizes.
    cardinality, density : float
        Mean number of labels a row, and the same as a share of all labels; 0 where there is nothing to average.
    distinct : int
        Number of different label sets (an empty one counts).
    min_labels, max_labels : int
        Fewest and most labels of a row.
    n_without_labels : int
        Rows without any label.
    positives : ndarray of shape (n_labels,)
        Rows with each label.
    imbalance_ratios : ndarray of shape (n_labels,)
        Positives of the most frequent label over those of each label; infinite for a label that is never on.
    mean_ir, cvir : float
        Mean of the finite ratios and their coefficient of variation; NaN where no label is ever on.
    imbalanced : bool
        The rule of thumb: `mean_ir` above 1.5 and `cvir` above 0.2.
    cooccurrence : CSR matrix of shape (n_labels, n_labels)
        Rows with both labels; the diagonal holds `positives`.
    label_names, never_on, always_on : tuple of str
        All labels, those no row has, and those every row has, as far as they are known.
    unknown : ndarray of shape (n_labels,)
        Share of rows in which each label is unknown (NaN); all other numbers are of what is known.

    Examples
    --------
    >>> from plait.data import Dataset, statistics
    >>> found = statistics(Dataset([[0.0], [1.0], [2.0]], [[1, 0], [1, 1], [0, 0]]))
    >>> found.cardinality, found.distinct, found.n_without_labels
    (1.0, 3, 1)
    """

    n_samples: int
    n_features: int
    n_labels: int
    cardinality: float
    density: float
    distinct: int
    min_labels: int
    max_labels: int
    n_without_labels: int
    positives: npt.NDArray[np.int64]
    imbalance_ratios: npt.NDArray[np.float64]
    mean_ir: float
    cvir: float
    imbalanced: bool
    cooccurrence: sparse.csr_matrix
    label_names: tuple[str, ...]
    never_on: tuple[str, ...]
    always_on: tuple[str, ...]
    unknown: npt.NDArray[np.float64]

    def top_pairs(self, n: int = 10) -> list[LabelPair]:
        """Return the label pairs that occur together most often, at most `n`; ties in label order.

        Parameters
        ----------
        n : int, default=10
            How many at most.
        """
        check_value("Statistics.top_pairs", "n", n, (Interval(int, 0, None),))
        pairs = sparse.triu(self.cooccurrence, k=1, format="coo")
        order = np.lexsort((pairs.col, pairs.row, -pairs.data))[:n]
        return [
            LabelPair(self.label_names[i], self.label_names[j], int(count))
            for i, j, count in zip(pairs.row[order], pairs.col[order], pairs.data[order], strict=True)
        ]

    def as_dict(self, n_pairs: int = 10) -> dict[str, Any]:
        """Return everything in a form `json.dumps` takes: None for NaN and infinity, `n_pairs` pairs of the matrix.

        Parameters
        ----------
        n_pairs : int, default=10
            How many pairs of labels.
        """
        plain: dict[str, Any] = {
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "n_labels": self.n_labels,
            "cardinality": self.cardinality,
            "density": self.density,
            "distinct": self.distinct,
            "labels_a_row": {"min": self.min_labels, "mean": self.cardinality, "max": self.max_labels},
            "n_without_labels": self.n_without_labels,
            "mean_ir": _finite(self.mean_ir),
            "cvir": _finite(self.cvir),
            "imbalanced": self.imbalanced,
            "never_on": list(self.never_on),
            "always_on": list(self.always_on),
            "top_pairs": [pair._asdict() for pair in self.top_pairs(n_pairs)],
        }
        per_label = zip(self.label_names, self.positives.tolist(), self.imbalance_ratios.tolist(), strict=True)
        plain["labels"] = [{"name": name, "positives": n, "ir": _finite(ratio)} for name, n, ratio in per_label]
        for line, share in zip(plain["labels"], self.unknown.tolist(), strict=True):
            line["unknown"] = share
        return plain

    def __repr__(self) -> str:
        return (
            f"Statistics: {self.n_samples} rows, {self.n_features} features, {self.n_labels} labels, "
            f"cardinality {self.cardinality:.3f}, density {self.density:.3f}, {self.distinct} distinct label sets, "
            f"mean IR {self.mean_ir:.3f}, CVIR {self.cvir:.3f}"
        )


def _without_features(Y: Any) -> Dataset:
    """Return a data set of labels alone."""
    if isinstance(Y, str) or not (hasattr(Y, "shape") or isinstance(Y, Sequence)):
        raise ParameterError(complaint("statistics", "dataset", "a Dataset or labels", Y, "Pass Dataset(X, Y)."))
    n_rows = Y.shape[0] if hasattr(Y, "shape") else len(Y)
    return Dataset(np.zeros((n_rows, 0)), Y)


def statistics(dataset: Any) -> Statistics:
    """Return sizes, label counts, imbalance and label pairs of a data set.

    Parameters
    ----------
    dataset : Dataset, or labels alone
        Dense or sparse; both give the same numbers. Labels alone may have any form that `Dataset` takes as `Y`.

    Returns
    -------
    Statistics

    Examples
    --------
    >>> from plait.data import Dataset, statistics
    >>> found = statistics(Dataset([[1.0], [2.0], [3.0]], [[1, 0], [1, 1], [0, 0]], label_names=["sea", "sun"]))
    >>> found
    Statistics: 3 rows, 1 features, 2 labels, cardinality 1.000, density 0.500, 3 distinct label sets,
    mean IR 1.500, CVIR 0.471
    >>> found.top_pairs(1)
    [LabelPair(first='sea', second='sun', n_samples=1)]
    """
    if not isinstance(dataset, Dataset):
        dataset = _without_features(dataset)
    gaps = None if sparse.issparse(dataset.Y) or dataset.Y.dtype.kind != "f" else np.isnan(dataset.Y)
    pattern = sparse.csr_matrix(dataset.Y if gaps is None else dataset.Y == 1, dtype=np.int64)
    n_samples, n_labels = pattern.shape
    unknown = np.zeros(n_labels) if gaps is None else gaps.sum(axis=0) / max(n_samples, 1)
    n_known = n_samples if gaps is None else (~gaps).sum(axis=0)
    names = np.array(dataset.label_names, dtype=object)
    a_row = np.diff(pattern.indptr)
    positives = np.bincount(pattern.indices, minlength=n_labels).astype(np.int64)
    ratios = _imbalance_ratios(positives)
    mean_ir, cvir = _imbalance(ratios)
    cardinality = float(a_row.sum() / max(n_samples, 1))
    return Statistics(
        n_samples=n_samples,
        n_features=dataset.n_features,
        n_labels=n_labels,
        cardinality=cardinality,
        density=cardinality / max(n_labels, 1),
        distinct=_distinct(pattern),
        min_labels=int(a_row.min(initial=n_labels)) if n_samples else 0,
        max_labels=int(a_row.max(initial=0)),
        n_without_labels=int((a_row == 0).sum()),
        positives=positives,
        imbalance_ratios=ratios,
        mean_ir=mean_ir,
        cvir=cvir,
        imbalanced=mean_ir > _LARGE_MEAN_IR and cvir > _LARGE_CVIR,
        cooccurrence=_cooccurrence(pattern),
        label_names=tuple(names),
        never_on=tuple(names[positives == 0]),
        always_on=tuple(names[(positives == n_known) & (positives > 0)]),
        unknown=unknown,
    )


def _imbalance_ratios(positives: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    ratios = np.full(len(positives), np.inf)
    np.divide(positives.max(initial=0), positives, out=ratios, where=positives > 0)
    return ratios


def _imbalance(ratios: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return IRbar and CVIR of the labels that are ever on [PACC 9]."""
    finite = ratios[np.isfinite(ratios)]
    if finite.size == 0:
        return float("nan"), float("nan")
    mean = float(finite.mean())
    return mean, float(finite.std(ddof=1) / mean) if finite.size > 1 else 0.0


def _distinct(pattern: sparse.csr_matrix) -> int:
    starts, labels = pattern.indptr, pattern.indices
    return len({labels[start:end].tobytes() for start, end in pairwise(starts)})


def _cooccurrence(pattern: sparse.csr_matrix) -> sparse.csr_matrix:
    counts = sparse.csr_matrix(pattern.T @ pattern)
    counts.sort_indices()
    return counts


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
