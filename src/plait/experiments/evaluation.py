"""Cross-validation of several methods on one data set: scores in a table."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import clone

from plait import metrics
from plait.core.progress_bar import progress
from plait.data import Dataset
from plait.data.folds import MultilabelStratifiedKFold
from plait.experiments.planning.methods import make_method

__all__ = ["MEASURES", "Evaluation", "evaluate_methods", "evaluation_dict", "evaluation_text"]

MEASURES = ("exact_match", "hamming_loss", "jaccard_accuracy", "macro_f1", "micro_f1", "log_loss")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores of methods on folds.

    Parameters
    ----------
    dataset : str
        Name of the data.
    methods : tuple of str
        Rows of the table.
    scores : dict of str to ndarray of shape (n_methods, n_folds)
        Measure -> values; NaN where a method gives no probabilities. "log_loss" is -log P(y | x), the mean over rows.
    seconds : ndarray of shape (n_methods, n_folds)
        Wall time of fit and prediction.
    """

    dataset: str
    methods: tuple[str, ...]
    scores: dict[str, npt.NDArray[np.float64]]
    seconds: npt.NDArray[np.float64]


def evaluate_methods(data: Dataset, methods: Sequence[str], n_folds: int = 5, random_state: int = 0) -> Evaluation:
    """Cross-validate methods on the same stratified folds.

    Parameters
    ----------
    data : Dataset
        The data.
    methods : sequence of str
        Names of recipes.
    n_folds : int, default=5
        How many folds.
    random_state : int, default=0
        Seed of folds and models.
    """
    models = [make_method(name, random_state=random_state) for name in methods]
    folds = MultilabelStratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    parts = list(folds.split(data.X, data.Y))
    scores = {measure: np.full((len(models), n_folds), np.nan) for measure in MEASURES}
    seconds = np.zeros((len(models), n_folds))
    cells = [(m, f) for m in range(len(models)) for f in range(n_folds)]
    for m, f in progress(cells, "methods x folds"):
        train, test = (data.rows(rows) for rows in parts[f])
        start = time.perf_counter()
        for measure, value in _scored(clone(models[m]), train, test):
            scores[measure][m, f] = value
        seconds[m, f] = time.perf_counter() - start
    return Evaluation(data.name, tuple(methods), scores, seconds)


def _scored(model: Any, train: Dataset, test: Dataset) -> Iterator[tuple[str, float]]:
    Y = test.Y.toarray() if sparse.issparse(test.Y) else test.Y
    predicted = model.fit(train.X, train.Y).predict(test.X)
    for measure in MEASURES[:-1]:
        yield measure, float(getattr(metrics, measure)(Y, predicted))
    if hasattr(model, "joint"):
        yield "log_loss", float(-model.joint(test.X).log_prob(Y).mean())


def evaluation_text(evaluation: Evaluation) -> str:
    """Return the table: mean and standard deviation over folds, the best of each column marked with *."""
    width = max(map(len, ("method", *evaluation.methods)))
    lines = ["method".ljust(width) + "".join(f"{measure:>19}" for measure in MEASURES) + f"{'seconds':>10}"]
    best = {measure: _best(evaluation.scores[measure].mean(axis=1), measure) for measure in MEASURES}
    for m, name in enumerate(evaluation.methods):
        cells = [_cell(evaluation.scores[measure][m], m == best[measure]) for measure in MEASURES]
        lines.append(name.ljust(width) + "".join(cells) + f"{evaluation.seconds[m].mean():>10.2f}")
    return "\n".join(lines)


def _best(means: npt.NDArray[np.float64], measure: str) -> int:
    if np.isnan(means).all():
        return -1
    return int(np.nanargmin(means) if measure.endswith("loss") else np.nanargmax(means))


def _cell(values: npt.NDArray[np.float64], is_best: bool) -> str:
    if np.isnan(values).any():
        return f"{'-':>19}"
    return f"{values.mean():>11.4f} ±{values.std(ddof=1) if len(values) > 1 else 0.0:.3f}{'*' if is_best else ' '}"


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the table as plain values for JSON; None where a method has no such score."""
    rows = []
    for m, name in enumerate(evaluation.methods):
        row: dict[str, Any] = {"method": name, "seconds": evaluation.seconds[m].tolist()}
        for measure in MEASURES:
            values = evaluation.scores[measure][m]
            row[measure] = None if np.isnan(values).any() else values.tolist()
        rows.append(row)
    return {"dataset": evaluation.dataset, "methods": rows}
