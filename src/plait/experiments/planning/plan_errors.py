"""What is wrong with a plan: all of it at once, each with its line."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from plait.core.checks import Constraint, check_value
from plait.core.sentences import ParameterError, shown
from plait.experiments.planning.plan_lines import Path, line_of

__all__ = ["PlanError", "Problems"]


class PlanError(ParameterError):
    """A plan cannot be run; `lines` says why, one line for each thing that is wrong."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class Problems:
    """Collects what is wrong with a plan.

    Parameters
    ----------
    source : str
        Name of the file.
    lines : dict
        Path of a key -> its line, from `key_lines`.
    """

    def __init__(self, source: str, lines: dict[Path, int] | None = None) -> None:
        self.source = source
        self.places = lines or {}
        self.found: list[tuple[int, str]] = []
        self.homes: dict[str, Path] = {}  # name of a data set -> where it stands

    def add(self, path: Path, sentence: object) -> None:
        """Note that something is wrong at a key."""
        words = " ".join(str(sentence).split())
        entry = line_of(self.places, path), words
        if entry not in self.found:
            self.found.append(entry)

    def check(self, path: Path, owner: str, value: Any, rules: Iterable[Constraint]) -> bool:
        """Check the value at a key by rules; note what is wrong with it."""
        try:
            check_value(owner, str(path[-1]), value, rules)
        except ParameterError as problem:
            self.add(path, problem)
            return False
        return True

    def check_keys(self, path: Path, owner: str, table: Any, known: Iterable[str]) -> bool:
        """Check that a table is one and has no keys but the known ones."""
        if not isinstance(table, dict):
            self.add(path, f"{owner} needs a table, but it is {shown(table)}. Pass key = value in braces or below.")
            return False
        words = list(known)
        strange = [key for key in table if key not in words]
        for key in strange:
            close = get_close_matches(key, words, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(words)}."
            self.add((*path, key), f"{owner} has no key {shown(key)}. {hint}")
        return not strange

    def stop_if_any(self) -> None:
        """Raise `PlanError` with all that was found, by line."""
        if self.found:
            raise PlanError(f"{self.source}, line {line}: {words}" for line, words in sorted(self.found))
