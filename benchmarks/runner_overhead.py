"""`plait reproduce pcc` against the fits and predictions it runs: what the runner costs.

Needs the benchmark data (PLAIT_DATA). The shipped plan of PCC, all cells of the data sets that are there, in one
process with one thread. The runner reads the plan, checks it, reads the data and digests them, claims, fits, predicts,
measures and records every cell. Its cost is what a whole run takes beyond the fits and predictions in it: in CPU time,
and in wall time too, because the store waits for the disk. Warm: after a loop over the same fits and predictions, which
loads compiled code and must predict the same labels, the least of several runs; this is what must stay below the bar.
In a fresh process the first kernel of all, which reads data, also starts numba, and that counts as rest.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from plait.core.parallel import one_blas_thread
from plait.data import load_dataset
from plait.experiments.planning.plan import Plan
from plait.experiments.planning.plan_objects import build
from plait.experiments.reproduction.paper_plans import available_datasets, paper_plan
from plait.experiments.running import answers, cell_run, fold_data
from plait.experiments.running.answers import fold_seed, labels_digest, seeded
from plait.experiments.running.runner import run_plan
from plait.experiments.running.store import open_store

RUNS = 3
MOST = 0.05
CLOCKS: dict[str, Callable[[], float]] = {"CPU": time.process_time, "wall": time.perf_counter}

Digests = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Measured:
    """Digests of predictions, seconds of the methods' own, and of all the rest."""

    digests: Digests
    own: float
    rest: float


def bench(store: Path, clock: Callable[[], float]) -> Measured:
    """Run the plan as the command does; all that is timed goes by the clock."""
    fold_data._kept.clear()
    clocks = SimpleNamespace(perf_counter=clock, time=time.time)
    with patch.object(cell_run, "time", clocks), patch.object(answers, "time", clocks):
        start = clock()
        run_plan(available_datasets(paper_plan("pcc"))[0], store)
        whole = clock() - start
    with open_store(store) as opened:
        results = opened.results()
    assert not [result.error for result in results if result.error]
    own = sum(result.fit_seconds + result.predict_seconds for result in results)
    digests = {(result.dataset, result.method): result.predictions_digest for result in results}
    return Measured(digests, own, whole - own)


def fresh(store: Path) -> tuple[Measured, float]:
    """Run the plan in a process that has only imported, by its CPU time; return that of the imports too."""
    imports = time.process_time()
    return bench(store, time.process_time), imports


def loop(plan: Plan) -> Digests:
    """Fit and predict, nothing else."""
    digests = {}
    for data in plan.datasets:
        train, test = (load_dataset(data.source, split=part) for part in ("train", "test"))
        for method in plan.methods:
            if data.name not in method.skip:
                model: Any = seeded(build(method.setup_on(data.name).definition), fold_seed(0, 0))
                labels = model.fit(train.X, train.Y).predict(test.X)
                digests[data.name, method.name] = labels_digest(labels.astype(np.uint8))
    return digests


def warm(folder: Path, name: str) -> Measured:
    """Return the least times of several runs."""
    runs = [bench(folder / f"{name}-{run}.sqlite", CLOCKS[name]) for run in range(RUNS)]
    assert all(run.digests == runs[0].digests for run in runs)
    return Measured(runs[0].digests, min(run.own for run in runs), min(run.rest for run in runs))


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("needs the benchmark data: set PLAIT_DATA to their folder")
        return
    plan, missing = available_datasets(paper_plan("pcc"))
    print(f"{', '.join(data.name for data in plan.datasets)}; not there: {', '.join(missing) or 'none'}")
    with TemporaryDirectory() as folder:
        with get_context("spawn").Pool(1) as processes:
            first, imports = processes.apply(fresh, (Path(folder, "fresh.sqlite"),))
        with one_blas_thread():
            expected = loop(plan)
        found = {f"{name} time, warm": warm(Path(folder), name) for name in CLOCKS}
    n = len(expected)
    print(f"{n} cells           methods      rest  overhead  rest a cell")
    for name, run in {**found, "CPU time, fresh process": first}.items():
        assert run.digests == expected, "the runner and the loop must predict the same labels"
        print(f"{name:23} {run.own:7.2f} s {run.rest:7.3f} s {run.rest / run.own:8.1%} {run.rest / n:9.4f} s")
    print(f"imports of the fresh process, which any script with these methods has: {imports:.2f} s of CPU time")
    overhead = found["CPU time, warm"].rest / found["CPU time, warm"].own
    print(f"overhead {overhead:.1%} (at most {MOST:.0%})")
    assert overhead < MOST


if __name__ == "__main__":
    main()
