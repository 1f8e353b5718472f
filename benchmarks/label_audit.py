"""Which recorded labels look wrong: `audit` against cleanlab, on errors that were planted.

Needs the package `cleanlab`, and PLAIT_DATA, the folder of benchmark data. Errors are planted in two ways: 5 % of the
recorded labels are taken away and as many others put in anywhere ("flips"), or put in the same row in their place
("swaps": the label whose rows look most alike). Average precision over all records, means over seeds: cleanlab with its
usual recipe (out-of-fold logistic regression of scikit-learn), cleanlab fed with the marginals of plait's chain, and
`audit` of the same chain. The folds are the same for all. The bars: above cleanlab with the same marginals in 9 of 12
cells and never below by .03, above its usual recipe in all.

    python -m benchmarks label_audit             all data sets
    PLAIT_SETS=emotions,scene SEEDS=1 python -m benchmarks label_audit
"""

import os
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from plait import audit, recipes
from plait.core.extras import installed, optional
from plait.data import load_dataset

SETS = tuple(os.environ.get("PLAIT_SETS", "emotions,scene,yeast,medical,enron,bibtex").split(","))
SEEDS = int(os.environ.get("SEEDS", "3"))
SHARE = 0.05


def planted(X: Any, Y: np.ndarray, seed: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return records with errors, and where they are."""
    rng = np.random.default_rng(seed)
    ones, zeros = np.argwhere(Y == 1), np.argwhere(Y == 0)
    n_errors = round(SHARE * len(ones))
    off = ones[rng.permutation(len(ones))[:n_errors]]
    on = zeros[rng.permutation(len(zeros))[:n_errors]]
    if kind == "swaps":
        alike = likeness(X, Y)
        on = np.array([(row, np.where(Y[row] == 1, -2.0, alike[label]).argmax()) for row, label in off])
    wrong = np.zeros(Y.shape, dtype=bool)
    wrong[tuple(np.vstack([off, on]).T)] = True
    return np.where(wrong, 1 - Y, Y), wrong


def likeness(X: Any, Y: np.ndarray) -> np.ndarray:
    """Return how much the mean rows of labels are alike."""
    scaled = StandardScaler(with_mean=False).fit_transform(X)
    centres = np.asarray(scaled.T @ Y) / np.maximum(Y.sum(axis=0), 1) - np.asarray(scaled.mean(axis=0)).reshape(-1, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(np.corrcoef(centres.T), nan=-1.0)


def usual_marginals(X: Any, R: np.ndarray, folds: KFold) -> np.ndarray:
    """Return out-of-fold probabilities of scikit-learn's logistic regression, label by label."""
    P = np.empty(R.shape)
    for train, test in folds.split(R):
        for k in range(R.shape[1]):
            if 0 < R[train, k].sum() < len(train):
                scale = StandardScaler(with_mean=not sparse.issparse(X))
                model = make_pipeline(scale, LogisticRegression(max_iter=300)).fit(X[train], R[train, k])
                P[test, k] = model.predict_proba(X[test])[:, 1]
            else:
                P[test, k] = R[train, k].mean()
    return P


def cleanlab_doubts(R: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Return one minus cleanlab's quality of every record."""
    rank = optional("cleanlab.multilabel_classification.rank", extra="bench", purpose="the comparison")
    return 1.0 - rank.get_label_quality_scores_per_class([np.flatnonzero(row).tolist() for row in R], P)


def compare(name: str) -> list[np.ndarray]:
    """Return for flips and swaps the mean average precision of the three."""
    data = load_dataset(name)
    X = data.X.tocsr() if sparse.issparse(data.X) else np.asarray(data.X)
    Y = np.asarray(data.Y.toarray() if sparse.issparse(data.Y) else data.Y).astype(np.int64)
    means = []
    for kind in ("flips", "swaps"):
        scores, spent = [], 0.0
        for seed in range(SEEDS):
            R, wrong = planted(X, Y, seed, kind)
            folds = KFold(5, shuffle=True, random_state=seed)
            start = time.process_time()
            found = audit(recipes.pcc(random_state=0), X, R, cv=folds)
            spent += time.process_time() - start
            ranked = (
                cleanlab_doubts(R, usual_marginals(X, R, folds)),
                cleanlab_doubts(R, np.clip(found.marginals, 1e-6, 1 - 1e-6)),
                np.nan_to_num(found.wrong, nan=0.0),
            )
            scores.append([average_precision_score(wrong.ravel(), one.ravel()) for one in ranked])
        usual, same, ours = np.mean(scores, axis=0)
        means.append(np.mean(scores, axis=0))
        print(
            f"{name:10s} {kind:6s} cleanlab {usual:.3f}, with plait's marginals {same:.3f}, audit {ours:.3f} "
            f"({ours - same:+.3f}), {spent / SEEDS:.1f} s of CPU an audit",
            flush=True,
        )
    return means


def main() -> None:
    if not installed("cleanlab") or not os.environ.get("PLAIT_DATA"):
        print("(needs the package cleanlab, and PLAIT_DATA set to the folder of benchmark data)")
        return
    warnings.simplefilter("ignore")
    usual, same, ours = np.array([mean for name in SETS for mean in compare(name)]).T
    n = len(ours)
    print(f"above cleanlab with the same marginals: {(ours > same).sum()} of {n} (bar: 9 of 12)")
    print(f"furthest below it: {max(0.0, (same - ours).max()):.3f} (bar: less than .03)")
    print(f"above cleanlab's usual recipe: {(ours > usual).sum()} of {n} (bar: all)")
