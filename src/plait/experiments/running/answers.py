"""What a fitted model answers for the rows of a test part, and the measures taken of it."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.pipeline import Pipeline

from plait.core.randomness import seeds
from plait.core.sentences import shown
from plait.data import Dataset
from plait.experiments.planning.measures import JOINT_MEASURES, LABEL_MEASURES, SCORE_MEASURES, of_scores, own_measure
from plait.experiments.running.stopwatch import Stopwatch
from plait.metrics.inputs import WholeRowsError
from plait.metrics.scoring import label_probabilities, label_scores, log_likelihoods

__all__ = [
    "Answers",
    "ask",
    "fold_seed",
    "inner_model",
    "labels_digest",
    "labels_together",
    "measured",
    "report_extras",
    "seeded",
]

_N_BINS = 10
_MOST_GRAPHS = 10
_OWNER = "plait bench"
# Beyond this many labels scores by label are left out; pairs are counted among the most frequent ones.
_MOST_LABELS, _MOST_PAIRED = 2000, 40


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model says about test rows; None where it was not asked or cannot say.

    Parameters
    ----------
    labels : ndarray of uint8, shape (n_rows, n_labels)
        Predicted labels.
    scores : ndarray of float, shape (n_rows, n_labels), optional
        Marginals, vote shares, or values of the decision function.
    are_probabilities : bool
        Whether the scores are from `predict_proba`.
    joint : ndarray of float, optional
        log P(y | x) of the true labels, one for each row; or marginals, whose product it then is.
    predicted : ndarray of float, shape (n_rows,), optional
        log P(y | x) of the predicted labels, of models with a joint.
    seconds : dict of str to float
        Wall time of each answer, without compilation.
    compiling : float
        Wall time of compilation.
    """

    labels: npt.NDArray[np.uint8]
    scores: Any = None
    are_probabilities: bool = False
    joint: Any = None
    predicted: Any = None
    seconds: dict[str, float] = field(default_factory=dict)
    compiling: float = 0.0


def ask(model: Any, X: Any, Y: Any, wanted: Iterable[str]) -> Answers:
    """Ask a fitted model for what is wanted: "labels" always, "scores" and "joint" where it has them."""
    wanted = set(wanted)
    watches = {word: Stopwatch() for word in ("labels", "scores", "joint")}
    with watches["labels"]:
        labels = _label_rows(model.predict(X), Y.shape)
    has_marginals, has_joint = hasattr(model, "predict_proba"), hasattr(inner_model(model), "joint")
    scores = joint = predicted = None
    if "scores" in wanted and (has_marginals or hasattr(model, "decision_function")):
        with watches["scores"]:
            scores = label_scores(_OWNER, model, X, Y)
    if "joint" in wanted and (has_joint or has_marginals):
        with watches["joint"]:
            if has_joint:
                joint = log_likelihoods(_OWNER, model, X, Y)
            else:
                joint = label_probabilities(_OWNER, model, X, Y) if scores is None else scores
    if joint is not None and has_joint:
        predicted = log_likelihoods(_OWNER, model, X, labels)
    asked = {"labels": labels, "scores": scores, "joint": joint}
    seconds = {word: watch.seconds for word, watch in watches.items() if asked[word] is not None}
    compiling = sum(watch.compiling for watch in watches.values())
    return Answers(labels, scores, has_marginals, joint, predicted, seconds, compiling)


def inner_model(model: Any) -> Any:
    """Return the model at the end of a pipeline."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def measured(answers: Answers, Y: Any, own_measures: Iterable[str] = ()) -> dict[str, float]:
    """Return measure -> value, for all of plait's and those of one's own that the answers allow.

    Measures of whole rows are left out where every row has unknown labels.
    """
    groups = ((LABEL_MEASURES, answers.labels), (SCORE_MEASURES, answers.scores), (JOINT_MEASURES, answers.joint))
    asked = [(name, measure, given) for measures, given in groups for name, measure in measures.items()]
    for word in own_measures:
        given = answers.scores if of_scores(word) else answers.labels
        asked.append((word, own_measure(word, allow_imports=True), given))
    values = {}
    for name, measure, given in asked:
        with suppress(WholeRowsError):
            if given is not None:
                values[name] = float(measure(Y, given))
    return values


def _label_rows(predicted: Any, shape: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """Return predictions as a table of 0 and 1, whatever form the model gives them."""
    table = predicted.toarray() if sparse.issparse(predicted) else np.asarray(predicted)
    table = table.reshape(shape[0], -1)
    if table.shape != shape or not np.isin(table, (0, 1)).all():
        raise ValueError(f"predict gave no table of 0 and 1 of shape {shape}, but one of shape {table.shape}")
    return table.astype(np.uint8)


def labels_digest(labels: npt.NDArray[np.uint8]) -> str:
    """Return the SHA-256 of predicted labels and their shape."""
    return hashlib.sha256(repr(labels.shape).encode() + np.ascontiguousarray(labels).tobytes()).hexdigest()


def fold_seed(seed: int, fold: int) -> int:
    """Return the seed of one fold: different for every fold, the same for every method, whatever else there is.

    Examples
    --------
    >>> fold_seed(0, 0) == fold_seed(0, 0), fold_seed(0, 0) == fold_seed(0, 1)
    (True, False)
    """
    return seeds(seed, fold + 1)[fold]


def seeded(model: Any, seed: int) -> Any:
    """Set every `random_state` of a model and of its parts that is None; the outermost one gets the first seed.

    Examples
    --------
    >>> from plait import recipes
    >>> seeded(recipes.cc(order="random"), 3).random_state == seeded(recipes.pcc(), 3).random_state
    True
    """
    if not hasattr(model, "get_params"):
        return model
    given = model.get_params(deep=True)
    open_ones = [key for key, value in given.items() if key.split("__")[-1] == "random_state" and value is None]
    ordered = sorted(open_ones, key=lambda key: (key.count("__"), key))
    return model.set_params(**dict(zip(ordered, seeds(seed, len(ordered)), strict=True))) if ordered else model


def report_extras(model: Any, answers: Answers, train: Dataset, test: Dataset) -> dict[str, Any]:
    """Return what can be shown of a fitted model and of its answers."""
    graphs, features = _graphs(inner_model(model)), _features(model, train)
    extras: dict[str, Any] = {
        "n_train": train.n_samples,
        "n_test": test.n_samples,
        "n_features": train.n_features,
        "label_names": list(train.label_names or ()),
        "seconds": answers.seconds,
        "settings": settings_in_force(model),
    }
    if test.n_labels <= _MOST_LABELS:
        extras["labels"] = label_counts(answers.labels, test.Y)
    if graphs:
        extras["graphs"] = graphs
    if features:
        extras["features"] = features
    if answers.scores is not None and answers.are_probabilities:
        extras["reliability"] = reliability(np.asarray(answers.scores), test.Y)
    if answers.predicted is not None:
        truth = test.Y.toarray() if sparse.issparse(test.Y) else np.asarray(test.Y)
        right = np.where((truth == truth).all(axis=1), (answers.labels == truth).all(axis=1), np.nan)
        extras["joint_reliability"] = reliability(np.exp(answers.predicted), right)
    if answers.joint is not None:
        extras["joint_by"] = "joint distribution" if np.ndim(answers.joint) == 1 else "product of marginals"
    return extras


def settings_in_force(model: Any) -> dict[str, str]:
    """Return every parameter of a model and of its parts, defaults too, as words.

    Examples
    --------
    >>> from plait import recipes
    >>> found = settings_in_force(recipes.br())
    >>> found["learner"], found["learner__C"]
    ('LogisticLearner', "'cv'")
    """
    given = model.get_params(deep=True) if hasattr(model, "get_params") else {}
    return {
        name: type(value).__name__ if hasattr(value, "get_params") else shown(value) for name, value in given.items()
    }


def label_counts(predicted: npt.NDArray[np.uint8], Y: Any) -> dict[str, list[int]]:
    """Return, for each label, in how many rows it is true, predicted, and both; where it is unknown nothing counts.

    Examples
    --------
    >>> label_counts(np.array([[1, 0], [1, 1]], dtype=np.uint8), np.array([[0, 0], [1, 1]]))
    {'true': [1, 1], 'predicted': [2, 1], 'both': [1, 1]}
    """
    table = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    truth, chosen = table == 1, (predicted == 1) & (table == table)
    tables = {"true": truth, "predicted": chosen, "both": truth & chosen}
    return {name: table.sum(axis=0).tolist() for name, table in tables.items()}


def labels_together(parts: Iterable[Dataset]) -> dict[str, Any]:
    """Return how many rows have each pair of labels, of the most frequent ones, over some parts of a data set.

    Returns
    -------
    found : dict
        "labels", the numbers of the labels, "counts", a square table of them, and "n_rows".

    Examples
    --------
    >>> labels_together([Dataset([[0.0], [1.0]], [[1, 1], [0, 1]])])
    {'labels': [0, 1], 'counts': [[1, 1], [1, 2]], 'n_rows': 2}
    """
    tables = [sparse.csr_array(part.Y == 1, dtype=np.int64) for part in parts]
    whole = sparse.vstack(tables).tocsr()
    frequencies = np.asarray(whole.sum(axis=0)).ravel()
    kept = np.sort(np.argsort(-frequencies, kind="stable")[:_MOST_PAIRED])
    few = whole[:, kept]
    return {"labels": kept.tolist(), "counts": (few.T @ few).toarray().tolist(), "n_rows": whole.shape[0]}


def _graphs(model: Any) -> list[dict[str, Any]]:
    """Return the label graphs of a model: its own, those of a mixture, or those of an ensemble's members."""
    if hasattr(model, "graph_"):
        return [_graph(model.graph_) | _strengths(model)]
    if hasattr(model, "graphs_"):
        weights = getattr(model, "weights_", [None] * len(model.graphs_))
        return [_graph(graph, weight) for graph, weight in zip(model.graphs_, weights, strict=True)][:_MOST_GRAPHS]
    members: list[Any] = [getattr(member, "estimator", None) for member in getattr(model, "members_", ())]
    return [_graph(member.graph_) for member in members if hasattr(member, "graph_")][:_MOST_GRAPHS]


def _graph(graph: Any, weight: Any = None) -> dict[str, Any]:
    parents = [[int(label) for label in group] for group in graph.parents]
    return {
        "parents": parents,
        "order": [int(label) for label in graph.order],
        "weight": None if weight is None else float(weight),
    }


def _strengths(model: Any) -> dict[str, Any]:
    """Return the size of each parent's coefficient, in the order of the parents, where conditionals are linear."""
    conditionals = getattr(model, "conditionals_", None)
    if conditionals is None or not hasattr(conditionals, "parent_weights"):
        return {}
    sizes = [np.abs(conditionals.parent_weights(label)).tolist() for label in range(conditionals.n_labels)]
    return {"strengths": [[float(f"{size:.3g}") for size in group] for group in sizes]}


def _features(model: Any, train: Dataset) -> dict[str, Any]:
    """Return the features that each label keeps, in the order chosen, where the model or a step before it selects."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    chosen = [(i, step.mask_) for i, step in enumerate(steps) if getattr(step, "mask_", None) is not None]
    if not chosen:
        return {}
    place, mask = chosen[0]
    columns = np.arange(train.n_features)
    for step in steps[:place]:
        if hasattr(step, "get_support"):
            columns = columns[step.get_support()]
    if mask.n_features != columns.size:
        return {}
    by_label = [columns[mask.ranking_of(label)].tolist() for label in range(mask.n_labels)]
    used = sorted({feature for group in by_label for feature in group})
    names = {feature: train.feature_names[feature] for feature in used} if train.feature_names else {}
    shared = not mask.label_specific
    return {
        "shared": shared,
        "by_label": by_label[:1] if shared else by_label,
        "names": {str(feature): name for feature, name in names.items()},
    }


def reliability(marginals: npt.NDArray[np.float64], Y: Any) -> dict[str, list[float]]:
    """Return how often labels, or sets, are true by the probability they were given, in ten bins of equal width.

    What is unknown (NaN) does not count.

    Examples
    --------
    >>> table = reliability(np.array([[0.05, 0.95], [0.03, 0.91]]), np.array([[0, 1], [1, 1]]))
    >>> table["count"][0], table["mean"][0], table["frequency"][0], table["frequency"][9]
    (2, 0.04, 0.5, 1.0)
    """
    truth = (Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)).ravel()
    given = np.clip(np.asarray(marginals, dtype=np.float64).ravel(), 0.0, 1.0)
    given, truth = given[truth == truth], truth[truth == truth]
    bins = np.minimum((given * _N_BINS).astype(np.int64), _N_BINS - 1)
    count = np.bincount(bins, minlength=_N_BINS)
    size = np.maximum(count, 1)
    return {
        "edges": [k / _N_BINS for k in range(_N_BINS + 1)],
        "count": count.tolist(),
        "mean": (np.bincount(bins, given, minlength=_N_BINS) / size).tolist(),
        "frequency": (np.bincount(bins, truth, minlength=_N_BINS) / size).tolist(),
    }
