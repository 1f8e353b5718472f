"""Threads for loops of many short kernels that let go of the interpreter's lock."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from joblib import effective_n_jobs

from plait.core.checks import Constraint, Interval, Nothing, OneOf

__all__ = ["JOBS_RULES", "Threads"]

JOBS_RULES: tuple[Constraint, ...] = (Interval(int, 1, None), OneOf((-1,)), Nothing())

Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """A few threads that end with the `with` block; one thread is the caller's own.

    A pool of `joblib` takes milliseconds to hand out tasks, longer than a step of a selection.

    Parameters
    ----------
    n_jobs : int, optional
        How many, -1 for as many as there are processors; None is 1 unless a `joblib` context says otherwise.

    Examples
    --------
    >>> with Threads(2) as threads:
    ...     threads.map(abs, [-1, 2])
    [1, 2]
    """

    def __init__(self, n_jobs: int | None = None):
        self.n_threads: int = effective_n_jobs(n_jobs)
        self._pool: ThreadPoolExecutor | None = None

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Return the results in the order of the items."""
        return list((map if self._pool is None else self._pool.map)(function, items))

    def __enter__(self) -> "Threads":
        if self.n_threads > 1:
            self._pool = ThreadPoolExecutor(self.n_threads)
        return self

    def __exit__(self, *reason: Any) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
