import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from plait.commands.bench import ready_plan
from plait.experiments.running.runner import run_plan
from plait.experiments.running.store import open_store

PLAN = """
    datasets = [{{source = "beach.csv", labels = -3, protocol = {{kind = "kfold", folds = 5}}}}]
    metrics = ["exact_match", "micro_f1"]
    seeds = [0, 1, 2]
    {methods}
"""


def sleepers(log, seconds=0.0, n_methods=4):
    methods = [
        f'[methods.m{i}]\n    use = "odd_models.Sleeper"\n    number = {i}\n    seconds = {seconds}\n    log = "{log}"'
        for i in range(n_methods)
    ]
    return PLAN.format(methods="\n    ".join(methods))


def table_of(store):
    """Return all that must not depend on who ran a cell, when and how."""
    with open_store(store) as opened:
        return [
            (r.dataset, r.method, r.fold, r.seed, dict(r.metrics), r.predictions_digest, r.error, dict(r.parameters))
            for r in opened.results()
        ]


def run(path, store, **settings):
    plan, fingerprints = ready_plan(path, allow_imports=True)
    return run_plan(plan, store, fingerprints=fingerprints, **settings)


def claims_of(store):
    database = sqlite3.connect(store)
    rows = database.execute("SELECT cell FROM claims").fetchall()
    database.close()
    return rows


def fits(log):
    """Return how often each cell was fitted; a line is number of the method and seed of the fold."""
    return Counter(" ".join(line.split()[:2]) for line in log.read_text(encoding="ascii").splitlines())


def test_a_run_does_every_cell_once_and_a_second_none(write_plan, tmp_path):
    log, store, seen = tmp_path / "log", tmp_path / "r.sqlite", []
    path = write_plan(sleepers(log))
    first = run(path, store, on_result=seen.append)
    assert (first.total, first.before, first.done, first.failed, first.elsewhere) == (60, 0, 60, 0, 0)
    second = run(path, store)
    assert (second.total, second.before, second.done) == (60, 60, 0)
    assert set(fits(log).values()) == {1}
    assert len(fits(log)) == len(seen) == 60
    assert claims_of(store) == []


def test_an_edited_method_is_the_only_one_that_runs_again(write_plan, tmp_path):
    log, store = tmp_path / "log", tmp_path / "r.sqlite"
    text = sleepers(log)
    run(write_plan(text), store)
    summary = run(write_plan(text.replace("number = 2", "number = 7")), store)
    assert (summary.before, summary.done) == (45, 15)
    assert len(table_of(store)) == 60


def test_numbers_are_the_same_for_any_number_of_jobs(write_plan, tmp_path):
    methods = """
    [methods.br]
    [methods.ecc]
    n_estimators = 2
    [methods.cc]
    order = "random"
    tune = {grid = {order = ["random", "frequency"]}, folds = 2}
    [methods.forest]
    use = "sklearn.ensemble.RandomForestClassifier"
    n_estimators = 3
    [methods.bad]
    use = "odd_models.Sleeper"
    fail = true
    """
    path = write_plan(PLAN.format(methods=methods).replace("[0, 1, 2]", "[3]"))
    one, two = tmp_path / "1.sqlite", tmp_path / "2.sqlite"
    alone, together = run(path, one), run(path, two, jobs=2)
    assert alone.done == together.done == 25
    assert alone.failed == together.failed == 5
    assert table_of(one) == table_of(two)
    assert len({row[5] for row in table_of(one)}) > 10


def test_a_failure_stops_nothing_and_is_run_again_only_if_asked(write_plan, tmp_path):
    log, store = tmp_path / "log", tmp_path / "r.sqlite"
    text = sleepers(log).replace("number = 1\n", "number = 1\n    fail = true\n")
    path = write_plan(text)
    first = run(path, store)
    assert (first.done, first.failed) == (60, 15)
    failed = [row for row in table_of(store) if row[6] is not None]
    assert {row[1] for row in failed} == {"m1"}
    assert {row[6] for row in failed} == {"ValueError: too cold to learn"}
    second = run(path, store)
    assert (second.done, second.failed_before) == (0, 15)
    third = run(path, store, retry_failed=True)
    assert (third.done, third.failed, third.before) == (15, 15, 45)


@pytest.mark.slow
def test_a_cell_that_kills_its_worker_is_found_and_the_others_are_done(write_plan, tmp_path):
    log, store = tmp_path / "log", tmp_path / "r.sqlite"
    text = sleepers(log, n_methods=2).replace("number = 1\n", "number = 1\n    die = true\n")
    text = text.replace("[0, 1, 2]", "[0]").replace('kind = "kfold", folds = 5', 'kind = "holdout", repeats = 1')
    summary = run(write_plan(text), store, jobs=2)
    assert (summary.done, summary.failed) == (2, 1)
    errors = {row[1]: row[6] for row in table_of(store)}
    assert errors["m0"] is None
    assert "WorkerLostError" in errors["m1"]
    assert claims_of(store) == []


def test_data_that_are_missing_are_left_out_and_named(write_plan, tmp_path):
    plan, _ = ready_plan(write_plan(sleepers(tmp_path / "log")), allow_imports=True)
    (tmp_path / "beach.csv").rename(tmp_path / "gone.csv")
    from_memory = run_plan(plan, tmp_path / "r.sqlite", fingerprints={})
    assert (from_memory.total, dict(from_memory.missing)) == (0, {})


START = """
import os, sys, json
from plait.commands.bench import ready_plan
from plait.experiments.running.runner import run_plan

def say(**message):
    os.write(1, (json.dumps(message) + chr(10)).encode())  # at once: two processes write to one pipe


# One process loads the program; its children, which run plans, begin at once.
for line in sys.stdin:
    path, store = json.loads(line)
    if os.fork() == 0:
        try:
            plan, fingerprints = ready_plan(path, allow_imports=True)
            say(begins=os.getpid())
            summary = run_plan(plan, store, fingerprints=fingerprints)
            say(done=summary.done)
        except KeyboardInterrupt:
            say(stopped=True)
        except BaseException as problem:
            say(problem=repr(problem))
        os._exit(0)
"""


class Starter:
    """Starts runs of plans in processes of their own, quickly."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, path, store):
        self.process.stdin.write(json.dumps([str(path), str(store)]) + "\n")
        self.process.stdin.flush()

    def next(self, key):
        """Return the value of the next message that has a key."""
        for line in self.process.stdout:
            message = json.loads(line)
            assert "problem" not in message, message
            if key in message:
                return message[key]
        raise AssertionError(f"no message {key}")


@pytest.fixture(scope="module")
def starter():
    made = Starter()
    yield made
    made.process.communicate()


def n_fits(log):
    return log.read_text(encoding="ascii").count("\n") if log.exists() else 0


def wait_for_death(pid):
    """Wait until a killed process is one: what it was writing to the disk may still get there before."""
    file, state = Path(f"/proc/{pid}/stat"), "R"
    while state not in "ZX":
        try:
            state = file.read_text(encoding="ascii").rpartition(")")[2].split()[0]
        except OSError:
            return


def wait_for_fits(log, number):
    while n_fits(log) < number:
        time.sleep(0.002)


@pytest.mark.parametrize("n_kills", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_kills_lose_and_double_nothing(write_plan, tmp_path, starter, n_kills):
    log, store, undisturbed = tmp_path / "log", tmp_path / "r.sqlite", tmp_path / "whole.sqlite"
    path = write_plan(sleepers(log, seconds=0.03))
    run(path, undisturbed)
    log.unlink()
    chance = random.Random(0)
    for _ in range(n_kills):
        starter.start(path, store)
        pid = starter.next("begins")
        # At any instant, also before the first cell; but far enough in the mean to get somewhere.
        wait_for_fits(log, min(n_fits(log) + chance.randrange(3), 55))
        time.sleep(chance.uniform(0.0, 0.04))
        os.kill(pid, signal.SIGKILL)
    wait_for_death(pid)
    killed_at = len(table_of(store))
    starter.start(path, store)
    assert starter.next("done") == 60 - killed_at
    assert 0 < killed_at < 60
    assert table_of(store) == table_of(undisturbed)
    database = sqlite3.connect(store)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert database.execute("SELECT COUNT(*), COUNT(DISTINCT cell) FROM results").fetchone() == (60, 60)
    database.close()
    assert claims_of(store) == []
    # At most the one cell in flight at each kill was begun again.
    assert n_fits(log) <= 60 + n_kills


def test_two_processes_at_once_share_the_work(write_plan, tmp_path, starter):
    log, store, alone = tmp_path / "log", tmp_path / "r.sqlite", tmp_path / "whole.sqlite"
    path = write_plan(sleepers(log, seconds=0.02))
    run(path, alone)
    log.unlink()
    starter.start(path, store)
    starter.start(path, store)
    done = [starter.next("done"), starter.next("done")]
    assert sum(done) == 60
    assert set(fits(log).values()) == {1}
    workers = Counter(line.split()[2] for line in log.read_text(encoding="ascii").splitlines())
    assert sorted(workers.values()) == sorted(number for number in done if number)
    assert table_of(store) == table_of(alone)


def test_who_waits_takes_over_from_who_dies(write_plan, tmp_path, starter):
    log, store, hold = tmp_path / "log", tmp_path / "r.sqlite", tmp_path / "hold"
    text = sleepers(log, n_methods=1).replace("[0, 1, 2]", "[0]").replace("folds = 5", "folds = 2")
    path = write_plan(text.replace("number", f'hold = "{hold}"\n    number'))
    hold.touch()
    starter.start(path, store)
    first = starter.next("begins")
    wait_for_fits(log, 1)
    starter.start(path, store)
    second = starter.next("begins")
    wait_for_fits(log, 2)
    # Each holds one of the two cells now.
    assert {int(line.split()[2]) for line in log.read_text(encoding="ascii").splitlines()} == {first, second}
    os.kill(first, signal.SIGKILL)
    hold.unlink()
    assert starter.next("done") == 2
    assert len(table_of(store)) == 2


def test_ctrl_c_leaves_a_clean_store(write_plan, tmp_path, starter):
    log, store = tmp_path / "log", tmp_path / "r.sqlite"
    path = write_plan(sleepers(log, seconds=0.05))
    starter.start(path, store)
    pid = starter.next("begins")
    wait_for_fits(log, 5)
    os.kill(pid, signal.SIGINT)
    assert starter.next("stopped")
    assert claims_of(store) == []
    done = len(table_of(store))
    assert 4 <= done < 60
    assert run(path, store).done == 60 - done
    assert len(table_of(store)) == 60


def bench(path, store, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "plait", "bench", str(path), "--store", str(store), "--allow-imports", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
def test_kills_of_the_command_with_two_workers(write_plan, tmp_path):
    log, store, undisturbed = tmp_path / "log", tmp_path / "r.sqlite", tmp_path / "whole.sqlite"
    path = write_plan(sleepers(log, seconds=0.2))
    run(path, undisturbed)
    log.unlink()
    chance = random.Random(1)
    for _ in range(3):
        command = bench(path, store, "--jobs", "2")
        wait_for_fits(log, n_fits(log) + 1)
        time.sleep(chance.uniform(0.0, 1.0))
        command.kill()  # the parent alone: its workers must follow by themselves
        command.communicate()
    assert 0 < len(table_of(store)) < 60
    last = bench(path, store, "--jobs", "2")
    out, err = last.communicate()
    assert last.returncode == 0, err
    assert "skipped, done before" in out
    assert table_of(store) == table_of(undisturbed)
    # Two cells in flight at each kill, and what orphans begin in the half second they need to notice.
    assert n_fits(log) <= 60 + 3 * 4


@pytest.mark.slow
def test_ctrl_c_at_the_terminal_stops_command_and_workers(write_plan, tmp_path):
    log, store = tmp_path / "log", tmp_path / "r.sqlite"
    path = write_plan(sleepers(log, seconds=0.3))
    command = bench(path, store, "--jobs", "2")
    wait_for_fits(log, 4)
    os.killpg(command.pid, signal.SIGINT)
    out, err = command.communicate(timeout=30)
    assert command.returncode == 130, (out, err)
    assert err == "plait: stopped.\n"
    assert claims_of(store) == []
    workers = {int(line.split()[2]) for line in log.read_text(encoding="ascii").splitlines()}
    assert all(not os.path.exists(f"/proc/{pid}") for pid in workers)
    assert 0 < len(table_of(store)) < 60
