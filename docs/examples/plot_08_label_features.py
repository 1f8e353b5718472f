"""
The few features that each label needs
======================================

Selectors choose features for all labels at once, or for each label its own.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from plait import recipes
from plait.features import MLFS, SCLS

# %%
# Forty features; each of five labels depends on two of its own.

rng = np.random.default_rng(0)
columns = [f"gene {i}" for i in range(40)]
X = pd.DataFrame(rng.normal(size=(600, 40)), columns=columns)
noise = 0.5 * rng.normal(size=(600, 5))
Y = pd.DataFrame(
    {
        name: X.iloc[:, 3 * k] + X.iloc[:, 3 * k + 1] + noise[:, k] > 0
        for k, name in enumerate(["growth", "stress", "repair", "energy", "signal"])
    }
).astype(int)

# %%
# One ranking for all labels, the best feature first:

[columns[i] for i in SCLS(n_features=8).fit(X, Y).ranking_]

# %%
# Two for each label, as a mask:

mask = MLFS(n_features=2, scope="label").select(X, Y)
fig, axis = plt.subplots(figsize=(8, 1.9))
axis.imshow(mask.support, cmap="Blues", aspect="auto")
axis.set(xlabel="gene")
axis.set_yticks(range(5), Y.columns)
fig.tight_layout()

# %%
# In a model: binary relevance on the features of each label against all features.

from sklearn.model_selection import cross_val_score

from plait import JointClassifier
from plait.metrics import scorers

few = JointClassifier(
    structure="independent", selector=MLFS(n_features=2, scope="label")
)
for name, model in {"all 40 features": recipes.br(), "2 for each label": few}.items():
    score = cross_val_score(model, X, Y, cv=5, scoring=scorers["exact_match"]).mean()
    print(f"{name:17s} exact match {score:.3f}")
