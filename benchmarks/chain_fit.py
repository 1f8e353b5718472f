"""A whole chain over all labels of enron and bibtex: LogisticLearner against scikit-learn's ClassifierChain.

Needs the benchmark data (PLAIT_DATA). Label k sees X and the labels before it, in the natural order; C = 1. Both sides
minimise the same objectives. `ClassifierChain.fit` trains labels one after the other on the true values of those
before, so where a whole run would take too long it is stood in for by `LogisticRegression` on some labels, with the
same columns, scaled up (the chain's own stacking of columns is then not counted). Its tolerance is the loosest that
comes within 1e-6 of the least objective on every label run; plait uses its defaults and has to come as close on every
label. CPU time of one thread.
"""

import math
import os
import sys
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from threadpoolctl import threadpool_limits

from plait.data import load_dataset
from plait.learners import LogisticLearner
from plait.structure import LabelGraph

GAP = 1e-6
RUNS = 3
WANTED = 5
SAMPLE = {"enron": 1, "bibtex": 16}
TOLERANCES = (1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 1e-9)


def objective(A: Any, y: Any, coef: Any, intercept: float) -> float:
    scores = np.asarray(A @ coef).ravel() + intercept
    return float((np.logaddexp(0, scores) - y * scores).sum() + 0.5 * coef @ coef)


def columns(X: Any, Y: Any, k: int) -> Any:
    return sparse.hstack([X, sparse.csr_matrix(Y[:, :k], dtype=np.float64)], format="csr")


def fitted_objectives(X: Any, Y: Any, fitted: Any) -> Any:
    found = []
    for k in range(Y.shape[1]):
        coef = np.concatenate([fitted.coef_[k], fitted.parent_coef_[k, :k]])
        found.append(objective(columns(X, Y, k), Y[:, k], coef, fitted.intercept_[k]))
    return np.array(found)


def rival(X: Any, Y: Any, labels: Any, tol: float) -> tuple[Any, float]:
    """Return scikit-learn's objectives and CPU seconds: the chain itself, or its regressions for some labels."""
    model = LogisticRegression(tol=tol, max_iter=10_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len(labels) == Y.shape[1]:
            start = time.process_time()
            chain = ClassifierChain(model).fit(X, Y)
            spent = time.process_time() - start
            models = chain.estimators_
        else:
            designs = [(columns(X, Y, k), Y[:, k]) for k in labels]
            start = time.process_time()
            models = [LogisticRegression(tol=tol, max_iter=10_000).fit(A, y) for A, y in designs]
            spent = time.process_time() - start
    pairs = zip(models, labels, strict=True)
    found = [objective(columns(X, Y, k), Y[:, k], m.coef_[0], m.intercept_[0]) for m, k in pairs]
    return np.array(found), spent


def compare(name: str) -> None:
    dataset = load_dataset(name)
    X = sparse.csr_matrix(dataset.X, dtype=np.float64)
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    graph = LabelGraph([list(range(k)) for k in range(Y.shape[1])])
    least = fitted_objectives(X, Y, LogisticLearner(tol=1e-13, dtype="float64").fit(X, Y, graph))
    learner = LogisticLearner()
    fitted, mine = None, math.inf
    for _ in range(RUNS):
        start = time.process_time()
        fitted = learner.fit(X, Y, graph)
        mine = min(mine, time.process_time() - start)
    gap = float((fitted_objectives(X, Y, fitted) / least - 1).max())
    labels = np.arange(0, Y.shape[1], SAMPLE[name])
    for tol in TOLERANCES:
        found, spent = rival(X, Y, labels, tol)
        theirs = float((found / least[labels] - 1).max())
        if theirs <= GAP:
            break
    spent *= Y.shape[1] / len(labels)
    how = "ClassifierChain" if len(labels) == Y.shape[1] else f"its regressions for {len(labels)} labels, scaled up"
    print(f"\n{name}: {X.shape[0]} x {X.shape[1]}, chain of {Y.shape[1]} labels")
    print(f"  plait            gap {gap:.1e}   CPU {mine:.2f} s")
    print(f"  scikit-learn     gap {theirs:.1e}   CPU {spent:.2f} s   (lbfgs, tol {tol:.0e}; {how})")
    assert gap <= GAP
    verdict = "met" if spent / mine >= WANTED else "MISSED"
    print(f"  at least {WANTED} times ClassifierChain: {verdict} ({spent / mine:.1f})")


def main(names: list[str] | None = None) -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("chain_fit needs the benchmark data: set PLAIT_DATA to their folder")
        return
    with threadpool_limits(1):
        for name in names or list(SAMPLE):
            compare(name)


if __name__ == "__main__":
    main(sys.argv[1:])
