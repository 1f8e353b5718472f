"""Which label to ask next: rows that are wholly right after some of their labels were asked.

Needs PLAIT_DATA, the folder of benchmark data. A chain is trained on two thirds of the rows; of 300 others no label is
known. Questions are spent over all rows together, 2 % of the labels at a time, on the rows where the next answer is
worth most; the true label is the answer. Orders: at random, the most uncertain label (`by="entropy"`), `by="set"`: the
gain in the probability of the most probable set, and `by="plan"`, the default for exact match: that gain a question, of
the best plan of several. Means over seeds.

    python -m benchmarks asking                  all data sets
    PLAIT_SETS=emotions SEEDS=5 python -m benchmarks asking
"""

import os
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from plait import recipes
from plait.data import load_dataset

SETS = tuple(os.environ.get("PLAIT_SETS", "emotions,yeast,enron").split(","))
SEEDS = int(os.environ.get("SEEDS", "5"))
SHARES, ORDERS = (0.1, 0.2, 0.3), ("random", "entropy", "set", "plan")
MOST_ROWS, AT_ONCE, N_RANDOM = 300, 0.02, 3


def fitted(name: str, seed: int) -> tuple[Any, np.ndarray]:
    """Return P(y | x) of rows that the model has not seen, and their true labels."""
    data = load_dataset(name)
    X = data.X.tocsr() if sparse.issparse(data.X) else np.asarray(data.X)
    Y = np.asarray(data.Y.toarray() if sparse.issparse(data.Y) else data.Y).astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(Y))
    new, train = np.sort(order[: len(Y) // 3])[:MOST_ROWS], np.sort(order[len(Y) // 3 :])
    return recipes.pcc(random_state=0).fit(X[train], Y[train]).joint(X[new]), Y[new]


def shares_right(answer: Any, truth: np.ndarray, order: str, rng: np.random.Generator) -> list[float]:
    """Return the share of rows that are wholly right after each share of all labels was asked."""
    known = np.full(truth.shape, np.nan)
    labels, values = np.zeros(len(truth), dtype=np.int64), np.zeros(len(truth))
    stale, asked, found = np.arange(len(truth)), 0, []
    at_once = max(1, int(AT_ONCE * truth.size))
    for share in SHARES:
        target = round(share * truth.size)
        while asked < target:
            labels[stale], values[stale] = next_labels(answer[stale].given(known[stale]), known[stale], order, rng)
            open_rows = np.flatnonzero(np.isnan(known).any(axis=1))
            size = min(target - asked, at_once)
            stale = open_rows[np.argsort(-values[open_rows], kind="stable")][:size]
            known[stale, labels[stale]] = truth[stale, labels[stale]]
            asked += len(stale)
        found.append(float((answer.given(known).mode() == truth).all(axis=1).mean()))
    return found


def next_labels(answer: Any, known: np.ndarray, order: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return for each row the label to ask next, and what its answer is worth."""
    if order == "random":
        values = np.where(np.isnan(known), rng.random(known.shape), -1.0)
        return values.argmax(axis=1), values.max(axis=1)
    found = answer.ask(by=order)
    return found.labels[:, 0], found.values[:, 0]


def compare(name: str) -> tuple[bool, bool, bool]:
    found: dict[str, list[Any]] = {order: [] for order in ORDERS}
    start_right, spent = [], time.process_time()
    for seed in range(SEEDS):
        answer, truth = fitted(name, seed)
        start_right.append((answer.mode() == truth).all(axis=1).mean())
        rng = np.random.default_rng(seed)
        for order in ORDERS:
            runs = [shares_right(answer, truth, order, rng) for _ in range(N_RANDOM if order == "random" else 1)]
            found[order].append(np.mean(runs, axis=0))
    print(f"{name}, {truth.shape[1]} labels, {np.mean(start_right):.3f} right without a question:", flush=True)
    means = {order: np.mean(runs, axis=0) for order, runs in found.items()}
    for order, shares in means.items():
        print(f"  {order:8s} " + "  ".join(f"{s:.0%}: {v:.3f}" for s, v in zip(SHARES, shares, strict=True)))
    chosen, uncertain = means["plan"], means["entropy"]
    bars = (
        bool((chosen > means["random"]).all()),
        bool(chosen[0] > uncertain[0]),
        bool((chosen[1:] >= uncertain[1:] - 0.03).all()),
    )
    words = ("above random", "above the most uncertain label at 10 %", "within .03 of it at 20 and 30 %")
    print(
        "  plan is " + ", ".join(f"{word}: {'yes' if good else 'NO'}" for word, good in zip(words, bars, strict=True))
    )
    print(f"  ({time.process_time() - spent:.0f} s of CPU)", flush=True)
    return bars


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("(needs PLAIT_DATA set to the folder of benchmark data)")
        return
    warnings.simplefilter("ignore")
    bars = np.array([compare(name) for name in SETS])
    for word, met in zip(
        ("above random order", "above the most uncertain at 10 %", "within .03 later"), bars.T, strict=True
    ):
        print(f"{word}: {met.sum()} of {len(SETS)} (bar: all)")
