"""Stratified folds against the `iterative-stratification` package: CPU time, and how evenly labels are spread.

Needs the package `iterative-stratification`; the rows on real data need PLAIT_DATA, the folder of benchmark data.
Errors are means over seeds: LD of labels [Sechidis2011], LPD of label pairs [Szymanski2017], the distance of fold
sizes from equal ones, and the number of folds in which a label that occurs has no row.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.extras import installed, optional
from plait.core.kernel_policy import using_kernels
from plait.data import load_dataset
from plait.data.folds import MultilabelStratifiedKFold, split_errors

N_SEEDS = 10
FOLDS = (5, 10)
REAL = ("yeast", "enron", "bibtex", "medical")


def skewed_labels(n_samples: int, n_labels: int, seed: int) -> np.ndarray:
    """Return dependent labels with four a row, whose frequencies fall like 1/rank, as in collections of text."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, n_labels + 1)
    share = np.minimum(4 * share / share.sum(), 0.8)
    scores = rng.normal(size=(n_samples, 5)) @ rng.normal(scale=0.7, size=(5, n_labels))
    scores += rng.logistic(size=(n_samples, n_labels))
    return (scores > [np.quantile(scores[:, j], 1 - share[j]) for j in range(n_labels)]).astype(np.uint8)


def data_sets() -> Iterator[tuple[str, np.ndarray]]:
    yield "skewed", skewed_labels(20_000, 100, seed=0)
    folder = os.environ.get("PLAIT_DATA")
    if not folder:
        print("(no rows on real data: set PLAIT_DATA to the folder of benchmark data)")
        return
    for name in REAL:
        Y = load_dataset(Path(folder) / name / f"{name}.arff.gz").Y
        yield name, Y.toarray() if sparse.issparse(Y) else Y


def measured(make: Callable[[int], Any], Y: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the least CPU time over the seeds, in milliseconds, and the mean errors."""
    times, errors = [], []
    for seed in range(N_SEEDS):
        start = time.process_time()
        parts = list(make(seed).split(Y, Y))
        times.append(1000 * (time.process_time() - start))
        errors.append(split_errors(Y, [test for _, test in parts]))
    return min(times), np.mean(errors, axis=0)


def show(name: str, method: str, milliseconds: float, base: float, errors: np.ndarray) -> None:
    labels, pairs, sizes, empty = errors
    print(
        f"{name:31}{method:>18}{milliseconds:>9.1f}{base / milliseconds:>8.1f}"
        f"{labels:>11.6f}{pairs:>11.6f}{sizes:>8.2f}{empty:>8.1f}",
        flush=True,
    )


def compare(name: str, Y: np.ndarray, n_folds: int, theirs: Any) -> list[str]:
    """Print three lines, and return in which numbers plait is worse."""
    title = f"{name}, {Y.shape[0]} x {Y.shape[1]}, {n_folds} folds"
    base_time, base = measured(lambda seed: theirs(n_folds, shuffle=True, random_state=seed), Y)
    show(title, "iterative-strat.", base_time, base_time, base)
    worse = []
    for order in (1, 2):
        taken, errors = measured(partial(our_splitter, n_folds, order), Y)
        show(title, f"plait, order={order}", taken, base_time, errors)
        words = zip(("LD", "LPD", "sizes", "empty"), errors, base, strict=True)
        worse += [f"{title}, order={order}: {word} {ours} > {other}" for word, ours, other in words if ours > other]
    return worse


def our_splitter(n_folds: int, order: int, seed: int) -> MultilabelStratifiedKFold:
    return MultilabelStratifiedKFold(n_folds, order=order, random_state=seed)


def main() -> None:
    if not installed("iterstrat"):
        print("folds: needs iterative-stratification. Run: pip install iterative-stratification")
        return
    theirs = optional("iterstrat.ml_stratifiers", extra="bench", purpose="a comparison").MultilabelStratifiedKFold
    for order in (1, 2):  # compile or load the kernels, which the larger data are handed out by
        with using_kernels("always"):
            list(our_splitter(2, order, 0).split(np.eye(4), np.eye(4)))
    print(f"mean errors and least CPU time of {N_SEEDS} seeds")
    print(f"{'':31}{'':>18}{'CPU ms':>9}{'faster':>8}{'LD':>11}{'LPD':>11}{'sizes':>8}{'empty':>8}")
    worse = [line for name, Y in data_sets() for k in FOLDS for line in compare(name, Y, k, theirs)]
    print("\n".join(["plait is worse in:", *worse]) if worse else "plait is worse in no number of any line")
