"""Write the reference: a page a room, which lists what its `__all__` lists, and a page for every name.

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

__all__ = ["cut_foreign_docstrings", "full_names", "skip_members", "write", "write_where_new"]

# The order in which data flow; rooms that are not listed come last.
FLOW = ["core", "pictures", "data", "counts", "information", "structure", "features", "learners", "joint", "inference"]
FLOW += ["losses", "posterior", "estimators", "baselines", "metrics", "trust", "experiments", "explore", "testing"]
FLOW += ["commands", "cli"]


def write(folder: Path) -> None:
    """Write all pages, and take away those of names that are gone."""
    pages: dict[Path, str] = {}
    for place, room in enumerate(_rooms()):
        room_page = f"{place:02}-{room.__name__.split('.')[-1]}"
        pages[folder / f"{room_page}.rst"] = _room_page(room)
        for module, name in _own_names(room):
            pages[folder / "names" / f"{module.__name__}.{name}.rst"] = _name_page(room_page, module, name)
    for old in {*folder.glob("*.rst"), *(folder / "names").glob("*.rst")} - set(pages):
        old.unlink()
    for path, text in pages.items():
        write_where_new(path, text)


def write_where_new(path: Path, text: str) -> None:
    """Write a page, but leave it alone where nothing has changed: what is written anew is read anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf8") != text:
        path.write_text(text, encoding="utf8")


def full_names() -> dict[str, Any]:
    """Return every public name of plait that has a page, with the thing itself."""
    return {
        f"{module.__name__}.{name}": getattr(module, name) for room in _rooms() for module, name in _own_names(room)
    }


def skip_members(_app: Any, _kind: str, name: str, thing: Any, skip: bool, _options: Any) -> bool | None:
    """Leave out what Python's own classes bring, and what scikit-learn adds to every estimator for routing metadata."""
    if re.fullmatch(r"set_\w+_request|get_metadata_routing", name):
        return True
    is_code = inspect.isroutine(thing) or isinstance(thing, property)
    return True if is_code and not _module_of(thing).startswith(("plait", "sklearn")) else None


def cut_foreign_docstrings(_app: Any, kind: str, name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Keep the first paragraph of a method of scikit-learn: the rest is full of links into its own guide."""
    if kind in ("method", "property", "attribute") and _module_of(thing).startswith("sklearn"):
        first = inspect.cleandoc("\n".join(lines)).split("\n\n")[0]
        text = re.sub(r":ref:`([^`<]*?)\s*(?:<[^>`]*>)?`", r"\1", first).splitlines()
        lines[:] = [*text, "", f"See scikit-learn's documentation of `{name.split('.')[-1]}`."]


def _module_of(thing: Any) -> str:
    code = thing.fget if isinstance(thing, property) else thing
    return str(getattr(code, "__module__", "") or "")


def _rooms() -> list[ModuleType]:
    found = [info.name for info in pkgutil.iter_modules(plait.__path__) if info.ispkg]
    ordered = sorted(found, key=lambda name: (FLOW.index(name) if name in FLOW else len(FLOW), name))
    modules = [plait, *(importlib.import_module(f"plait.{name}") for name in ordered)]
    return [module for module in modules if module.__all__]


def _own_names(room: ModuleType) -> list[tuple[ModuleType, str]]:
    """Return what a room and the modules inside it show, each where it is first shown; hand-ons are left out."""
    if room is plait:  # everything here has its page in a room of its own
        return []
    pairs = [(room, name) for name in room.__all__]
    pairs += [(module, name) for module in _inner_modules(room) for name in getattr(module, "__all__", [])]
    seen: dict[int, tuple[ModuleType, str]] = {}
    for module, name in pairs:
        thing = getattr(module, name)
        if not inspect.ismodule(thing) and module.__name__.startswith(_home(thing, module.__name__)):
            seen.setdefault(id(thing), (module, name))
    return list(seen.values())


def _room_page(room: ModuleType) -> str:
    title = room.__name__
    parts = [f"{title}\n{'=' * len(title)}", _prose(room.__doc__ or "")]
    if room is plait:
        return "\n\n".join([*parts, _summary([_shown_name(room, name) for name in room.__all__])]) + "\n"
    own = _own_names(room)
    for module in dict.fromkeys(module for module, _ in own):
        if module is not room:
            parts += [f"{module.__name__}\n{'-' * len(module.__name__)}", _prose(module.__doc__ or "")]
        listed = [(where, name) for where, name in own if where is module]
        parts += [_summary([f"~{where.__name__}.{name}" for where, name in listed if _explained(where, name)])]
    return "\n\n".join(parts) + "\n"


def _shown_name(room: ModuleType, name: str) -> str:
    thing = getattr(room, name)
    return f"~{thing.__name__}" if inspect.ismodule(thing) else f"~{_home(thing, room.__name__)}.{name}"


def _name_page(room_page: str, module: ModuleType, name: str) -> str:
    """Return the page of one name. It stands outside the tree of pages, which every page carries along at its side."""
    back = f":doc:`{module.__name__} <../{room_page}>`"
    head = f":orphan:\n\n{name}\n{'=' * len(name)}\n\n{back}"
    return f"{head}\n\n.. currentmodule:: {module.__name__}\n\n{_entry(module, name)}\n"


def _inner_modules(room: ModuleType) -> list[ModuleType]:
    """Return the modules that a room names in its `__all__`."""
    return [thing for name in room.__all__ if inspect.ismodule(thing := getattr(room, name))]


def _home(thing: Any, otherwise: str) -> str:
    """Return the room that a thing's full entry stands in."""
    words = str(getattr(thing, "__module__", otherwise)).split(".")
    return ".".join(words[:2]) if words[0] == "plait" else otherwise


def _explained(module: ModuleType, name: str) -> bool:
    """Say whether a thing has a docstring of its own; a plain constant has that of its class."""
    thing = getattr(module, name)
    return _is_code(thing) or bool(_own_doc(thing))


def _is_code(thing: Any) -> bool:
    return inspect.isclass(thing) or inspect.isroutine(thing)


def _own_doc(thing: Any) -> str:
    if isinstance(thing, GenericAlias):  # a name for a type of arrays shows the docstring of arrays
        return ""
    return str(getattr(thing, "__dict__", {}).get("__doc__") or "")


def _summary(names: list[str]) -> str:
    return "\n".join([".. autosummary::", "   :nosignatures:", "", *(f"   {name}" for name in names)])


def _entry(module: ModuleType, name: str) -> str:
    thing = getattr(module, name)
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return f".. autoexception:: {name}\n   :members:"
    if inspect.isclass(thing):
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members:"
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
