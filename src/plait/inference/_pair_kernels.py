"""Factors with two parents, the most common ones with several: all four settings in registers.

Notation is that of `_polytree_kernels`. The parents are a and b; x is the child's odds where both are 0, and gain_a,
gain_b, gain_both multiply them. Instead of dividing each of the four weights by 1 + odds, all are multiplied by the
three other denominators: a message is a ratio, so what they share falls out.
"""

from numba import njit

from plait.inference._lane_kernels import limited
from plait.inference._semiring import joined

__all__ = ["choose_child_and_parent", "choose_two_parents", "send_from_two_to_child", "send_from_two_to_parent"]


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def send_from_two_to_child(i, j, a, b, gain_a, gain_b, gain_both, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with two parents to its child."""
    for r in range(ratio.shape[1]):
        x = lanes[j, r]
        none, on_a, on_b, both = limited(x), limited(x * gain_a), limited(x * gain_b), limited(x * gain_both)
        left, right = (1.0 + none) * (1.0 + on_a), (1.0 + on_b) * (1.0 + both)
        w_none, w_a = (1.0 + on_a) * right, (1.0 + none) * right * ratio[a, r]
        w_b, w_both = (1.0 + both) * left * ratio[b, r], (1.0 + on_b) * left * (ratio[a, r] * ratio[b, r])
        low = joined(joined(w_none, w_a, best), joined(w_b, w_both, best), best)
        high = joined(joined(w_none * none, w_a * on_a, best), joined(w_b * on_b, w_both * both, best), best)
        message[i, r] = high / low


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def send_from_two_to_parent(i, j, b, gain_a, gain_b, gain_both, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with two parents to one of them, a."""
    for r in range(ratio.shape[1]):
        x, child = lanes[j, r], ratio[j, r]
        none, on_a, on_b, both = limited(x), limited(x * gain_a), limited(x * gain_b), limited(x * gain_both)
        left, right = (1.0 + none) * (1.0 + on_b), (1.0 + on_a) * (1.0 + both)
        w_none = (1.0 + on_b) * joined(1.0, none * child, best)
        w_b = (1.0 + none) * joined(1.0, on_b * child, best) * ratio[b, r]
        w_a = (1.0 + both) * joined(1.0, on_a * child, best)
        w_both = (1.0 + on_a) * joined(1.0, both * child, best) * ratio[b, r]
        message[i, r] = (joined(w_a, w_both, best) * left) / (joined(w_none, w_b, best) * right)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def choose_two_parents(j, a, b, gain_a, gain_b, gain_both, lanes, ratio):  # type: ignore[no-untyped-def]
    """Overwrite the ratios of both parents by their best values, given that of the child; ties go to the 0."""
    for r in range(ratio.shape[1]):
        x, known = lanes[j, r], ratio[j, r] > 0.0
        none, on_a, on_b, both = limited(x), limited(x * gain_a), limited(x * gain_b), limited(x * gain_both)
        left, right = (1.0 + none) * (1.0 + on_a), (1.0 + on_b) * (1.0 + both)
        ratio_a, ratio_b = ratio[a, r], ratio[b, r]
        w_none, w_a = (1.0 + on_a) * right, (1.0 + none) * right * ratio_a
        w_b, w_both = (1.0 + both) * left * ratio_b, (1.0 + on_b) * left * (ratio_a * ratio_b)
        w_none, w_a = w_none * (none if known else 1.0), w_a * (on_a if known else 1.0)
        w_b, w_both = w_b * (on_b if known else 1.0), w_both * (both if known else 1.0)
        without, within = joined(w_none, w_a, True), joined(w_b, w_both, True)
        choice_without, choice_within = (1.0 if w_a > w_none else 0.0), (1.0 if w_both > w_b else 0.0)
        ratio[a, r] = choice_within if within > without else choice_without
        ratio[b, r] = 1.0 if within > without else 0.0


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def choose_child_and_parent(j, a, b, gain_a, gain_b, gain_both, lanes, ratio):  # type: ignore[no-untyped-def]
    """Overwrite the ratios of the child and of parent b by their best values, given that of parent a."""
    for r in range(ratio.shape[1]):
        x, child, known = lanes[j, r], ratio[j, r], ratio[a, r] > 0.0
        off, on = limited(x * (gain_a if known else 1.0)), limited(x * (gain_both if known else gain_b))
        without = joined(1.0, off * child, True) * (1.0 + on)
        within = joined(1.0, on * child, True) * (1.0 + off) * ratio[b, r]
        chosen = on if within > without else off
        ratio[b, r] = 1.0 if within > without else 0.0
        ratio[j, r] = 1.0 if chosen * child > 1.0 else 0.0
