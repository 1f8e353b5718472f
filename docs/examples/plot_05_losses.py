"""
The best answer depends on the loss
===================================

One model, one distribution, and a different best answer for every way to count mistakes.
"""

import numpy as np

from plait import recipes
from plait.data.synthetic import make_label_network
from plait.trust import LossScoresDisplay

network = make_label_network(
    6000, 6, 6, structure="chain", strength=3.0, random_state=2
)
X, Y = network.dataset.X, network.dataset.Y
model = recipes.pcc(random_state=0).fit(X[:1000], Y[:1000])
answer = model.joint(X[1000:])

# %%
# `decide` gives the label set of least expected loss. A line of the picture is what was
# decided for, a column what that costs on 5,000 new rows: every loss is least (pale) where
# it was decided for.

axis = LossScoresDisplay.from_estimator(model, X[1000:], Y[1000:]).plot()

# %%
# A row on which the answers differ: the most probable set is one of many, so for F1 it is
# better to name more labels.

decided = {name: answer.decide(name) for name in ["subset", "hamming", "f1", "jaccard"]}
differ = np.flatnonzero((decided["subset"] != decided["f1"]).any(axis=1))[0]
for name, sets in decided.items():
    print(
        f"{name:8s} {[str(label) for label in model.label_names_[sets[differ] == 1]]}"
    )
answer[differ]

# %%
# `predict` decides for the model's own loss, or for one call: ``predict(X, loss="f1")``.

bool((model.predict(X[1000:], loss="f1") == decided["f1"]).all())
