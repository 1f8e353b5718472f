"""The metrics of plait and of scikit-learn on made-up labels, dense and sparse; needs no data.

CPU time of one thread, best of several runs; the values of both sides are asserted equal in the same run.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.metrics as theirs
from scipy import sparse

from plait import metrics as ours

RUNS = 3
SHAPES = [(2000, 50, 0.1), (16000, 1000, 0.02)]


def table(n_samples: int, n_labels: int, density: float) -> tuple[Any, Any, Any]:
    """Return labels, predictions that are right nine times out of ten, and scores without ties."""
    rng = np.random.default_rng(0)
    Y = (rng.random((n_samples, n_labels)) < density).astype(np.uint8)
    keep = rng.random(Y.shape) < 0.9
    H = np.where(keep, Y, rng.random(Y.shape) < density).astype(np.uint8)
    return Y, H, rng.random(Y.shape) + Y


def coverage(Y: Any, scores: Any) -> float:
    """scikit-learn's coverage error in the terms of `normalized_coverage`."""
    empty = float(np.mean(Y.sum(axis=1) == 0))
    return (theirs.coverage_error(Y, scores) + empty - 1) / Y.shape[1]


def f1(average: str, zero_division: int) -> Callable[[Any, Any], float]:
    return lambda Y, H: theirs.f1_score(Y, H, average=average, zero_division=zero_division)


PAIRS: dict[str, Callable[[Any, Any], float]] = {
    "subset_loss": theirs.zero_one_loss,
    "hamming_loss": theirs.hamming_loss,
    "jaccard_accuracy": lambda Y, H: theirs.jaccard_score(Y, H, average="samples", zero_division=1),
    "sample_f1": f1("samples", 1),
    "macro_f1": f1("macro", 0),
    "micro_f1": f1("micro", 0),
    "ranking_loss": theirs.label_ranking_loss,
    "normalized_coverage": coverage,
}
NEED_SCORES = ("ranking_loss", "normalized_coverage")


def best(metric: Callable[[Any, Any], float], Y: Any, answer: Any) -> tuple[float, float]:
    """Return the value and the least CPU seconds of several runs."""
    value, seconds = metric(Y, answer), math.inf
    for _ in range(RUNS):
        start = time.process_time()
        metric(Y, answer)
        seconds = min(seconds, time.process_time() - start)
    return value, seconds


def compare(name: str, form: str, Y: Any, answer: Any) -> None:
    value, seconds = best(getattr(ours, name), Y, answer)
    other_value, other_seconds = best(PAIRS[name], Y, answer)
    assert math.isclose(value, other_value, rel_tol=1e-9), (name, value, other_value)
    print(f"{name:20} {form:7} {1e3 * seconds:9.2f} {1e3 * other_seconds:13.2f} {other_seconds / seconds:7.1f}")


def main() -> None:
    for shape in SHAPES:
        Y, H, scores = table(*shape)
        print(f"\n{shape[0]} rows, {shape[1]} labels, {shape[2]:.0%} of them present")
        print(f"{'metric':20} {'labels':7} {'plait ms':>9} {'sklearn ms':>13} {'ratio':>7}")
        for name in PAIRS:
            answer = scores if name in NEED_SCORES else H
            compare(name, "dense", Y, answer)
            if name not in NEED_SCORES:
                compare(name, "sparse", sparse.csr_matrix(Y), sparse.csr_matrix(H))


if __name__ == "__main__":
    main()
