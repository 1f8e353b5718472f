"""Loops of the linear SVM over CSR rows: arrays in, arrays out, the caller allocates.

Notation
--------
indptr, indices, data : rows x_i of the design of one label, columns ascending within a row
sign[i]               : +1 where row i has the label, -1 where not
cost[i]               : C times the weight of row i; a row of cost 0 takes no part
scores[i]             : w.x_i;  slack_i = max(0, 1 - sign_i score_i), a row is active where it is above 0
alpha[i]              : dual variable, 2 cost_i slack_i at the optimum;  w = sum_i alpha_i sign_i x_i

Columns are read as numbers without sign: with one, every use would first ask whether it counts from the end.
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = [
    "add_curvature",
    "add_outer_products",
    "add_rows",
    "chosen_scores",
    "conjugate_step",
    "dual_descent",
    "exact_step",
    "extend_gram",
    "gather_gram",
    "row_scores",
    "select_columns",
    "squared_norms",
]

# So many entries of rows (index and value) fit into a core's cache, where going through them at random costs little.
CACHED_ENTRIES = 100_000


@kernel
def select_columns(indptr, indices, data, place, out_indptr, out_indices, out_data):  # type: ignore[no-untyped-def]
    """Copy the entries whose column has a place of at least 0, renumbered; return how many there are."""
    filled = 0
    for i in range(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            column = place[indices[p]]
            if column >= 0:
                out_indices[filled] = column
                out_data[filled] = data[p]
                filled += 1
        out_indptr[i + 1] = filled
    return filled


@kernel
def _row_dot(indices, data, w, start, end):  # type: ignore[no-untyped-def]
    """Return w.x of the entries from start to end, in two sums: one alone waits for each addition."""
    a, b = 0.0, 0.0
    p = start
    while p + 2 <= end:
        a += data[p] * w[np.uint32(indices[p])]
        b += data[p + 1] * w[np.uint32(indices[p + 1])]
        p += 2
    if p < end:
        a += data[p] * w[np.uint32(indices[p])]
    return a + b


@kernel
def _add_row(indices, data, factor, total, start, end):  # type: ignore[no-untyped-def]
    """Add factor times the entries from start to end to a vector over columns."""
    for p in range(start, end):
        total[np.uint32(indices[p])] += factor * data[p]


@kernel
def row_scores(indptr, indices, data, w, scores):  # type: ignore[no-untyped-def]
    """Write w.x_i of every row."""
    for i in range(indptr.size - 1):
        scores[i] = _row_dot(indices, data, w, indptr[i], indptr[i + 1])


@kernel
def chosen_scores(indptr, indices, data, rows, w, scores):  # type: ignore[no-untyped-def]
    """Write w.x_i for i = rows[a]."""
    for a in range(rows.size):
        scores[a] = _row_dot(indices, data, w, indptr[rows[a]], indptr[rows[a] + 1])


@kernel
def squared_norms(indptr, data, norms):  # type: ignore[no-untyped-def]
    """Write x_i.x_i of every row."""
    for i in range(indptr.size - 1):
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            total += data[p] * data[p]
        norms[i] = total


@kernel
def add_rows(indptr, indices, data, rows, factors, total):  # type: ignore[no-untyped-def]
    """Add factors[a] times row rows[a] to a vector over columns, for every a."""
    for a in range(rows.size):
        _add_row(indices, data, factors[a], total, indptr[rows[a]], indptr[rows[a] + 1])


@kernel
def add_curvature(indptr, indices, data, rows, factors, direction, total):  # type: ignore[no-untyped-def]
    """Add the sum of factors[a] (x_i.direction) x_i for i = rows[a] to a vector over columns, in one pass."""
    for a in range(rows.size):
        start, end = indptr[rows[a]], indptr[rows[a] + 1]
        factor = factors[a] * _row_dot(indices, data, direction, start, end)
        _add_row(indices, data, factor, total, start, end)


@kernel
def conjugate_step(product, scale, size, w, residual, direction):  # type: ignore[no-untyped-def]
    """Move w along a direction whose product with the matrix is given; turn the direction, return the new size.

    size = residual.(scale residual), where `scale` is the inverse of the diagonal.
    """
    along = 0.0
    for j in range(w.size):
        along += direction[j] * product[j]
    step, left = size / along, 0.0
    for j in range(w.size):
        w[j] += step * direction[j]
        residual[j] -= step * product[j]
        left += scale[j] * residual[j] * residual[j]
    for j in range(w.size):
        direction[j] = scale[j] * residual[j] + left / size * direction[j]
    return left


@kernel
def add_outer_products(indptr, indices, data, rows, factors, H):  # type: ignore[no-untyped-def]
    """Add factors[a] x_i x_i' for i = rows[a] to the lower triangle of H, for every a."""
    for a in range(rows.size):
        i = rows[a]
        for p in range(indptr[i], indptr[i + 1]):
            value = factors[a] * data[p]
            _add_row(indices, data, value, H[np.uint32(indices[p])], indptr[i], p + 1)


@kernel
def extend_gram(indptr, indices, data, rows, n_old, starts, ends, slots, values, K):  # type: ignore[no-untyped-def]
    """Write K[a, b] = x_rows[a].x_rows[b] for n_old <= a < rows.size and b <= a.

    Each product runs down the columns of row a, so that pairs of rows without a common column cost nothing. `starts`
    (n_columns + 1, zeros), `ends` (n_columns), `slots` and `values` (all entries of `rows`) hold those columns.
    """
    for a in range(rows.size):
        for p in range(indptr[rows[a]], indptr[rows[a] + 1]):
            starts[indices[p] + 1] += 1
    for column in range(ends.size):
        ends[column] = starts[column]
        starts[column + 1] += starts[column]
    for a in range(rows.size):
        if a >= n_old:
            K[a, : a + 1] = 0.0
        for p in range(indptr[rows[a]], indptr[rows[a] + 1]):
            column, value = indices[p], data[p]
            slots[ends[column]] = a
            values[ends[column]] = value
            ends[column] += 1
            if a >= n_old:  # the column is filled up to row a
                _add_column(slots, values, starts[column], ends[column], value, K[a])


@kernel
def _add_column(slots, values, first, end, value, into):  # type: ignore[no-untyped-def]
    for p in range(first, end):
        into[slots[p]] += value * values[p]


@kernel
def gather_gram(K, slots, diagonal, out):  # type: ignore[no-untyped-def]
    """Write K[slots, slots], of which the lower triangle is given, plus a diagonal into the lower triangle of `out`."""
    for a in range(slots.size):
        row, into = slots[a], out[a]
        source = K[row]
        for b in range(a + 1):
            column = slots[b]
            into[b] = source[column] if column <= row else K[column, row]
        into[a] += diagonal[a]


@kernel
def exact_step(scores, change, sign, cost, slope, curvature):  # type: ignore[no-untyped-def]
    """Return the a > 0 that minimises the objective at w + a d, exactly: it is piecewise quadratic in a.

    change[i] = d.x_i, slope = w.d, curvature = d.d. Newton steps on the derivative, kept between two points where it
    has different signs, end after finitely many pieces.
    """
    low, high, step = 0.0, np.inf, 1.0
    for _ in range(100):
        first, second = slope + step * curvature, curvature
        for i in range(scores.size):
            slack = 1.0 - sign[i] * (scores[i] + step * change[i])
            if slack > 0.0:
                first -= 2.0 * cost[i] * sign[i] * change[i] * slack
                second += 2.0 * cost[i] * change[i] * change[i]
        if first < 0.0:
            low = step
        else:
            high = step
        proposed = step - first / second
        if not low < proposed < high:
            proposed = 0.5 * (low + high) if high < np.inf else 2.0 * step
        if abs(proposed - step) <= 1e-13 * step:
            return step
        step = proposed
    return step


@kernel
def dual_descent(indptr, indices, data, sign, cost, norms, order, draws, alpha, w, state, n_epochs, tol):  # type: ignore[no-untyped-def]
    """Descend along one dual variable after another, leaving out those that rest at 0 [Hsieh2008, algorithm 3].

    `order` lists the rows of positive cost; it is gone through as it stands while there are too many entries for a
    cache, and then shuffled by the random numbers `draws` below 2^31, which descends faster. `state` holds how many
    rows of `order` are still looked at and the derivative above which a variable at 0 is left out (infinity at first);
    with it a later call goes on where this one ended. Ends when the largest and smallest projected derivatives of an
    epoch differ by less than `tol`, or after `n_epochs`; returns the number of epochs.
    """
    n_left, resting = np.int64(state[0]), state[1]
    epoch, n_entries = 0, 0
    for a in range(n_left):
        n_entries += indptr[order[a] + 1] - indptr[order[a]]
    while epoch < n_epochs:
        offset = (epoch * 7919) % (draws.size - n_left + 1)
        largest, smallest = -np.inf, np.inf
        a = 0
        while a < n_left:
            i = order[a]
            if n_entries < CACHED_ENTRIES:
                other = a + ((draws[offset + a] * (n_left - a)) >> 31)
                i = order[other]
                order[other], order[a] = order[a], i
            score = _row_dot(indices, data, w, indptr[i], indptr[i + 1])
            derivative = sign[i] * score - 1.0 + alpha[i] * (0.5 / cost[i])
            projected = derivative
            if alpha[i] == 0.0 and derivative > 0.0:
                if derivative > resting:
                    n_left -= 1
                    n_entries -= indptr[i + 1] - indptr[i]
                    order[a], order[n_left] = order[n_left], i
                    continue
                projected = 0.0
            else:
                before = alpha[i]
                alpha[i] = max(0.0, before - derivative / (norms[i] + 0.5 / cost[i]))
                _add_row(indices, data, (alpha[i] - before) * sign[i], w, indptr[i], indptr[i + 1])
            largest, smallest = max(largest, projected), min(smallest, projected)
            a += 1
        epoch += 1
        resting = largest if largest > 0.0 else np.inf
        if largest - smallest <= tol:
            break
    state[0], state[1] = n_left, resting
    return epoch
