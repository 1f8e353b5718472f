"""LAIM on scene: plait against NumPy, direct and with prefix sums.

Needs the benchmark data (PLAIT_DATA). CPU time of one thread, best of several runs. The direct version counts the
labels of every interval anew for every candidate cut; it runs on a sample of features and is scaled up to all of them.
The other lets NumPy try all candidates of a step at once from prefix sums. All must find the same cuts.
"""

import math
import os
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from plait.counts import LAIMDiscretizer
from plait.data import load_dataset

RUNS = 5
SAMPLE = 6
WANTED = 20


def direct_cuts(x: Any, Y: Any) -> Any:
    """Count labels by interval for each candidate cut, from the rows."""
    distinct = np.unique(x)
    candidates = (distinct[1:] + distinct[:-1]) / 2
    cuts: list[float] = []
    best = 0.0
    while True:
        values = np.array([criterion(x, Y, np.sort([*cuts, cut])) for cut in candidates])
        k = int(values.argmax())
        if values[k] <= best:
            return np.sort(cuts)
        best = values[k]
        cuts.append(candidates[k])


def criterion(x: Any, Y: Any, cuts: Any) -> float:
    bins = np.searchsorted(cuts, x, side="right")
    quanta = (bins == np.arange(len(cuts) + 1)[:, None]).astype(np.float64) @ Y
    sizes = quanta.sum(axis=1)
    parts = quanta.max(axis=1) ** 2 / np.maximum(sizes, 1)
    return float(parts.sum() / (len(sizes) * sizes.sum()))


def prefix_cuts(x: Any, Y: Any) -> Any:
    """Try all cuts of a step at once, from prefix sums of label counts over the sorted distinct values."""
    order = np.argsort(x)
    ordered = x[order]
    ends = np.flatnonzero(np.append(np.diff(ordered) > 0, True))
    distinct = ordered[ends]
    prefix = np.vstack((np.zeros(Y.shape[1]), np.cumsum(Y[order], axis=0)[ends]))
    bounds, best = [0, distinct.size], 0.0
    while True:
        quality = [part(prefix[b] - prefix[a]) for a, b in pairwise(bounds)]
        places, gains = [], []
        for r, (a, b) in enumerate(pairwise(bounds)):
            inside = prefix[a + 1 : b]
            places.append(np.arange(a + 1, b))
            gains.append(part(inside - prefix[a]) + part(prefix[b] - inside) - quality[r])
        gain = np.concatenate(gains)
        if not gain.size:
            break
        k = int(gain.argmax())
        value = (sum(quality) + gain[k]) / (len(bounds) * prefix[-1].sum())
        if value <= best:
            break
        best = value
        bounds = sorted([*bounds, int(np.concatenate(places)[k])])
    inner = np.array(bounds[1:-1], dtype=int)
    return (distinct[inner - 1] + distinct[inner]) / 2


def part(quanta: Any) -> Any:
    sizes = quanta.sum(axis=-1)
    return quanta.max(axis=-1) ** 2 / np.maximum(sizes, 1)


def best_seconds(call: Callable[[], Any], runs: int) -> tuple[Any, float]:
    result, seconds = None, math.inf
    for _ in range(runs):
        start = time.process_time()
        result = call()
        seconds = min(seconds, time.process_time() - start)
    return result, seconds


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("laim needs the benchmark data: set PLAIT_DATA to their folder")
        return
    dataset = load_dataset("scene")
    X, Y = np.asarray(dataset.X), np.asarray(dataset.Y, dtype=np.float64)
    sample = np.linspace(0, X.shape[1] - 1, SAMPLE).astype(int)
    with threadpool_limits(1):
        LAIMDiscretizer().fit(X[:50, :3], Y[:50])
        fitted, ours = best_seconds(lambda: LAIMDiscretizer().fit(X, Y), RUNS)
        _, ours_sparse = best_seconds(lambda: LAIMDiscretizer().fit(sparse.csr_matrix(X), Y), RUNS)
        by_prefix, prefix = best_seconds(lambda: [prefix_cuts(x, Y) for x in X.T], 2)
        directly, direct = best_seconds(lambda: [direct_cuts(X[:, j], Y) for j in sample], 1)
    direct *= X.shape[1] / SAMPLE
    for j, cuts in enumerate(by_prefix):
        assert np.array_equal(fitted.cuts_[j], cuts), j
    for j, cuts in zip(sample, directly, strict=True):
        assert np.array_equal(fitted.cuts_[j], cuts), j
    print(f"scene: {X.shape[0]} rows, {X.shape[1]} features, {Y.shape[1]} labels; all cuts equal")
    print(f"{'':34} {'CPU ms':>12} {'times plait':>12}")
    for name, seconds in (
        ("plait, dense (whole fit)", ours),
        ("plait, CSR (whole fit)", ours_sparse),
        ("NumPy, prefix sums", prefix),
        (f"NumPy, direct (from {SAMPLE} features)", direct),
    ):
        print(f"{name:34} {1e3 * seconds:12.1f} {seconds / ours:12.1f}")
    verdict = "met" if direct / ours >= WANTED else "MISSED"
    print(f"at least {WANTED} times the direct version: {verdict} ({direct / ours:.0f})")


if __name__ == "__main__":
    main()
