"""
Rows that do not fit in memory
==============================

A file is read in chunks, by `fit` and by `predict` alike; on a Dask cluster rows stay on
the workers. Here the data are small, so that both ways can be compared.
"""

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np

from plait import recipes
from plait.data import chunks, save_dataset
from plait.data.synthetic import make_tagged_text
from plait.learners import LogisticLearner

data = make_tagged_text(3000, 400, 8, random_state=0)
file = Path(mkdtemp(), "songs.svm")
save_dataset(data, file)

# %%
# `chunks` reads the file again whenever it is iterated over. Only sums over rows are held
# during the fit, and the graph of the labels is counted chunk by chunk:

songs = chunks(file, chunk_bytes=2**19)
print([part.n_samples for part in songs])
learner = LogisticLearner()
model = recipes.bcc(learner=learner, random_state=0).fit(songs)

# %%
# The solution is that of all rows in memory, to the tolerance of the learner:

whole = recipes.bcc(learner=learner, random_state=0).fit(data.X, data.Y)
chunked, held = model.predict_proba(data.X), whole.predict_proba(data.X)
print("same graph:", model.graph_.parents == whole.graph_.parents)
print("largest difference below 0.001:", bool(np.abs(chunked - held).max() < 1e-3))
fig, axis = plt.subplots(figsize=(3.6, 3.4))
axis.plot(held.ravel()[::40], chunked.ravel()[::40], ".", markersize=3)
axis.set(xlabel="P(label), rows in memory", ylabel="P(label), rows in chunks")
fig.tight_layout()

# %%
# Answers come chunk by chunk too, when they are needed:

for marginals in model.predict_proba(songs):
    print(marginals.shape, marginals.mean().round(3))
