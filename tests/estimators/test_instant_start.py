"""A problem of the size of emotions is fitted, predicted and asked without Numba: nothing is compiled."""

import subprocess
import sys

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
CALLS = ["br()", "pcc()", "occ()", "ctbn(random_state=0)", "pacc(random_state=0)"]
CALLS += ["mc(max_components=2, random_state=0)", "ecc(n_estimators=2, random_state=0)"]


def test_a_small_problem_never_imports_numba():
    done = subprocess.run([sys.executable, "-c", SCRIPT, *CALLS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
