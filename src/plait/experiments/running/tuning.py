"""Tune a method inside a training part: every choice of a grid on inner folds, the best one for the whole part."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from plait.data import Dataset
from plait.experiments.planning.grids import grid_choices, with_values
from plait.experiments.planning.measures import answers_needed, smaller_is_better
from plait.experiments.planning.plan import Recipe, Tuning
from plait.experiments.planning.plan_objects import build
from plait.experiments.running.answers import ask, measured
from plait.experiments.running.fold_data import divided_rows
from plait.experiments.running.model_seeds import seeded

__all__ = ["Tuned", "tuned_definition"]


class Tuned(NamedTuple):
    """The table of the best choice, and what was tried."""

    definition: Mapping[str, Any]
    report: dict[str, Any]


def tuned_definition(recipe: Recipe, train: Dataset, seed: int) -> Tuned:
    """Return the table of a method with the values that do best on inner folds; of equal ones the first of the grid.

    Parameters
    ----------
    recipe : Recipe
        The method and what to tune.
    train : Dataset
        The training part; no other row is looked at.
    seed : int
        Seed of the inner folds and of the models.
    """
    tuning = recipe.tuning
    if tuning is None:
        return Tuned(recipe.definition, {})
    folds = [(train.rows(fit), train.rows(held)) for fit, held in divided_rows(train, tuning.protocol, seed)]
    tried: list[dict[str, Any]] = []
    for choice in grid_choices(tuning.grid):
        values, problem = _scores(with_values(recipe.definition, choice), folds, tuning, seed)
        tried.append({"parameters": choice, "score": float(np.mean(values)) if not problem else None, "error": problem})
    good = [entry for entry in tried if entry["score"] is not None]
    if not good:
        raise ValueError(f"every choice of the grid failed, the last one with {tried[-1]['error']}")
    sign = -1.0 if smaller_is_better(tuning.metric) else 1.0
    best = max(good, key=lambda entry: sign * entry["score"])
    report = {"metric": tuning.metric, "chosen": best["parameters"], "score": best["score"], "tried": tried}
    return Tuned(with_values(recipe.definition, best["parameters"]), report)


def _scores(
    definition: Mapping[str, Any], folds: list[tuple[Dataset, Dataset]], tuning: Tuning, seed: int
) -> tuple[list[float], str | None]:
    """Return the score on every inner fold, or what went wrong: a choice may ask for more than the data have."""
    try:
        return [_score(definition, fit, held, tuning.metric, seed) for fit, held in folds], None
    except Exception as problem:  # methods of strangers may raise anything
        return [], f"{type(problem).__name__}: {problem}"


def _score(definition: Mapping[str, Any], fit: Dataset, held: Dataset, metric: str, seed: int) -> float:
    model = seeded(build(definition), seed)
    model.fit(fit.X, fit.Y)
    values = measured(ask(model, held.X, held.Y, answers_needed([metric])), held.Y)
    if metric not in values or np.isnan(values[metric]):
        raise ValueError(f"the method gives no {metric}")
    return values[metric]
