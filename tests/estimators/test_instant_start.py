"""A problem of the size of emotions is fitted, predicted and asked without Numba: nothing is compiled."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"

SCRIPT = """
import sys
import numpy as np
from plait import recipes

draws = np.random.default_rng(0)
X = draws.normal(size=(391, 72))
Y = (X @ draws.normal(size=(72, 6)) * 0.4 + draws.normal(size=(391, 6)) > 0.5).astype(int)
for call in sys.argv[1:]:
    model = eval("recipes." + call).fit(X, Y)
    model.predict(X[:20])
    if hasattr(model, "predict_proba"):
        model.predict_proba(X[:20])
    if hasattr(model, "joint"):
        answer = model.joint(X[:20])
        answer.log_prob(Y[:20]), answer.mode(), answer.top(3), answer.sample(5)
        answer.given({"y0": 1}).marginals(), answer.decide("f1"), answer.entropy(), answer.doubts(Y[:20])
    assert "numba" not in sys.modules, call
"""
CALLS = ["auto(random_state=0)", "br()", "pcc()", "occ()", "ctbn(random_state=0)", "pacc(random_state=0)"]
CALLS += ["mc(max_components=2, random_state=0)", "ecc(n_estimators=2, random_state=0)"]


def run(script, *words):
    settings = {**os.environ, "PLAIT_KERNELS": "auto"}
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False, env=settings
    )
    assert done.returncode == 0, done.stderr


def test_a_small_problem_never_imports_numba():
    run(SCRIPT, *CALLS)


def test_the_lines_that_the_readme_opens_with_never_import_numba():
    lines = [example.source for example in doctest.DocTestParser().get_examples(README.read_text("utf-8"))]
    assert any("AutoJoint" in line for line in lines)
    run("".join([*lines, "import sys\n", "assert 'numba' not in sys.modules\n"]))
