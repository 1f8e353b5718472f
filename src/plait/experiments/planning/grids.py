"""Grids of parameters: paths into the table of a method, and all choices of their values."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from plait.core.sentences import ParameterError, shown

__all__ = ["flat_grid", "grid_choices", "with_values"]


def flat_grid(grid: Any) -> dict[str, Any]:
    """Return path -> values of a grid, whose keys may be paths or tables in tables.

    Examples
    --------
    >>> flat_grid({"k": [1, 2], "learner": {"C": [0.1, 1.0]}, "steps.0.n_features": [5]})
    {'k': [1, 2], 'learner.C': [0.1, 1.0], 'steps.0.n_features': [5]}
    """
    if not isinstance(grid, Mapping):
        return {}
    flat: dict[str, Any] = {}
    for key, value in grid.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": values for inner, values in flat_grid(value).items()}
        else:
            flat[key] = value
    return flat


def grid_choices(grid: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Yield every choice of one value for each path; the last path changes fastest.

    Examples
    --------
    >>> list(grid_choices({"k": [1, 2], "r": [0.5]}))
    [{'k': 1, 'r': 0.5}, {'k': 2, 'r': 0.5}]
    """
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def with_values(definition: Mapping[str, Any], choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a method with other values at some paths.

    Examples
    --------
    >>> with_values({"use": "pcc", "learner": {"use": "LogisticLearner"}}, {"learner.C": 2.0})
    {'use': 'pcc', 'learner': {'use': 'LogisticLearner', 'C': 2.0}}
    """
    result: Any = dict(definition)
    for path, value in choice.items():
        result = _changed(result, path.split("."), value, path)
    return dict(result)


def _changed(part: Any, keys: list[str], value: Any, path: str) -> Any:
    if not keys:
        return value
    if isinstance(part, Mapping):
        return {**part, keys[0]: _changed(part.get(keys[0]), keys[1:], value, path)}
    if isinstance(part, list) and keys[0].isdigit() and int(keys[0]) < len(part):
        place = int(keys[0])
        return [_changed(old, keys[1:], value, path) if i == place else old for i, old in enumerate(part)]
    raise ParameterError(
        f"tune needs a grid of parameters in tables of the method, but {shown(path)} has no table at {shown(keys[0])}. "
        "Write that part as a table with use."
    )
