"""Samples of a distribution over a graph, drawn together as far as their prefixes are the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from plait.core.arrays import Bits, Floats, Labels
from plait.core.logspace import log_sigmoid
from plait.joint._sampling_kernels import draw_rows, split_counts
from plait.joint.counted_draws import CountedDraws
from plait.joint.distribution import Evidence
from plait.joint.parent_effects import ParentEffects
from plait.structure import LabelGraph

__all__ = ["LARGEST_SCORE", "Sizes", "draw_by_levels", "draw_linear"]

# How many samples: the same for all rows, or a number for each.
Sizes = int | npt.NDArray[np.int64]
Scores = Callable[[int, npt.NDArray[np.int64], Labels], Floats]

# Exponentials of scores up to this size are numbers.
LARGEST_SCORE = 650.0
# Vectors and ones that a block of rows has room for, unless one row needs more.
_VECTORS, _ONES = 1 << 15, 1 << 18


def draw_linear(
    base: Floats, effects: ParentEffects, evidence: Evidence | None, limit: float, n_samples: Sizes, seeds: Bits
) -> CountedDraws:
    """Return samples of a linear distribution, its scores within LARGEST_SCORE.

    Takes 8 * n_labels ** 2 bytes, some 12 bytes for each vector and each of its ones, and a block of about 2 MiB.
    """
    order = effects.order
    n_rows, n_labels = base.shape
    sizes = _sizes(n_samples, n_rows)
    most = int(sizes.max(initial=1))
    known = np.full((1, n_labels), -1, dtype=np.int8) if evidence is None else evidence
    if order is not None:
        base, known = base[:, order], known[:, order]
    numbers = (np.ascontiguousarray(base), effects.factors, effects.reach, np.ascontiguousarray(known), np.exp(limit))
    parts: list[dict[str, Any]] = []
    row, n_evaluations = 0, np.zeros(n_rows, dtype=np.int64)
    leaves = np.empty((max(_VECTORS, most), 2), dtype=np.int64)
    logs, ones = np.empty(leaves.shape), np.empty(max(_ONES, most * n_labels), dtype=np.int32)
    row_ends, tables = np.zeros(n_rows, dtype=np.int64), _tables(most)
    while row < n_rows or not parts:
        done = draw_rows(
            *numbers, sizes, most, seeds, tables[0], tables[1], row, row_ends, leaves, logs, ones, n_evaluations
        )
        parts.append(_part(row_ends[row:done], leaves, logs, ones, order))
        row = done
    return CountedDraws.joined(n_labels, parts, n_evaluations)


def _part(row_ends: Any, leaves: Any, logs: Any, ones: Any, order: Any) -> dict[str, Any]:
    """Return what a block of rows gave, copied out of its room."""
    n_leaves = int(row_ends[-1]) if row_ends.size else 0
    one_ends = leaves[:n_leaves, 1]
    placed = ones[: int(one_ends[-1]) if n_leaves else 0]
    return {
        "rows": np.diff(row_ends, prepend=0),
        "counts": leaves[:n_leaves, 0].copy(),
        "log_prob": logs[:n_leaves, 0].copy(),
        "log_weights": logs[:n_leaves, 1].copy(),
        "sizes": np.diff(one_ends, prepend=0),
        "ones": placed.copy() if order is None else order[placed].astype(np.int32),
    }


def draw_by_levels(
    graph: LabelGraph, scores: Scores, evidence: Evidence | None, n_samples: Sizes, seeds: Bits
) -> CountedDraws:
    """Return samples of any distribution over a graph, all rows at once, label by label.

    `scores(label, rows, parent_values)` is asked once for each label. Takes n_labels + 40 bytes for each vector.
    """
    rows = np.arange(seeds.size)
    vectors = np.zeros((rows.size, graph.n_labels), dtype=np.uint8)
    counts, states = _sizes(n_samples, rows.size), seeds.copy()
    log_prob, log_weights = np.zeros(rows.size), np.zeros(rows.size)
    tables, n_evaluations = _tables(int(counts.max(initial=1))), np.zeros(rows.size, dtype=np.int64)
    for label in graph.order:
        n_evaluations += np.bincount(rows, minlength=seeds.size)
        score = scores(label, rows, vectors[:, list(graph.parents[label])])
        with_label = np.empty_like(counts)
        split_counts(counts, 1.0 / (1.0 + np.exp(-score)), rows, states, tables[0], tables[1], with_label)
        if evidence is not None:
            known = evidence[rows, label]
            with_label = np.where(known >= 0, known * counts, with_label)
            log_weights = log_weights + np.where(known >= 0, log_sigmoid(np.where(known == 1, score, -score)), 0.0)
        split = np.column_stack([counts - with_label, with_label])
        origin, value = np.nonzero(split)
        log_prob = log_prob[origin] + log_sigmoid(np.where(value == 1, score[origin], -score[origin]))
        rows, vectors, counts, log_weights = rows[origin], vectors[origin], split[origin, value], log_weights[origin]
        vectors[:, label] = value
    leaf, one = np.nonzero(vectors)
    part = {
        "rows": np.bincount(rows, minlength=seeds.size),
        "counts": counts,
        "log_prob": log_prob,
        "log_weights": log_weights,
        "sizes": np.bincount(leaf, minlength=rows.size),
        "ones": one.astype(np.int32),
    }
    return CountedDraws.joined(graph.n_labels, [part], n_evaluations)


def _sizes(n_samples: Sizes, n_rows: int) -> npt.NDArray[np.int64]:
    return np.array(np.broadcast_to(n_samples, n_rows), dtype=np.int64)


def _tables(n_samples: int) -> Floats:
    """Return log k! and 1 / k for k up to n_samples + 1, with 0 for 1 / 0."""
    numbers = np.arange(n_samples + 2.0)
    return np.stack([gammaln(numbers + 1.0), 1.0 / np.maximum(numbers, 1.0) * (numbers > 0)])
