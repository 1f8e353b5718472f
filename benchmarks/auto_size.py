"""`AutoJoint` on large problems: CPU seconds and memory of whole processes, against the bars of its rules of size.

    python -m benchmarks auto_size
    python -m benchmarks.auto_size NAME ...     some of the problems

Every problem is made at random and runs in a process of its own, one thread (set OMP_NUM_THREADS=1): labels follow a
few columns each and each other. `fast` is compared with `recipes.br` on the same rows in the same process.
"""

import resource
import subprocess
import sys
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait import AutoJoint, recipes

# Problem: rows, columns, share of numbers other than 0 (1 is dense), labels; most CPU seconds and GiB, where there are.
PROBLEMS: dict[str, tuple[int, int, float, int, float | None, float | None]] = {
    "dense": (100_000, 100, 1.0, 10, 180.0, 4.0),
    "sparse": (20_000, 500, 0.05, 22, 20.0, None),
    "many-labels": (5_000, 500, 0.05, 1000, None, None),
    "fast": (10_000, 5_000, 0.01, 300, None, None),
}


def made(n_rows: int, n_columns: int, density: float, n_labels: int) -> tuple[Any, Any]:
    """Return X and Y: a label is likelier by ten columns of its own and by a label before it."""
    draws = np.random.default_rng(0)
    if density == 1.0:
        X: Any = draws.normal(size=(n_rows, n_columns))
    else:
        X = sparse.random(n_rows, n_columns, density, format="csr", random_state=0)
    weights = np.zeros((n_columns, n_labels))
    for label in range(n_labels):
        weights[draws.choice(n_columns, 10, replace=False), label] = draws.normal(size=10) / np.sqrt(density)
    scores = np.asarray(X @ weights)
    Y = np.zeros((n_rows, n_labels), dtype=np.uint8)
    for label in range(n_labels):
        before = 1.5 * Y[:, draws.integers(label)] if label else 0.0
        bound = np.quantile(scores[:, label], 0.95 if n_labels > 50 else 0.85)
        Y[:, label] = scores[:, label] - bound + before + draws.logistic(size=n_rows) * 0.5 > 0
    return X, Y


def measured(name: str) -> None:
    """Print the line of one problem."""
    n_rows, n_columns, density, n_labels, seconds, memory = PROBLEMS[name]
    X, Y = made(n_rows, n_columns, density, n_labels)
    models = {"AutoJoint": AutoJoint(random_state=0)}
    if name == "fast":
        models = {"recipes.br": recipes.br(), "AutoJoint fast": AutoJoint("fast", random_state=0)}
    found = {}
    for word, model in models.items():
        # The first fit loads compiled code.
        clone(model).fit(X[:200], Y[:200])
        start = process_time()
        model.fit(X, Y)
        middle = process_time()
        model.predict(X[:1000])
        found[word] = middle - start
        print(f"{name}: {word}, fit {middle - start:.1f} s, predict 1,000 rows {process_time() - middle:.2f} s")
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    bars = [] if seconds is None else [f"<= {seconds:g} s: {'met' if found['AutoJoint'] <= seconds else 'missed'}"]
    bars += [] if memory is None else [f"<= {memory:g} GiB: {'met' if taken <= memory else 'missed'}"]
    if name == "fast":
        bars.append(f"fast / br {found['AutoJoint fast'] / found['recipes.br']:.2f}")
    print(f"{name}: {n_rows:,} x {n_columns:,} x {n_labels:,}, most memory {taken:.2f} GiB; {'; '.join(bars)}")
    for line in (getattr(model, "report_", None) and repr(model.report_).splitlines()) or ():
        print(f"    {line}")


def main(names: list[str] | None = None) -> None:
    for name in names or list(PROBLEMS):
        subprocess.run([sys.executable, "-W", "ignore", "-m", "benchmarks.auto_size", "--one", name], check=False)


if __name__ == "__main__":
    words = sys.argv[1:]
    measured(words[1]) if words[:1] == ["--one"] else main(words)
