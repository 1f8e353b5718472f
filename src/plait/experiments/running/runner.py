"""Run a plan: claim a cell, have it computed, record it, until all are done, whoever does them."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from plait.core.progress_bar import progress
from plait.data import DataError
from plait.experiments.planning.measures import is_own_measure, of_scores, own_measure
from plait.experiments.planning.plan import Plan
from plait.experiments.planning.plan_objects import find_maker, foreign_paths
from plait.experiments.running.answers import measured
from plait.experiments.running.cell_run import failure
from plait.experiments.running.cells import Cell, CellResult, plan_cells
from plait.experiments.running.claims import BEAT_SECONDS, Owner, this_owner
from plait.experiments.running.fold_data import load_data
from plait.experiments.running.pools import DaskPool, LokyPool, Pool, SerialPool, WorkerLostError
from plait.experiments.running.store import Store, StoreError, open_store

__all__ = ["RunSummary", "data_fingerprints", "run_cells", "run_plan"]

_POLL = 0.5  # seconds between two looks at cells that another process does


@dataclass(frozen=True)
class RunSummary:
    """What a run did.

    Parameters
    ----------
    total : int
        Different cells of the plan.
    before : int
        Of these, finished before the run.
    done, failed : int
        Finished by this run, and how many of them failed.
    elsewhere : int
        Finished by other processes meanwhile.
    failed_before : int
        Failures among those finished before.
    missing : dict of str to str
        Data set that could not be loaded -> why.
    seconds : float
        Wall time.

    Examples
    --------
    >>> done = RunSummary(total=30, before=10, done=20, failed=1, elsewhere=0, failed_before=0)
    >>> done.before + done.done == done.total, done.failed
    (True, 1)
    """

    total: int
    before: int
    done: int
    failed: int
    elsewhere: int
    failed_before: int
    missing: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def data_fingerprints(plan: Plan) -> tuple[dict[str, str], dict[str, str]]:
    """Load every data set of a plan once; return name -> digest of its content, and name -> why it cannot be used."""
    found, missing = {}, {}
    for data in progress(plan.datasets, "reading data"):
        protocol = plan.protocol_on(data)
        try:
            loaded = load_data(data, protocol)
            if protocol.kind.endswith("kfold") and protocol.folds > loaded.whole.n_samples:
                raise DataError(
                    f"protocol asks for {protocol.folds} folds, but there are {loaded.whole.n_samples} rows"
                )
            found[data.name] = loaded.fingerprint
        except (DataError, OSError, ValueError, ImportError) as problem:
            missing[data.name] = " ".join(str(problem).split())
    return found, missing


def run_plan(
    plan: Plan,
    store: str | os.PathLike[str],
    *,
    jobs: int = 1,
    dask: str | None = None,
    retry_failed: bool = False,
    fingerprints: Mapping[str, str] | None = None,
    on_result: Callable[[CellResult], None] | None = None,
) -> RunSummary:
    r"""Run the cells of a plan that the store does not have yet.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : path
        The SQLite file; made where there is none.
    jobs : int, default=1
        How many processes; 1 is this one, -1 one for every core. The numbers are the same for any.
    dask : str, optional
        Address of a Dask scheduler to use instead.
    retry_failed : bool, default=False
        Run cells again that failed before.
    fingerprints : dict of str to str, optional
        What `data_fingerprints` found. Data sets that are not in it are left out; by default all are loaded, and
        those that cannot be are named in the summary.
    on_result : callable, optional
        Called with every result of this run once it is recorded.

    Returns
    -------
    RunSummary

    Examples
    --------
    >>> from plait.data import Dataset, save_dataset
    >>> from plait.experiments import plan_from_text
    >>> save_dataset(Dataset([[0.0], [1.0]] * 9, [[0], [1]] * 9, ["blue"], ["sea"]), "photos.csv")
    >>> plan = plan_from_text('datasets = [{source = "photos.csv", labels = ["sea"]}]\nmethods = ["br"]')
    >>> found = run_plan(plan, "results.sqlite")
    >>> found.total, found.done, found.failed
    (5, 5, 0)
    >>> run_plan(plan, "results.sqlite").done  # nothing is run twice
    0
    """
    start = time.monotonic()
    _check_imports(plan)
    missing: Mapping[str, str] = {}
    if fingerprints is None:
        fingerprints, missing = data_fingerprints(plan)
    cells = list(plan_cells(plan, fingerprints))
    with open_store(store, create=True) as opened:
        opened.begin(plan, cells)
        wanted = {cell.digest: cell for cell in cells}
        before = {digest: failed for digest, failed in opened.finished().items() if digest in wanted}
        if retry_failed:
            opened.forget(digest for digest, failed in before.items() if failed)
            before = {digest: False for digest, failed in before.items() if not failed}
        lacking = _measure_again(opened, plan, [digest for digest, failed in before.items() if not failed])
        opened.forget(lacking)
        before = {digest: failed for digest, failed in before.items() if digest not in lacking}
        todo = [cell for digest, cell in wanted.items() if digest not in before]
        failures = []
        if todo:
            with _pool(jobs, dask, plan, len(todo)) as pool, closing(run_cells(todo, opened, pool)) as results:
                for result in progress(results, "cells", len(todo)):
                    failures.append(result.error is not None)
                    if on_result is not None:
                        on_result(result)
    return RunSummary(
        total=len(wanted),
        before=len(before),
        done=len(failures),
        failed=sum(failures),
        elsewhere=len(todo) - len(failures),
        failed_before=sum(before.values()),
        missing=missing,
        seconds=time.monotonic() - start,
    )


def _measure_again(store: Store, plan: Plan, digests: Sequence[str]) -> set[str]:
    """Take the metrics that finished cells lack from their kept predictions; return cells that must run again.

    These are cells whose predictions are to be kept and were not, and cells without predictions that lack a measure of
    one's own; plait's own measures were taken of all that the model gave.
    """
    own = [word for word in plan.metrics if is_own_measure(word)]
    if not (own or plan.keep):
        return set()
    again, scored = set(), store.scored()
    for digest in digests:
        has = scored.get(digest, set())
        kept = store.predictions(digest)
        gives = [word for word in own if not of_scores(word) or "ranking_loss" in has]
        if kept is not None and not has.issuperset(plan.metrics):
            store.add_scores(digest, measured(kept[1], kept[0], own))
        elif kept is None and (plan.keep or not has.issuperset(gives)):
            again.add(digest)
    return again


def _check_imports(plan: Plan) -> None:
    """Import what the plan may import, and refuse what is no class of a model before any cell runs."""
    for word in filter(is_own_measure, plan.metrics):
        own_measure(word, allow_imports=True)
    setups = [setup for method in plan.methods for setup in (method.setup, *method.on.values())]
    for path in dict.fromkeys(path for setup in setups for path in foreign_paths(setup.as_dict())):
        find_maker(path, allow_imports=True)


def _pool(jobs: int, dask: str | None, plan: Plan, n_cells: int) -> Pool:
    if dask is not None:
        return DaskPool(dask, (plan.folder,) if plan.folder else ())
    return SerialPool() if jobs == 1 else LokyPool(jobs, n_cells)


def run_cells(cells: Sequence[Cell], store: Store, pool: Pool) -> Generator[CellResult, None, None]:
    """Yield the results of the cells that this process does, each after it was recorded.

    Cells that other living processes have claimed are waited for, and taken over if those die. When the iteration
    ends, also by an error or Ctrl-C, no claim of this process is left.
    """
    with _claiming(store) as owner:
        yield from _Run(cells, store, pool, owner).results()


@contextmanager
def _claiming(store: Store) -> Iterator[Owner]:
    """Give an owner whose claims get signs of life as long as it is used, and are given up at the end."""
    owner, stop = this_owner(), threading.Event()
    beats = threading.Thread(target=_beat, args=(store.path, owner, stop), daemon=True)
    beats.start()
    try:
        yield owner
    finally:
        stop.set()
        beats.join()
        store.release(owner)


def _beat(path: Path, owner: Owner, stop: threading.Event) -> None:
    while not stop.wait(BEAT_SECONDS):
        # A sign of life that fails is no reason to stop; the next one will do.
        with suppress(StoreError), open_store(path) as own:
            own.beat(owner)


class _Run:
    """The cells of one run: `waiting` to be claimed, `held` by others, `running` in the pool."""

    def __init__(self, cells: Sequence[Cell], store: Store, pool: Pool, owner: Owner) -> None:
        self.waiting = deque(cells)
        self.held: deque[Cell] = deque()
        self.running: dict[str, Cell] = {}
        self.store, self.pool, self.owner = store, pool, owner

    def results(self) -> Iterator[CellResult]:
        while self.waiting or self.held or self.running:
            self._hand_out()
            if self.running:
                yield from self._take()
            elif self.held:
                time.sleep(_POLL)
                self.waiting, self.held = self.held, deque()

    def _hand_out(self) -> None:
        """Claim cells and give them to the pool, as many as it takes at once and no more: others may be at work."""
        while self.waiting and len(self.running) < self.pool.size:
            cell = self.waiting.popleft()
            state = self.store.claim(cell.digest, self.owner)
            if state == "busy":
                self.held.append(cell)
            elif state == "claimed":
                self.running[cell.digest] = cell
                self.pool.submit(cell)

    def _take(self) -> Iterator[CellResult]:
        done = self.pool.take(_POLL)
        if done is None:
            return
        if isinstance(done.problem, WorkerLostError):
            yield from self._one_by_one()
        else:
            yield from self._recorded(done.cell, done.result or failure(done.cell, done.problem or RuntimeError()))

    def _one_by_one(self) -> Iterator[CellResult]:
        """After a worker died, run what was in flight again, each alone, to see whose fault it was."""
        suspects = list(self.running.values())
        self.pool.renew()
        for cell in suspects:
            self.pool.submit(cell)
            done = None
            while done is None:
                done = self.pool.take(_POLL)
            if isinstance(done.problem, WorkerLostError):
                self.pool.renew()
            yield from self._recorded(cell, done.result or failure(cell, done.problem or RuntimeError()))

    def _recorded(self, cell: Cell, result: CellResult) -> Iterator[CellResult]:
        del self.running[cell.digest]
        if self.store.record(result, self.owner):
            yield result
