"""
Comparing methods with a plan
=============================

A plan names data sets, methods and measures; it runs cell by cell into a store that
survives being killed, and ends in tables and tests. ``plait bench`` does the same from a
shell, ``plait report`` makes a page of it.
"""

import tempfile
from pathlib import Path

import pandas as pd

from plait.data import save_dataset
from plait.data.synthetic import make_label_network
from plait.experiments import open_store, read_plan, run_plan

folder = Path(tempfile.mkdtemp())
for seed, structure in enumerate(["chain", "tree", "tree"]):
    network = make_label_network(
        400, 6, 5, structure=structure, strength=3.0, random_state=seed
    )
    save_dataset(network.dataset, folder / f"set{seed}.arff")

plan = """
datasets = ["set0.arff", "set1.arff", "set2.arff"]
metrics = ["exact_match", "hamming_loss", "log_loss"]
protocol = {kind = "stratified_kfold", folds = 3}

[methods.br]
[methods.pcc]
[methods.ctbn]

[methods.forest]
use = "sklearn.ensemble.RandomForestClassifier"
"""
written = (folder / "plan.toml").write_text(plan)

# %%
# Thirty-six cells. Given again, it goes on where it was: nothing is left to do.

summary = run_plan(read_plan(folder / "plan.toml"), folder / "results.sqlite")
again = run_plan(read_plan(folder / "plan.toml"), folder / "results.sqlite")
print(f"first {summary.done} cells, then {again.done}")

# %%
# The results as a table:

with open_store(folder / "results.sqlite") as store:
    results = store.results()
table = pd.DataFrame(
    [{"data": r.dataset, "method": r.method, **r.metrics} for r in results]
)
asked = ["exact_match", "hamming_loss", "log_loss"]
table.groupby("method")[asked].mean().round(3).sort_values("log_loss")

# %%
# Are the differences more than chance? Average ranks over the data sets, with the
# difference that would be needed (Nemenyi); a bar joins methods that are not told apart.
# Methods differ, says Friedman's test; to tell two of them apart takes more than three
# data sets.

from plait.experiments.statistics import RankComparison

scores = table.pivot_table(index="data", columns="method", values="exact_match")
comparison = RankComparison.from_predictions(scores.to_numpy(), list(scores.columns))
print(f"Friedman's test: p = {comparison.friedman.p_value:.3f}")
axis = comparison.plot()
