import os
import signal
import threading
import time

import pytest

from plait.commands.bench import ready_plan
from plait.core.sentences import ParameterError
from plait.experiments.running.pools import DaskPool
from plait.experiments.running.runner import run_plan
from plait.experiments.running.store import open_store

distributed = pytest.importorskip("distributed")

PLAN = """
    datasets = [{{source = "beach.csv", labels = -3, protocol = {{kind = "kfold", folds = 4}}}}]
    metrics = ["exact_match"]
    [methods.slow]
    use = "odd_models.Sleeper"
    seconds = 0.1
    log = "{log}"
    [methods.other]
    use = "odd_models.Sleeper"
    number = 1
    [methods.bad]
    use = "odd_models.Sleeper"
    fail = true
"""


def table_of(store):
    with open_store(store) as opened:
        return [(r.method, r.fold, dict(r.metrics), r.predictions_digest, r.error) for r in opened.results()]


@pytest.fixture
def cluster(tmp_path):
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
        silence_logs=50,
    ) as made:
        yield made


def test_a_cluster_one_of_whose_workers_is_killed_gives_the_same_numbers(write_plan, tmp_path, cluster):
    log = tmp_path / "log"
    plan, fingerprints = ready_plan(write_plan(PLAN.format(log=log)), allow_imports=True)
    alone, store = tmp_path / "alone.sqlite", tmp_path / "dask.sqlite"
    run_plan(plan, alone, fingerprints=fingerprints)
    log.unlink()
    killed = []

    def kill_one():
        while not log.exists():
            time.sleep(0.01)
        # The one that is at work, in the middle of it.
        pid = int(log.read_text(encoding="ascii").split()[2])
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    killer = threading.Thread(target=kill_one)
    killer.start()
    summary = run_plan(plan, store, dask=cluster.scheduler_address, fingerprints=fingerprints)
    killer.join()
    assert len(killed) == 1
    assert (summary.done, summary.failed) == (12, 4)
    assert table_of(store) == table_of(alone)
    assert run_plan(plan, store, dask=cluster.scheduler_address, fingerprints=fingerprints).done == 0


def test_no_scheduler_there():
    with pytest.raises(ParameterError, match=r"cannot reach a Dask scheduler at tcp://127\.0\.0\.1:9"):
        DaskPool("tcp://127.0.0.1:9", timeout="1s")
    with pytest.raises(ParameterError, match="cannot reach a Dask scheduler at nonsense://x"):
        DaskPool("nonsense://x", timeout="1s")
