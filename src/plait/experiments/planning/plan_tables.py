"""Read the tables of a plan that stand for data sets, protocols and lists of words."""

import os
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from plait.core.checks import Constraint, InstanceOf, Interval, OneOf
from plait.core.sentences import ParameterError, shown
from plait.data import synthetic
from plait.data.conversion.feature_encoding import NOMINAL_MODES
from plait.data.conversion.files import plain_suffix
from plait.data.loading import DATA_SUFFIXES
from plait.experiments.planning.measures import MEASURES, USUAL_MEASURES, is_own_measure, own_measure
from plait.experiments.planning.plan import PROTOCOL_KINDS, DatasetPlan, Protocol
from plait.experiments.planning.plan_objects import is_foreign
from plait.experiments.planning.plan_problems import Place

__all__ = ["PROTOCOL_RULES", "read_datasets", "read_keep", "read_metrics", "read_protocol", "read_seeds"]

Rules = dict[str, tuple[Constraint, ...]]

PROTOCOL_RULES: Rules = {
    "kind": (OneOf(PROTOCOL_KINDS),),
    "folds": (Interval(int, 2, None),),
    # Every part is a cell, and all cells are named before the first is run.
    "repeats": (Interval(int, 1, 100_000),),
    "test_size": (Interval(float, 0, 1, closed="neither"),),
}
_DATASET_RULES: Rules = {
    "name": (InstanceOf((str,)),),
    "source": (InstanceOf((str,)),),
    "labels": (InstanceOf((int, str, list)),),
    "nominal": (OneOf(NOMINAL_MODES),),
    "tags": (InstanceOf((str,)),),
    "sep": (InstanceOf((str,)),),
    "positive": (InstanceOf((str,)),),
    "keep_labels": (InstanceOf((list,)),),
    "keep_features": (InstanceOf((list,)),),
    "top_labels": (Interval(int, 1, None),),
    "top_features": (Interval(int, 1, None), Interval(float, 0, 1, closed="neither")),
    "least_rows": (Interval(int, 1, None),),
    "on_all_rows": (InstanceOf((dict,)),),
    "made_by": (InstanceOf((dict,)),),
    "protocol": (InstanceOf((dict,)),),
}
_OWN_MAKERS = "plait.experiments.reproduction.paper_data."  # of papers whose data no file holds
_SEED = Interval(int, 0, 2**32 - 1)


def read_protocol(place: Place, table: Any, default: Protocol | None = None) -> Protocol:
    """Return the protocol of a table; what is wrong is noted and replaced by the default."""
    base = Protocol() if default is None else default
    good = _read(place, "protocol", table, PROTOCOL_RULES)
    made = Protocol(**{**base.__dict__, **good})
    for key in good:
        if key != "kind" and key not in made.as_dict():
            place.at(key).wrong(f"protocol needs no {key} where kind is {shown(made.kind)}. Leave it out.")
    return made


def read_datasets(place: Place, value: Any, folder: Path, default: Protocol) -> tuple[DatasetPlan, ...]:
    """Return the data sets of a plan; paths are looked for beside it."""
    if not isinstance(value, list) or not value:
        place.wrong('plan needs datasets, a list of names or tables. Write for example datasets = ["emotions"].')
        return ()
    found: dict[str, DatasetPlan] = {}
    for i, entry in enumerate(value):
        data = _read_dataset(place.at(i), entry, folder, default)
        if data is not None and data.name in found:
            place.at(i).wrong(f"dataset {shown(data.name)} stands twice. Give one of them another name.")
        elif data is not None:
            found[data.name] = data
            place.problems.homes[data.name] = (*place.path, i)
    return tuple(found.values())


def _read_dataset(place: Place, entry: Any, folder: Path, default: Protocol) -> DatasetPlan | None:
    table = {"source" if _is_path(entry) else "name": entry} if isinstance(entry, str) else entry
    good = _read(place, "dataset", table, _DATASET_RULES)
    if "name" not in good and "source" in good:
        good["name"] = Path(good["source"]).name.partition(".")[0]
    if not isinstance(table, dict):
        return None
    if not good.get("name"):
        place.wrong('dataset needs a name. Write name = "...".')
        return None
    for key in ("keep_labels", "keep_features"):
        if key in good and place.at(key).check("dataset", tuple(good[key]), (_Words(),)):
            good[key] = tuple(good[key])
    source = good.get("source", good["name"])
    good["source"] = str(folder / source) if _is_path(source) else source
    if "made_by" in good:
        _check_maker(place.at("made_by"), good["made_by"].get("use"))
    if "protocol" in good:
        good["protocol"] = read_protocol(place.at("protocol"), good["protocol"], default)
    if good.get("protocol", default).kind == "replicates" and "made_by" not in good:
        place.wrong('dataset needs made_by where the protocol is "replicates". Say what makes the data.')
    return DatasetPlan(**good)


def _check_maker(place: Place, name: Any) -> None:
    """Note where what makes a data set is no function of `plait.data.synthetic`, whose classes have capitals."""
    makers = [word for word in synthetic.__all__ if word.islower()]
    if name not in makers and not (isinstance(name, str) and name.startswith(_OWN_MAKERS)):
        place.wrong(f"made_by needs use to be one of {', '.join(makers)}, but it is {shown(name)}. Pass one of these.")


class _Words(Constraint):
    """Different words, at least one."""

    def accepts(self, value: Any) -> bool:
        """Say whether all are words and different."""
        return bool(value) and all(isinstance(word, str) for word in value) and len(set(value)) == len(value)

    def describe(self) -> str:
        """Say so."""
        return "different names, at least one"


def _is_path(source: str) -> bool:
    return os.sep in source or "/" in source or plain_suffix(source) in DATA_SUFFIXES


def read_metrics(place: Place, value: Any) -> tuple[str, ...]:
    """Return the metrics of a plan; the usual ones where it names none."""
    if value is None:
        return tuple(USUAL_MEASURES)
    problem_of = partial(_metric_problem, allow_imports=place.problems.allow_imports)
    return tuple(_listed(place, value, problem_of, "metrics, a list of names"))


def _metric_problem(word: Any, allow_imports: bool) -> str:
    if isinstance(word, str) and word in MEASURES:
        return ""
    if is_own_measure(word):
        return _own_problem(word, allow_imports)
    close = get_close_matches(str(word), list(MEASURES), n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(MEASURES)}."
    return f"There is no metric {shown(word)}. {hint}"


def _own_problem(word: str, allow_imports: bool) -> str:
    """Say what is wrong with a path; what is foreign and allowed is not imported before the plan runs."""
    if allow_imports and is_foreign(word.partition(":")[2] or word):
        return ""
    try:
        own_measure(word)
    except ParameterError as problem:
        return str(problem)
    return ""


def read_keep(place: Place, value: Any) -> bool:
    """Say whether a plan keeps predictions."""
    return value is not None and place.check("plan", value, (OneOf(("predictions",)),))


def read_seeds(place: Place, value: Any) -> tuple[int, ...]:
    """Return the seeds of a plan; 0 alone where it names none."""
    if value is None:
        return (0,)
    return tuple(_listed(place, value, _seed_problem, "seeds, a list of integers"))


def _seed_problem(seed: Any) -> str:
    return "" if _SEED.accepts(seed) else f"plan needs a seed to be {_SEED.describe()}, but it is {shown(seed)}."


def _listed(place: Place, value: Any, problem_of: Callable[[Any], str], what: str) -> Iterator[Any]:
    """Yield the good elements of a list, each once; note the others."""
    if not isinstance(value, list) or not value:
        place.wrong(f"plan needs {what}, but it is {shown(value)}. Write at least one in brackets.")
        return
    for i, element in enumerate(value):
        sentence = problem_of(element)
        if sentence:
            place.at(i).wrong(sentence)
        elif element in value[:i]:
            place.at(i).wrong(f"{shown(element)} stands twice in {place.path[0]}. Leave one out.")
        else:
            yield element


def _read(place: Place, owner: str, table: Any, rules: Rules) -> dict[str, Any]:
    """Return the keys of a table that are known and have a good value."""
    place.check_keys(owner, table, rules)
    if not isinstance(table, dict):
        return {}
    known = [key for key in table if key in rules]
    return {key: table[key] for key in known if place.at(key).check(owner, table[key], rules[key])}
