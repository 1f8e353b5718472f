"""
The k most probable label sets
==============================

`top(k)` finds the k most probable sets by search, proved best, without enumerating all
2^q of them.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from plait import recipes
from plait.data.synthetic import make_label_network

# %%
# Thirty labels: a billion label sets a row.

data = make_label_network(1200, 10, 30, structure="tree", strength=8.0, random_state=1)
X, Y = data.dataset.X, data.dataset.Y
model = recipes.ctbn(random_state=0).fit(X[:1000], Y[:1000])
model.joint(X[:50]).top(10)  # loads compiled code
started = time.process_time()
likely = model.joint(X[1000:1050]).top(10)
print(
    f"ten best of 2^30 sets for 50 rows: {time.process_time() - started:.3f} s of CPU time"
)

# %%
# As a table with names:

pd.set_option("display.max_colwidth", 80)
likely.to_frame().head(4)

# %%
# How often is the true set among the k best?

found = (likely.vectors == Y[1000:1050, None, :]).all(axis=2)
share = np.maximum.accumulate(found, axis=1).mean(axis=0)
fig, axis = plt.subplots(figsize=(5, 3))
axis.step(range(1, 11), share, where="mid")
axis.set(xlabel="k", ylabel="true set among the k best", ylim=(0, 1))
fig.tight_layout()

# %%
# `credible_sets` takes as many as are needed for a given probability:

families = model.joint(X[1000:1005]).credible_sets(0.5)
families
