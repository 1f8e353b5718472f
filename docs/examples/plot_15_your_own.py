"""
Your own loss, structure and learner
====================================

A choice is a small class. One of your own is used like those of plait, and
`plait.testing` has the tests that it should pass.
"""

import numpy as np
from sklearn.naive_bayes import GaussianNB

from plait import JointClassifier
from plait.data.synthetic import make_label_network
from plait.losses import Loss
from plait.structure import LabelGraph, Structure

data = make_label_network(800, 6, 5, structure="chain", strength=3.0, random_state=0)
X, Y = data.dataset.X, data.dataset.Y

# %%
# A loss
# ------
# It needs `value`, one number a row. The base class finds the best answer by trying.


class Missed(Loss):
    """A label that is missed costs four times as much as one too many."""

    def value(self, Y, Y_pred):
        """Return the loss of every row."""
        return np.where(Y == 1, 4 * (Y_pred == 0), Y_pred == 1).sum(axis=1)


# %%
# A structure
# -----------
# It says which labels depend on which. Here every label depends on the first one.


class Star(Structure):
    """One label in the middle."""

    def _build(self, given):
        others = range(1, given.n_labels)
        return LabelGraph(((), *((0,) for _ in others)), order=range(given.n_labels))


# %%
# A learner
# ---------
# Any classifier of scikit-learn that gives probabilities.

model = JointClassifier(structure=Star(), learner=GaussianNB(), loss=Missed())
model.fit(X[:600], Y[:600])
axis = model.graph_.plot()

# %%
# The careful answers name more labels than the most probable sets do:

careful = model.predict(X[600:])
probable = model.predict(X[600:], loss="subset")
print(
    f"labels a row: {careful.sum(axis=1).mean():.2f}, {probable.sum(axis=1).mean():.2f}"
)
cost = [Missed().value(Y[600:], sets).mean() for sets in (careful, probable)]
print(f"cost a row:   {cost[0]:.2f}, {cost[1]:.2f}")
