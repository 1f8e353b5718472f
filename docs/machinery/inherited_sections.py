"""What base classes explain, on the pages of their subclasses: parameters of methods, fitted attributes."""

import inspect
from functools import cache
from typing import Any

import api_pages
from numpydoc.docscrape import NumpyDocString, Parameter

__all__ = ["complete"]

# In the order in which docstrings have them.
_BEFORE = ("Parameters", "Attributes")


def complete(_app: Any, kind: str, name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Add to a docstring what those of base classes explain and it does not, in place."""
    if kind == "class":
        _add(lines, "Attributes", [base.__doc__ for base in _ours(thing)[1:]])
    elif kind == "method" and "Parameters" not in lines:
        owner, _, method = name.rpartition(".")
        written = [vars(base).get(method) for base in _ours(_things().get(owner))]
        _add(lines, "Parameters", [inspect.getdoc(each) for each in written[1:] if each is not None])


def _ours(kind: Any) -> list[type]:
    return [base for base in getattr(kind, "__mro__", ()) if base.__module__.startswith("plait")]


def _add(lines: list[str], section: str, docs: list[str | None]) -> None:
    known = {name for entry in NumpyDocString("\n".join(lines))[section] for name in _names(entry)}
    found: list[str] = []
    for doc in docs:
        for entry in NumpyDocString(inspect.cleandoc(doc or ""))[section]:
            left = [name for name in _names(entry) if name not in known]
            known.update(left)
            if left:
                said = " : ".join(part for part in (", ".join(left), entry.type) if part)
                found += [said, *(f"    {line}" for line in entry.desc)]
    if found:
        head = [] if section in lines else [section, "-" * len(section)]
        place = _end(lines, section)
        lines[place:place] = [*([""] if head else []), *head, *found, ""]


def _names(entry: Parameter) -> list[str]:
    return [name.strip() for name in entry.name.split(",")]


def _end(lines: list[str], section: str) -> int:
    """Return where a section ends, or where it would be."""
    heads = [k for k in range(len(lines) - 1) if lines[k] and set(lines[k + 1]) == {"-"}]
    before = _BEFORE[: _BEFORE.index(section) + 1]
    place = next((k for k in heads if lines[k] not in before), len(lines))
    while place and not lines[place - 1].strip():
        place -= 1
    return place


@cache
def _things() -> dict[str, Any]:
    return api_pages.full_names()
