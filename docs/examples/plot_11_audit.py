"""
Which recorded labels look wrong
================================

Annotators slip. `audit` judges every record by a model that has not seen the row, knowing
that the row's other records may be wrong too.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from plait import audit, recipes

# %%
# Sand comes with the sea. Thirty records are wrong, and we know which.

rng = np.random.default_rng(0)
n = 500
X = rng.normal(size=(n, 4))
wet = X[:, 0] + 0.4 * rng.normal(size=n)
Y = pd.DataFrame(
    {
        "sea": wet > 0,
        "sand": wet > 0.4,
        "sun": X[:, 1] + 0.4 * rng.normal(size=n) > 0,
        "people": X[:, 2] + 0.4 * rng.normal(size=n) > 0.5,
    }
).astype(int)
recorded = Y.copy()
wrong = np.zeros(Y.shape, bool)
wrong[rng.choice(n, 30, replace=False), rng.integers(0, 4, 30)] = True
recorded = recorded.mask(wrong, 1 - recorded)

# %%
# Ranked cells, the likeliest errors first, with what the model would record:

found = audit(recipes.pcc(random_state=0), X, recorded)
found.to_frame(6)

# %%
# How many of the thirty are among the first records looked at?

rows, labels = found.cells()
hits = np.cumsum(wrong[rows, labels])
fig, axis = plt.subplots(figsize=(5.5, 3.2))
axis.plot(hits[:200], label="by audit")
axis.plot([0, 200], [0, 200 * 30 / Y.size], "--", label="at random")
axis.set(xlabel="records looked at", ylabel="errors found")
axis.legend()
fig.tight_layout()

# %%
# ``found.to_html()`` is a page to work through; ``plait audit table.csv -o audit.html``
# writes it from a shell.

found.counts()
