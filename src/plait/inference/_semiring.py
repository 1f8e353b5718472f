"""What messages are put together by: the larger number (max-product) or the sum (sum-product)."""

from plait.core._lanes import larger
from plait.core.compilation import kernel

__all__ = ["joined"]


@kernel(error_model="numpy", forceinline=True)
def joined(a, b, best):  # type: ignore[no-untyped-def]
    """Return the larger numbers, or the sums."""
    if best:
        return larger(a, b)
    return a + b
