"""Read the methods of a plan, and try to make every one of them, with every value of its grids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plait.core.sentences import shown
from plait.experiments.planning.measures import MEASURES
from plait.experiments.planning.plan import MethodPlan, MethodSetup, Protocol, Tuning
from plait.experiments.planning.plan_objects import (
    build,
    built_problems,
    canonical_definition,
    find_maker,
    flat_grid,
    foreign_paths,
    with_values,
)
from plait.experiments.planning.plan_problems import Place, Problems
from plait.experiments.planning.plan_tables import PROTOCOL_RULES, read_protocol

__all__ = ["read_methods"]

Table = Mapping[str, Any]

_INNER = Protocol("stratified_kfold", 3)


@dataclass(frozen=True)
class _Entry:
    """A method as it stands in the plan: a word, or a table."""

    name: str
    place: Place
    value: Any


def read_methods(place: Place, value: Any, datasets: Sequence[str]) -> tuple[MethodPlan, ...]:
    """Return the methods of a plan: a list of words, or tables by name."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        entries = [_Entry(word, place.at(i), word) for i, word in enumerate(value)]
    elif isinstance(value, dict) and value:
        entries = [_Entry(name, place.at(name), table) for name, table in value.items()]
    else:
        place.wrong("plan needs methods, a list of words or tables such as [methods.pcc]. Write one.")
        return ()
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            entry.place.wrong(f"method {shown(entry.name)} stands twice. Leave one out.")
        seen.add(entry.name)
    made = [_read_method(entry, datasets) for entry in entries]
    return tuple(method for method in made if method is not None)


def _read_method(entry: _Entry, datasets: Sequence[str]) -> MethodPlan | None:
    name, place = entry.name, entry.place
    table = {"use": entry.value} if isinstance(entry.value, str) else entry.value
    if not isinstance(table, dict):
        place.wrong(f'method {name} needs a table or a word, but it is {shown(table)}. Write use = "...".')
        return None
    own = {key: part for key, part in table.items() if key not in ("on", "skip")}
    if "steps" not in own:
        own.setdefault("use", name)
    watch = place.watch()
    setup = _read_setup(place, name, own)
    changes = _read_names(place.at("on"), table.get("on", {}), dict, datasets)
    skipped = _read_names(place.at("skip"), table.get("skip", []), list, datasets)
    if not watch.is_fine:
        return None
    on = {data: _read_setup(place.at("on", data), name, _merged(own, change)) for data, change in changes.items()}
    return MethodPlan(name, setup, on, tuple(skipped))


def _read_names(place: Place, value: Any, kind: Any, datasets: Sequence[str]) -> Any:
    """Return a list or a table whose words are data sets of the plan."""
    key = place.path[-1]
    if not isinstance(value, kind):
        what = "a table of data sets" if kind is dict else "a list of data sets"
        place.wrong(f"{key} needs {what}, but it is {shown(value)}. Write the names of data sets.")
        return kind()
    for i, word in enumerate(value):
        if word not in datasets:
            known = f"There are {', '.join(datasets)}." if datasets else "There are none."
            where = place.at(word if kind is dict else i)
            where.wrong(f"{key} names {shown(word)}, which is no data set of the plan. {known}")
        elif kind is dict:
            place.at(word).check_keys(f"on.{word}", value[word], value[word])
    return value


def _merged(table: Table, change: Any) -> dict[str, Any]:
    """Return a table with another one's values; a table that names another class replaces the old one."""
    result = dict(table)
    for key, value in (change if isinstance(change, Mapping) else {}).items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping) and "use" not in value:
            result[key] = _merged(old, value)
        else:
            result[key] = value
    return result


def _read_setup(place: Place, name: str, table: Table) -> MethodSetup:
    watch = place.watch()
    definition = {key: part for key, part in table.items() if key != "tune"}
    _check_objects(place, definition)
    if watch.is_fine:
        definition = canonical_definition(definition)
        # What is foreign is neither imported nor made before the plan runs.
        made = None if any(foreign_paths(definition)) else build(definition)
        if made is not None and not (hasattr(made, "fit") and hasattr(made, "predict")):
            place.wrong(f"method {name} needs a classifier with fit and predict at its end. Name one in use.")
    if table.get("tune") is None:
        return MethodSetup(definition)
    # Where the method itself is wrong, the values of its grid cannot be tried.
    tuning = _read_tuning(place.at("tune"), table["tune"], definition if watch.is_fine else None)
    return MethodSetup(definition, tuning)


# The objects that tables describe.


def _check_objects(place: Place, value: Any) -> None:
    """Note what is wrong with the objects that a value describes: inner ones, then the outer without those."""
    if isinstance(value, list):
        for i, part in enumerate(value):
            _check_objects(place.at(i), part)
    if not isinstance(value, Mapping):
        return
    sound = {}
    for key, part in value.items():
        watch = place.watch()
        _check_objects(place.at(key), _as_tables(part) if key == "steps" else part)
        if watch.is_fine:
            sound[key] = part
    if "steps" in value:
        place.check_keys("a method of steps", value, ["steps"])
    if "steps" in value and (not isinstance(value["steps"], list) or not value["steps"]):
        place.at("steps").wrong("steps needs a list of words and tables. Write the classifier last.")
    elif "use" in sound or "steps" in sound:
        _check_object(place, sound)


def _as_tables(steps: Any) -> Any:
    """Return steps, of which some may be words, as tables."""
    return [{"use": step} if isinstance(step, str) else step for step in steps] if isinstance(steps, list) else steps


def _check_object(place: Place, table: dict[str, Any]) -> None:
    if place.problems.allow_imports and any(foreign_paths(table)):
        return
    try:
        if "use" in table:
            find_maker(str(table["use"]))
    except ValueError as problem:
        place.at("use").wrong(problem)
        return
    try:
        made = build(table)
    except Exception as problem:  # constructors of strangers may raise anything
        named = _named_key(table, str(problem))
        place.at(named).wrong(problem)
        if named:
            # What is wrong with the other parameters is to be said too.
            _check_object(place, {key: part for key, part in table.items() if key != named})
        return
    for name, sentence in built_problems(made):
        place.at(name or _named_key(table, sentence)).wrong(sentence)


def _named_key(table: Table, sentence: str) -> str:
    """Return the key of a table that a complaint is about, as far as it says so."""
    others = [key for key in table if key not in ("use", "steps")]
    return next((key for key in others if shown(key) in sentence or f"needs {key} to" in sentence), "")


# Grids.


def _read_tuning(place: Place, tune: Any, definition: Table | None) -> Tuning | None:
    watch = place.watch()
    place.check_keys("tune", tune, ["grid", "metric", *PROTOCOL_RULES])
    if not isinstance(tune, dict):
        return None
    metric = tune.get("metric", "exact_match")
    if metric not in MEASURES:
        must = f"one of {', '.join(MEASURES)}"
        place.at("metric").wrong(f"tune needs metric to be {must}, but it is {shown(metric)}.")
    protocol = read_protocol(place, {key: part for key, part in tune.items() if key in PROTOCOL_RULES}, _INNER)
    if protocol.kind == "split":
        place.at("kind").wrong("tune divides the training part, which has no parts of its own. Pass kfold.")
    grid = flat_grid(tune.get("grid"))
    _check_grid(place.at("grid"), grid, definition)
    if not watch.is_fine:
        return None
    return Tuning({key: canonical_definition(grid[key]) for key in sorted(grid)}, metric, protocol)


def _check_grid(place: Place, grid: dict[str, Any], definition: Table | None) -> None:
    if not grid or any(not isinstance(values, list) or not values for values in grid.values()):
        place.wrong("tune needs a grid, each key with a list of values. Write grid = {k = [1, 2]}.")
    elif definition is not None:
        for key, values in grid.items():
            for i, value in enumerate(values):
                _check_choice(place.at(*key.split("."), i), definition, key, value)


def _check_choice(place: Place, definition: Table, key: str, value: Any) -> None:
    try:
        changed = with_values(definition, {key: value})
    except ValueError as problem:
        place.wrong(problem)
        return
    found = Problems(place.problems.source, allow_imports=place.problems.allow_imports)
    _check_objects(Place(found), changed)
    for _, sentence in found.found:
        place.wrong(sentence)
