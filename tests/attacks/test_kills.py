"""Kills of the real commands in the middle of a write, and files that may not grow: nothing is lost or left behind.

One process loads the program; its children, which run commands, begin at once. Whatever they write they write slowly,
and say so, and are then killed at a moment of chance. `make test` tries a few moments, `make test-all` twenty.
"""

import json
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest

from plait import load_model, recipes
from plait.data import Dataset, save_dataset
from plait.experiments import open_store

pytest.importorskip("skops")

SERVER = """
import json, os, pathlib, resource, signal, sys, time
import skops.io
import plait.commands.bench, plait.commands.fit, plait.commands.predict, plait.commands.report
from plait.cli import main
from plait.data.conversion import files
from plait.experiments.running import store

def say(**message):
    os.write(1, (json.dumps(message) + "\\n").encode())

def slow(call):
    def slowed(*words, **named):
        time.sleep(0.01)
        result = call(*words, **named)
        time.sleep(0.01)
        return result
    return slowed

def announced(call):
    def told(*words, **named):
        say(writes=os.getpid())
        return slow(call)(*words, **named)
    return told

def by_halves(path, content):
    with open(path, "wb", buffering=0) as file:
        file.write(content[: len(content) // 2])
        time.sleep(0.04)
        file.write(content[len(content) // 2 :])

def run(words, limit):
    pathlib.Path.write_bytes = by_halves
    pathlib.Path.write_text = lambda path, text, encoding=None: by_halves(path, text.encode())
    files.mkdtemp = announced(files.mkdtemp)
    store.Store.record = announced(store.Store.record)
    os.fsync, os.replace = slow(os.fsync), slow(os.replace)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    sys.stdout = open(os.devnull, "w")
    try:
        code = main(words)
    except BaseException as problem:
        say(problem=repr(problem))
        code = 99
    say(code=code)
    os._exit(0)

for line in sys.stdin:
    words, limit = json.loads(line)
    child = os.fork()
    if child == 0:
        run(words, limit)
    say(starts=child)
    os.waitpid(child, 0)
    say(ends=child)
"""


class Commands:
    """Runs commands in children of one process."""

    def __init__(self, folder):
        self.errors = open(folder / "errors", "w+", encoding="utf8")  # noqa: SIM115
        words = [sys.executable, "-c", SERVER]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )

    def run(self, words, *, limit=0, moment=None, by=signal.SIGKILL):
        """Run a command; kill it `moment` seconds after it begins to write. Return its exit code, None if it died."""
        self.process.stdin.write(json.dumps([[str(word) for word in words], limit]) + "\n")
        self.process.stdin.flush()
        code = None
        for line in self.process.stdout:
            message = json.loads(line)
            assert "problem" not in message, message
            if "writes" in message and moment is not None:
                time.sleep(moment)
                with suppress(ProcessLookupError):  # a moment after the end
                    os.kill(message["writes"], by)
                moment = None
            code = message.get("code", code)
            if "ends" in message:
                return code
        raise AssertionError("the server died")

    def close(self):
        self.process.communicate()
        self.errors.close()


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    made = Commands(tmp_path_factory.mktemp("server"))
    yield made
    made.close()


@pytest.fixture
def beach(tmp_path):
    chance = np.random.default_rng(0)
    X = chance.normal(size=(30, 4)).round(2)
    Y = (X[:, :2] + 0.5 * chance.normal(size=(30, 2)) > 0).astype(int)
    save_dataset(Dataset(X, Y, list("abcd"), ["sea", "sun"], "beach"), tmp_path / "beach.csv")
    (tmp_path / "out").mkdir()
    return tmp_path


KILLS = [3, pytest.param(20, marks=pytest.mark.slow)]


def kills(n_kills, seed):
    """Yield moments and signals."""
    chance = random.Random(seed)
    for number in range(n_kills):
        yield {"moment": chance.uniform(0.0, 0.12), "by": signal.SIGTERM if number % 3 == 2 else signal.SIGKILL}


def all_or_nothing(commands, goal, words_of, n_kills, seed):
    """Kill a command that writes a file again and again; yield what is there after each kill, and what may be."""
    whole = []
    for version in (0, 1):
        assert commands.run(words_of(version)) == 0
        whole.append(goal.read_bytes())
    for number, kill in enumerate(kills(n_kills, seed)):
        commands.run(words_of(number % 2), **kill)
        yield goal.read_bytes(), whole
    assert commands.run(words_of(0)) == 0
    assert [path.name for path in goal.parent.iterdir()] == [goal.name]


@pytest.mark.parametrize("n_kills", KILLS)
def test_kills_of_fit(commands, beach, n_kills):
    goal = beach / "out" / "m.plait"

    def words(version):
        return ["fit", beach / "beach.csv", "--labels", "-2", "--method", ("br", "pcc")[version], "-o", goal]

    for _ in all_or_nothing(commands, goal, words, n_kills, seed=0):
        assert load_model(goal).n_labels_ == 2  # the file says when it was made, so that bytes differ


@pytest.mark.parametrize("n_kills", KILLS)
def test_kills_of_predict(commands, beach, n_kills):
    commands.run(["fit", beach / "beach.csv", "--labels", "-2", "--method", "pcc", "-o", beach / "m.plait"])
    goal = beach / "out" / "answers.csv"

    def words(version):
        form = (["--proba"], ["--top", "2"])[version]
        return ["predict", beach / "m.plait", beach / "beach.csv", *form, "-o", goal]

    for found, whole in all_or_nothing(commands, goal, words, n_kills, seed=1):
        assert found in whole


@pytest.mark.parametrize("n_kills", KILLS)
def test_kills_of_bench_and_report(commands, beach, n_kills):
    (beach / "p.toml").write_text(
        'datasets = [{source = "beach.csv", labels = -2}]\nprotocol = {kind = "kfold"}\nkeep = "predictions"\n'
        'methods = ["br", "cc", "pcc"]\nmetrics = ["exact_match"]\nseeds = [0, 1]\n'
    )
    bench = ["bench", beach / "p.toml", "--store"]
    assert commands.run([*bench, beach / "whole.sqlite"]) == 0
    for kill in kills(n_kills, seed=2):
        commands.run([*bench, beach / "r.sqlite"], **kill)
        with open_store(beach / "r.sqlite") as store:
            for result in store.results():
                assert result.error is None
                assert store.predictions(result.digest) is not None
    assert commands.run([*bench, beach / "r.sqlite"]) == 0
    assert table(beach / "r.sqlite") == table(beach / "whole.sqlite")
    database = sqlite3.connect(beach / "r.sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert database.execute("SELECT COUNT(*) FROM claims").fetchone() == (0,)
    database.close()

    page = beach / "out" / "result.html"
    report = ["report", beach / "r.sqlite", "-o", page]
    assert commands.run(report) == 0
    size = page.stat().st_size
    for kill in kills(n_kills, seed=3):
        commands.run(report, **kill)
        assert abs(page.stat().st_size - size) < 200  # it says when it was made
        assert page.read_text(encoding="utf8").rstrip().endswith("</html>")
    assert commands.run(report) == 0
    assert [path.name for path in page.parent.iterdir()] == ["result.html"]


def table(path):
    with open_store(path) as store:
        return [(r.method, r.fold, r.seed, dict(r.metrics), r.predictions_digest) for r in store.results()]


def test_files_that_may_not_grow(commands, beach):
    """`ulimit -f`: one sentence, the old model stays, and nothing is left."""
    goal = beach / "out" / "m.plait"
    fit = ["fit", beach / "beach.csv", "--labels", "-2", "--method", "pcc", "-o", goal]
    assert commands.run(fit) == 0
    before = goal.read_bytes()
    assert commands.run(fit, limit=1000) == 2
    assert goal.read_bytes() == before
    assert [path.name for path in goal.parent.iterdir()] == ["m.plait"]
    (beach / "p.toml").write_text('datasets = [{source = "beach.csv", labels = -2}]\nmethods = ["br"]\n')
    bench = ["bench", beach / "p.toml", "--store", beach / "r.sqlite"]
    assert commands.run(bench, limit=20_000) == 2
    commands.errors.flush()
    commands.errors.seek(0)
    assert "Traceback" not in commands.errors.read()
    assert commands.run(bench) == 0
    with open_store(beach / "r.sqlite") as store:
        assert len(store.results()) == 5


@pytest.mark.parametrize("way", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_a_model_answers_the_same_in_other_processes(way):
    X = np.random.default_rng(0).normal(size=(40, 4))
    model = recipes.pcc().fit(X, (X[:, :3] > 0).astype(int))
    with multiprocessing.get_context(way).Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(model.predict_proba, (X,)), model.predict_proba(X))
