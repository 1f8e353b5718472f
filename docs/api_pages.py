"""Write one reference page per room from the room's `__all__`; a room with nothing in it gets none.

New names, and new rooms, show up by themselves.
"""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import GenericAlias, ModuleType
from typing import Any

from sphinx.pycode import ModuleAnalyzer

import plait
from plait.core.multilabel_classifier import MultilabelClassifier

__all__ = ["skip_requests", "write"]

# The order in which data flow; rooms that are not listed come last.
FLOW = ["pictures", "data", "counts", "information", "structure", "features", "learners", "joint", "inference"]
FLOW += ["losses", "posterior", "estimators", "baselines", "metrics", "experiments", "testing", "commands", "cli"]


def write(folder: Path) -> None:
    """Write the pages of all rooms, and take away those of rooms that are gone."""
    folder.mkdir(exist_ok=True)
    pages = {f"{place:02}-{room.__name__.split('.')[-1]}.rst": _page(room) for place, room in enumerate(_rooms())}
    for old in set(folder.glob("*.rst")) - {folder / name for name in pages}:
        old.unlink()
    for name, text in pages.items():
        path = folder / name
        # A file that is written anew is read anew: leave it alone where nothing has changed.
        if not path.exists() or path.read_text(encoding="utf8") != text:
            path.write_text(text, encoding="utf8")


def skip_requests(_app: Any, _kind: str, name: str, _thing: Any, skip: bool, _options: Any) -> bool | None:
    """Leave out the methods that scikit-learn adds to every estimator for routing metadata."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None


def _rooms() -> list[ModuleType]:
    found = [info.name for info in pkgutil.iter_modules(plait.__path__) if info.ispkg]
    ordered = sorted(found, key=lambda name: (FLOW.index(name) if name in FLOW else len(FLOW), name))
    modules = [plait, *(importlib.import_module(f"plait.{name}") for name in ordered)]
    return [module for module in modules if module.__all__]


def _page(room: ModuleType) -> str:
    title = room.__name__
    parts = [f"{title}\n{'=' * len(title)}", _prose(room.__doc__ or "")]
    if room is plait:
        # Everything here has its full entry in a room of its own.
        return "\n\n".join([*parts, _summary(_full_names(room))]) + "\n"
    shown = [name for name in room.__all__ if not inspect.ismodule(getattr(room, name))]
    parts += [f".. currentmodule:: {title}", _summary(_explained(room, shown))]
    parts += [_entry(room, name) for name in shown]
    for name in _inner_modules(room):
        parts += _section(importlib.import_module(name), known={id(getattr(room, word)) for word in shown})
    return "\n\n".join(parts) + "\n"


def _section(module: ModuleType, known: set[int]) -> list[str]:
    """Return the part of a page that shows a module inside a room, without what the room itself shows."""
    exported = getattr(module, "__all__", [])
    shown = [name for name in exported if id(getattr(module, name)) not in known]
    if not shown:
        return []
    title = module.__name__
    parts = [f"{title}\n{'-' * len(title)}", _prose(module.__doc__ or ""), f".. currentmodule:: {title}"]
    return [*parts, _summary(_explained(module, shown)), *(_entry(module, name) for name in shown)]


def _inner_modules(room: ModuleType) -> list[str]:
    """Return the modules that a room names in its `__all__`, and the folders inside it."""
    named = [getattr(room, name).__name__ for name in room.__all__ if inspect.ismodule(getattr(room, name))]
    folders = [f"{room.__name__}.{info.name}" for info in pkgutil.iter_modules(room.__path__) if info.ispkg]
    return list(dict.fromkeys(named + folders))


def _full_names(room: ModuleType) -> list[str]:
    return [f"~{_home(getattr(room, name), room.__name__)}.{name}" for name in room.__all__]


def _home(thing: Any, otherwise: str) -> str:
    """Return the room that a thing's full entry stands in."""
    words = str(getattr(thing, "__module__", otherwise)).split(".")
    return ".".join(words[:2]) if words[0] == "plait" else otherwise


def _explained(module: ModuleType, names: list[str]) -> list[str]:
    """Return the names of things with a docstring of their own; a plain constant has that of its class."""
    return [name for name in names if _is_code(getattr(module, name)) or _own_doc(getattr(module, name))]


def _is_code(thing: Any) -> bool:
    return inspect.isclass(thing) or inspect.isroutine(thing)


def _own_doc(thing: Any) -> str:
    if isinstance(thing, GenericAlias):  # a name for a type of arrays shows the docstring of arrays
        return ""
    return str(getattr(thing, "__dict__", {}).get("__doc__") or "")


def _summary(names: list[str]) -> str:
    return "\n".join([".. autosummary::", "", *(f"   {name}" for name in names)])


def _entry(module: ModuleType, name: str) -> str:
    thing = getattr(module, name)
    home = _home(thing, module.__name__)
    if not module.__name__.startswith(home):  # handed on from another room, where its full entry stands
        return f".. py:class:: {name}\n\n   The same as :class:`{home}.{name}`."
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return f".. autoexception:: {name}\n   :members:"
    if inspect.isclass(thing) and issubclass(thing, MultilabelClassifier):
        # `fit` and `predict` stand in the base of all classifiers; what is behind it belongs to scikit-learn.
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members: ClassifierMixin"
    if inspect.isclass(thing):
        return f".. autoclass:: {name}\n   :members:"
    if _is_code(thing):
        return f".. autofunction:: {name}"
    text = "\n".join(f"   {line}" for line in (_own_doc(thing) or _comment(module, name)).splitlines())
    return f".. py:data:: {name}\n   :type: {type(thing).__name__}\n\n{text}"


def _comment(module: ModuleType, name: str) -> str:
    """Return the string under an assignment, from the file below the module that exports the name."""
    for info in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
        if name in getattr(importlib.import_module(info.name), "__all__", []):
            comments = ModuleAnalyzer.for_module(info.name).find_attr_docs()
            if ("", name) in comments:
                return "\n".join(comments["", name])
    return ""


def _prose(doc: str) -> str:
    """Return a module's docstring with its underlined parts (notation) as blocks of plain text."""
    text = inspect.cleandoc(doc)
    pattern = re.compile(r"^(.+)\n-{3,}\n((?:.+\n?)+)", re.MULTILINE)

    def block(match: re.Match[str]) -> str:
        lines = "\n".join(f"   {line}" for line in match[2].splitlines())
        return f".. rubric:: {match[1]}\n\n.. code-block:: text\n\n{lines}\n"

    return pattern.sub(block, text)
