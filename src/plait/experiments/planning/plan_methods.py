"""Read the methods of a plan, and try to make every one of them, with every value of its grids."""

from collections.abc import Mapping, Sequence
from typing import Any

from plait.core.sentences import shown
from plait.experiments.planning.grids import flat_grid, with_values
from plait.experiments.planning.measures import MEASURES
from plait.experiments.planning.plan import MethodPlan, Protocol, Recipe, Tuning
from plait.experiments.planning.plan_errors import Problems
from plait.experiments.planning.plan_lines import Path
from plait.experiments.planning.plan_objects import build, built_problems, canonical_definition, find_maker
from plait.experiments.planning.plan_tables import PROTOCOL_RULES, read_protocol

__all__ = ["read_methods"]

_INNER = Protocol("stratified_kfold", 3)


def read_methods(problems: Problems, value: Any, datasets: Sequence[str]) -> tuple[MethodPlan, ...]:
    """Return the methods of a plan: a list of words, or tables by name."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        entries = [(word, word, ("methods", i)) for i, word in enumerate(value)]
    elif isinstance(value, dict) and value:
        entries = [(name, table, ("methods", name)) for name, table in value.items()]
    else:
        problems.add(("methods",), "plan needs methods, a list of words or tables such as [methods.pcc]. Write one.")
        return ()
    twice = [(name, path) for i, (name, _, path) in enumerate(entries) if name in [e[0] for e in entries[:i]]]
    for name, path in twice:
        problems.add(path, f"method {shown(name)} stands twice. Leave one out.")
    made = [_read_method(problems, name, table, path, datasets) for name, table, path in entries]
    return tuple(method for method in made if method is not None)


def _read_method(problems: Problems, name: str, entry: Any, path: Path, datasets: Sequence[str]) -> MethodPlan | None:
    table = {"use": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict):
        problems.add(path, f'method {name} needs a table or a word, but it is {shown(entry)}. Write use = "...".')
        return None
    own = {key: part for key, part in table.items() if key not in ("on", "skip")}
    if "steps" not in own:
        own.setdefault("use", name)
    before = len(problems.found)
    recipe = _read_recipe(problems, name, own, path)
    changes = _read_names(problems, (*path, "on"), table.get("on", {}), dict, datasets)
    skipped = _read_names(problems, (*path, "skip"), table.get("skip", []), list, datasets)
    if len(problems.found) > before:
        return None
    on = {
        data: _read_recipe(problems, name, _merged(own, change), (*path, "on", data))
        for data, change in changes.items()
    }
    return MethodPlan(name, recipe, on, tuple(skipped))


def _read_names(problems: Problems, path: Path, value: Any, kind: Any, datasets: Sequence[str]) -> Any:
    """Return a list or a table whose words are data sets of the plan."""
    if not isinstance(value, kind):
        what = "a table of data sets" if kind is dict else "a list of data sets"
        problems.add(path, f"{path[-1]} needs {what}, but it is {shown(value)}. Write the names of data sets.")
        return kind()
    for i, word in enumerate(value):
        if word not in datasets:
            place = (*path, word if kind is dict else i)
            known = f"There are {', '.join(datasets)}." if datasets else "There are none."
            problems.add(place, f"{path[-1]} names {shown(word)}, which is no data set of the plan. {known}")
        elif kind is dict:
            problems.check_keys((*path, word), f"on.{word}", value[word], value[word])
    return value


def _merged(table: Mapping[str, Any], change: Any) -> dict[str, Any]:
    """Return a table with another one's values; a table that names another class replaces the old one."""
    result = dict(table)
    for key, value in (change if isinstance(change, Mapping) else {}).items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping) and "use" not in value
        result[key] = _merged(old, value) if both and isinstance(old, Mapping) else value
    return result


def _read_recipe(problems: Problems, name: str, table: Mapping[str, Any], path: Path) -> Recipe:
    before = len(problems.found)
    tune = table.get("tune")
    definition = {key: part for key, part in table.items() if key != "tune"}
    if "steps" in definition:
        problems.check_keys(path, f"method {name} of steps", definition, ["steps"])
    _check_table(problems, path, definition)
    if len(problems.found) == before:
        definition = canonical_definition(definition)
        if not _is_classifier(definition):
            problems.add(path, f"method {name} needs a classifier with fit and predict at its end. Name one in use.")
    fine = len(problems.found) == before
    tuning = None if tune is None else _read_tuning(problems, (*path, "tune"), tune, definition if fine else None)
    return Recipe(definition, tuning)


def _is_classifier(definition: Mapping[str, Any]) -> bool:
    made = build(definition)
    return hasattr(made, "fit") and hasattr(made, "predict")


def _check_table(problems: Problems, path: Path, value: Any) -> None:
    """Note what is wrong with the objects that a value describes: inner ones, then the outer without those."""
    if isinstance(value, list):
        for i, part in enumerate(value):
            _check_table(problems, (*path, i), part)
    if not isinstance(value, Mapping):
        return
    sound = {}
    for key, part in value.items():
        before = len(problems.found)
        step_words = key == "steps" and isinstance(part, list)
        parts = [{"use": step} if isinstance(step, str) else step for step in part] if step_words else part
        _check_table(problems, (*path, key), parts)
        if len(problems.found) == before:
            sound[key] = part
    if "steps" in value and (not isinstance(value["steps"], list) or not value["steps"]):
        problems.add((*path, "steps"), "steps needs a list of words and tables. Write the classifier last.")
    elif "use" in sound or "steps" in sound:
        _check_object(problems, path, sound)


def _check_object(problems: Problems, path: Path, table: dict[str, Any]) -> None:
    try:
        if "use" in table:
            find_maker(str(table["use"]))
    except ValueError as problem:
        problems.add((*path, "use"), problem)
        return
    try:
        made = build(table)
    except Exception as problem:  # constructors of strangers may raise anything
        named = _named_key(table, str(problem))
        problems.add((*path, named), problem)
        if named:
            # What is wrong with the other parameters is to be said too.
            _check_object(problems, path, {key: part for key, part in table.items() if key != named})
        return
    for name, sentence in built_problems(made):
        problems.add((*path, name or _named_key(table, sentence)), sentence)


def _named_key(table: Mapping[str, Any], sentence: str) -> str:
    """Return the key of a table that a complaint is about, as far as it says so."""
    others = [key for key in table if key not in ("use", "steps")]
    return next((key for key in others if shown(key) in sentence or f"needs {key} to" in sentence), "")


def _read_tuning(problems: Problems, path: Path, tune: Any, definition: Any) -> Tuning | None:
    before = len(problems.found)
    problems.check_keys(path, "tune", tune, ["grid", "metric", *PROTOCOL_RULES])
    if not isinstance(tune, dict):
        return None
    metric = tune.get("metric", "exact_match")
    if metric not in MEASURES:
        problems.add(
            (*path, "metric"), f"tune needs metric to be one of {', '.join(MEASURES)}, but it is {shown(metric)}."
        )
    divided = {key: part for key, part in tune.items() if key in PROTOCOL_RULES}
    protocol = read_protocol(problems, path, divided, _INNER)
    if protocol.kind == "split":
        problems.add((*path, "kind"), "tune divides the training part, which has no parts of its own. Pass kfold.")
    grid = _read_grid(problems, (*path, "grid"), tune.get("grid"), definition)
    if len(problems.found) > before:
        return None
    return Tuning({key: canonical_definition(grid[key]) for key in sorted(grid)}, metric, protocol)


def _read_grid(problems: Problems, path: Path, table: Any, definition: Any) -> dict[str, Any]:
    grid = flat_grid(table)
    if not grid or any(not isinstance(values, list) or not values for values in grid.values()):
        problems.add(path, "tune needs a grid, each key with a list of values. Write grid = {k = [1, 2]}.")
    elif definition is not None:
        for key, values in grid.items():
            for i, value in enumerate(values):
                _check_choice(problems, (*path, *key.split("."), i), definition, key, value)
    return grid


def _check_choice(problems: Problems, path: Path, definition: Mapping[str, Any], key: str, value: Any) -> None:
    try:
        changed = with_values(definition, {key: value})
    except ValueError as problem:
        problems.add(path, problem)
        return
    found = Problems(problems.source)
    _check_table(found, (), changed)
    for _, sentence in found.found:
        problems.add(path, sentence)
