"""Every key cited in the source stands in references.bib, and a public docstring that cites one says what it is."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import plait

ROOT = Path(__file__).parents[1]
# [OCC 33], [PCC, algorithm 2], [Sechidis2011], [OCC 24-33; PACC 12]: capital first, a year or a number inside.
CITATION = re.compile(
    r"\[((?:[A-Z][A-Za-z]*(?:\d{4})?)(?: \d[^\]\n]*|,? (?:algorithm|table|theorem|section)[^\]\n]*|(?<=\d{4})))\]"
)


def known_keys() -> set[str]:
    return set(re.findall(r"^@\w+\{([^,\s]+),", (ROOT / "references.bib").read_text(encoding="utf8"), re.MULTILINE))


def cited_keys(text: str) -> set[str]:
    parts = [part.strip() for inside in CITATION.findall(text) for part in inside.split(";")]
    return {re.match(r"[A-Za-z]+(?:\d{4})?", part).group() for part in parts if part[:1].isupper()}


def test_citations_are_found():
    assert cited_keys("see [OCC 33; PACC 12] and [Sechidis2011], not [0, 1], [EPS, 1 - EPS] or list[Any]") == {
        "OCC",
        "PACC",
        "Sechidis2011",
    }


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks"])
def test_every_cited_key_is_known(folder):
    cited = {
        (key, str(path.relative_to(ROOT)))
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
        for key in cited_keys(path.read_text(encoding="utf8"))
    }
    unknown = sorted((key, path) for key, path in cited if key not in known_keys())
    assert unknown == []


def test_the_five_papers_are_known():
    assert {"OCC", "SCLS", "MC", "PCC", "PACC"} <= known_keys()


def without_marks(text: str) -> str:
    """Return text in one line, in small letters, without the marks of TeX."""
    return re.sub(r"\s+", " ", re.sub(r"[{}]", "", text)).lower()


def bibliography() -> dict[str, tuple[str, str]]:
    """Return key -> (title, year)."""
    entries = re.findall(
        r"^@\w+\{([^,\s]+),(.*?)^\}", (ROOT / "references.bib").read_text(encoding="utf8"), re.M | re.S
    )
    fields = {key: dict(re.findall(r"(\w+)\s*=\s*\{(.*)\},?\s*$", body, re.M)) for key, body in entries}
    return {key: (without_marks(found["title"]), found["year"]) for key, found in fields.items()}


def public_code() -> list:
    """Return every class and function that some package of plait exports."""
    packages = [info.name for info in pkgutil.walk_packages(plait.__path__, "plait.") if info.ispkg]
    rooms = [importlib.import_module(name) for name in packages]
    exported = [getattr(room, name) for room in rooms for name in vars(room).get("__all__", ())]
    code = {id(thing): thing for thing in exported if inspect.isclass(thing) or inspect.isfunction(thing)}
    return sorted(code.values(), key=lambda thing: thing.__qualname__)


def texts_of(thing) -> str:
    """Return the docstring of a function, or those of a class and its own public methods."""
    members = vars(thing).items() if inspect.isclass(thing) else ()
    methods = [getattr(value, "__func__", value) for name, value in members if not name.startswith("_")]
    docs = [thing.__doc__, *(method.__doc__ for method in methods if inspect.isfunction(method))]
    return "\n".join(doc for doc in docs if doc)


def unexplained(thing, known: dict[str, tuple[str, str]]) -> list[str]:
    """Return the keys that a docstring cites without saying in its References what they are."""
    section = without_marks((thing.__doc__ or "").partition("References\n")[2])
    return [
        key
        for key in cited_keys(texts_of(thing))
        if f"[{key.lower()}" not in section or not all(part in section for part in known[key])
    ]


def test_a_docstring_that_cites_says_what_it_cites():
    """Whoever reads `help(thing)` finds the title and the year behind a key."""
    known, things = bibliography(), public_code()
    assert len([thing for thing in things if cited_keys(texts_of(thing))]) > 50
    assert {thing.__qualname__: found for thing in things if (found := unexplained(thing, known))} == {}
