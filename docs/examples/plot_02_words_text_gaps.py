"""
A table with words, text and gaps
=================================

Real tables hold categories, dates, free text and holes. `TableEncoder` turns each column
into numbers by what it is, and says what it did.
"""

import numpy as np
import pandas as pd

from plait import AutoJoint, make_joint_pipeline
from plait.data import TableEncoder

# %%
# A helpdesk: tickets with a product, a date, a text and a number that is often missing.

rng = np.random.default_rng(1)
n = 400
product = rng.choice(["phone", "router", "television"], n)
words = {
    "billing": "invoice charged twice refund payment",
    "fault": "broken does not start error light blinking",
    "delivery": "parcel late courier address waiting",
    "urgent": "please today immediately business",
}
labels = pd.DataFrame(
    {
        "billing": rng.random(n) < 0.35,
        "fault": rng.random(n) < np.where(product == "router", 0.6, 0.3),
        "delivery": rng.random(n) < 0.25,
    }
)
labels["urgent"] = labels["fault"] & (rng.random(n) < 0.5)


def written(row):
    said = [
        w for name in words if row[name] for w in rng.choice(words[name].split(), 3)
    ]
    return " ".join([*said, *rng.choice("hello thanks my the a since and".split(), 4)])


tickets = pd.DataFrame(
    {
        "product": product,
        "opened": pd.Timestamp("2026-01-01")
        + pd.to_timedelta(rng.integers(0, 90, n), "D"),
        "text": [written(row) for _, row in labels.iterrows()],
        "age": np.where(rng.random(n) < 0.3, np.nan, rng.integers(18, 90, n)),
    }
)
tickets.head(4)

# %%
# What the encoder makes of each column:

encoder = TableEncoder(text=["text"]).fit(tickets)
names = encoder.get_feature_names_out()
print(f"{len(names)} columns, among them", *names[[0, 1, 2, 6, 7]], sep="\n  ")

# %%
# In front of a model it is fitted on the training rows only, and kept with the model.

model = make_joint_pipeline(TableEncoder(text=["text"]), AutoJoint(random_state=0))
model.fit(tickets[:320], labels[:320])
model.predict_sets(tickets[320:324])

# %%
# Rows with a gap, or with a word that training never saw, are answered like any other.

odd = tickets[320:321].assign(product="toaster", age=np.nan)
model.joint(odd)

# %%
# How many tickets get exactly the right labels, against scikit-learn's chain on the same
# numbers:

from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from plait.metrics import exact_match

peer = make_pipeline(
    TableEncoder(text=["text"]),
    MaxAbsScaler(),
    ClassifierChain(LogisticRegression(max_iter=1000)),
).fit(tickets[:320], labels[:320].astype(int))
for name, fitted in {"AutoJoint": model, "ClassifierChain": peer}.items():
    print(f"{name:16s} {exact_match(labels[320:], fitted.predict(tickets[320:])):.3f}")
