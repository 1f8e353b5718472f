"""Train BOOMER on the files of a folder and write its answers there; runs in BOOMER's own environment."""

import sys
from pathlib import Path
from time import process_time

import numpy as np
from mlrl.boosting import BoomerClassifier
from scipy import sparse

folder, form = Path(sys.argv[1]), sys.argv[2]
X, X_test = (sparse.load_npz(folder / f"{name}.npz") for name in ("X", "X_test"))
if form == "dense":
    X, X_test = X.toarray(), X_test.toarray()
start = process_time()
model = BoomerClassifier()
model.fit(X, np.load(folder / "Y.npy"))
middle = process_time()
sets, P = model.predict(X_test), model.predict_proba(X_test)
end = process_time()
sets = sets.toarray() if sparse.issparse(sets) else np.asarray(sets)
np.savez(folder / "answer.npz", P=np.asarray(P), sets=sets.astype(int), fit=middle - start, predict=end - middle)
