"""
Training with missing labels
============================

NaN in ``y`` is a label that nobody has looked at. A joint model learns from what is known
and fills in the rest; taking unknown labels for zeros does not.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from plait import JointClassifier

# %%
# Sand comes with the sea, and people come with the sun.

rng = np.random.default_rng(0)
n = 900
X = rng.normal(size=(n, 4))
wet = X[:, 0] + 0.6 * rng.normal(size=n)
bright = X[:, 1] + 0.6 * rng.normal(size=n)
Y = pd.DataFrame(
    {
        "sea": wet > 0,
        "sand": wet > 0.3,
        "sun": bright > 0,
        "people": bright + 0.4 * rng.normal(size=n) > 0.4,
    }
).astype(float)
train, test = slice(0, 600), slice(600, n)

# %%
# Half of the training labels are hidden:

hidden = Y[train].mask(rng.random((600, 4)) < 0.5)
hidden.iloc[10:15]

# %%
# ``fit`` takes them as they are.

model = JointClassifier(random_state=0).fit(X[train], hidden)
model.joint(X[test][:1]).given({"sea": 1})

# %%
# How likely are new rows, the more labels are hidden?


def loss(labels):
    """Return the mean of -log P(y | x) over the test rows."""
    fitted = JointClassifier(random_state=0).fit(X[train], labels)
    return -fitted.joint(X[test]).log_prob(Y[test]).mean()


shares = [0.0, 0.3, 0.5, 0.7]
noise = rng.random((600, 4))
unknown = [loss(Y[train].mask(noise < share)) for share in shares]
zeros = [loss(Y[train].mask(noise < share, 0.0)) for share in shares]
fig, axis = plt.subplots(figsize=(5.5, 3.2))
axis.plot(shares, zeros, "--", label="unknown as 0")
axis.plot(shares, unknown, label="unknown as NaN")
axis.set(xlabel="share of labels hidden", ylabel="-log P(y | x) of new rows")
axis.legend()
fig.tight_layout()

# %%
# Tags that were forgotten look like zeros. ``zeros="unrecorded"`` takes them for what they
# are, if the share that is recorded is known.

tags = Y[train] * (rng.random((600, 4)) < 0.6)
certain = JointClassifier(random_state=0).fit(X[train], tags)
model = JointClassifier(random_state=0, zeros="unrecorded", recording_rate=0.6)
model = model.fit(X[train], tags)
for name, each in {"zeros are certain": certain, "zeros are unrecorded": model}.items():
    print(f"{name:20s} {-each.joint(X[test]).log_prob(Y[test]).mean():.2f}")
