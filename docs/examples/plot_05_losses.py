"""
The best answer depends on the loss
===================================

One model, one distribution, and a different best answer for every way to count mistakes.
"""

import matplotlib.pyplot as plt
import numpy as np

from plait import recipes
from plait.data.synthetic import make_label_network
from plait.losses import F1, Hamming, Jaccard, Subset

network = make_label_network(
    1500, 6, 6, structure="chain", strength=3.0, random_state=2
)
X, Y = network.dataset.X, network.dataset.Y
model = recipes.pcc(random_state=0).fit(X[:1000], Y[:1000])
answer = model.joint(X[1000:])

# %%
# `decide` gives the label set of least expected loss. Its columns are what is asked for,
# its rows what it costs on new data; every loss is smallest where it was asked for, up to
# the chance of 500 rows.

losses = {"subset": Subset(), "hamming": Hamming(), "f1": F1(), "jaccard": Jaccard()}
decided = {name: answer.decide(name) for name in losses}
truth = Y[1000:].astype(np.uint8)
table = np.array(
    [
        [loss.value(truth, sets.astype(np.uint8)).mean() for sets in decided.values()]
        for loss in losses.values()
    ]
)

fig, axis = plt.subplots(figsize=(5.5, 4))
relative = table / table.min(axis=1, keepdims=True)
axis.imshow(relative, cmap="Blues", vmin=1, vmax=relative.max())
axis.set_xticks(range(4), [f"decided for\n{name}" for name in losses], fontsize=8)
axis.set_yticks(range(4), [f"{name} loss" for name in losses])
for (i, j), value in np.ndenumerate(table):
    best = value == table[i].min()
    axis.text(
        j, i, f"{value:.3f}", ha="center", va="center", weight="bold" if best else None
    )
fig.tight_layout()

# %%
# A row on which the answers differ: the most probable set is one of many, so for F1 it is
# better to name more labels.

differ = np.flatnonzero((decided["subset"] != decided["f1"]).any(axis=1))[0]
for name, sets in decided.items():
    print(
        f"{name:8s} {[str(label) for label in model.label_names_[sets[differ] == 1]]}"
    )
answer[differ]

# %%
# `predict` decides for the model's own loss, or for one call: ``predict(X, loss="f1")``.

bool((model.predict(X[1000:], loss="f1") == decided["f1"]).all())
