"""`plait evaluate DATA`: scores of methods on the same folds, on a test file, or of a saved model."""

import json
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import clone

from plait.commands.methods import make_method, parsed_settings
from plait.commands.predict import labels_as_trained, matching_features, rows_for
from plait.commands.sources import Source, aligned_labels
from plait.core.arrays import Floats
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError, shown
from plait.data import Dataset
from plait.data.encoded_tables import encoded_parts
from plait.data.folds import MultilabelStratifiedKFold
from plait.estimators import read_model_file
from plait.estimators.model_file import answers_of
from plait.experiments.planning.measures import MEASURES as KNOWN
from plait.experiments.planning.measures import answers_needed, is_own_measure, smaller_is_better
from plait.experiments.running.answers import Answers, ask, measured
from plait.metrics import scorers
from plait.metrics.inputs import WholeRowsError
from plait.pictures.tables import Entry, Heading, Table, as_text

__all__ = ["MEASURES", "Evaluation", "cross_validate", "evaluate_methods", "evaluation_dict", "evaluation_text"]

MEASURES = ("exact_match", "hamming_loss", "jaccard_accuracy", "macro_f1", "micro_f1", "log_loss")
_WIDTH = 80


def cross_validate(
    data: str,
    *,
    methods: Sequence[str] = ("auto", "br", "pcc"),
    settings: Sequence[str] = (),
    test: str | None = None,
    model: str | None = None,
    metrics: Sequence[str] = MEASURES,
    folds: int = 5,
    seed: int = 0,
    by_label: bool = False,
    as_json: bool = False,
    **columns: Any,
) -> None:
    """Print the scores of methods on folds of a data set, on a test file, or those of a saved model, also as JSON.

    Parameters
    ----------
    data : str
        A file, or the name of a data set.
    methods : sequence of str
        Names of recipes and baselines.
    settings : sequence of str
        Words NAME=VALUE, for every method.
    test : str, optional
        A file: methods are fitted on all of `data` and scored on it.
    model : str, optional
        A file that `plait fit` wrote: it is scored on all of `data`, and nothing is fitted.
    metrics : sequence of str
        Names of measures.
    folds, seed : int
        How many folds, and of all random choices.
    by_label : bool, default=False
        Also print F1 of every label.
    as_json : bool, default=False
        Print JSON instead of tables.
    **columns
        What is said of labels and columns, as `Source` takes it.

    Examples
    --------
    >>> from plait.data import save_dataset
    >>> X, Y = [[float(k % 7)] for k in range(70)], [[int(k % 7 > 3)] for k in range(70)]
    >>> save_dataset(Dataset(X, Y, ["blue"], ["sea"]), "photos.csv")
    >>> cross_validate("photos.csv", methods=["br"], metrics=["exact_match"], folds=2, labels=["sea"])
    method  exact_match  seconds
    br      1.000±0.000     ...
    """
    if folds < 2:
        raise ParameterError(f"plait evaluate needs --folds to be at least 2, but it is {folds}. Pass 2 or more.")
    names = tuple(_known_measure(name) for name in metrics)
    if model is not None:
        evaluation = _of_saved(model, data, columns, names)
    else:
        source = Source(data, **columns)
        whole = source.load()
        source.tell_gaps(whole)
        held = None if test is None else _test_part(source, test, whole)
        made = {name: make_method(name, parsed_settings(settings), random_state=seed) for name in methods}
        evaluation = evaluate_methods(whole, made, folds, seed, test=held, measures=names, source=source)
    if as_json:
        print(json.dumps(evaluation_dict(evaluation), indent=2))
        return
    print(evaluation_text(evaluation))
    if by_label:
        print("", label_text(evaluation), sep="\n")


def _known_measure(name: str) -> str:
    word = name.lower().replace("-", "_")
    if word not in KNOWN and word not in scorers:
        known = ", ".join(sorted({*KNOWN, *scorers}))
        raise ParameterError(f"plait evaluate needs --metrics to be among {known}, but it is {shown(name)}.")
    return word


def _test_part(source: Source, test: str, train: Dataset) -> Dataset:
    """Return the rows of a test file, read as those of training, with the labels of training."""
    kinds = dict(zip(train.feature_names or (), train.feature_kinds or (), strict=True)) if train.is_table else None
    return aligned_labels(replace(source, data=test, split=None).load(kinds), tuple(train.label_names or ()))


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
    label_names : tuple of str
        Names of the labels.
    label_f1 : ndarray of shape (n_methods, n_labels)
        F1 of every label over all test rows; NaN where a label is neither true nor predicted.

    Examples
    --------
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(60, 3, 2, structure="chain", random_state=0).dataset
    >>> found = evaluate_methods(data, ["br", "pcc"], n_folds=2, measures=["exact_match"])
    >>> found.methods, found.scores["exact_match"].shape
    (('br', 'pcc'), (2, 2))
    """

    dataset: str
    methods: tuple[str, ...]
    scores: dict[str, Floats]
    seconds: Floats
    label_names: tuple[str, ...] = ()
    label_f1: Any = None


def evaluate_methods(
    data: Dataset,
    methods: Sequence[str] | Mapping[str, Any],
    n_folds: int = 5,
    random_state: int = 0,
    *,
    test: Dataset | None = None,
    measures: Sequence[str] = MEASURES,
    source: Source | None = None,
) -> Evaluation:
    """Cross-validate methods on the same stratified folds, or fit them once and score them on a test part.

    Tables are encoded by a `TableEncoder` that is fitted on the training part alone.

    Parameters
    ----------
    data : Dataset
        The data.
    methods : sequence of str, or dict of str to estimators
        Names of recipes and baselines, or models by name.
    n_folds : int, default=5
        How many folds.
    random_state : int, default=0
        Seed of folds and models.
    test : Dataset, optional
        Score on these rows instead of folds.
    measures : sequence of str
        What is measured.
    source : Source, optional
        What is said of the columns.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(60, 3, 2, structure="chain", random_state=0).dataset
    >>> found = evaluate_methods(data, ["br"], n_folds=2, measures=["exact_match", "hamming_loss"])
    >>> sorted(found.scores)
    ['exact_match', 'hamming_loss']
    """
    if not isinstance(methods, Mapping):
        methods = {name: make_method(name, random_state=random_state) for name in methods}
    parts = [None] if test is not None else _folds(data, n_folds, random_state)
    scores = {measure: np.full((len(methods), len(parts)), np.nan) for measure in measures}
    seconds = np.zeros((len(methods), len(parts)))
    counts = np.zeros((len(methods), 3, data.n_labels))
    cells = [(m, f) for m in range(len(methods)) for f in range(len(parts))]
    for m, f in progress(cells, "methods x folds"):
        model = clone(list(methods.values())[m])
        options = source.options(model) if source is not None and data.is_table else {}
        train, held = encoded_parts(*_train_and_test(data, test, parts[f]), model=model, **options)
        start = time.perf_counter()
        model.fit(train.X, train.Y)
        found, answers = _scored(model, held.X, held.Y, measures)
        seconds[m, f] = time.perf_counter() - start
        counts[m] += _counted(answers.labels, held.Y)
        for measure, value in found.items():
            scores[measure][m, f] = value
    return Evaluation(data.name, tuple(methods), scores, seconds, tuple(data.label_names or ()), _f1(counts))


def _folds(data: Dataset, n_folds: int, random_state: int) -> list[Any]:
    folds = MultilabelStratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    return list(folds.split(np.empty((data.n_samples, 0)), data.Y))


def _train_and_test(data: Dataset, test: Dataset | None, rows: Any) -> tuple[Dataset, Dataset]:
    return (data, test) if test is not None else (data.rows(rows[0]), data.rows(rows[1]))


def _of_saved(path: str, data: str, columns: Mapping[str, Any], measures: Sequence[str]) -> Evaluation:
    file = read_model_file(path)
    said = {**columns}
    if said.get("labels") is None and said.get("tags") is None and Source(data).is_table:
        said |= labels_as_trained(file)
    _, rows = rows_for(file, data, said)
    rows = aligned_labels(rows, file.label_names)
    start = time.perf_counter()
    with answers_of(path):
        found, answers = _scored(file.model, matching_features(file, rows), rows.Y, measures)
    seconds = np.array([[time.perf_counter() - start]])
    scores = {measure: np.array([[found.get(measure, math.nan)]]) for measure in measures}
    f1 = _f1(_counted(answers.labels, rows.Y)[None])
    return Evaluation(rows.name, (file.method,), scores, seconds, file.label_names, f1)


def _scored(model: Any, X: Any, Y: Any, measures: Sequence[str]) -> tuple[dict[str, float], Answers]:
    """Return measure -> value, as far as the model can be asked for it, and its answers."""
    dense = Y.toarray() if sparse.issparse(Y) else Y
    answers = ask(model, X, dense, answers_needed(measures))
    found = measured(answers, dense, filter(is_own_measure, measures))
    if np.ndim(answers.joint) > 1:
        found.pop("log_loss", None)  # a product of marginals is no log P(y | x) of the model
    for measure in set(measures) - set(KNOWN):
        with suppress(WholeRowsError):
            found[measure] = float(scorers[measure](model, X, dense)) * (-1.0 if smaller_is_better(measure) else 1.0)
    return {measure: found[measure] for measure in measures if measure in found}, answers


def _counted(labels: npt.NDArray[np.uint8], Y: Any) -> Floats:
    """Return true positives, predicted and true ones of every label."""
    table = Y.toarray() if sparse.issparse(Y) else Y
    truth, known = (table == 1).astype(np.int64), table == table  # what is said of an unknown label does not count
    predicted = labels * known.astype(np.int64)
    return np.array([(truth * predicted).sum(axis=0), predicted.sum(axis=0), truth.sum(axis=0)], dtype=np.float64)


def _f1(counts: Floats) -> Floats:
    both, predicted, true = counts[:, 0], counts[:, 1], counts[:, 2]
    with np.errstate(invalid="ignore"):
        return np.asarray(2.0 * both / (predicted + true))


def evaluation_text(evaluation: Evaluation) -> str:
    """Return the table: mean and standard deviation over folds, the best of each column marked with *."""
    measures = list(evaluation.scores)
    columns = [Heading("method", is_text=True), *(Heading(measure, 3) for measure in measures), Heading("seconds", 2)]
    blocks = [_entries(evaluation.scores[measure], smaller=smaller_is_better(measure)) for measure in measures]
    seconds = [Entry(float(value)) for value in evaluation.seconds.mean(axis=1)]
    rows = zip(map(Entry, evaluation.methods), *blocks, seconds, strict=True)
    return as_text(Table("evaluation", "", tuple(columns), tuple(rows)), width=_WIDTH)


def label_text(evaluation: Evaluation) -> str:
    """Return F1 of every label, by method."""
    columns = [Heading("label", is_text=True), *(Heading(method) for method in evaluation.methods)]
    rows = [
        (Entry(name), *(Entry(float(value)) for value in evaluation.label_f1[:, j]))
        for j, name in enumerate(evaluation.label_names)
    ]
    return as_text(Table("labels", "F1 of every label", tuple(columns), tuple(rows)), width=_WIDTH)


def _entries(scores: Floats, *, smaller: bool) -> list[Entry]:
    """Return means and standard deviations of one measure, methods with the best mean marked."""
    means = scores.mean(axis=1)
    known = means[~np.isnan(means)]
    best = (known.min() if smaller else known.max()) if known.size > 1 else math.nan
    if scores.shape[1] == 1:
        return [Entry(mean, best=mean == best) for mean in means.tolist()]
    pairs = zip(means.tolist(), scores.std(axis=1, ddof=1).tolist(), strict=True)
    return [Entry(mean, spread, mean == best) for mean, spread in pairs]


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the table as plain values for JSON; None where a method has no such score."""
    rows = []
    for m, name in enumerate(evaluation.methods):
        row: dict[str, Any] = {"method": name, "seconds": evaluation.seconds[m].tolist()}
        for measure, scores in evaluation.scores.items():
            row[measure] = None if np.isnan(scores[m]).any() else scores[m].tolist()
        pairs = zip(evaluation.label_names, evaluation.label_f1[m].tolist(), strict=True)
        row["label_f1"] = {label: None if math.isnan(value) else value for label, value in pairs}
        rows.append(row)
    return {"dataset": evaluation.dataset, "methods": rows}
