"""
Some labels are already known
=============================

An annotator has set some labels, a laboratory has sent half of its results: condition on
them, and every other label moves.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from plait import recipes

# %%
# Patients with two measurements; infections cause fever, and both cause fatigue.

rng = np.random.default_rng(3)
n = 800
X = pd.DataFrame({"crp": rng.gamma(2.0, 10.0, n), "age": rng.integers(20, 90, n)})
infection = rng.random(n) < 1 / (1 + np.exp(-(X["crp"] - 25) / 8))
fever = infection & (rng.random(n) < 0.75)
fatigue = rng.random(n) < 0.1 + 0.4 * infection + 0.3 * fever
Y = pd.DataFrame({"infection": infection, "fever": fever, "fatigue": fatigue})
model = recipes.pcc(random_state=0).fit(X, Y)

# %%
# One patient, in doubt:

patient = pd.DataFrame({"crp": [22.0], "age": [50]})
answer = model.joint(patient)
answer

# %%
# What each finding does to the others:

cases = {
    "nothing known": {},
    "fever": {"fever": 1},
    "no fever": {"fever": 0},
    "fatigue, no fever": {"fatigue": 1, "fever": 0},
}
table = pd.DataFrame(
    {
        case: (answer.given(known) if known else answer).marginals()[0]
        for case, known in cases.items()
    },
    index=model.label_names_,
)
axis = table.plot.bar(figsize=(7, 3.4), rot=0, ylabel="probability")
axis.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.tight_layout()

# %%
# Evidence may differ from row to row: NaN is unknown. And `ask` names the label whose
# answer would help most.

many = model.joint(X[:4])
known = pd.DataFrame({"fever": [1, None, 0, None], "fatigue": [None, 1, None, None]})
print(many.given(known).to_frame().round(2))
print("ask next:", *many.given(known).ask().names[:, 0])
