"""Words of the command line as the values that commands take, and the names that they may be."""

import argparse
import ast
from functools import cache
from pathlib import Path

from plait.core.naming import registered
from plait.core.sentences import shown

__all__ = [
    "label_choice",
    "listed",
    "method_words",
    "names_choice",
    "paper_words",
    "positive_choice",
    "selector_words",
    "size_choice",
]

_PACKAGE = Path(__file__).parents[1]
_NO_SELECTORS = ("GivenFeatures", "Mask", "Selector", "Warning")


def label_choice(word: str) -> int | str | list[str]:
    """Return what `load_dataset` takes as `labels` from one word.

    Examples
    --------
    >>> label_choice("-6"), label_choice("sea,sun"), label_choice("tag_*")
    (-6, ['sea', 'sun'], 'tag_*')
    """
    if word.lstrip("-").isdigit():
        return int(word)
    if any(sign in word for sign in "*?["):
        return word
    return word.split(",")


def names_choice(word: str) -> tuple[str, ...]:
    """Return names joined by commas.

    Examples
    --------
    >>> names_choice("plot,title")
    ('plot', 'title')
    """
    return tuple(listed(word))


def positive_choice(word: str) -> str | dict[str, str]:
    """Return the word that means 1, or such words by label.

    Examples
    --------
    >>> positive_choice("dark"), positive_choice("sky=dark,sea=calm")
    ('dark', {'sky': 'dark', 'sea': 'calm'})
    """
    if "=" not in word:
        return word
    return {name: value for name, _, value in (part.partition("=") for part in listed(word))}


def size_choice(word: str) -> int | float | str:
    """Return what a selector takes as `n_features` from one word.

    Examples
    --------
    >>> size_choice("50"), size_choice("0.1"), size_choice("sqrt")
    (50, 0.1, 'sqrt')
    """
    if word == "sqrt":
        return word
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(f"needs a number, a share or 'sqrt', but it is {shown(word)}")


def listed(word: str) -> list[str]:
    """Return words joined by commas as a list.

    Examples
    --------
    >>> listed("br, cc,")
    ['br', 'cc']
    """
    return [part.strip() for part in word.split(",") if part.strip()]


def method_words() -> list[str]:
    """Return the names of all recipes, then of all baselines, each sorted."""
    return [*sorted(_exported("estimators", "recipes")), *sorted(_exported("baselines"))]


def selector_words() -> list[str]:
    """Return the registered names of all selectors, sorted."""
    kinds = [name for name in _exported("features") if name[0].isupper() and not name.endswith(_NO_SELECTORS)]
    return sorted(map(registered, kinds))


def paper_words() -> list[str]:
    """Return the names of the papers that can be run again, sorted."""
    return sorted(path.stem for path in (_PACKAGE / "experiments" / "reproduction" / "plans").glob("*.toml"))


@cache
def _exported(*parts: str) -> tuple[str, ...]:
    """Return the `__all__` of a module as its source, or the stub of a lazy room, has it: nothing is imported."""
    place = _PACKAGE.joinpath(*parts)
    files = (place / "__init__.pyi", place / "__init__.py", place.with_suffix(".py"))
    source = next(file for file in files if file.is_file()).read_text(encoding="utf8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return tuple(ast.literal_eval(node.value))
    return ()
