"""Make the objects that a plan names: recipes, classes of plait and scikit-learn, and others where imports are allowed.

A plan comes from anywhere. What it names is called only if it is a recipe or a class with `fit` or parameters; a
path outside plait and scikit-learn is not even imported unless whoever runs the plan allows it.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, partial
from itertools import product
from typing import Any

from sklearn import preprocessing
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from plait import baselines, counts, estimators, features, inference, learners, losses, structure
from plait.core.checks import check_value
from plait.core.naming import registered, resolve
from plait.core.sentences import ParameterError, shown
from plait.estimators import recipes
from plait.features import Selector
from plait.inference import Inference
from plait.learners import Learner, LogisticLearner
from plait.losses import Loss
from plait.posterior import JointModel
from plait.structure import Structure

__all__ = [
    "build",
    "built_problems",
    "canonical_definition",
    "find_maker",
    "flat_grid",
    "foreign_paths",
    "grid_choices",
    "imported_object",
    "is_foreign",
    "with_values",
]

Maker = Callable[..., Any]
_KNOWN_PACKAGES = ("plait", "sklearn")
_ROOMS = (estimators, baselines, structure, features, learners, inference, losses, counts)
_SCALERS = (MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler)
# Parameters for which a word is the name of a class in a room.
_WORDS = {
    "structure": (structure, Structure),
    "selector": (features, Selector),
    "learner": (learners, Learner),
    "inference": (inference, Inference),
    "loss": (losses, Loss),
}


@cache
def _homes() -> dict[str, Any]:
    """Return name in the code -> the room or module that has it; nothing of a room is loaded for that."""
    rooms = [recipes, *_ROOMS]
    return {name: room for room in rooms for name in room.__all__} | {kind.__name__: preprocessing for kind in _SCALERS}


@cache
def _other_forms() -> dict[str, str]:
    return {registered(name): name for name in _homes()}


@cache
def _maker(name: str) -> Maker | None:
    """Return the recipe or class of a name; None where the name is of something that makes no model or part."""
    home = _homes().get(name)
    found = None if home is None else getattr(home, name)
    if home is recipes or (hasattr(found, "get_params") and not inspect.isabstract(found)):
        return found
    return None


def find_maker(word: str, *, allow_imports: bool = False) -> tuple[str, Maker]:
    """Return the word in its own form, and the recipe or class that it names.

    Parameters
    ----------
    word : str
        A recipe, a class, its registered name; or `package.module.Name`.
    allow_imports : bool, default=False
        Import paths outside plait and scikit-learn too, which runs the code there.

    Examples
    --------
    >>> find_maker("br-ldf")[0], find_maker("best_first")[0], find_maker("sklearn.dummy.DummyClassifier")[0]
    ('br_ldf', 'BestFirst', 'sklearn.dummy.DummyClassifier')
    """
    if "." in word or ":" in word:
        path = word.replace(":", ".")
        return path, _imported(path, allow_imports)
    own = word if word in _homes() else _other_forms().get(word.lower().replace("-", "_"), "")
    maker = _maker(own)
    if maker is not None:
        return own, maker
    near = get_close_matches(word, {**_homes(), **_other_forms()}, n=6)
    close = [name for name in near if _maker(_other_forms().get(name, name)) is not None][:3]
    hint = f"Did you mean {' or '.join(close)}?" if close else "Pass a recipe, a class of plait or an import path."
    raise ParameterError(f"There is nothing called {shown(word)} to use. {hint}")


def foreign_paths(value: Any) -> Iterator[str]:
    """Yield the import paths in a table, and in those inside it, that lead out of plait and scikit-learn.

    Examples
    --------
    >>> list(foreign_paths({"use": "pcc", "learner": {"use": "my_module.Mine"}, "loss": {"use": "plait.losses.F1"}}))
    ['my_module.Mine']
    """
    if isinstance(value, Mapping):
        steps = value["steps"] if isinstance(value.get("steps"), list) else []
        for word in (value.get("use"), *steps):
            if isinstance(word, str) and is_foreign(word.replace(":", ".")):
                yield word.replace(":", ".")
    if isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from foreign_paths(part)


def is_foreign(path: str) -> bool:
    """Say whether an import path leads out of plait and scikit-learn."""
    return "." in path and path.partition(".")[0] not in _KNOWN_PACKAGES


def _imported(path: str, allow_imports: bool) -> Maker:
    """Return the class or recipe at a path. Nothing is called, and nothing foreign imported unless that is allowed."""
    if is_foreign(path) and not allow_imports:
        raise ParameterError(
            f"{shown(path)} is code from outside plait and scikit-learn, which a plan may not run by itself. "
            "Allow it (--allow-imports, allow_imports=True) if you know where the plan comes from."
        )
    found = imported_object(path)
    if inspect.isclass(found) and (hasattr(found, "fit") or issubclass(found, BaseEstimator)):
        return found
    if any(found is getattr(recipes, name) for name in recipes.__all__):
        return found
    kind = "a class without it" if inspect.isclass(found) else f"a {type(found).__name__}"
    raise ParameterError(f"{shown(path)} is no class with fit, but {kind}. Pass the class of a model.")


def imported_object(path: str) -> Any:
    """Return what an import path names; private names of plait and scikit-learn, and what they import, are refused."""
    module, _, name = path.rpartition(".")
    if not all(part.isidentifier() for part in path.split(".")) or (not is_foreign(path) and "._" in path):
        raise ParameterError(f"{shown(path)} is no public import path. Pass package.module.Name.")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as problem:  # whatever a stranger's module does when it is imported
        reason = " ".join(f"{type(problem).__name__}: {problem}".split())
        raise ParameterError(
            f"{shown(path)} cannot be imported, {reason}. Check the path and what is installed."
        ) from None
    home = str(getattr(found, "__module__", None) or module)
    if not is_foreign(path) and is_foreign(f"{home}.{name}"):
        raise ParameterError(f"{shown(path)} is not of plait or scikit-learn, but of {shown(home)}. Pass its own path.")
    return found


def canonical_definition(value: Any) -> Any:
    """Return a table with every `use` in its own form and steps that are words as tables, for equal digests."""
    if isinstance(value, Mapping):
        made = {key: canonical_definition(part) for key, part in value.items()}
        if isinstance(made.get("use"), str):
            foreign = next(foreign_paths({"use": made["use"]}), None)
            made["use"] = foreign or find_maker(made["use"])[0]
        if isinstance(made.get("steps"), list):
            words = [{"use": step} if isinstance(step, str) else step for step in made["steps"]]
            made["steps"] = [canonical_definition(step) for step in words]
        return made
    if isinstance(value, list):
        return [canonical_definition(part) for part in value]
    return value


def build(value: Any, *, allow_imports: bool = False) -> Any:
    """Return the object that a table describes: `use` with parameters, `steps` of them, or a plain value.

    Examples
    --------
    >>> build({"use": "kcc", "k": 2, "learner": {"use": "LogisticLearner", "C": "cv"}})
    JointClassifier(inference=Greedy(), learner=LogisticLearner(C='cv'),
                    structure=KDependence(k=2, order='information'))
    """
    inner = partial(build, allow_imports=allow_imports)
    if isinstance(value, list):
        return [inner(part) for part in value]
    if not isinstance(value, Mapping):
        return value
    if "steps" in value:
        return make_pipeline(*(inner({"use": s} if isinstance(s, str) else s) for s in value["steps"]))
    if "use" not in value:
        return {key: inner(part) for key, part in value.items()}
    word, maker = find_maker(str(value["use"]), allow_imports=allow_imports)
    return _made(word, maker, {key: inner(part) for key, part in value.items() if key != "use"})


def _made(word: str, maker: Maker, given: dict[str, Any]) -> Any:
    if _names_memory(given):
        # joblib reads what it finds there as pickles, which run code.
        raise ParameterError(f"{word} in a plan has no memory on disk. Leave 'memory' out.")
    own = inspect.signature(maker).parameters
    takes_any = any(part.kind is inspect.Parameter.VAR_KEYWORD for part in own.values())
    direct = {key: given.pop(key) for key in list(given) if key in own or (takes_any and "__" not in key)}
    made = maker(**direct)
    if not given:
        return made
    if any(key.startswith("learner__") for key in given) and getattr(made, "learner", 0) is None:
        made.set_params(learner=LogisticLearner())
    known = made.get_params(deep=True) if hasattr(made, "get_params") else {}
    for key in given:
        if key not in known:
            words = sorted({*own, *known} - {"self"})
            close = get_close_matches(key, words, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(words)}."
            raise ParameterError(f"{word} has no parameter {shown(key)}. {hint}")
    return made.set_params(**given)


def _names_memory(value: Any) -> bool:
    """Say whether a parameter called memory is given, of an object itself or, as in grids of scikit-learn, of parts."""
    if isinstance(value, list):
        return any(map(_names_memory, value))
    if not isinstance(value, Mapping):
        return False
    return any(str(key).rpartition("__")[2] == "memory" or _names_memory(part) for key, part in value.items())


def built_problems(made: Any) -> Iterator[tuple[str, str]]:
    """Yield (parameter, sentence) for all that is wrong with an object and its parts and can be seen without data."""
    for part in _parts(made):
        if hasattr(part, "parameter_rules"):
            yield from _rule_problems(part)
        elif hasattr(part, "_parameter_constraints"):
            yield from _complaints("", part._validate_params)


def _rule_problems(part: Any) -> Iterator[tuple[str, str]]:
    owner = type(part).__name__
    for name, rules in part.parameter_rules.items():
        value = getattr(part, name)
        wrong = list(_complaints(name, partial(check_value, owner, name, value, rules)))
        if not wrong and name in _WORDS and isinstance(value, str):
            of_room = partial(resolve, owner, name, value, *_WORDS[name])
            wrong = list(_complaints(name, partial(part.part, name) if isinstance(part, JointModel) else of_room))
        yield from wrong


def _complaints(name: str, check: Callable[[], Any]) -> Iterator[tuple[str, str]]:
    try:
        check()
    except ValueError as problem:
        yield name, str(problem)


def _parts(made: Any) -> Iterator[Any]:
    yield made
    if hasattr(made, "get_params"):
        yield from (part for part in made.get_params(deep=True).values() if hasattr(part, "get_params"))


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
