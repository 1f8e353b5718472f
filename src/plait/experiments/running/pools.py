"""Where cells run: in this process, in processes of this machine (joblib's loky), or on a Dask cluster.

Every pool has `size` (how many cells to hand out at once), `submit(cell)`, and `take(timeout)`, which gives back
finished ones in any order. A pool only computes: the store is written by the process that owns the run.
"""

import os
import queue
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from functools import cache, partial
from typing import Any, NamedTuple

from joblib.externals import loky
from joblib.externals.loky.process_executor import BrokenProcessPool

from plait.core.extras import optional
from plait.core.parallel import effective_n_jobs, one_blas_thread
from plait.core.sentences import ParameterError
from plait.experiments.running.cell_run import run_cell
from plait.experiments.running.cells import Cell, CellResult

__all__ = ["DaskPool", "Done", "LokyPool", "Pool", "SerialPool", "WorkerLostError"]

_THREAD_WORDS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMBA_NUM_THREADS")


class WorkerLostError(Exception):
    """The process that ran a cell died."""


class Done(NamedTuple):
    """A finished cell: its result, or why there is none."""

    cell: Cell
    result: CellResult | None
    problem: BaseException | None = None


Reports = queue.Queue[Done]


class Pool(ABC):
    """Runs cells; use it in `with`, at whose end everything that still runs is stopped."""

    size: int = 1

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def submit(self, cell: Cell) -> None:
        """Begin a cell."""

    @abstractmethod
    def take(self, timeout: float) -> Done | None:
        """Return a finished cell, or None if there is none within `timeout` seconds."""

    @abstractmethod
    def close(self) -> None:
        """Stop everything."""

    def renew(self) -> None:
        """Get ready again after `WorkerLostError`, which only some pools raise."""
        raise NotImplementedError


class SerialPool(Pool):
    """One cell after the other in this process."""

    def __init__(self) -> None:
        self._waiting: list[Cell] = []
        self._limits = ExitStack()
        self._limits.enter_context(one_blas_thread())

    def submit(self, cell: Cell) -> None:
        """Keep the cell for `take`."""
        self._waiting.append(cell)

    def take(self, timeout: float) -> Done | None:
        """Run the next cell."""
        if not self._waiting:
            time.sleep(timeout)
            return None
        cell = self._waiting.pop(0)
        return Done(cell, run_cell(cell))

    def close(self) -> None:
        """Give the threads back."""
        self._limits.close()


class _QueuedPool(Pool):
    """A pool whose futures report into a queue."""

    def __init__(self) -> None:
        self._done: Reports = queue.Queue()

    def take(self, timeout: float) -> Done | None:
        """Wait for the queue."""
        try:
            return self._done.get(timeout=timeout)
        except queue.Empty:
            return None

    def _report(self, cell: Cell, reports: Reports, future: Any) -> None:
        if future.cancelled():
            return
        problem = future.exception()
        if problem is None:
            reports.put(Done(cell, future.result()))
        else:
            reports.put(Done(cell, None, self._named(problem)))

    @abstractmethod
    def _named(self, problem: BaseException) -> BaseException:
        """Return `WorkerLostError` for the death of a worker, anything else as it is."""


class LokyPool(_QueuedPool):
    """Processes of this machine, one thread each.

    Parameters
    ----------
    jobs : int
        How many, as joblib counts `n_jobs`: -1 for one on every core.
    n_cells : int, optional
        How many cells there are: more processes are not started.
    """

    def __init__(self, jobs: int, n_cells: int | None = None) -> None:
        super().__init__()
        wanted = effective_n_jobs(jobs)
        self.size = wanted if n_cells is None else max(1, min(wanted, n_cells))
        self.renew()

    def renew(self) -> None:
        """Start new processes; reports about the old ones go nowhere."""
        self._done = queue.Queue()
        self._processes = loky.ProcessPoolExecutor(
            self.size,
            initializer=_prepare_worker,
            initargs=(os.getpid(), list(sys.path)),
            env=dict.fromkeys(_THREAD_WORDS, "1"),
        )

    def submit(self, cell: Cell) -> None:
        """Hand the cell to a process."""
        self._processes.submit(run_cell, cell).add_done_callback(partial(self._report, cell, self._done))

    def _named(self, problem: BaseException) -> BaseException:
        return WorkerLostError(str(problem).splitlines()[0]) if isinstance(problem, BrokenProcessPool) else problem

    def close(self) -> None:
        """Kill the processes: what they have not handed over is lost."""
        self._processes.shutdown(wait=True, kill_workers=True)


def _prepare_worker(parent: int, paths: list[str]) -> None:
    """Make a process a worker: deaf to Ctrl-C, which its parent handles, and dead soon after its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path.extend(path for path in paths if path not in sys.path)
    _single_for_good()
    threading.Thread(target=_die_with, args=(parent,), daemon=True).start()


def _die_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


class DaskPool(_QueuedPool):
    """A Dask cluster; its workers need plait and the data at the same places.

    Parameters
    ----------
    address : str
        Of the scheduler, such as "tcp://host:8786".
    paths : tuple of str
        Folders from which workers import as well.
    timeout : str, default="30s"
        How long to wait for the scheduler.
    """

    def __init__(self, address: str, paths: tuple[str, ...] = (), timeout: str = "30s") -> None:
        super().__init__()
        distributed = optional("distributed", extra="dask", purpose="--dask")
        try:
            self._client = distributed.Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError) as problem:
            reason = " ".join(str(problem).split())
            raise ParameterError(
                f"plait cannot reach a Dask scheduler at {address}: {reason}. Start one there."
            ) from None
        self._lost = distributed.KilledWorker
        self._paths = list(paths)
        self._running: set[Any] = set()
        # One more than there are threads, so that none waits for the next cell.
        self.size = max(1, sum(self._client.nthreads().values())) + 1

    def submit(self, cell: Cell) -> None:
        """Hand the cell to the cluster."""
        key = f"plait-{cell.digest}-{time.monotonic_ns()}"
        future = self._client.submit(_run_remotely, cell, self._paths, key=key, pure=False, retries=0)
        self._running.add(future)
        future.add_done_callback(partial(self._finish, cell))

    def _finish(self, cell: Cell, future: Any) -> None:
        self._report(cell, self._done, future)
        self._running.discard(future)

    def _named(self, problem: BaseException) -> BaseException:
        # Dask itself gave the cell to other workers first, and lost those too.
        return RuntimeError(f"the workers that ran it died: {problem}") if isinstance(problem, self._lost) else problem

    def close(self) -> None:
        """Take back what still runs, and leave."""
        for future in list(self._running):
            future.cancel()
        self._client.close()


def _run_remotely(cell: Cell, paths: list[str]) -> CellResult:
    sys.path.extend(path for path in paths if path not in sys.path)
    _single_for_good()
    return run_cell(cell)


@cache
def _single_for_good() -> None:
    """Limit a process whose threads run several cells: what one gave back would be missing in the others."""
    one_blas_thread().__enter__()
