"""`Completions`: rows whose unknown labels are filled in, with weights: the E-step on any graph.

All completions of a row where they are few, each weighed by its probability given what is known; else draws with the
known labels clamped, weighed by the probability of these, of which a few are kept by systematic resampling. As a parent
a label has the value of the completion; as a target an unknown one has its probability given all other labels of the
completion, which draws as targets would estimate with noise (Rao-Blackwell).

A label may also be recorded as 0 although it is there, with a probability `missed`: such a 0 is weighed instead of
taken for certain.
"""

from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Bits, Bools, Floats, Ints, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_sigmoid
from plait.joint import LinearDistribution
from plait.joint.distribution import Evidence
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.joint.row_streams import row_uniforms
from plait.structure import LabelGraph

__all__ = ["Completions", "completed", "live_cells"]

_kernels = lazy_module("plait.estimators.unknown_labels._completion_kernels")

# Most completions of a row, and draws of which they are kept.
MOST, DRAWS = 8, 60
# Numbers of random draws that are held at once (32 MiB).
_BLOCK = 1 << 22
# Rows times labels times draws from which on kernels pay.
_KERNELS_FROM = 1 << 21
# Completions that weigh less change no digit that counts.
_LEAST = 1e-9
# Odds beyond it are certain, and their exponentials might overflow.
_SPAN = 300.0


@dataclass(frozen=True, eq=False)
class Completions:
    """Completed rows.

    Parameters
    ----------
    rows : ndarray of int, shape (n_completions,)
        The row of each, ascending.
    values : ndarray of uint8, shape (n_completions, n_labels)
        Labels, unknown ones filled in; those that are not live as 0.
    targets : ndarray of shape (n_completions, n_labels)
        Known labels as they are, unknown ones their probability given all others.
    weights : ndarray of shape (n_completions,)
        Sum to one in each row.
    log_likelihood : ndarray of shape (n_rows,)
        log P(known labels | x); an estimate where completions were drawn.
    """

    rows: Ints
    values: Labels
    targets: Floats
    weights: Floats
    log_likelihood: Floats


def live_cells(graph: LabelGraph, known: Bools) -> Bools:
    """Return known labels, and unknown ones with a known descendant: the factor of any other sums to one.

    Examples
    --------
    >>> live_cells(LabelGraph([[], [0], [0]]), np.array([[False, True, False]]))
    array([[ True,  True, False]])
    """
    live = known.copy()
    for label in reversed(graph.order):
        for parent in graph.parents[label]:
            live[:, parent] |= live[:, label]
    return live


def completed(
    model: LinearDistribution,
    missed: Floats,
    seeds: Bits,
    most: int = MOST,
    draws: int = DRAWS,
    *,
    everything: bool = False,
) -> Completions:
    """Return completions of rows.

    Parameters
    ----------
    model : LinearDistribution
        P(y | x) with the known labels as its evidence.
    missed : ndarray of shape (n_labels,)
        P(a label that is there is recorded as 0); 0 where a 0 is certain.
    seeds : ndarray of uint64, shape (n_rows,)
        One for each row: its draws are the same in every step.
    most, draws : int
        Most completions of a row, and draws of which they are kept where there are more.
    everything : bool, default=False
        Whether labels that are not live are filled in, too.

    Examples
    --------
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> found = completed(model.clamp(np.array([[-1, 1]], dtype=np.int8)), np.zeros(2), np.zeros(1, dtype=np.uint64))
    >>> found.values.tolist(), found.weights.round(3), found.targets.round(3).tolist()
    ([[0, 1], [1, 1]], array([0.344, 0.656]), [[0.656, 1.0], [0.656, 1.0]])
    """
    assert model.evidence is not None
    order = np.array(model.graph.order, dtype=np.int64)
    effects = model.along_the_order().dense_matrix
    evidence = np.ascontiguousarray(model.evidence[:, order])
    known = np.ones(model.evidence.shape, dtype=np.bool_) if everything else model.evidence >= 0
    live = np.ascontiguousarray(live_cells(model.graph, known)[:, order])
    base, missed = np.ascontiguousarray(model.base[:, order]), np.ascontiguousarray(missed[order])
    n_rows, n_labels = base.shape
    compiled = kernels_pay(n_rows * n_labels * draws, _KERNELS_FROM)
    complete = _kernels.complete_rows if compiled else plain_completions
    parts, logs = [], np.zeros(n_rows)
    step = max(1, _BLOCK // max(1, n_labels * draws))
    for begin in range(0, n_rows, step):
        rows = slice(begin, begin + step)
        size = len(base[rows])
        uniforms = row_uniforms(seeds[rows], n_labels * draws + 1, compiled=compiled)
        values, weights = np.zeros((size, most, n_labels), dtype=np.uint8), np.zeros((size, most))
        targets = np.zeros(values.shape)
        given = (base[rows], effects, evidence[rows], live[rows], missed, uniforms, SCORE_LIMIT)
        complete(*given, values, targets, weights, logs[rows])
        used = weights > _LEAST
        parts.append((begin + np.nonzero(used)[0], values[used], targets[used], weights[used]))
    found, values, targets, weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    back = np.argsort(order)
    return Completions(found, values[:, back], targets[:, back], weights, logs)


def plain_completions(
    base: Floats,
    effects: Floats,
    evidence: Evidence,
    live: Bools,
    missed: Floats,
    uniforms: Floats,
    limit: float,
    values: Labels,
    targets: Floats,
    weights: Floats,
    log_likelihood: Floats,
) -> None:
    """Fill in completions (n, most, q), their targets and weights (n, most), and log P(evidence) (n,).

    Columns stand along the order of the graph; `effects[a, b]` is what label a adds to the score of label b > a.
    """
    most = values.shape[1]
    opened = live & ((evidence < 0) | ((evidence == 0) & (missed > 0)))
    # log P(record | value) of values 0 and 1; a value that the record excludes is never asked for.
    silent = np.log(np.where((evidence == 0) & (missed > 0), missed, 1.0))
    recorded = np.where(live & (evidence == 1), np.log1p(-np.where(missed < 1, missed, 0.0)), silent * live)
    count = opened.sum(axis=1)
    for n_open in np.unique(count).tolist():
        rows = np.flatnonzero(count == n_open)
        part = (base[rows], effects, evidence[rows], live[rows], recorded[rows], opened[rows], limit)
        if 2**n_open <= most:
            filled, logs = _enumerated(*part, n_open)
            top = logs.max(axis=1, keepdims=True)
            shares = np.exp(logs - top)
            log_likelihood[rows] = top[:, 0] + np.log(shares.sum(axis=1))
            weights[rows, : shares.shape[1]] = shares / shares.sum(axis=1, keepdims=True)
            values[rows, : filled.shape[1]] = filled
        else:
            filled, logs = _drawn(*part, missed, uniforms[rows])
            log_likelihood[rows] = _resampled(rows, filled, logs, uniforms[rows, -1], values, weights)
    _soften(base, effects, live, recorded, opened, limit, values, targets)


def _enumerated(
    base: Floats,
    effects: Floats,
    evidence: Evidence,
    live: Bools,
    recorded: Floats,
    opened: Bools,
    limit: float,
    n_open: int,
) -> tuple[Labels, Floats]:
    bits = ((np.arange(2**n_open)[:, None] >> np.arange(n_open)) & 1).astype(np.uint8)
    filled = np.repeat((evidence == 1).astype(np.uint8)[:, None], len(bits), axis=1)
    where = np.argsort(~opened, axis=1, kind="stable")[:, :n_open]
    np.put_along_axis(filled, np.repeat(where[:, None], len(bits), 1), np.repeat(bits[None], len(filled), 0), axis=2)
    scores = np.clip(base[:, None] + filled @ effects, -limit, limit)
    logs = log_sigmoid(np.where(filled == 1, scores, -scores)) * live[:, None] + filled * recorded[:, None]
    return filled, logs.sum(axis=2)


def _drawn(
    base: Floats,
    effects: Floats,
    evidence: Evidence,
    live: Bools,
    recorded: Floats,
    opened: Bools,
    limit: float,
    missed: Floats,
    uniforms: Floats,
) -> tuple[Labels, Floats]:
    n_rows, n_labels = base.shape
    numbers = uniforms[:, :-1].reshape(n_rows, -1, n_labels)
    filled, logs = np.zeros(numbers.shape, dtype=np.uint8), np.zeros(numbers.shape[:2])
    for k in range(n_labels):
        scores = np.clip(base[:, k, None] + filled[:, :, :k] @ effects[:k, k], -limit, limit)
        p, seen = 1.0 / (1.0 + np.exp(-scores)), evidence[:, k, None]
        quiet = np.where(seen == 0, missed[k], 1.0)
        silent = p * quiet + 1.0 - p
        drawn = numbers[:, :, k] < p * quiet / silent
        filled[:, :, k] = np.where(opened[:, k, None], drawn, seen == 1)
        known = log_sigmoid(np.where(seen == 1, scores, -scores)) + (seen == 1) * recorded[:, k, None]
        logs += np.where(opened[:, k, None], np.log(silent), np.where(live[:, k, None], known, 0.0))
    return filled, logs


def _resampled(rows: Ints, filled: Labels, logs: Floats, starts: Floats, values: Labels, weights: Floats) -> Floats:
    """Keep some draws by systematic resampling, equal picks once with their share; return logs of the mean weights."""
    most, n_draws = values.shape[1], logs.shape[1]
    top = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - top)
    heights = np.cumsum(shares, axis=1) / shares.sum(axis=1, keepdims=True)
    points = (np.arange(most) + starts[:, None]) / most
    picks = np.minimum((points[:, :, None] > heights[:, None]).sum(axis=2), n_draws - 1)
    place = np.zeros_like(picks)
    place[:, 1:] = np.cumsum(picks[:, 1:] != picks[:, :-1], axis=1)
    values[rows[:, None], place] = np.take_along_axis(filled, picks[:, :, None], axis=1)
    np.add.at(weights, (rows[:, None], place), 1.0 / most)
    return np.asarray(top[:, 0] + np.log(shares.mean(axis=1)))


def _soften(
    base: Floats,
    effects: Floats,
    live: Bools,
    recorded: Floats,
    opened: Bools,
    limit: float,
    values: Labels,
    targets: Floats,
) -> None:
    """Fill in P(label | all other labels of the completion) of labels that are open, the others as they are."""
    raw, signs = base[:, None] + values @ effects, 2.0 * values - 1.0
    scores = np.clip(raw, -limit, limit)
    before = log_sigmoid(signs * scores) * live[:, None]
    targets[:] = values
    for k in range(base.shape[1]):
        later = k + 1 + np.flatnonzero(effects[k, k + 1 :])
        after = np.clip(raw[:, :, later] - signs[:, :, k, None] * effects[k, later], -limit, limit)
        after = log_sigmoid(signs[:, :, later] * after) * live[:, None, later]
        odds = -signs[:, :, k] * (scores[:, :, k] + recorded[:, None, k]) + (after - before[:, :, later]).sum(axis=2)
        other = 1.0 / (1.0 + np.exp(-np.clip(odds, -_SPAN, _SPAN)))
        soft = np.where(values[:, :, k] == 1, 1.0 - other, other)
        targets[:, :, k] = np.where(opened[:, None, k], soft, targets[:, :, k])
