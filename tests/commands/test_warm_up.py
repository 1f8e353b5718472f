import os
import re
import subprocess
import sys

import pytest

from plait import baselines, recipes
from plait.commands import warm_up
from plait.commands.select import selector_names
from plait.core.sentences import ParameterError

# Fits and predicts on data of the size of yeast and of enron, then says how many kernels were compiled, and how many
# were found on disk.
FIT = """
import importlib, pkgutil, sys
import numpy as np
from scipy import sparse
import plait
from plait import recipes

chance = np.random.default_rng(1)

def labels(X, n_labels):
    scores = np.asarray(X @ chance.normal(size=(X.shape[1], n_labels))) + chance.normal(size=(X.shape[0], n_labels))
    return (scores > np.quantile(scores, 0.7, axis=0)).astype(np.uint8)

yeast = chance.normal(size=(1500, 103))
enron = sparse.random(1100, 1001, 0.05, format="csr", random_state=2)
enron.data[:] = 1.0
for X, n_labels in ((yeast, 14), (enron, 53)):
    Y = labels(X, n_labels)
    model = recipes.pcc(random_state=0).fit(X, Y)
    model.predict(X), model.predict_proba(X), model.joint(X[:50]).top(3)
misses = hits = 0
for name, module in list(sys.modules.items()):
    if name.startswith("plait.") and name.rpartition(".")[2].startswith("_"):
        for kernel in vars(module).values():
            if hasattr(kernel, "stats") and hasattr(kernel, "overloads"):
                misses += sum(kernel.stats.cache_misses.values())
                hits += sum(kernel.stats.cache_hits.values())
print("compiled", misses, "found", hits)
"""


def test_every_idea_is_warmed_by_itself():
    parts = {f"{kind} {name}" for stage in warm_up.STAGES for kind in stage for name in warm_up._KINDS[kind]()}
    assert {f"recipe {name}" for name in recipes.__all__} <= parts
    assert {f"baseline {name}" for name in baselines.__all__} <= parts
    assert {f"selector {name}" for name in selector_names()} <= parts
    assert set(warm_up._KINDS) == set(warm_up._CALLS) == {kind for stage in warm_up.STAGES for kind in stage}


@pytest.mark.parametrize("part", ["format .arff", "selector scls", "inference max_product", "structure full_chain"])
def test_a_part_can_be_called_with_its_kernels(part):
    warm_up.warm(part)


def test_a_wrong_number_of_processes_is_refused():
    with pytest.raises(ParameterError, match="plait warm-up needs --jobs to be an integer of at least 1"):
        warm_up.warm_up_kernels(jobs=0)


def test_a_part_that_fails_is_named_and_the_others_go_on(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(warm_up._compilation, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warm_up, "_run", lambda jobs: iter([("recipe pcc", "ValueError: too cold")]))
    assert warm_up.warm_up_kernels(jobs=1) == 1
    assert capsys.readouterr().out == (
        f"plait: failed: recipe pcc: ValueError: too cold\n{tmp_path}: 0 kernels compiled in 0 s, 0 were there\n"
    )


def test_where_nothing_can_be_written_there_is_nothing_to_do(monkeypatch, capsys):
    monkeypatch.setattr(warm_up._compilation, "cache_folder", lambda: None)
    assert warm_up.warm_up_kernels() == 1
    assert "Set NUMBA_CACHE_DIR" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_after_warm_up_nothing_is_compiled(tmp_path):
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    run = {"capture_output": True, "text": True, "env": settings}
    warmed = subprocess.run([sys.executable, "-m", "plait", "warm-up", "--jobs", "2"], check=False, **run)
    assert warmed.returncode == 0, warmed.stdout + warmed.stderr
    assert int(re.search(r"(\d+) kernels compiled", warmed.stdout)[1]) > 50
    fitted = subprocess.run([sys.executable, "-c", FIT], check=False, **run)
    assert re.fullmatch(r"compiled 0 found [1-9]\d*\n", fitted.stdout), fitted.stdout + fitted.stderr
