"""Draws from a linear chain with shared prefixes: arrays in, arrays out, the caller allocates.

Many samples of one row walk down the probability tree together: of c samples at a node, Binomial(c, p) go to its
1-child and the others to its 0-child. That is exact in distribution, and costs one draw for each prefix that differs.
Each row has its own stream of random numbers, so that rows in blocks give the same draws as rows together.

Notation
--------
odds[s]          : P(1) / P(0) of all later labels after the s-th label that is 1 and touches any
factors[a, b]    : what label a multiplies the odds of label b > a by when it is 1
known[i, t]      : the value of a known label, -1 where unknown; one row for all where nothing is known
waiting          : 1-children still to be walked: label, samples, row of `odds`, number of ones before
chances          : of each, P of its unknown labels, log of what was taken out of that, log P of its known labels
ones, one_ends   : places of the labels that are 1, leaf after leaf, and where those of each leaf end
"""

import math

import numpy as np
from numba import njit

from plait.core._kernels import exp_of

__all__ = ["binomial", "draw_rows", "expand_rows", "mixed", "split_counts"]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0
# Means up to this are searched from zero: there P(0) is far from the smallest number.
_FEW = 20.0
_TINY = 1e-200


@njit(cache=True, nogil=True)
def mixed(state):  # type: ignore[no-untyped-def]
    """Return 64 random bits for a state; states one _STEP apart give independent bits [Steele2014]."""
    state = (state ^ (state >> _30)) * _FIRST
    state = (state ^ (state >> _27)) * _SECOND
    return state ^ (state >> _31)


@njit(cache=True, nogil=True)
def _from_zero(count, p, u):  # type: ignore[no-untyped-def]
    """Return the quantile of Binomial(count, p) at u, p <= 1/2."""
    term, odds, k = math.exp(count * math.log1p(-p)), p / (1.0 - p), 0
    while u >= term and k < count:
        u -= term
        k += 1
        term *= odds * (count - k + 1) / k
    return k


@njit(cache=True, nogil=True)
def _from_mode(count, p, u, log_factorials):  # type: ignore[no-untyped-def]
    """Return a draw of Binomial(count, p) from one u: outcomes in turn above and below the mode."""
    odds = p / (1.0 - p)
    mode = int((count + 1) * p)
    term = log_factorials[count] - log_factorials[mode] - log_factorials[count - mode]
    term = math.exp(term + mode * math.log(p) + (count - mode) * math.log1p(-p))
    up, down, term_up, term_down = mode, mode, term, term
    u -= term
    while u >= 0.0 and (up < count or down > 0):
        if up < count:
            up += 1
            term_up *= odds * (count - up + 1) / up
            u -= term_up
            if u < 0.0:
                return up
        if down > 0:
            down -= 1
            term_down *= (down + 1) / ((count - down) * odds)
            u -= term_down
            if u < 0.0:
                return down
    return mode


@njit(cache=True, nogil=True)
def binomial(count, p, u, log_factorials):  # type: ignore[no-untyped-def]
    """Return a draw of Binomial(count, p), made from one uniform number u by inversion."""
    rare = min(p, 1.0 - p)
    if count * rare <= _FEW:
        k = _from_zero(count, rare, u)
    else:
        k = _from_mode(count, rare, u, log_factorials)
    return k if p <= 0.5 else count - k


@njit(cache=True, nogil=True)
def _draw(odds, factors, reach, known, limit, seed, log_factorials, waiting, chances, path_ones, leaf, leaves, out, ones):  # type: ignore[no-untyped-def]
    """Draw the samples of one row, `waiting[0]` being the root; return the number of leaves, and of evaluations.

    One loop without calls at a node but for binomials of several samples. `leaves` (n, 2) takes samples and the end
    of the ones, `out` (n, 2) log P and log weight of each leaf.
    """
    n_labels, low, n_waiting, n_evaluated = reach.size, 1.0 / limit, 1, 0
    n_ones = 0 if leaf == 0 else leaves[leaf - 1, 1]
    while n_waiting > 0:
        n_waiting -= 1
        t, count, here, depth = waiting[n_waiting]
        path, folded, weight = chances[n_waiting]
        if path < _TINY:
            path, folded = 1.0, folded + math.log(path)
        if t >= 0:
            path_ones[depth] = t
            depth += 1
            if reach[t] > t + 1:
                for u in range(t + 1, n_labels):
                    odds[here + 1, u] = odds[here, u] * factors[t, u]
                here += 1
        t, alone, alive, last = t + 1, -1.0, 1.0, False
        while t < n_labels and not last:
            n_evaluated += 1
            odd = min(max(odds[here, t], low), limit)
            zero = 1.0 / (1.0 + odd)
            if known[t] >= 0:
                weight += math.log(zero * odd if known[t] == 1 else zero)
                went, zero, odd = count if known[t] == 1 else 0, 1.0, 1.0
            elif count == 1:
                # A single sample needs one number for all labels up to its next one.
                if alone < 0.0:
                    seed, alone, alive = seed + _STEP, np.float64(mixed(seed) >> _11) * _UNIT, 1.0
                alive *= zero
                went = 1 if alive <= alone else 0
            else:
                seed, went, chance = seed + _STEP, 0, np.float64(mixed(seed) >> _11) * _UNIT
                # P(no one) >= 1 - count * p; where p is above 1/2 the order of outcomes is another one.
                if odd > 1.0 or chance >= 1.0 - count * zero * odd:
                    went = binomial(count, zero * odd, chance, log_factorials)
            if went > 0:
                waiting[n_waiting] = (t, went, here, depth)
                chances[n_waiting] = (path * zero * odd, folded, weight)
                n_waiting, count, last = n_waiting + 1, count - went, count == went
            path, t = path * zero, t + 1
        if count > 0:
            for k in range(depth):
                ones[n_ones + k] = path_ones[k]
            n_ones += depth
            leaves[leaf], out[leaf], leaf = (count, n_ones), (math.log(path) + folded + weight, weight), leaf + 1
    return leaf, n_evaluated
