"""Hundreds to thousands of labels: plait beside LIBLINEAR, SGD and napkinxc, by P@k, micro-F1 and CPU time.

    python -m benchmarks.many_labels [bibtex corel5k delicious synthetic] [--rows 100000] [--methods ...]

Rows have length 1. Every method of plait has the penalty C = 10 of napkinxc's defaults, but for "plait br tuned", whose
penalties come from cross-validation, as by default; scikit-learn's have their defaults. A third of the rows is new to
all. One thread; times are CPU seconds of one run. Below the table stands how far P@k of each method of plait is above
that of the best other method; the bar is -.005, and neither penalty is chosen by these rows. The last line of a data
set compares objectives: LIBLINEAR's logistic regression and plait's solver on the same labels, columns as they are, the
intercept penalised by LIBLINEAR alone. napkinxc is left out where it is not installed.
"""

import argparse
import importlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from plait import load_dataset, recipes
from plait.core.named_answers import highest
from plait.data.synthetic import make_tagged_text
from plait.learners import LogisticLearner
from plait.metrics import micro_f1

DATA = ("bibtex", "corel5k", "delicious", "synthetic")
C = 10.0
SAMPLED = 20


def learner() -> LogisticLearner:
    """Return the learner that has the objective of LIBLINEAR, but for the intercept."""
    return LogisticLearner(C=C, standardize=False)


class Ours:
    """A model of plait: its five most probable labels, and its most probable sets."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, Y: Any) -> None:
        self.model.fit(X, Y)

    def ask(self, X: Any) -> Any:
        place = {name: number for number, name in enumerate(self.model.label_names_)}
        return np.vectorize(place.__getitem__)(self.model.top_labels(X, 5).names)

    def labels(self, X: Any) -> Any:
        return self.model.predict(X, loss="hamming", sparse_output=True)


class OneVsRest:
    """A linear classifier of scikit-learn for every label. Y is int64: 8 bits would scramble more than 255 labels."""

    def __init__(self, classifier: Any) -> None:
        self.model = OneVsRestClassifier(classifier)

    def fit(self, X: Any, Y: Any) -> None:
        self.model.fit(X, sparse.csr_matrix(Y, dtype=np.int64))
        # Labels that never occur are scored 0 by scikit-learn, above most others.
        self.absent = np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel() == 0)

    def ask(self, X: Any) -> Any:
        found = []
        for start in range(0, X.shape[0], 4096):
            scores = self.model.decision_function(X[start : start + 4096])
            scores[:, self.absent] = -np.inf
            found.append(highest(scores, 5))
        return np.concatenate(found)

    def labels(self, X: Any) -> Any:
        return sparse.csr_matrix(self.model.predict(X))


class Napkin:
    """A model of napkinxc."""

    def __init__(self, kind: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        made = getattr(importlib.import_module("napkinxc.models"), kind)
        self.model = made(self.folder.name, threads=1, seed=0, verbose=0)

    def fit(self, X: Any, Y: Any) -> None:
        self.shape = Y.shape[1]
        self.model.fit(X, sparse.csr_matrix(Y, dtype=np.float32))

    def ask(self, X: Any) -> Any:
        found = self.model.predict(X, top_k=5)
        return np.array([list(row) + [0] * (5 - len(row)) for row in found])

    def labels(self, X: Any) -> Any:
        found = self.model.predict(X, threshold=0.5)
        rows = np.repeat(np.arange(X.shape[0]), [len(row) for row in found])
        columns = np.fromiter((label for row in found for label in row), dtype=np.int64, count=len(rows))
        return sparse.csr_matrix((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(X.shape[0], self.shape))


METHODS: dict[str, Callable[[], Any]] = {
    "plait br": lambda: Ours(recipes.br(learner=learner(), random_state=0)),
    "plait br tuned": lambda: Ours(recipes.br(random_state=0)),
    "plait plt": lambda: Ours(recipes.plt(learner=learner(), random_state=0)),
    "LinearSVC": lambda: OneVsRest(LinearSVC()),
    "SGD": lambda: OneVsRest(SGDClassifier(loss="log_loss", random_state=0)),
    "napkinxc BR": lambda: Napkin("BR"),
    "napkinxc PLT": lambda: Napkin("PLT"),
}


def rows_of(name: str, n_rows: int) -> tuple[Any, Any, Any, Any]:
    """Return training and new rows, of length 1."""
    data = make_tagged_text(n_rows, 10_000, 1000, random_state=0) if name == "synthetic" else load_dataset(name)
    X, Y = normalize(sparse.csr_matrix(data.X, dtype=np.float64)), sparse.csr_matrix(data.Y)
    order = np.random.default_rng(0).permutation(X.shape[0])
    cut = 2 * X.shape[0] // 3
    return X[order[:cut]], Y[order[:cut]], X[order[cut:]], Y[order[cut:]]


def spent(action: Callable[[], Any]) -> tuple[Any, float]:
    """Return what an action returns and its CPU seconds."""
    start = time.process_time()
    result = action()
    return result, time.process_time() - start


def objectives(X: Any, Y: Any) -> str:
    """Return CPU times of LIBLINEAR and plait for some labels, and how far LIBLINEAR's objective is above plait's."""
    counts = np.asarray(Y.sum(axis=0)).ravel()
    chosen = np.argsort(-counts, kind="stable")[:: max(1, len(counts) // SAMPLED)][:SAMPLED]
    chosen = chosen[counts[chosen] > 1]
    labels = Y[:, chosen].toarray()
    ours, our_time = spent(lambda: learner().fit(X, labels))
    gaps, their_time = [], 0.0
    for k in range(len(chosen)):
        made, took = spent(lambda k=k: LogisticRegression(C=C, solver="liblinear", tol=1e-3).fit(X, labels[:, k]))
        their_time += took
        values = [
            C * np.logaddexp(0.0, np.where(labels[:, k] == 1, -1, 1) * (X @ w + b)).sum() + 0.5 * w @ w
            for w, b in ((ours.coef_[k], ours.intercept_[k]), (made.coef_[0], made.intercept_[0]))
        ]
        gaps.append((values[1] - values[0]) / values[0])
    return (
        f"  equal objective, {len(chosen)} labels: LIBLINEAR {their_time:.2f} s, plait {our_time:.2f} s, "
        f"{their_time / our_time:.1f} times; LIBLINEAR's objective above plait's by {np.median(gaps):.1e} (median)"
    )


def beside_others(precisions: dict[str, Any]) -> str:
    """Return how far P@1, P@3 and P@5 of each method of plait are above the best of the others, each by itself."""
    others = [found for method, found in precisions.items() if not method.startswith("plait")]
    if not others:
        return "  no other method to compare with"
    best = np.max(others, axis=0)
    return "\n".join(
        f"  {method:15} P@1, P@3, P@5 beside the best other: {' '.join(f'{gap:+.4f}' for gap in found - best)}"
        for method, found in precisions.items()
        if method.startswith("plait")
    )


def compare(name: str, n_rows: int, methods: list[str]) -> None:
    """Print one line for each method."""
    X, Y, X_new, Y_new = rows_of(name, n_rows)
    print(f"\n{name}: {X.shape[0]} + {X_new.shape[0]} rows, {X.shape[1]} features, {Y.shape[1]} labels")
    print(f"  {'method':15} {'fit':>8} {'top 5':>7} {'P@1':>7} {'P@3':>7} {'P@5':>7} {'micro-F1':>9}", flush=True)
    precisions: dict[str, Any] = {}
    for method in methods:
        try:
            made = METHODS[method]()
        except ImportError:
            print(f"  {method:15} not installed")
            continue
        made.fit(X[:300], Y[:300])  # compiles what is to be compiled
        made.ask(X_new[:2])
        made = METHODS[method]()
        _, fit_time = spent(lambda made=made: made.fit(X, Y))
        found, ask_time = spent(lambda made=made: made.ask(X_new))
        hits = np.asarray(Y_new[np.arange(len(found))[:, None], found].todense()) > 0
        precisions[method] = np.array([hits[:, :k].mean() for k in (1, 3, 5)])
        shares = " ".join(f"{share:7.4f}" for share in precisions[method])
        score = micro_f1(Y_new, made.labels(X_new))
        print(f"  {method:15} {fit_time:8.2f} {ask_time:7.2f} {shares} {score:9.4f}", flush=True)
    print(beside_others(precisions), flush=True)
    print(objectives(X, Y), flush=True)


def main(words: list[str] | None = None) -> None:
    """Compare on every data set; without words those of the benchmark data, and few synthetic rows."""
    parser = argparse.ArgumentParser(prog="benchmarks.many_labels")
    parser.add_argument("data", nargs="*", default=list(DATA))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    given = parser.parse_args(["--rows", "10000"] if words is None else words)
    warnings.simplefilter("ignore")
    os.environ.setdefault("PLAIT_PROGRESS", "never")
    for name in given.data:
        compare(name, given.rows, given.methods)


if __name__ == "__main__":
    main(sys.argv[1:])
