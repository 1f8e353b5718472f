"""
First steps: a table in, named answers out
==========================================

A row carries a set of labels. Here: photographs with the place and the hour they were
taken, and what is on them.
"""

# %%
# The data
# --------
# Three hundred photographs. Sand comes with the sea, never alone: labels depend on each
# other.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
photos = pd.DataFrame(
    {
        "place": rng.choice(["beach", "harbour", "city"], 300),
        "hour": rng.integers(6, 24, 300),
    }
)
sea = (photos["place"] != "city") & (rng.random(300) < 0.8)
tags = pd.DataFrame(
    {
        "sea": sea,
        "sand": sea & (photos["place"] == "beach"),
        "sun": photos["hour"] < rng.normal(17, 3, 300),
    }
)
pd.concat([photos, tags], axis=1).head()

# %%
# A model with nothing to choose
# ------------------------------
# `AutoJoint` learns P(labels | row), from words, dates, texts and gaps as they are.

from plait import AutoJoint

model = AutoJoint(random_state=0)
model.fit(photos[:250], tags[:250])

# %%
# Ask by name
# -----------
# The label sets that are best for exact match, which is what `predict` decides for if
# nothing else is said:

model.predict_sets(photos[250:254])

# %%
# The whole answer: every row's most probable sets, with their probabilities.

answer = model.joint(photos[250:252])
answer

# %%
# Once somebody has looked and says that there is no sea, sand goes too:

answer.given({"sea": 0})

# %%
# Marginals of single labels, as a table with names, and all of one row as a picture:

answer.to_frame().round(3)

# %%

axes = answer.plot(0).plot()

# %%
# How good is it?
# ---------------
# Every metric of `plait.metrics` is a scorer of scikit-learn, too.

from plait.metrics import exact_match, hamming_loss

predicted = model.predict(photos[250:])
print(f"exact match  {exact_match(tags[250:], predicted):.2f}")
print(f"Hamming loss {hamming_loss(tags[250:], predicted):.3f}")
