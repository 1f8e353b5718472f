"""
Answers that hold as often as promised
======================================

A conformal family holds the true label set with at least the probability you ask for,
however good or bad the model is. What a better model buys is smaller families.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from plait import recipes
from plait.commands import digits_with_tags
from plait.trust import Conformal

images = digits_with_tags()
X, Y = images.X, pd.DataFrame(images.Y, columns=images.label_names)
order = np.random.default_rng(0).permutation(len(X))
train, rest = order[:400], order[400:]

# %%
# Two models of the same images: independent tags and a chain. The promise is kept on
# average over the rows that calibrate, so the picture is a mean of 50 divisions.

models = {"independent labels": recipes.br(), "chain": recipes.pcc()}
models = {name: model.fit(X[train], Y.iloc[train]) for name, model in models.items()}
wanted = [0.6, 0.7, 0.8, 0.9, 0.95]


def tried(model, coverage, seed):
    """Return how often the true set is in the family, and how many sets it holds."""
    calibrate, test = np.split(np.random.default_rng(seed).permutation(rest), [700])
    sets = Conformal(model, coverage=coverage).fit(X[calibrate], Y.iloc[calibrate])
    families = sets.predict(X[test])
    true = zip(families, Y.to_numpy()[test], strict=True)
    inside = [(family == row).all(axis=1).any() for family, row in true]
    return np.mean(inside), np.mean([len(family) for family in families])


fig, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.4))
for name, model in models.items():
    means = np.array(
        [
            np.mean([tried(model, coverage, seed) for seed in range(50)], axis=0)
            for coverage in wanted
        ]
    )
    left.plot(wanted, means[:, 0], "o-", label=name)
    right.plot(wanted, means[:, 1], "o-", label=name)
left.plot([0.6, 0.95], [0.6, 0.95], "k:")
left.set(xlabel="coverage asked for", ylabel="coverage on new rows")
right.set(xlabel="coverage asked for", ylabel="label sets a row")
left.legend()
fig.tight_layout()

# %%
# Both keep the promise; the chain needs far fewer sets. Its most probable set alone is
# right more often than 80 %, so that it needs no second one to promise that. The families
# of three images:

calibrate, test = rest[:700], rest[700:]
sets = Conformal(models["chain"], coverage=0.95).fit(X[calibrate], Y.iloc[calibrate])
families = sets.predict(X[test])
for row in range(3):
    print(row, *[f"   {names}" for names in families.names(row)], sep="\n")

# %%
# ``kind="labels"`` decides single labels and leaves the others open (-1), so that no
# decided label is wrong in 90 % of the rows:

labels = Conformal(models["chain"], coverage=0.9, kind="labels")
labels.fit(X[calibrate], Y.iloc[calibrate])
pd.DataFrame(labels.predict(X[test][:3]), columns=images.label_names)
