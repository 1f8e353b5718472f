"""Kernels for pairwise fields: Gibbs sampling, annealing, ascent to a mode, mean field.

The potential of a label vector is sum_j y_j s_j + sum_{j<k} y_j y_k P_jk with P symmetric and its diagonal zero;
what label j gains by being 1 is its field s_j + sum_k P_jk y_k. Random numbers come in, one for each sweep and label.

Notation
--------
scores[i, j]      : s_j of row i
pairs[r, j, k]    : P_jk; r is the row, or 0 where all rows share the pair weights
uniforms[t, j]    : random numbers in [0, 1), the same for all rows, so that a row's answer is its own
"""

import math

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.compilation import kernel

__all__ = ["anneal_rows", "ascend_rows", "gibbs_rows", "mean_field_rows"]


# Gains below this are rounding.
_GAIN = 1e-12


@kernel
def _sigmoid(t):  # type: ignore[no-untyped-def]
    if t >= 0.0:
        return 1.0 / (1.0 + math.exp(-t))
    small = math.exp(t)
    return small / (1.0 + small)


@kernel
def _fill_field(scores, pairs, labels, field):  # type: ignore[no-untyped-def]
    """Write what each label gains by being 1, for one row."""
    for j in range(scores.shape[0]):
        total = scores[j]
        for k in range(scores.shape[0]):
            if labels[k]:
                total += pairs[j, k]
        field[j] = total


@kernel
def _set_label(label, value, pairs, labels, field):  # type: ignore[no-untyped-def]
    """Give a label a value, and bring the field up to date."""
    if labels[label] == value:
        return
    labels[label] = value
    for k in range(field.shape[0]):
        field[k] += pairs[k, label] if value else -pairs[k, label]


@kernel
def gibbs_rows(
    scores: Floats, pairs: Floats, uniforms: Floats, n_burn: int, labels: Labels, marginals: Floats, draws: Labels
) -> None:
    """Sweep over the labels of every row; fill marginals with mean conditionals and draws with the states between.

    `labels` (n_rows, n_labels) holds where chains start and, in the end, where they stand. After `n_burn` sweeps the
    conditional P(y_j = 1 | others) of every step is averaged, and the states after the sweeps are written into
    `draws` (n_rows, n_draws, n_labels), evenly spaced; n_draws may be 0.
    """
    n_rows, n_labels = scores.shape
    n_kept, n_draws = uniforms.shape[0] - n_burn, draws.shape[1]
    field = np.empty(n_labels)
    for i in range(n_rows):
        pair = pairs[i if pairs.shape[0] > 1 else 0]
        _fill_field(scores[i], pair, labels[i], field)
        marginals[i] = 0.0
        for t in range(uniforms.shape[0]):
            for j in range(n_labels):
                chance = _sigmoid(field[j])
                if t >= n_burn:
                    marginals[i, j] += chance
                _set_label(j, 1 if uniforms[t, j] < chance else 0, pair, labels[i], field)
            after = t - n_burn + 1
            if after > 0 and n_draws > 0 and after * n_draws // n_kept > (after - 1) * n_draws // n_kept:
                draws[i, after * n_draws // n_kept - 1] = labels[i]
        for j in range(n_labels):
            marginals[i, j] /= n_kept


@kernel
def anneal_rows(scores: Floats, pairs: Floats, uniforms: Floats, coldness: Floats, labels: Labels) -> None:
    """Sweep over the labels of every row at a coldness (one over the temperature) for each sweep; changes `labels`."""
    n_rows, n_labels = scores.shape
    field = np.empty(n_labels)
    for i in range(n_rows):
        pair = pairs[i if pairs.shape[0] > 1 else 0]
        _fill_field(scores[i], pair, labels[i], field)
        for t in range(uniforms.shape[0]):
            for j in range(n_labels):
                chance = _sigmoid(coldness[t] * field[j])
                _set_label(j, 1 if uniforms[t, j] < chance else 0, pair, labels[i], field)


@kernel
def ascend_rows(scores: Floats, pairs: Floats, labels: Labels) -> None:
    """Flip the label that gains most, as long as one gains, in every row; the first of equals. Changes `labels`."""
    n_rows, n_labels = scores.shape
    field = np.empty(n_labels)
    for i in range(n_rows):
        pair = pairs[i if pairs.shape[0] > 1 else 0]
        _fill_field(scores[i], pair, labels[i], field)
        while True:
            best, most = -1, _GAIN
            for j in range(n_labels):
                gain = -field[j] if labels[i, j] else field[j]
                if gain > most:
                    best, most = j, gain
            if best < 0:
                break
            _set_label(best, 1 - labels[i, best], pair, labels[i], field)


@kernel
def mean_field_rows(scores: Floats, pairs: Floats, n_sweeps: int, tol: float, marginals: Floats) -> None:
    """Sweep m_j = sigmoid(s_j + sum_k P_jk m_k) over the labels of every row until no m_j moves more than `tol`.

    `marginals` holds where the sweeps start, and in the end where they stand.
    """
    n_rows, n_labels = scores.shape
    for i in range(n_rows):
        pair = pairs[i if pairs.shape[0] > 1 else 0]
        for _ in range(n_sweeps):
            moved = 0.0
            for j in range(n_labels):
                total = scores[i, j]
                for k in range(n_labels):
                    total += pair[j, k] * marginals[i, k]
                chance = _sigmoid(total)
                moved = max(moved, abs(chance - marginals[i, j]))
                marginals[i, j] = chance
            if moved <= tol:
                break
