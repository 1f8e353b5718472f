"""Compiled layout of the parents' matrix: arrays in, arrays out, the caller allocates."""

from plait.core._exponentials import exp
from plait.core.compilation import kernel

__all__ = ["fill_effects", "fill_factors"]

# A square of this many rows and columns fits the fastest memory twice.
_SIDE = 32


@kernel
def fill_effects(parent_coef, order, matrix, reach):  # type: ignore[no-untyped-def]
    """Fill `matrix[a, b]` with `parent_coef[order[b], order[a]]` for a < b, else 0, and `reach` with 1 + the last b."""
    n_labels = order.size
    for a in range(n_labels):
        reach[a] = a + 1
    for b_start in range(0, n_labels, _SIDE):
        for a_start in range(0, n_labels, _SIDE):
            for a in range(a_start, min(a_start + _SIDE, n_labels)):
                for b in range(b_start, min(b_start + _SIDE, n_labels)):
                    value = parent_coef[order[b], order[a]] if a < b else 0.0
                    matrix[a, b] = value
                    if value != 0.0:
                        reach[a] = b + 1


@kernel
def fill_factors(effects, factors):  # type: ignore[no-untyped-def]
    """Fill `factors` with the exponentials of `effects`, both flat: what a label multiplies later odds by."""
    for k in range(effects.size):
        factors[k] = exp(effects[k])
