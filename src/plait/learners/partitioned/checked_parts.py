"""Rows to train on that come in chunks: they are checked where they lie and never gathered.

What adds up over rows (numbers of rows and labels, moments of columns, losses and their derivatives) is summed over
the parts. What does not (features that selectors choose, what held-out rows say of pairs of labels, the search for C,
thresholds) is found on a sample of the rows, which is all of them where they are few. Structures that count labels see
the labels of all rows.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _get_feature_names, check_array

from plait.core.arrays import Ints
from plait.core.chunked.dask_blocks import DaskChunks, current_client
from plait.core.chunked.recognition import RowsWarning, chunks_of
from plait.core.chunked.row_chunks import LocalChunks, RowChunks, rows_in
from plait.core.label_forms import read_labels
from plait.core.labels import label_matrix
from plait.core.lazy_modules import lazy_module
from plait.core.plain_rejections import plainly_rejected
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, warn_user
from plait.core.unknown_labels import has_unknown
from plait.learners.partitioned.newton_rounds import PANEL_BYTES
from plait.learners.partitioned.part_sums import DaskParts, Parts, StoredParts
from plait.learners.partitioned.parted_logistic import (
    PartedRows,
    PartFacts,
    gathered_labels,
    label_counts,
    part_facts,
    sampled_rows,
)
from plait.learners.training.column_scaling import ColumnMoments
from plait.structure import Structure
from plait.structure.co_occurrences import CoOccurrences
from plait.structure.orders import reads_features

__all__ = ["MOST_COPIES", "SAMPLED_ROWS", "TrainingParts", "training_chunks", "training_parts"]

_dask = lazy_module("dask")

# Rows that are read into memory for what does not add up; they take no more than half of what a panel may.
SAMPLED_ROWS = 1 << 15
# Bytes of labels, sparse, that are read into memory for structures.
LABEL_BYTES = 1 << 28
# Rows with whole weights stand as often as these say where they then are at most so many times as many.
MOST_COPIES = 10
# Memory maps of more bytes are read in parts.
MAPPED_BYTES = 1 << 28


@dataclass(frozen=True, eq=False)
class _Columns:
    """What the first chunk says of all: names of features and labels, and how many there are."""

    owner: str
    n_features: int
    feature_names: tuple[str, ...] | None
    label_names: tuple[str, ...] | None
    n_labels: int


def _columns(owner: str, X: Any, y: Any, names: Any) -> _Columns:
    if y is None:
        raise ParameterError(
            f"{owner} needs y for every chunk of X, but there is none. Pass chunks (X, y), data sets, or y in chunks."
        )
    given = read_labels(owner, "y", y)
    if getattr(given.table, "ndim", 2) != 2:
        raise ParameterError(
            f"{owner} needs y to have one column for each label where rows come in chunks, but its shape is "
            f"{given.table.shape}. Reshape it to (n_samples, n_labels)."
        )
    names = given.names if names is None else tuple(str(name) for name in names)
    features = _get_feature_names(X)
    features = None if features is None else tuple(features)
    return _Columns(owner, np.shape(X)[1], features, names, given.table.shape[1])


def _checked(columns: _Columns, X: Any, y: Any, weights: Any = None, names: Any = None) -> tuple[Any, Any, Any]:
    """Return a chunk as X (dense or CSR), Y (CSR of uint8) and weights or None, checked against the first chunk.

    Rows that weigh nothing are left out.
    """
    if not rows_in(X):  # left by a filter, on a cluster
        rows = np.zeros((0, columns.n_features))
        labels = sparse.csr_matrix((0, columns.n_labels), dtype=np.uint8)
        return sparse.csr_matrix(rows) if sparse.issparse(X) else rows, labels, None if weights is None else np.zeros(0)
    found = _columns(columns.owner, X, y, names)
    for what, now, first in (
        ("features", found.n_features, columns.n_features),
        ("labels", found.n_labels, columns.n_labels),
        ("names of features", found.feature_names, columns.feature_names),
        ("names of labels", found.label_names, columns.label_names),
    ):
        if now != first:
            raise ParameterError(
                f"{columns.owner} needs all chunks to have the same {what}, but one has {_few(now)} and the first has "
                f"{_few(first)}. Pass chunks of one table."
            )
    form: dict[str, Any] = {"accept_sparse": "csr", "dtype": (np.float64, np.float32), "order": "C"}
    with plainly_rejected(columns.owner, X, nan_allowed=False):
        rows = check_array(X, **form)
    if isinstance(X, np.memmap) and np.may_share_memory(rows, X):
        rows = X  # nothing had to be copied, and nothing will be
    known = label_matrix(columns.owner, "y", y, one_column=False, unknown=True)
    if has_unknown(known):
        raise ParameterError(
            f"{columns.owner} needs every label of y to be known where rows come in chunks, but a chunk holds NaN. "
            "Pass all rows at once, or leave such rows out."
        )
    labels = sparse.csr_matrix(known)
    if rows.shape[0] != labels.shape[0]:
        raise ParameterError(
            f"{columns.owner} needs X and y to have the same number of rows, but a chunk has {rows.shape[0]} and "
            f"{labels.shape[0]}. Pass rows of the same objects."
        )
    return _weighing(columns.owner, rows, labels, weights)


def _weighing(owner: str, X: Any, Y: Any, weights: Any) -> tuple[Any, Any, Any]:
    if weights is None:
        return X, Y, None
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (X.shape[0],) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ParameterError(
            f"{owner} needs sample_weight to hold a finite number of at least 0 for every row, but of a chunk of "
            f"{X.shape[0]} rows it has shape {weights.shape}, or other numbers. Pass one weight for each row."
        )
    rows = np.flatnonzero(weights)
    return (X, Y, weights) if len(rows) == len(weights) else (X[rows], Y[rows], weights[rows])


def _few(value: Any) -> str:
    return (
        ", ".join(map(str, value[:3])) + (", ..." if len(value) > 3 else "") if isinstance(value, tuple) else str(value)
    )


@dataclass(frozen=True, eq=False)
class TrainingParts:
    """Checked rows in parts, and what is known of them."""

    rows: PartedRows
    sizes: list[int]
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...] | None

    @property
    def cardinality(self) -> float:
        """Labels a row."""
        return float(self.rows.n_ones.sum() / max(1, self.rows.n_rows))

    def label_counts(self, structure: Structure) -> CoOccurrences | None:
        """Return how often labels meet in all rows, for a structure that counts pairs; None where it has the rows.

        Rows with weights count as `repeated_rows` says.
        """
        n_rows, facts = self.rows.n_rows, self.rows.facts
        if not structure.counts_pairs or self.rows.sample[0].shape[0] == n_rows:
            return None
        copied = facts.whole and facts.moments.n_rows <= MOST_COPIES * n_rows
        found: CoOccurrences = self.rows.parts.total(label_counts, copied)
        return found

    def counted(self, structure: Structure) -> tuple[Any, Any, Any]:
        """Return X, Y and weights for a structure: labels without X where it counts labels, else the sample.

        Of labels that are too many for memory those of a sample of rows, a larger one than with features.
        """
        X, Y, weights = self.rows.sample
        n_rows, n_labels, form = self.rows.n_rows, len(self.label_names), structure.takes_sparse_labels
        n_bytes = 5 * int(self.rows.n_ones.sum()) + 8 * n_rows if form else n_rows * n_labels
        alone = structure.counts_labels and not reads_features(structure.get_params().get("order"))
        if alone and Y.shape[0] < n_rows:
            wanted = n_rows if n_bytes <= LABEL_BYTES else max(Y.shape[0], int(n_rows * (LABEL_BYTES / n_bytes)))
            if wanted < n_rows:
                warn_user(
                    f"{type(structure).__name__} counts labels on a sample of {wanted} of {n_rows} rows: all "
                    f"labels would take {n_bytes >> 20} MiB. Pass a UserGraph to decide otherwise.",
                    RowsWarning,
                )
            found = list(self.rows.parts.each(gathered_labels, own=_drawn(self.sizes, wanted, 0)))
            Y = sparse.vstack([labels for labels, _ in found], format="csr")
            X = sparse.csr_matrix((wanted, 0))
            weights = None if weights is None else np.concatenate([own for _, own in found])
        return X, Y if form else Y.toarray(), weights

    def remember(self, model: Any) -> None:
        """Set what a model remembers of the rows it was fitted on."""
        model.label_names_ = np.array(self.label_names, dtype=object)
        model.n_labels_, model._one_column = len(self.label_names), False
        model.classes_, model._cardinality = np.arange(model.n_labels_), self.cardinality
        model.feature_means_, model.n_features_in_ = self.rows.moments.means, self.rows.n_features
        model.__dict__.pop("feature_names_in_", None)
        if self.feature_names is not None:
            model.feature_names_in_ = np.array(self.feature_names, dtype=object)


def training_chunks(owner: str, X: Any, y: Any, sample_weight: Any = None) -> RowChunks | None:
    """Return rows in chunks, as which a large memory map is taken too; None where all rows are to be taken at once."""
    if not isinstance(X, np.memmap) or X.ndim != 2 or X.nbytes <= MAPPED_BYTES or y is None:
        return chunks_of(owner, X, y, sample_weight)
    n_rows = max(1, MAPPED_BYTES // (8 * X.itemsize * X.shape[1]))
    blocks = [slice(first, first + n_rows) for first in range(0, X.shape[0], n_rows)]
    labels = y.tocsr() if sparse.issparse(y) else y
    return LocalChunks(owner, [X[rows] for rows in blocks], [labels[rows] for rows in blocks], sample_weight)


def training_parts(owner: str, chunks: RowChunks, random_state: Any) -> TrainingParts:
    """Return the rows of chunks, checked where they lie: on workers if a Dask cluster is at hand, else on disk."""
    client = current_client() if isinstance(chunks, DaskChunks) else None
    columns, parts = _local(owner, chunks) if client is None else _on_workers(owner, chunks, client)  # type: ignore[arg-type]
    sizes, each = zip(*parts.each(part_facts), strict=True)
    if not sum(sizes):
        raise ParameterError(f"{owner} needs at least one row that weighs something, but there is none. Pass some.")
    facts = reduce(PartFacts.plus, each)
    sample = _sample(parts, list(sizes), facts.moments, random_state)
    rows = PartedRows(parts, sum(sizes), facts, not sparse.issparse(sample[0]), sample)
    names = columns.label_names or tuple(f"y{k}" for k in range(columns.n_labels))
    return TrainingParts(rows, list(sizes), names, columns.feature_names)


def _local(owner: str, chunks: RowChunks) -> tuple[_Columns, Parts]:
    known: list[_Columns] = []

    def checked() -> Any:
        for X, y, names, weights in chunks.weighed():
            if not rows_in(X):
                continue
            if not known:
                known.append(_columns(owner, X, y, names))
            yield _checked(known[0], X, y, weights, names)

    parts = StoredParts(checked())
    return known[0] if known else _none(owner), parts


def _none(owner: str) -> Any:
    raise ParameterError(f"{owner} needs at least one row, but no chunk has any. Pass some rows.")


def _columns_of_rows(owner: str, X: Any, y: Any, names: Any) -> _Columns | None:
    """Return what a block says of all; None where it has no rows."""
    return _columns(owner, X, y, names) if rows_in(X) else None


def _on_workers(owner: str, chunks: DaskChunks, client: Any) -> tuple[_Columns, Parts]:
    describe, check = _dask.delayed(_columns_of_rows), _dask.delayed(_checked)
    blocks = zip(chunks.X, chunks.y, strict=True)
    described = (client.compute(describe(owner, X, y, chunks.label_names)).result() for X, y in blocks)
    columns: _Columns = next((found for found in described if found is not None), None) or _none(owner)
    given = zip(chunks.X, chunks.y, chunks.weights, strict=True)
    return columns, DaskParts(client, [check(columns, *rows, chunks.label_names) for rows in given])


def _drawn(sizes: list[int], wanted: int, random_state: Any) -> list[Ints]:
    """Return the numbers of drawn rows of each part, in their order; all rows where no fewer are wanted."""
    n_rows, ends = sum(sizes), np.cumsum(sizes)
    chosen = np.arange(n_rows)
    if wanted < n_rows:
        chosen = np.sort(generator(random_state).choice(n_rows, wanted, replace=False))
    inside = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
    return [rows - first for rows, first in zip(inside, ends - sizes, strict=True)]


def _sample(parts: Parts, sizes: list[int], moments: ColumnMoments, random_state: Any) -> tuple[Any, Any, Any]:
    """Return some rows of all parts, in their order; all of them where they are few."""
    n_rows = sum(sizes)
    bytes_a_row = 12.0 * max(1.0, moments.filled.sum() / n_rows)
    wanted = min(n_rows, SAMPLED_ROWS, int(PANEL_BYTES / 2 / bytes_a_row) + 1)
    found = list(parts.each(sampled_rows, own=_drawn(sizes, wanted, random_state)))
    blocks = [X for X, _, _ in found]
    X = sparse.vstack(blocks, format="csr") if sparse.issparse(blocks[0]) else np.concatenate(blocks)
    weights = None if found[0][2] is None else np.concatenate([own for _, _, own in found])
    return X, sparse.vstack([Y for _, Y, _ in found], format="csr"), weights
