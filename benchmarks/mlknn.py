"""`MLkNN`, fit and predict, against the neighbour searches it contains and against scikit-multilearn-ng's.

Needs the benchmark data (PLAIT_DATA); the second comparison needs scikit-multilearn-ng too (pip install
scikit-multilearn-ng, in an environment of its own: nothing else here uses it). CPU time of one thread, least of several
runs taken in turn: set OPENBLAS_NUM_THREADS=1 and OMP_NUM_THREADS=1.

On rcv1subset1_top944 one half of the rows is trained on, the other predicted. Its columns are 0 and 1 and nearly all
last places among the neighbours are tied; scikit-learn breaks ties as it comes, plait by row index, so the two find
other neighbours at the same distances, which is asserted. On yeast scikit-multilearn-ng is told to leave out the
first neighbour in training (the row itself), and then both must give the same labels.
"""

import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from plait.baselines import MLkNN
from plait.baselines.foundations.neighbourhoods import Neighbourhoods
from plait.core.extras import installed, optional
from plait.data import load_dataset

RUNS = 5
MOST_OF_SEARCHES = 1.5
LEAST_OF_RIVAL = 5.0
K = 10


def best_in_turn(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Run all calls once to warm up, then in turn; return least CPU seconds."""
    for call in calls.values():
        call()
    seconds = dict.fromkeys(calls, math.inf)
    for _ in range(RUNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds


def own_searches(X: Any, asked: Any) -> tuple[Any, Any]:
    found = Neighbourhoods(X, K)
    return found.of_training_rows(), found.of(asked)


def their_searches(X: Any, asked: Any) -> tuple[Any, Any]:
    found = NearestNeighbors(n_neighbors=K).fit(X)
    return found.kneighbors(return_distance=False), found.kneighbors(asked, return_distance=False)


def squared_distances(X: Any, rows: Any, neighbours: Any) -> Any:
    """Return the squared distances of some rows to their neighbours, in ascending order."""
    X, rows = (np.asarray(part.toarray() if sparse.issparse(part) else part) for part in (X, rows))
    return np.sort([((X[near] - row) ** 2).sum(axis=1) for row, near in zip(rows, neighbours, strict=True)], axis=1)


def against_searches(form: str, X: Any, Y: Any, asked: Any) -> None:
    for ours, theirs, rows in zip(own_searches(X, asked), their_searches(X, asked), (X, asked), strict=True):
        some = slice(0, 300)
        mine, others = (squared_distances(X, rows[some], found[some]) for found in (ours, theirs))
        np.testing.assert_allclose(mine, others, rtol=1e-9)
    seconds = best_in_turn(
        {
            "MLkNN": lambda: MLkNN(K).fit(X, Y).predict(asked),
            "searches": lambda: own_searches(X, asked),
            "scikit-learn's searches": lambda: their_searches(X, asked),
        }
    )
    whole = seconds["MLkNN"]
    for name in ("searches", "scikit-learn's searches"):
        ratio = whole / seconds[name]
        print(
            f"{form:6} {X.shape[0]} + {asked.shape[0]} rows: MLkNN {1e3 * whole:7.1f} ms, {name} "
            f"{1e3 * seconds[name]:7.1f} ms: {ratio:.2f}, at most {MOST_OF_SEARCHES}: "
            f"{'met' if ratio <= MOST_OF_SEARCHES else 'missed'}"
        )


def rival(X: Any, Y: Any, asked: Any, kind: Any) -> Any:
    """Return the labels of scikit-multilearn-ng by the definition: no row is its own neighbour in training."""
    model = kind(k=K, ignore_first_neighbours=1).fit(X, Y)
    model.ignore_first_neighbours = 0
    return model.predict(asked).toarray()


def against_rival() -> None:
    if not installed("skmultilearn"):
        print("the second comparison needs scikit-multilearn-ng: pip install scikit-multilearn-ng")
        return
    kind = optional("skmultilearn.adapt", extra="bench", purpose="a comparison").MLkNN
    train, test = load_dataset("yeast", split="train"), load_dataset("yeast", split="test")
    Y = train.Y.astype(np.int64)
    np.testing.assert_array_equal(MLkNN(K).fit(train.X, Y).predict(test.X), rival(train.X, Y, test.X, kind))
    seconds = best_in_turn(
        {
            "plait": lambda: MLkNN(K).fit(train.X, Y).predict(test.X),
            "scikit-multilearn-ng": lambda: rival(train.X, Y, test.X, kind),
        }
    )
    ratio = seconds["scikit-multilearn-ng"] / seconds["plait"]
    print(
        f"yeast {len(Y)} + {test.n_samples} rows: plait {1e3 * seconds['plait']:.1f} ms, scikit-multilearn-ng "
        f"{1e3 * seconds['scikit-multilearn-ng']:.1f} ms, the same labels: {ratio:.1f} times, at least "
        f"{LEAST_OF_RIVAL:g}: {'met' if ratio >= LEAST_OF_RIVAL else 'missed'}"
    )


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("needs the benchmark data: set PLAIT_DATA to their folder")
        return
    data = load_dataset("rcv1subset1_top944")
    X, Y = sparse.csr_matrix(data.X, dtype=np.float64), data.Y
    against_searches("sparse", X[::2], Y[::2], X[1::2])
    against_searches("dense", X[::2].toarray(), Y[::2], X[1::2].toarray())
    against_rival()


if __name__ == "__main__":
    main()
