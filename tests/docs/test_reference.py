"""Every public name is explained where its page takes it from: parameters, attributes, what comes back, an example.

Constants and names of types have a line, exceptions and protocols a sentence; all else is held to the same rules. What
a base class explains, the pages of its subclasses show too.
"""

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache

import pytest

import plait

docscrape = pytest.importorskip("numpydoc.docscrape")


def public_modules():
    """Return plait, its rooms, and the modules that rooms name."""
    names = [f"plait.{info.name}" for info in pkgutil.iter_modules(plait.__path__) if info.ispkg]
    rooms = [plait, *map(importlib.import_module, names)]
    things = [getattr(room, name) for room in rooms for name in room.__all__]
    return list(dict.fromkeys([*rooms, *filter(inspect.ismodule, things)]))


def public_things():
    """Return full name -> class or function, each once."""
    found = {}
    for module in public_modules():
        for name in module.__all__:
            thing = getattr(module, name)
            if is_explained_at_length(thing) and thing.__module__.startswith("plait"):
                found.setdefault(thing, f"{module.__name__}.{name}")
    return {name: thing for thing, name in found.items()}


def is_explained_at_length(thing):
    if inspect.isclass(thing):
        return not issubclass(thing, BaseException) and not getattr(thing, "_is_protocol", False)
    return inspect.isroutine(thing)


@cache
def sections(doc):
    return docscrape.NumpyDocString(inspect.cleandoc(doc or ""))


def explained(doc, *parts):
    """Return the names that sections of a docstring explain."""
    entries = [entry.name or entry.type for part in parts for entry in sections(doc)[part]]
    return {name.strip().lstrip("*") for entry in entries for name in entry.split(",")}


def taken(thing):
    """Return the names of what a call takes."""
    names = inspect.signature(thing).parameters
    return {name for name in names if not name.startswith("_") and name not in ("self", "cls")}


def faults_of_names(names, known):
    if names - known:
        yield f"does not explain {', '.join(sorted(names - known))}"


def faults_of_function(function):
    doc = inspect.getdoc(function) or ""
    known = explained(doc, "Parameters", "Other Parameters")
    yield from faults_of_names(taken(function), known)
    yield from (f"explains {name}, which it does not take" for name in known - taken(function))
    gives = inspect.signature(function).return_annotation
    if gives not in (None, Iterator[None]) and not sections(doc)["Returns"] and not sections(doc)["Yields"]:
        yield "does not say what it returns"
    yield from faults_of_example(doc)


def faults_of_example(doc):
    if ">>>" not in "\n".join(sections(doc)["Examples"]):
        yield "has no example"


def own_bases(kind):
    return [base for base in kind.__mro__ if base.__module__.startswith(("plait", __name__))]


def fitted_attributes(kind):
    """Return the attributes that methods of a class set on `self` and that end with an underscore."""
    nodes = (node for base in own_bases(kind) for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(base)))))
    stored = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self"
    }
    return {name for name in stored if name.endswith("_") and not name.startswith("_")}


def faults_of_class(kind):
    doc = kind.__doc__ or ""
    is_record = is_dataclass(kind) or hasattr(kind, "_fields")
    known = explained(doc, "Parameters", "Other Parameters", *["Attributes"] * is_record)
    takes = taken(kind) if ("__init__" in dir(kind) and kind.__init__ is not object.__init__) or is_record else set()
    yield from faults_of_names(takes, known)
    if not is_record:
        yield from (f"explains {name}, which it does not take" for name in known - takes)
    attributes = {name for base in own_bases(kind) for name in explained(base.__doc__, "Attributes")}
    for fault in faults_of_names(fitted_attributes(kind), attributes):
        yield f"as fitted {fault}"
    yield from faults_of_example(doc)
    for name in dir(kind):
        # What pytest calls explains itself by its name.
        if not name.startswith(("_", "test_")):
            yield from (f"{name} {fault}" for fault in faults_of_member(kind, name))


def faults_of_member(kind, name):
    written = [vars(base)[name] for base in kind.__mro__ if name in vars(base)]
    if not any(name in vars(base) for base in own_bases(kind)) or not hasattr(type(written[0]), "__get__"):
        return
    if not any(inspect.getdoc(thing) for thing in written):
        yield "has no docstring"
    elif callable(getattr(kind, name)):
        docs = [inspect.getdoc(getattr(base, name, None)) for base in kind.__mro__]
        known = {word for doc in docs for word in explained(doc, "Parameters", "Other Parameters")}
        yield from faults_of_names(taken(getattr(kind, name)), known)


def faults(thing):
    return list(faults_of_class(thing) if inspect.isclass(thing) else faults_of_function(thing))


THINGS = public_things()


@pytest.mark.parametrize("name", THINGS)
def test_every_public_name_is_explained(name):
    assert faults(THINGS[name]) == []


def test_what_is_missing_is_noticed():
    class Half:
        """A class.

        Parameters
        ----------
        size : int
            How large.
        """

        def __init__(self, size, colour):
            self.size, self.colour = size, colour

        def fit(self, X):
            """Learn."""
            self.mean_ = X

        def undocumented(self):
            pass

    assert faults(Half) == [
        "does not explain colour",
        "as fitted does not explain mean_",
        "has no example",
        "fit does not explain X",
        "undocumented has no docstring",
    ]

    def half(size, colour) -> int:
        """Return a number.

        Parameters
        ----------
        size, shape : int
            How large.
        """

    assert faults(half) == [
        "does not explain colour",
        "explains shape, which it does not take",
        "does not say what it returns",
        "has no example",
    ]
