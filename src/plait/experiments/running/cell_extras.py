"""What reports draw of a cell, as plain values: graphs, features, calibration, tuning."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import Pipeline

from plait.data import Dataset
from plait.experiments.running.answers import Answers, inner_model

__all__ = ["reliability", "report_extras"]

_N_BINS = 10
_MOST_GRAPHS = 10


def report_extras(model: Any, answers: Answers, train: Dataset, test: Dataset) -> dict[str, Any]:
    """Return what can be shown of a fitted model and of its answers."""
    graphs, features = _graphs(inner_model(model)), _features(model, train)
    extras: dict[str, Any] = {
        "n_train": train.n_samples,
        "n_test": test.n_samples,
        "n_features": train.n_features,
        "label_names": list(train.label_names or ()),
        "seconds": answers.seconds,
    }
    if graphs:
        extras["graphs"] = graphs
    if features:
        extras["features"] = features
    if answers.scores is not None and answers.are_probabilities:
        extras["reliability"] = reliability(np.asarray(answers.scores), test.Y)
    if answers.joint is not None:
        extras["joint_by"] = "joint distribution" if np.ndim(answers.joint) == 1 else "product of marginals"
    return extras


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
    coefficients = getattr(getattr(model, "conditionals_", None), "parent_coef_", None)
    if coefficients is None:
        return {}
    sizes = [
        [abs(float(coefficients[label, parent])) for parent in group]
        for label, group in enumerate(model.graph_.parents)
    ]
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
    """Return how often labels are true by the probability they were given, in ten bins of equal width.

    Examples
    --------
    >>> table = reliability(np.array([[0.05, 0.95], [0.03, 0.91]]), np.array([[0, 1], [1, 1]]))
    >>> table["count"][0], table["mean"][0], table["frequency"][0], table["frequency"][9]
    (2, 0.04, 0.5, 1.0)
    """
    truth = (Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)).ravel()
    given = np.clip(np.asarray(marginals, dtype=np.float64).ravel(), 0.0, 1.0)
    bins = np.minimum((given * _N_BINS).astype(np.int64), _N_BINS - 1)
    count = np.bincount(bins, minlength=_N_BINS)
    size = np.maximum(count, 1)
    return {
        "edges": [k / _N_BINS for k in range(_N_BINS + 1)],
        "count": count.tolist(),
        "mean": (np.bincount(bins, given, minlength=_N_BINS) / size).tolist(),
        "frequency": (np.bincount(bins, truth, minlength=_N_BINS) / size).tolist(),
    }
