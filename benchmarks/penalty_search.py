"""C by cross-validation (7 values, 3 folds, each label its own) against a single fit at C = 1, on yeast and enron.

Needs the benchmark data (PLAIT_DATA); `python -m benchmarks.penalty_search NAME` runs one data set. Picks
are compared with a search of the same folds in which every fit is solved to 1e-10 in float64, and for some labels with
a loop over scikit-learn's LogisticRegression; the loss of each pick must be the least but for 1e-6. CPU time of one
thread, best of several runs taken in turn; then the wall time of two threads.
"""

import math
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from plait.core.logspace import clip_probability
from plait.data import load_dataset
from plait.learners import LogisticLearner
from plait.learners.logistic.penalty_search import C_GRID

RUNS = 5
WANTED = 10.0
TIE = 1e-6
NAMES = ("yeast", "enron")
CHECKED = 4


def seconds(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    call()
    return clock() - start


def losses_of(scores: Any, Y: Any) -> Any:
    p = clip_probability(1 / (1 + np.exp(-scores)))
    return -np.log(np.where(Y == 1, p, 1 - p)).sum(axis=0)


def tight_losses(X: Any, Y: Any) -> Any:
    """Return mean held-out losses (n_strengths, n_labels), every fit solved to 1e-10 from the start."""
    total = np.zeros((len(C_GRID), Y.shape[1]))
    for train, held in KFold(3, shuffle=True, random_state=0).split(X):
        before = None
        for place, C in enumerate(C_GRID):
            learner = LogisticLearner(C=float(C), tol=1e-10, max_iter=1000, dtype="float64")
            before = learner.fit(X[train], Y[train], start=before)
            total[place] += losses_of(before.base_scores(X[held]), Y[held])
    return total / Y.shape[0]


def loop_losses(X: Any, y: Any) -> Any:
    """Return mean held-out losses (n_strengths,) by scikit-learn; dense columns are scaled as plait does by default."""
    total = np.zeros(len(C_GRID))
    for train, held in KFold(3, shuffle=True, random_state=0).split(X):
        scales = 1.0 if sparse.issparse(X) else X[train].std(axis=0)
        for place, C in enumerate(C_GRID):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = LogisticRegression(C=float(C), tol=1e-8, max_iter=20_000).fit(X[train] / scales, y[train])
            total[place] += losses_of(model.decision_function(X[held] / scales), y[held])
    return total / len(y)


def check_picks(X: Any, Y: Any, picks: Any) -> None:
    """Assert that picks have the least loss; a loop over scikit-learn agrees on some labels, frequent and rare."""
    places = np.searchsorted(C_GRID, picks)
    tight = tight_losses(X, Y)
    behind = tight[places, np.arange(Y.shape[1])] - tight.min(axis=0)
    print("  picks: " + ", ".join(f"C={C_GRID[place]:g}: {(places == place).sum()}" for place in np.unique(places)))
    print(f"  same as the tight search: {(places == tight.argmin(axis=0)).sum()} of {len(places)}", end="")
    print(f", the others behind by at most {behind.max():.1e}")
    assert (behind <= TIE).all()
    order = np.argsort(Y.sum(axis=0))
    chosen = order[np.linspace(len(order) // 3, len(order) - 1, CHECKED).astype(int)]
    for label in chosen:
        loss = loop_losses(X, Y[:, label])
        assert loss[places[label]] <= loss.min() + TIE, (label, loss)
    print(f"  a loop over scikit-learn picks the same for labels {sorted(chosen.tolist())}")


def compare(name: str, X: Any, Y: Any) -> None:
    single, searched = LogisticLearner(), LogisticLearner(C="cv")
    print(f"\n{name}: {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels")
    check_picks(X, Y, searched.fit(X, Y).C_)
    single.fit(X, Y)
    one, whole = math.inf, math.inf
    for _ in range(RUNS):
        one = min(one, *(seconds(lambda: single.fit(X, Y)) for _ in range(3)))
        whole = min(whole, seconds(lambda: searched.fit(X, Y)))
    verdict = "met" if whole <= WANTED * one else "MISSED"
    print(f"  CPU: one fit {1e3 * one:.1f} ms, search and fit {1e3 * whole:.1f} ms: {whole / one:.1f} times", end="")
    print(f"; at most {WANTED:g}: {verdict}")
    with threadpool_limits(2):
        walls = [wall(learner, X, Y) for learner in (single, searched)]
    print(f"  wall time, two threads: one fit {1e3 * walls[0]:.1f} ms, search and fit {1e3 * walls[1]:.1f} ms")


def wall(learner: LogisticLearner, X: Any, Y: Any) -> float:
    return min(seconds(lambda: learner.fit(X, Y), time.perf_counter) for _ in range(2))


def main(names: list[str] | None = None) -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("penalty_search needs the benchmark data: set PLAIT_DATA to their folder")
        return
    with threadpool_limits(1):
        for name in names or NAMES:
            data = load_dataset(name)
            Y = np.asarray(data.Y.toarray() if sparse.issparse(data.Y) else data.Y)
            Y = Y[:, (Y.min(axis=0) == 0) & (Y.max(axis=0) == 1)]
            X = sparse.csr_matrix(data.X, dtype=np.float64) if sparse.issparse(data.X) else np.asarray(data.X, float)
            compare(name, X, Y)


if __name__ == "__main__":
    main(sys.argv[1:])
