"""What messages are put together by: the larger number (max-product) or the sum (sum-product)."""

from numba import njit

__all__ = ["joined"]


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def joined(a, b, best):  # type: ignore[no-untyped-def]
    """Return the larger number, or the sum."""
    larger = a if a > b else b
    return larger if best else a + b
