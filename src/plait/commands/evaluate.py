"""`plait evaluate DATA --methods br,cc,pcc --folds 5`: cross-validate methods on the same folds."""

import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait import metrics
from plait.commands.methods import make_method
from plait.core.arrays import Floats
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError
from plait.data import Dataset, load_dataset
from plait.data.folds import MultilabelStratifiedKFold
from plait.pictures.tables import Entry, Heading, Table, as_text

__all__ = ["MEASURES", "Evaluation", "cross_validate", "evaluate_methods", "evaluation_dict", "evaluation_text"]

MEASURES = ("exact_match", "hamming_loss", "jaccard_accuracy", "macro_f1", "micro_f1", "log_loss")


def cross_validate(
    data: str,
    *,
    labels: Any = None,
    split: str | None = None,
    methods: Sequence[str] = ("br", "cc", "pcc"),
    folds: int = 5,
    seed: int = 0,
    as_json: bool = False,
) -> None:
    """Print the scores of methods on the same folds of a data set, as a table or as JSON."""
    if folds < 2:
        raise ParameterError(f"plait evaluate needs --folds to be at least 2, but it is {folds}. Pass 2 or more.")
    evaluation = evaluate_methods(load_dataset(data, labels=labels, split=split), methods, folds, seed)
    print(json.dumps(evaluation_dict(evaluation), indent=2) if as_json else evaluation_text(evaluation))


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
    scores: dict[str, Floats]
    seconds: Floats


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
    columns = [Heading("method", is_text=True), *(Heading(measure, 4) for measure in MEASURES), Heading("seconds", 2)]
    blocks = [_entries(evaluation.scores[measure], smaller=measure.endswith("loss")) for measure in MEASURES]
    seconds = [Entry(float(value)) for value in evaluation.seconds.mean(axis=1)]
    rows = zip(map(Entry, evaluation.methods), *blocks, seconds, strict=True)
    return as_text(Table("evaluation", "", tuple(columns), tuple(rows)), width=2**16)


def _entries(scores: Floats, *, smaller: bool) -> list[Entry]:
    """Return means and standard deviations of one measure, methods with the best mean marked."""
    means = scores.mean(axis=1)
    known = means[~np.isnan(means)]
    best = (known.min() if smaller else known.max()) if known.size else math.nan
    spreads = scores.std(axis=1, ddof=1) if scores.shape[1] > 1 else np.zeros(len(scores))
    pairs = zip(means.tolist(), spreads.tolist(), strict=True)
    return [Entry(mean, spread, mean == best) for mean, spread in pairs]


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
