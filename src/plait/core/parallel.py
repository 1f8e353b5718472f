"""Several tasks at once: the one rule of `n_jobs`, joblib's `Parallel` made safe, threads, and one BLAS thread.

`n_jobs` means the same everywhere: None is one job unless a `joblib` context says otherwise, -1 as many as there are
processors, -2 one fewer, and so on; 0 means nothing and is refused.
"""

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache, wraps
from typing import Any, TypeVar

import joblib
from joblib import delayed, effective_n_jobs
from sklearn import config_context, get_config
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from plait.core.checks import Constraint, Interval, Nothing

__all__ = ["JOBS_RULES", "Parallel", "Threads", "delayed", "effective_n_jobs", "one_blas_thread", "with_own_jobs"]

JOBS_RULES: tuple[Constraint, ...] = (Interval(int, 1, None), Interval(int, None, -1), Nothing())

_LOKY = re.compile(r"joblib\.externals\.loky")

Item = TypeVar("Item")
Result = TypeVar("Result")


class Parallel(joblib.Parallel):
    """Runs `delayed` calls as joblib's `Parallel` does, with scikit-learn's configuration, and does not hang.

    Loky, joblib's pool of processes, warns from a thread of its own when a worker that was idle for five minutes ends
    just as new tasks come. Where warnings are errors that ends the thread, and the caller would wait for ever. So
    warnings of loky are ignored while tasks run.

    Tasks in other processes and threads meet scikit-learn's configuration and the filters of warnings that the caller
    has. A single job runs in the caller's thread without joblib.

    Examples
    --------
    >>> Parallel(n_jobs=2, prefer="threads")(delayed(abs)(number) for number in (-1, 2))
    [1, 2]
    """

    def __call__(self, iterable: Iterable[Any]) -> Any:
        """Return the results in the order of the tasks: a list, or with `return_as="generator"` one after the other."""
        results = self._results(iterable)
        return results if self.return_generator else list(results)

    def _results(self, iterable: Iterable[Any]) -> Iterator[Any]:
        if effective_n_jobs(self.n_jobs) == 1:
            yield from (function(*args, **kwargs) for function, args, kwargs in iterable)
            return
        home = os.getpid(), get_config(), list(warnings.filters)
        with loky_warnings_ignored():
            yield from super().__call__((_AtHome(task[0], *home), *task[1:]) for task in iterable)


class _AtHome:
    """A function under the caller's configuration and filters of warnings; Dask shows it by the function's name."""

    def __init__(self, function: Callable[..., Any], process: int, config: dict[str, Any], filters: Any) -> None:
        self.function, self.process, self.config, self.filters = function, process, config, filters
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with config_context(**self.config):
            if os.getpid() == self.process:  # a thread, which shares the filters of its process
                return self.function(*args, **kwargs)
            with warnings.catch_warnings():
                here: Any = warnings.filters
                here[:] = self.filters
                return self.function(*args, **kwargs)


@contextmanager
def loky_warnings_ignored() -> Iterator[None]:
    """Ignore warnings of loky inside the block, whatever the filters say.

    Filters belong to the whole process, and loky's thread looks at them too. Blocks may overlap in several threads:
    each adds an entry of its own and takes one away, also from a list that replaced the first one meanwhile.
    """
    entry: tuple[Any, ...] = ("ignore", None, Warning, _LOKY, 0)
    before: Any = warnings.filters
    before.insert(0, entry)
    try:
        yield
    finally:
        after: Any = warnings.filters
        for filters in (before,) if after is before else (before, after):
            if entry in filters:
                filters.remove(entry)


Method = TypeVar("Method", bound=Callable[..., Any])


def with_own_jobs(method: Method) -> Method:
    """Let `n_jobs=None` mean `self.n_jobs` for all that a method calls: one number serves solvers, folds and counts.

    Backends stay as the caller's `joblib` context has them, so that `parallel_config("dask")` reaches the solvers.
    """

    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        own = nullcontext() if self.n_jobs is None else joblib.parallel_config(n_jobs=self.n_jobs)
        with own:
            return method(self, *args, **kwargs)

    return call  # type: ignore[return-value]


class Threads:
    """A few threads that end with the `with` block, for loops of many short kernels; one is the caller's own.

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


def one_blas_thread() -> Any:
    """Return a context in which linear algebra runs in the calling thread.

    Products are small in plait: threads would wait for each other, and bits would depend on the machine.

    Returns
    -------
    context manager

    Examples
    --------
    >>> import numpy as np
    >>> with one_blas_thread():
    ...     product = np.eye(2) @ np.ones((2, 1))
    >>> product.ravel().tolist()
    [1.0, 1.0]
    """
    return _blas().limit(limits=1)


@cache
def _blas() -> Any:
    """Return the hold on BLAS, found once."""
    return ThreadpoolController()
