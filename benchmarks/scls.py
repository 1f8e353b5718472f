"""SCLS against the all-pairs relevance it starts from, its growth with features chosen and labels, and its rivals.

Needs the benchmark data (PLAIT_DATA). CPU time of one thread, best of several runs taken in turn. Both sides get the
same CSR matrix of symbols, with all checks: delicious as it is, rcv1subset1 in bins around the mean. The choices are
asserted to be those of a plain recomputation from the all-pairs informations of the chosen features.
"""

import math
import os
import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from plait.counts import MeanStdDiscretizer
from plait.data import load_dataset
from plait.features import AMI, D2F, MDMR, PMU, SCLS
from plait.information import entropies, mutual_information_matrix

RUNS = 5
WANTED = 2.5
RIVALS = (SCLS, AMI, D2F, MDMR, PMU)


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


def selector(n_features: Any = "sqrt") -> SCLS:
    return SCLS(n_features=n_features, discretizer="passthrough")


def check_choices(X: Any, relevance: Any, fitted: SCLS) -> None:
    """Assert that each choice is the best by a plain recomputation, and that its score is right."""
    shared, own = mutual_information_matrix(X, X[:, fitted.ranking_]), entropies(X)
    left = np.flatnonzero(own > 0)
    for step, chosen in enumerate(fitted.ranking_):
        used = shared[left, :step].sum(axis=1) / own[left]
        scores = relevance[left] * (1 - used)
        best = left[scores >= scores.max() - 1e-10][0]
        assert chosen == best, (step, chosen, best)
        assert math.isclose(scores.max(), fitted.scores_[step], abs_tol=1e-9)
        left = left[left != chosen]


def peak_mebibytes(call: Callable[[], Any]) -> float:
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def compare(name: str, numbers: Any, X: Any, Y: Any) -> None:
    fitted = selector().fit(X, Y)
    check_choices(X, mutual_information_matrix(X, Y).sum(axis=1), fitted)
    calls: dict[str, Callable[[], Any]] = {
        "relevance": lambda: mutual_information_matrix(X, Y),
        "selection": lambda: selector().fit(X, Y),
    }
    if numbers is not X:
        calls["bins, relevance"] = lambda: mutual_information_matrix(MeanStdDiscretizer().fit_transform(numbers), Y)
        calls["bins, selection"] = lambda: SCLS(discretizer=MeanStdDiscretizer()).fit(numbers, Y)
    seconds = best_in_turn(calls)
    print(
        f"\n{name}: {X.shape[0]} x {X.shape[1]} x {Y.shape[1]}, {fitted.ranking_.size} chosen, as a recomputation does"
    )
    for prefix in ("", "bins, ") if numbers is not X else ("",):
        whole, start = seconds[f"{prefix}selection"], seconds[f"{prefix}relevance"]
        note = f" (wanted: at most {WANTED})" if not prefix else " (making the bins counted on both sides)"
        print(
            f"{prefix}relevance {1e3 * start:.1f} ms, whole selection {1e3 * whole:.1f} ms: {whole / start:.2f}{note}"
        )
    peaks = [peak_mebibytes(calls[side]) for side in ("relevance", "selection")]
    dense = X.shape[0] * X.shape[1] / 2**20
    print(f"peak memory: relevance {peaks[0]:.1f} MiB, selection {peaks[1]:.1f} MiB; N x d bytes: {dense:.1f} MiB")
    doublings(X, Y)


def doublings(X: Any, Y: Any) -> None:
    sizes = [n for n in (16, 32, 64, 128, 256, 512) if n <= X.shape[1]]
    seconds = best_in_turn({str(n): lambda n=n: selector(n).fit(X, Y) for n in sizes})  # type: ignore[misc]
    print_growth("chosen", [str(n) for n in sizes], seconds)
    labels = [Y.shape[1] >> shift for shift in (4, 3, 2, 1, 0)]
    seconds = best_in_turn({str(q): lambda q=q: selector().fit(X, Y[:, :q]) for q in labels})  # type: ignore[misc]
    print_growth("labels", [str(q) for q in labels], seconds)


def print_growth(what: str, names: list[str], seconds: dict[str, float]) -> None:
    times = [seconds[name] for name in names]
    ratios = ["-", *(f"{b / a:.2f}" for a, b in pairwise(times))]
    print(f"{what:9}" + "".join(f"{name:>8}" for name in names))
    print(f"{'ms':9}" + "".join(f"{1e3 * t:8.1f}" for t in times))
    print(f"{'ratio':9}" + "".join(f"{ratio:>8}" for ratio in ratios))


def rivals(name: str) -> None:
    data = load_dataset(name)
    X, Y = data.X, data.Y
    calls = {kind.__name__: lambda kind=kind: kind().fit(X, Y) for kind in RIVALS}  # type: ignore[misc]
    seconds = best_in_turn({"relevance": lambda: mutual_information_matrix(X, Y), **calls})
    wanted = math.isqrt(X.shape[0] - 1) + 1
    print(f"\n{name}: {X.shape[0]} x {X.shape[1]} x {Y.shape[1]}, {wanted} chosen; ms")
    print("  ".join(f"{what} {1e3 * spent:.1f}" for what, spent in seconds.items()))


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("needs the benchmark data: set PLAIT_DATA to their folder")
        return
    delicious, rcv1 = load_dataset("delicious"), load_dataset("rcv1subset1")
    compare("delicious", delicious.X, delicious.X, delicious.Y)
    compare("rcv1subset1", rcv1.X, MeanStdDiscretizer().fit_transform(rcv1.X), rcv1.Y)
    for name in ("medical", "enron"):
        rivals(name)


if __name__ == "__main__":
    main()
