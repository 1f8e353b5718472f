"""
Answers that hold as often as promised
======================================

A conformal family holds the true label set with at least the probability you ask for,
however good or bad the model is. What a better model buys is smaller families.
"""

import matplotlib.pyplot as plt
import numpy as np

from plait import recipes
from plait.data.synthetic import make_label_network
from plait.trust import Conformal

data = make_label_network(3000, 6, 6, structure="chain", strength=3.0, random_state=1)
X, Y = data.dataset.X, data.dataset.Y
train, calibrate, test = np.split(np.arange(3000), [1000, 2000])

# %%
# Two models of the same data: independent labels and a chain.

models = {"independent labels": recipes.br(), "chain": recipes.pcc()}
models = {name: model.fit(X[train], Y[train]) for name, model in models.items()}
wanted = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
fig, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.4))
for name, model in models.items():
    covered, size = [], []
    for coverage in wanted:
        sets = Conformal(model, coverage=coverage).fit(X[calibrate], Y[calibrate])
        families = sets.predict(X[test])
        inside = [
            (family == row).all(axis=1).any()
            for family, row in zip(families, Y[test], strict=True)
        ]
        covered.append(np.mean(inside))
        size.append(np.mean([len(family) for family in families]))
    left.plot(wanted, covered, "o-", label=name)
    right.plot(wanted, size, "o-", label=name)
left.plot([0.5, 0.95], [0.5, 0.95], "k:")
left.set(xlabel="coverage asked for", ylabel="coverage on new rows")
right.set(xlabel="coverage asked for", ylabel="label sets a row")
left.legend()
fig.tight_layout()

# %%
# Both keep the promise; the chain needs fewer sets. The families of the first rows:

families = Conformal(models["chain"], coverage=0.8).fit(X[calibrate], Y[calibrate])
families.predict(X[test][:3])[0]

# %%
# ``kind="labels"`` decides single labels and leaves the others open (-1), so that no
# decided label is wrong in 90 % of the rows:

labels = Conformal(models["chain"], coverage=0.9, kind="labels")
labels.fit(X[calibrate], Y[calibrate]).predict(X[test][:4])
