"""Small models are answered without Numba: it is not even imported."""

import subprocess
import sys

SCRIPT = """
import sys
sys.modules["numba"] = None

import numpy as np
from plait.inference import Annealing, Auto, Beam, BestFirst, Greedy, MaxProduct, MonteCarlo, SumProduct
from plait.inference import entropy, sample_given
from plait.joint import LinearDistribution, MixtureDistribution
from plait.structure import LabelGraph

draws = np.random.default_rng(0)

def model(parents, n_rows=20):
    q = len(parents)
    coef = np.zeros((q, q))
    for k, group in enumerate(parents):
        coef[k, group] = draws.normal(size=len(group))
    return LinearDistribution(LabelGraph(parents), draws.normal(size=(n_rows, q)), coef)

def known(part):
    evidence = np.full((part.n_rows, part.n_labels), -1, dtype=np.int8)
    evidence[:, 0] = 1
    return part.clamp(evidence)

chain = model([list(range(k)) for k in range(6)])
tree = model([[]] + [[(k - 1) // 2] for k in range(1, 30)])
small_tree = model([[]] + [[(k - 1) // 2] for k in range(1, 6)])
lone = model([[] for _ in range(300)])
mixture = MixtureDistribution(np.log([0.6, 0.4]), [small_tree, model([[1], [2], [3], [4], [5], []])])
chains = MixtureDistribution(np.log([0.6, 0.4]), [chain, model([list(range(k)) for k in range(6)])])

for made in (chain, small_tree, mixture, chains):
    for given in (made, known(made)):
        for wanted in ("mode", "marginals", "distribution"):
            support = Auto().infer(given, wanted, 1, random_state=0)
            support.marginal_estimate()
        Auto().infer(given, "mode", 5)
        MonteCarlo(20).infer(given, "distribution", 1, random_state=0).mode()
        given.sample(5, random_state=0)
for made in (mixture, chains):
    Annealing().infer(made, "mode", 2, random_state=0)
    BestFirst().infer(made, "mode", 2, random_state=0)
for inference in (Greedy(), Beam(), BestFirst(epsilon=0.1), BestFirst()):
    inference.infer(chain)
for made in (tree, lone):
    for given in (made, known(made)):
        MaxProduct().infer(given)
        SumProduct().infer(given)
for made in (small_tree, mixture):
    sample_given(known(made), 5, random_state=0)
entropy(small_tree)
assert sys.modules["numba"] is None
print("done")
"""


def test_small_models_are_answered_without_numba():
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == "done"


def test_marginals_of_many_small_trees_import_no_numba():
    """A mixture of twenty trees over six labels, what `mc` makes of emotions."""
    code = (
        "import sys, numpy as np; from plait.inference import Auto; from plait.structure import LabelGraph; "
        "from plait.joint import LinearDistribution, MixtureDistribution; rng = np.random.default_rng(0); "
        "graph = LabelGraph([[], [0], [1], [2], [3], [4]]); coef = np.eye(6, k=-1); "
        "parts = [LinearDistribution(graph, rng.normal(size=(9, 6)), coef) for _ in range(20)]; "
        "mixture = MixtureDistribution(np.full(20, -np.log(20)), parts); Auto().infer(mixture, 'marginals'); "
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
