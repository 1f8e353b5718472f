"""Broken files of every format, by `tools/attack.py`: a few hundred here, twenty thousand in `make test-all`.

`make attack` tries a million, in processes of bounded memory.
"""

import importlib.util
import signal
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from plait import load_dataset, load_model, recipes, save_model
from plait.data import DataError, Dataset, chunks, save_dataset
from plait.experiments import PlanError, open_store, read_plan

for package in ("skops", "pandas", "pyarrow", "openpyxl"):
    pytest.importorskip(package)

TOOL = Path(__file__).parents[2] / "tools" / "attack.py"


@pytest.fixture(scope="module")
def attack():
    spec = importlib.util.spec_from_file_location("attack", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["attack"] = module
    spec.loader.exec_module(module)
    before = signal.signal(signal.SIGPROF, module._too_slow)
    yield module
    signal.signal(signal.SIGPROF, before)
    del sys.modules["attack"]


@pytest.mark.parametrize("n_inputs", [400, pytest.param(20_000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])])
def test_broken_inputs_are_read_or_refused_in_one_sentence(attack, tmp_path, n_inputs):
    kinds = attack.formats(tmp_path)
    # Numbers that the million has not.
    tried = [attack.attack(10**7 + number, kinds, tmp_path / "inputs") for number in range(n_inputs)]
    assert [entry for entry in tried if entry[1] == "failed"] == []
    outcomes = Counter((name, outcome) for name, outcome, _ in tried)
    for kind in kinds:
        assert outcomes[kind.name, "refused"] > 0
    assert sum(count for (_, outcome), count in outcomes.items() if outcome == "read") > n_inputs / 50


NAMES = ["beach\0.csv", "b" * 300 + ".csv", "b" * 5000, "b" * 5000 + "/beach.svm"]


@pytest.mark.parametrize("name", NAMES, ids=["zero byte", "long", "longer", "long folder"])
def test_names_that_no_file_can_have_are_one_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = Dataset([[0.5], [1.5]], [[1], [0]], ["size"], ["sea"], "beach")
    model = recipes.br(learner="logistic").fit(data.X, data.Y)
    readers = [load_dataset, load_model, read_plan, open_store, lambda path: next(iter(chunks(path)))]
    writers = [partial(save_dataset, data), partial(save_model, model), partial(open_store, create=True)]
    for use in (*readers, *writers):
        with pytest.raises((DataError, PlanError)) as problem:
            use(name)
        assert "\n" not in str(problem.value)
        assert "\0" not in str(problem.value)
    assert not list(tmp_path.iterdir())


def test_the_attack_sees_what_is_wrong(attack, tmp_path):
    """An exception of another kind, and an error of two lines, are failures."""

    def broken(path):
        raise KeyError(path)

    def talkative(path):
        raise attack.DataError("two\nlines")

    for read in (broken, talkative):
        kind = attack.Format("b.txt", 1, (b"1 2 3\n",), read)
        assert attack.attack(0, [kind], tmp_path)[1] == "failed"
    sound = attack.Format("b.txt", 1, (b"1 2 3\n",), str)
    assert attack.attack(0, [sound], tmp_path)[1] == "read"
