"""Rows, words and labels by the million: fit, predict and `top_labels` of large text, with time and peak memory.

    python -m benchmarks.large [--rows 1000000] [--features 100000] [--labels 1000] [--jobs 2] [--methods br kcc plt]

Every method runs in a process of its own, so that its peak of memory is its own: it holds the data too. Bars at
1,000,000 x 100,000 x 1,000 with two threads: fit 60 minutes and 8 GiB, predict and `top_labels(5)` of all rows 5
minutes and 4 GiB beyond the data; 200,000 x 100,000 x 10,000 by a label tree within 12 GiB. As one of all benchmarks it
runs a tenth of the rows.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from plait import recipes
from plait.data.synthetic import make_tagged_text
from plait.metrics import micro_f1

METHODS: dict[str, Any] = {
    "br": lambda jobs: recipes.br(learner="logistic", n_jobs=jobs, random_state=0),
    "kcc": lambda jobs: recipes.kcc(k=3, learner="logistic", n_jobs=jobs, random_state=0),
    "plt": lambda jobs: recipes.plt(n_jobs=jobs, random_state=0),
}


def peak() -> float:
    """Return the peak memory of this process so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def timed(what: str, action: Any) -> Any:
    """Run an action; print wall time, CPU time and the peak of memory so far."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"  {what:14} wall {wall:8.1f} s, CPU {cpu:8.1f} s, peak {peak():6.2f} GiB", flush=True)
    return result


def one(method: str, n_rows: int, n_features: int, n_labels: int, jobs: int) -> None:
    """Train and ask one method, and judge it on rows of the same kind that it has not seen."""
    n_test = min(n_rows // 10, 10_000)
    data = timed("data", lambda: make_tagged_text(n_rows + n_test, n_features, n_labels, random_state=0))
    X, Y, X_test, Y_test = data.X[:n_rows], data.Y[:n_rows], data.X[n_rows:], data.Y[n_rows:]
    print(f"{method}: {n_rows} x {n_features} x {n_labels}, {jobs} threads, {X.nnz / n_rows:.0f} words a row")
    model = timed("fit", lambda: METHODS[method](jobs).fit(X, Y))
    timed("predict", lambda: model.predict(X, sparse_output=True))
    timed("top_labels(5)", lambda: model.top_labels(X, 5))
    found = model.top_labels(X_test, 5).names
    number = {name: place for place, name in enumerate(model.label_names_)}
    places = np.vectorize(number.__getitem__)(found)
    hits = np.asarray(Y_test[np.arange(n_test)[:, None], places].todense())
    shares = ", ".join(f"P@{k} {hits[:, :k].mean():.4f}" for k in (1, 3, 5))
    print(
        f"  new rows: {shares}, micro-F1 {micro_f1(Y_test, model.predict(X_test, sparse_output=True)):.4f}", flush=True
    )


def arguments(words: list[str]) -> argparse.Namespace:
    """Return sizes and methods."""
    parser = argparse.ArgumentParser(prog="benchmarks.large")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> None:
    """Run every method in its own process."""
    given = arguments(["--rows", "100000"] if words is None else words)
    sizes = (given.rows, given.features, given.labels, given.jobs)
    for method in given.methods:
        code = f"from benchmarks import large; large.one({method!r}, *{sizes!r})"
        environment = {"PLAIT_PROGRESS": "never", **os.environ}
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False, env=environment)


if __name__ == "__main__":
    main(sys.argv[1:])
