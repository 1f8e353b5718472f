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
n = 1200
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
    told = [name for name in words if row[name] and rng.random() < 0.9]
    told += list(rng.choice(list(words), rng.integers(0, 2)))  # beside the point
    said = [w for name in told for w in rng.choice(words[name].split(), 2)]
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
print(encoder.describe())

# %%
# In front of a model it is fitted on the training rows only, and kept with the model.

model = make_joint_pipeline(TableEncoder(text=["text"]), AutoJoint(random_state=0))
model.fit(tickets[:900], labels[:900])
model.predict_sets(tickets[900:904])

# %%
# Rows with a gap, or with a word that training never saw, are answered like any other.

odd = tickets[900:901].assign(product="toaster", age=np.nan)
model.joint(odd)

# %%
# Which columns and words spoke for a label:

why = model.joint(tickets[900:901]).why("fault", k=6)
axis = why.plot(0).plot()

# %%
# The encoder stands in front of scikit-learn's models as well. How many tickets get exactly
# the right labels:

from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from plait.metrics import exact_match

peer = make_pipeline(
    TableEncoder(text=["text"]),
    MaxAbsScaler(),
    ClassifierChain(LogisticRegression(max_iter=1000)),
).fit(tickets[:900], labels[:900].astype(int))
for name, fitted in {"AutoJoint": model, "ClassifierChain": peer}.items():
    print(f"{name:16s} {exact_match(labels[900:], fitted.predict(tickets[900:])):.3f}")
