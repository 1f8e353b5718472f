"""Data of the size of emotions (593 x 72, 6 labels) are counted, ordered and selected from without Numba."""

import os
import subprocess
import sys

SCRIPT = """
import sys
import warnings
import numpy as np
from plait import features, structure
from plait.core.naming import registry
from plait.counts import LAIMDiscretizer, MeanStdDiscretizer, QuantileDiscretizer
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(593, 72))
Y = (X[:, :6] + rng.normal(size=(593, 6)) > 0.5).astype(int)
for discretizer in (LAIMDiscretizer(), MeanStdDiscretizer(), QuantileDiscretizer()):
    discretizer.fit(X, Y).transform(X)
graph = structure.KDependence(order="information").build(X, Y)
for kind in registry(structure, structure.Structure).values():
    if not kind().needs_pairs(6):
        kind().build(X, Y, random_state=0)
for kind in registry(features, features.Selector).values():
    if kind not in (features.InformationSelector, features.Wrapper):
        kind().fit(X, Y, graph=graph)
features.MLFS(0.3, "label").fit(X, Y, graph=graph)
features.MDDM().fit(X, Y)
print("numba" in sys.modules)
"""


def test_nothing_is_compiled_for_small_data():
    settings = {**os.environ, "PLAIT_KERNELS": "auto"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, env=settings)
    assert done.stdout.strip() == "False", done.stderr
