"""One BLAS thread: products are small here, threads would wait for each other, and bits would depend on the machine."""

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

__all__ = ["one_blas_thread"]


def one_blas_thread() -> Any:
    """Return a context in which linear algebra runs in the calling thread."""
    return _blas().limit(limits=1)


@cache
def _blas() -> Any:
    """Return the hold on BLAS, found once."""
    return ThreadpoolController()
