"""Logistic regressions of few columns for many labels at once, by Newton's method: what chains over scores are."""

from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import one_blas_thread
from plait.core.unknown_labels import has_unknown, known_shares
from plait.learners.training.problem import constant_labels, constant_scores
from plait.structure import LabelGraph

__all__ = ["few_column_fits", "label_column_fits", "membership", "nearest_parents"]

_kernels = lazy_module("plait.estimators.auto_joint._chain_kernels")

# With more parents than this, a label has coefficients for so many of them.
_MOST_PARENTS, _NEAREST = 60, 20
# Bytes of the designs of one batch of labels.
_BATCH = 1 << 23
# Labels share a batch whose columns are at most this many times as many as those of the first.
_ALIKE = 1.3
_MOST_STEPS, _GAP = 50, 1e-8
# The intercept is hardly penalised.
_INTERCEPT = 1e-8
# Rows times labels from which kernels fit labels with many parents.
_KERNELS_FROM = 1 << 17


def few_column_fits(
    own: Floats, others: Floats, places: Ints, Y: Floats, C: float, weights: Floats | None, start: Floats | None = None
) -> Floats:
    """Return coefficients and intercepts, (n_labels, m + k + 1), of `C * sum_i weight_i log-loss_i + 1/2 ||w||^2`.

    Labels with one value only have no coefficients and the log-odds of their Laplace estimate.

    Parameters
    ----------
    own : ndarray of shape (m, n_samples, n_labels)
        Columns that each label has to itself.
    others : ndarray of shape (n_samples, n_columns)
        Columns of which each label takes some.
    places : ndarray of int, shape (n_labels, k)
        Which of them; -1 for none, behind all others.
    Y : ndarray of shape (n_samples, n_labels)
        Labels, or numbers from 0 to 1 (soft targets).
    C : float
        Inverse strength of the penalty, which leaves the intercept alone.
    weights : ndarray of shape (n_samples,) or (n_samples, n_labels), optional
        Weights of rows, for all labels or for each.
    start : ndarray of shape (n_labels, m + k + 1), optional
        Where to start from; zeros by default.
    """
    n_rows = len(Y)
    weights = np.ones(n_rows) if weights is None else weights
    found, fitted = _before(Y, weights, own.shape[0] + places.shape[1] + 1)
    padded = np.column_stack([others, np.zeros(n_rows)])  # place -1 is a column of zeros, whose coefficient is 0
    counts = (places >= 0).sum(axis=1)
    fitted = fitted[np.argsort(counts[fitted], kind="stable")]  # batches of about as many columns
    begin = 0
    with one_blas_thread():
        while begin < len(fitted):
            some = _batch(fitted[begin:], counts, n_rows)
            begin, n_own, n_taken = begin + len(some), own.shape[0], int(counts[some[-1]])
            design = np.ones((len(some), n_rows, n_own + n_taken + 1))
            design[:, :, :n_own] = own[:, :, some].transpose(2, 1, 0)
            design[:, :, n_own:-1] = padded[:, places[some, :n_taken]].transpose(1, 0, 2)
            columns = np.append(np.arange(n_own + n_taken), found.shape[1] - 1)
            kept = np.ix_(some, columns)
            first = np.zeros(design.shape[::2]) if start is None else start[kept]
            mine = weights if weights.ndim == 1 else weights[:, some].T
            found[kept] = _newton(design, Y[:, some].T.astype(np.float64), C * mine, first)
    return found


def label_column_fits(
    own: Floats, places: Ints, Y: Labels, C: float, weights: Floats | None, start: Floats | None = None
) -> Floats:
    """Return the same where the other columns are the labels themselves, all known, of which a row has few.

    Parameters
    ----------
    own, places, C, start
        As there.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    weights : ndarray of shape (n_samples,), optional
        Weights of rows.
    """
    if not kernels_pay(Y.size, _KERNELS_FROM):
        return few_column_fits(own, Y.astype(np.float64), places, Y.astype(np.float64), C, weights, start)
    weights = np.ones(len(Y)) if weights is None else weights
    found, fitted = _before(Y, weights, own.shape[0] + places.shape[1] + 1)
    found[fitted] = 0.0 if start is None else start[fitted]
    columns = sparse.csc_array(Y)
    ones = columns.indptr.astype(np.int64), columns.indices.astype(np.int64), np.ascontiguousarray(Y)
    _kernels.newton_fits(own, places, *ones, C * weights, _INTERCEPT, fitted, _MOST_STEPS, _GAP, found)
    return found


def _before(Y: Any, weights: Floats, width: int) -> tuple[Floats, Ints]:
    """Return coefficients of labels with one value, zeros for others, and the labels that are to be fitted."""
    mass = np.column_stack([_summed(1.0 - Y, weights), _summed(Y, weights)])
    found = np.zeros((Y.shape[1], width))
    found[:, -1] = constant_scores(mass)
    return found, np.flatnonzero(~constant_labels(mass))


def _summed(Y: Any, weights: Floats) -> Floats:
    return np.asarray(weights @ Y if weights.ndim == 1 else (weights * Y).sum(axis=0))


def _batch(labels: Ints, counts: Ints, n_rows: int) -> Ints:
    """Return the first of these labels, as many as fit together; those behind have more columns."""
    n_columns = counts[labels] + 1
    bytes_taken = 8 * n_rows * n_columns * np.arange(1, len(labels) + 1)
    alike = n_columns <= _ALIKE * (n_columns[0] + 1)
    return labels[: max(1, int((alike & (bytes_taken <= _BATCH)).sum()))]


def _newton(design: Floats, labels: Floats, weights: Floats, start: Floats) -> Floats:
    """Return the minima of a batch, each step halved until it lowers the objective enough."""
    n_labels, _, width = design.shape
    penalty = np.append(np.ones(width - 1), _INTERCEPT)
    found, scores = start, np.matmul(design, start[:, :, None])[:, :, 0]
    value = _objective(scores, found, labels, weights, penalty)
    active = np.arange(n_labels)
    for _ in range(_MOST_STEPS):
        part, chance = design[active], 1.0 / (1.0 + np.exp(-scores[active]))
        mine = weights if weights.ndim == 1 else weights[active]
        gradient = np.matmul(((chance - labels[active]) * mine)[:, None, :], part)[:, 0] + penalty * found[active]
        curvature = (chance * (1.0 - chance) * mine)[:, :, None] * part
        hessian = np.matmul(part.transpose(0, 2, 1), curvature) + np.diag(penalty)
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        slope = (gradient * step).sum(axis=1)
        moved, length = np.matmul(part, step[:, :, None])[:, :, 0], np.ones(len(active))
        for _halving in range(30):
            trial = found[active] + length[:, None] * step, scores[active] + length[:, None] * moved
            after = _objective(trial[1], trial[0], labels[active], mine, penalty)
            short = after > value[active] + 1e-4 * length * slope + 1e-12 * np.abs(value[active])
            if not short.any():
                break
            length[short] /= 2.0
        found[active], scores[active], value[active] = trial[0], trial[1], after
        active = active[-slope > _GAP * (1.0 + np.abs(after))]
        if not len(active):
            break
    return found


def _objective(scores: Floats, found: Floats, labels: Floats, weights: Floats, penalty: Floats) -> Floats:
    losses = np.logaddexp(0.0, scores) - labels * scores
    total = losses @ weights if weights.ndim == 1 else (losses * weights).sum(axis=1)
    return np.asarray(total + 0.5 * (found**2) @ penalty)


def nearest_parents(Y: Labels, graph: LabelGraph) -> tuple[Ints, bool]:
    """Return the parents that each label has a coefficient for, -1 for none, and whether some have more."""
    most = max((len(group) for group in graph.parents), default=0)
    many = most > _MOST_PARENTS
    places = np.full((len(graph.parents), min(most, _NEAREST if many else most)), -1, dtype=np.int64)
    strengths = _strengths(Y) if many else None
    for label, group in enumerate(graph.parents):
        chosen = np.array(group, dtype=np.int64)
        if strengths is not None and len(chosen) > places.shape[1]:
            chosen = chosen[np.argsort(-strengths[label, chosen], kind="stable")[: places.shape[1]]]
        places[label, : len(chosen)] = chosen
    return places, many


def _strengths(Y: Labels) -> Floats:
    """Return how strongly each label (a row) goes with each other one, but for a factor a row: correlations."""
    if has_unknown(Y):
        # Where a label is unknown it is at its mean, so that pairs count that are known.
        centred = np.where(Y >= 0, Y - known_shares(Y), 0.0)
        together = centred.T @ centred
    else:
        sums, ones = Y.sum(axis=0, dtype=np.float64), sparse.csr_array(Y, dtype=np.float64)
        together = (ones.T @ ones).toarray() - np.outer(sums, sums) / len(Y)
    return np.asarray(np.abs(together) / np.maximum(np.sqrt(np.maximum(together.diagonal(), 0.0)), 1e-12))


def membership(graph: LabelGraph) -> Floats:
    """Return which labels are parents of which, row k those of label k."""
    member = np.zeros((len(graph.parents),) * 2)
    for label, group in enumerate(graph.parents):
        member[label, list(group)] = 1.0
    return member
