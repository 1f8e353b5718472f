"""
Digits with tags: the joint knows what is possible
==================================================

Handwritten digits, tagged as even, prime, at least five, with a loop, and so on. The tags
follow from the digit, so only ten of 64 sets can occur. Nobody tells the model the digit;
it learns the joint of the tags.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

from plait import AutoJoint

digits = load_digits()
tags = pd.DataFrame(
    {
        "even": digits.target % 2 == 0,
        "prime": np.isin(digits.target, [2, 3, 5, 7]),
        "at least five": digits.target >= 5,
        "loop": np.isin(digits.target, [0, 6, 8, 9]),
        "straight": np.isin(digits.target, [1, 4, 7]),
        "multiple of three": digits.target % 3 == 0,
    }
).astype(int)
parts = train_test_split(
    digits.data, tags, digits.target, test_size=0.5, random_state=0
)
X, X_test, Y, Y_test, _, target = parts

model = AutoJoint(random_state=0).fit(X, Y)
answer = model.joint(X_test)

# %%
# Six images on which the model is least sure, with their most probable sets:

likely = answer.top(2)
doubtful = np.argsort(likely.probabilities[:, 0])[:6]
fig, axes = plt.subplots(2, 3, figsize=(8, 5.6))
for axis, row in zip(axes.flat, doubtful, strict=True):
    axis.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    lines = [
        f"{p:.0%} {', '.join(names) or '(none)'}"
        for names, p in zip(likely.names[row], likely.probabilities[row], strict=True)
    ]
    axis.set_title("\n".join(lines), fontsize=8)
    axis.set_axis_off()
fig.tight_layout()

# %%
# Which sets are predicted that no digit has? Binary relevance decides label by label and
# makes them up; a joint model hardly ever does.

possible = {tuple(row) for row in tags.to_numpy()}
peers = {
    "binary relevance": MultiOutputClassifier(LogisticRegression(max_iter=5000)),
    "scikit-learn's chain": ClassifierChain(LogisticRegression(max_iter=5000)),
}
predicted = {name: peer.fit(X, Y).predict(X_test) for name, peer in peers.items()}
predicted["AutoJoint"] = model.predict(X_test)
rows = []
for name, sets in predicted.items():
    impossible = np.mean([tuple(map(int, row)) not in possible for row in sets])
    right = (sets == Y_test.to_numpy()).all(axis=1).mean()
    rows.append({"method": name, "exact match": right, "impossible sets": impossible})
pd.DataFrame(rows).round(3)

# %%
# Somebody says that the digit is not prime: what is left of the doubt?

answer[doubtful[:2]].given({"prime": 0})

# %%
# The learned dependence, as a graph (the first of the chains that are mixed):

model.graphs_[0]
