"""
Are probabilities what they say?
================================

Of labels that are given 70 %, seven in ten should be there; of label sets that are given
70 %, seven in ten should be right. Both can be looked at, and mended by one number.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_multilabel_classification

from plait import recipes
from plait.learners import LogisticLearner
from plait.trust import CalibrationCurve, TemperatureScaling

X, Y = make_multilabel_classification(
    1500, 100, n_classes=6, n_labels=2, random_state=0
)
parts = {"train": slice(0, 150), "held": slice(150, 700), "test": slice(700, 1500)}
train, held, test = parts.values()

# %%
# A chain with almost no penalty on few rows believes too much in itself:

bold = recipes.pcc(learner=LogisticLearner(C=100.0)).fit(X[train], Y[train])
scaled = TemperatureScaling(bold).fit(X[held], Y[held])
tuned = recipes.pcc().fit(X[train], Y[train])
print(f"temperature {scaled.temperature_:.2f}")

fig, axes = plt.subplots(1, 2, figsize=(9, 4))
for axis, kind in zip(axes, ["labels", "sets"], strict=True):
    for name, model in {"bold": bold, "scaled": scaled, "tuned": tuned}.items():
        curve = CalibrationCurve.from_estimator(model, X[test], Y[test], kind=kind)
        axis.plot(
            curve.mean, curve.frequency, "o-", label=f"{name}, error {curve.error:.3f}"
        )
    axis.plot([0, 1], [0, 1], "k:")
    axis.set(xlabel="probability given", ylabel="how often it came true", title=kind)
    axis.legend(fontsize=8)
fig.tight_layout()

# %%
# The default of every recipe is the tuned penalty, which is the green curve: its labels
# need no mending, and its sets are right more often than it says.
