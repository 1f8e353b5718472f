"""Logistic regressions of few columns for many labels at once, by Newton's method: what chains over scores are."""

import numpy as np

from plait.core.arrays import Floats, Ints, Labels
from plait.core.parallel import one_blas_thread
from plait.core.unknown_labels import has_unknown, known_shares
from plait.learners.training.problem import constant_labels, constant_scores
from plait.structure import LabelGraph

__all__ = ["few_column_fits", "membership", "nearest_parents"]

# With more parents than this, a label has coefficients for so many of them.
_MOST_PARENTS, _NEAREST = 60, 20
# Bytes of the designs of one batch of labels.
_BATCH = 1 << 23
# Labels share a batch whose columns are at most this many times as many as those of the first.
_ALIKE = 1.3
_MOST_STEPS, _GAP = 50, 1e-8


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
    n_rows, n_labels = Y.shape
    weights = np.ones(n_rows) if weights is None else weights
    mass = np.column_stack([_summed(1.0 - Y, weights), _summed(Y, weights)])
    found = np.zeros((n_labels, own.shape[0] + places.shape[1] + 1))
    found[:, -1] = constant_scores(mass)
    fitted = np.flatnonzero(~constant_labels(mass))
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


def _summed(Y: Floats, weights: Floats) -> Floats:
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
    penalty = np.append(np.ones(width - 1), 1e-8)
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
    # Where a label is unknown it is at its mean, so that pairs count that are known.
    centred = np.where(Y >= 0, Y - known_shares(Y), 0.0) if has_unknown(Y) else Y - Y.mean(axis=0)
    sizes = np.maximum(np.sqrt((centred**2).sum(axis=0)), 1e-12)
    for label, group in enumerate(graph.parents):
        chosen = np.array(group, dtype=np.int64)
        if len(chosen) > places.shape[1]:
            strength = np.abs(centred[:, label] @ centred[:, chosen]) / sizes[chosen]
            chosen = chosen[np.argsort(-strength, kind="stable")[: places.shape[1]]]
        places[label, : len(chosen)] = chosen
    return places, many


def membership(graph: LabelGraph) -> Floats:
    """Return which labels are parents of which, row k those of label k."""
    member = np.zeros((len(graph.parents),) * 2)
    for label, group in enumerate(graph.parents):
        member[label, list(group)] = 1.0
    return member
