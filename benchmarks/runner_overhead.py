"""`plait bench` against the fits and predictions it runs: what the runner costs.

Needs the benchmark data (PLAIT_DATA). Chains with cross-validated logistic regression and several inferences on the
fixed splits of emotions, scene and yeast, as in the experiments of PCC; one process, one thread. The runner reads the
plan, checks it, reads the data and digests them, claims, fits, predicts, measures and records every cell. Its cost is
what a whole run takes beyond the fits and predictions in it, the least of several runs after one that loads compiled
code; in wall time, because the store waits for the disk. A bare loop over the same fits and predictions must predict
the same labels.
"""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from plait.data import load_dataset
from plait.experiments import fold_data
from plait.experiments.answers import labels_digest
from plait.experiments.model_seeds import fold_seed, seeded
from plait.experiments.plan_check import ready_plan
from plait.experiments.plan_objects import build
from plait.experiments.pools import in_one_thread
from plait.experiments.runner import run_plan
from plait.experiments.store import open_store

RUNS = 3
MOST = 0.05
NAMES = ("emotions", "scene", "yeast")
PLAN = """
datasets = ["emotions", "scene", "yeast"]
metrics = ["subset_loss", "hamming_loss"]
protocol = {kind = "split"}
[methods.br]
learner = {use = "LogisticLearner", C = "cv"}
[methods.greedy]
use = "pcc"
learner = {use = "LogisticLearner", C = "cv"}
inference = {use = "Greedy"}
[methods."eps 0.25"]
use = "pcc"
learner = {use = "LogisticLearner", C = "cv"}
inference = {use = "BestFirst", epsilon = 0.25}
[methods.exact]
use = "pcc"
learner = {use = "LogisticLearner", C = "cv"}
inference = {use = "BestFirst", epsilon = 0.0}
[methods.sampled]
use = "pcc"
learner = {use = "LogisticLearner", C = "cv"}
inference = {use = "MonteCarlo", n_samples = 1000}
"""


def bench(plan: Path, store: Path) -> tuple[dict[tuple[str, str], str], float, float]:
    """Run the plan as the command does; return the digests of predictions, seconds of the methods, and of the rest."""
    fold_data._kept.clear()
    start = time.perf_counter()
    ready, fingerprints = ready_plan(plan)
    run_plan(ready, store, fingerprints=fingerprints)
    whole = time.perf_counter() - start
    with open_store(store) as opened:
        results = opened.results()
    own = sum(result.fit_seconds + result.predict_seconds for result in results)
    return {(result.dataset, result.method): result.predictions_digest for result in results}, own, whole - own


def loop(plan: Any) -> dict[tuple[str, str], str]:
    """Fit and predict, nothing else."""
    digests = {}
    for name in NAMES:
        train, test = (load_dataset(name, split=part) for part in ("train", "test"))
        for method in plan.methods:
            model = seeded(build(method.recipe.definition), fold_seed(0, 0))
            labels = model.fit(train.X, train.Y).predict(test.X)
            digests[name, method.name] = labels_digest(labels.astype(np.uint8))
    return digests


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("needs the benchmark data: set PLAIT_DATA to their folder")
        return
    own, rest = [], []
    with TemporaryDirectory() as folder:
        file = Path(folder, "plan.toml")
        file.write_text(PLAN, encoding="utf8")
        expected = in_one_thread(lambda: loop(ready_plan(file)[0]))
        for run in range(RUNS + 1):
            found, own_seconds, other_seconds = bench(file, Path(folder, f"{run}.sqlite"))
            assert found == expected, "the runner and the loop must predict the same labels"
            if run:
                own.append(own_seconds)
                rest.append(other_seconds)
    overhead = min(rest) / min(own)
    print(f"{len(expected)} cells: {min(own):.2f} s of fits and predictions, {min(rest):.3f} s of all the rest")
    print(f"overhead {overhead:.1%} (at most {MOST:.0%}), {min(rest) / len(expected):.4f} s a cell")
    assert overhead < MOST


if __name__ == "__main__":
    main()
