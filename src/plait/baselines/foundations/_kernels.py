"""Kernels of the baselines: nearest rows, label vectors that violate margins, pairwise fields.

Nearest rows: products of sparse rows, and the k nearest of a block of distances.

Violated margins. A vector is its row's true labels with some flipped (u_j = 1, else 0); with r the predicted minus the
true labels and s_j = 1 - 2 y_j the direction of a flip, it violates the margin by
sum_j u_j + 2 r'Q(s u) - (s u)'Q(s u).

Pairwise fields. The potential of a label vector is sum_j y_j s_j + sum_{j<k} y_j y_k P_jk with P symmetric and its
diagonal zero; what label j gains by being 1 is its field s_j + sum_k P_jk y_k. Random numbers come in, one for each
sweep and label.

Notation
--------
metric[j, k]      : Q, symmetric and positive semidefinite
residuals[i, j]   : r of row i
signs[i, j]       : s of row i
flips[i, j]       : u of row i: where the search starts, and in the end what it found
scores[i, j]      : s_j of row i
pairs[r, j, k]    : P_jk; r is the row, or 0 where all rows share the pair weights
uniforms[t, j]    : random numbers in [0, 1), the same for all rows, so that a row's answer is its own
"""

import math

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints, Labels
from plait.core.compilation import kernel

__all__ = [
    "anneal_rows",
    "ascend_rows",
    "flip_labels",
    "gibbs_rows",
    "mean_field_rows",
    "nearest_rows",
    "sparse_products",
    "squared_distances",
]


# Gains below these are rounding: of violations, and of potentials.
_COMPETITOR_GAIN, _GAIN = 1e-10, 1e-12


@kernel
def sparse_products(
    indptr: Ints,
    indices: npt.NDArray[np.int32],
    data: Floats,
    row_indptr: Ints,
    rows: npt.NDArray[np.int32],
    values: Floats,
    products: Floats,
) -> None:
    """Fill products[b, j] with the product of CSR row b and training row j, from rows listed by column.

    The columns of a row come in order, so equal training rows get equal bits.
    """
    for b in range(products.shape[0]):
        products[b] = 0.0
        for entry in range(indptr[b], indptr[b + 1]):
            column, value = indices[entry], data[entry]
            for place in range(row_indptr[column], row_indptr[column + 1]):
                products[b, rows[place]] += value * values[place]


@kernel
def squared_distances(products: Floats, own: Floats, others: Floats) -> None:
    """Turn products x.y into |x|^2 + |y|^2 - 2 x.y in place; `own` and `others` hold the squared lengths."""
    for b in range(products.shape[0]):
        for j in range(products.shape[1]):
            products[b, j] = max(own[b] + others[j] - 2.0 * products[b, j], 0.0)


@kernel
def nearest_rows(
    distances: Floats, excluded: Ints, scales: Floats, tolerance: float, neighbours: npt.NDArray[np.int64]
) -> None:
    """Fill neighbours[b] with the k nearest columns j of row b, ascending by j; column `excluded[b]` never counts.

    Let D be the k-th smallest distance. Distances within `tolerance * (scales[b] + D)` of D are ties, of which the
    smallest j are taken. Needs at least k columns that count.
    """
    k = neighbours.shape[1]
    best, place = np.empty(k + 1), np.empty(k + 1, dtype=np.int64)
    for b in range(distances.shape[0]):
        row, out = distances[b], excluded[b]
        _smallest(row, out, best, place)
        slack = tolerance * (scales[b] + best[k - 1])
        if best[k] > best[k - 1] + slack:
            neighbours[b] = np.sort(place[:k])
        else:
            _with_ties(row, out, best[k - 1] - slack, best[k - 1] + slack, neighbours[b])


@kernel
def _smallest(row: Floats, excluded: int, best: Floats, place: Ints) -> None:
    """Fill `best` with the smallest distances in ascending order, and `place` with their columns."""
    best[:] = np.inf
    place[:] = -1
    last = best.size - 1
    for j in range(row.size):
        if row[j] < best[last] and j != excluded:
            slot = last
            while slot > 0 and best[slot - 1] > row[j]:
                best[slot], place[slot] = best[slot - 1], place[slot - 1]
                slot -= 1
            best[slot], place[slot] = row[j], j


@kernel
def _with_ties(row: Floats, excluded: int, low: float, high: float, neighbours: Ints) -> None:
    """Take every column below `low`, and the first ones up to `high` for the places that are left."""
    left = neighbours.size
    for j in range(row.size):
        if row[j] < low and j != excluded:
            left -= 1
    found = 0
    for j in range(row.size):
        if j != excluded and (row[j] < low or (row[j] <= high and left > 0)):
            if row[j] >= low:
                left -= 1
            neighbours[found] = j
            found += 1
            if found == neighbours.size:
                return


@kernel
def _fill_slopes(metric, residuals, signs, flips, slopes):  # type: ignore[no-untyped-def]
    """Write the derivative of the violation in each flip, for one row."""
    for j in range(residuals.shape[0]):
        total = 0.0
        for k in range(residuals.shape[0]):
            total += metric[j, k] * (residuals[k] - signs[k] * flips[k])
        slopes[j] = 1.0 + 2.0 * signs[j] * total


@kernel
def _move_flip(label, step, metric, signs, flips, slopes):  # type: ignore[no-untyped-def]
    """Change one flip by a step, and bring the derivatives up to date."""
    flips[label] += step
    for k in range(slopes.shape[0]):
        slopes[k] -= 2.0 * signs[k] * metric[k, label] * signs[label] * step


@kernel
def _best_single(metric, flips, slopes):  # type: ignore[no-untyped-def]
    """Return the label whose flip adds most, or -1 where none adds anything."""
    best, most = -1, _COMPETITOR_GAIN
    for j in range(slopes.shape[0]):
        gain = (1.0 - 2.0 * flips[j]) * slopes[j] - metric[j, j]
        if gain > most:
            best, most = j, gain
    return best


@kernel
def _best_pair(metric, signs, flips, slopes):  # type: ignore[no-untyped-def]
    """Return two labels whose flips together add most, or -1, -1 where none do."""
    first, second, most = -1, -1, _COMPETITOR_GAIN
    for j in range(slopes.shape[0]):
        way = 1.0 - 2.0 * flips[j]
        alone = way * slopes[j] - metric[j, j]
        for k in range(j):
            other = 1.0 - 2.0 * flips[k]
            gain = alone + other * slopes[k] - metric[k, k] - 2.0 * way * signs[j] * other * signs[k] * metric[j, k]
            if gain > most:
                first, second, most = j, k, gain
    return first, second


@kernel
def flip_labels(metric: Floats, residuals: Floats, signs: Floats, flips: Floats) -> None:
    """Flip the label, or where none helps the two labels, that add most to the violation, as long as some do.

    Flips are 0 or 1; a flip may be taken back. In the end no one or two flips add anything.
    """
    n_rows, n_labels = residuals.shape
    slopes = np.empty(n_labels)
    for i in range(n_rows):
        _fill_slopes(metric, residuals[i], signs[i], flips[i], slopes)
        while True:
            first, second = _best_single(metric, flips[i], slopes), -1
            if first < 0:
                first, second = _best_pair(metric, signs[i], flips[i], slopes)
            if first < 0:
                break
            _move_flip(first, 1.0 - 2.0 * flips[i, first], metric, signs[i], flips[i], slopes)
            if second >= 0:
                _move_flip(second, 1.0 - 2.0 * flips[i, second], metric, signs[i], flips[i], slopes)


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
