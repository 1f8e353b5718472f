"""What is wrong with a plan: all of it at once, each with its line.

Python's own reader of TOML does not tell lines, so that the text is scanned once more; it has been read before, and
only what is needed to follow it is looked at.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from plait.core.checks import Constraint, check_value
from plait.core.sentences import ParameterError, shown

__all__ = ["KeyPath", "Place", "PlanError", "Problems", "key_lines"]

KeyPath = tuple[str | int, ...]
_KEY = re.compile(r"""\s*("(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*""")
_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL)
_WORD = re.compile(r"[^,\]}#\n]+")


class PlanError(ParameterError):
    """A plan cannot be run; `lines` says why, one line for each thing that is wrong."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class Problems:
    """Collects what is wrong with a plan; `Place` says where.

    Parameters
    ----------
    source : str
        Name of the file.
    lines : dict
        KeyPath of a key -> its line, from `key_lines`.
    allow_imports : bool, default=False
        Whether the plan may name code from outside plait and scikit-learn.
    """

    def __init__(self, source: str, lines: dict[KeyPath, int] | None = None, *, allow_imports: bool = False) -> None:
        self.source = source
        self.allow_imports = allow_imports
        self.places = lines or {}
        self.found: list[tuple[int, str]] = []
        self.homes: dict[str, KeyPath] = {}  # name of a data set -> where it stands

    def add(self, path: KeyPath, sentence: object) -> None:
        """Note that something is wrong at a key."""
        words = " ".join(str(sentence).split())
        entry = line_of(self.places, path), words
        if entry not in self.found:
            self.found.append(entry)

    def stop_if_any(self) -> None:
        """Raise `PlanError` with all that was found, by line."""
        if self.found:
            raise PlanError(f"{self.source}, line {line}: {words}" for line, words in sorted(self.found))


@dataclass(frozen=True)
class Place:
    """A key of a plan, or an element of a list, at which something may be wrong.

    Parameters
    ----------
    problems : Problems
        Where it is noted.
    path : tuple of str and int
        From the top of the plan to here.
    """

    problems: Problems
    path: KeyPath = ()

    def at(self, *keys: str | int) -> "Place":
        """Return a place further inside."""
        return Place(self.problems, (*self.path, *keys))

    def wrong(self, sentence: object) -> None:
        """Note what is wrong here."""
        self.problems.add(self.path, sentence)

    def check(self, owner: str, value: Any, rules: Iterable[Constraint]) -> bool:
        """Check the value here by rules; note what is wrong with it."""
        try:
            check_value(owner, str(self.path[-1]), value, rules)
        except ParameterError as problem:
            self.wrong(problem)
            return False
        return True

    def check_keys(self, owner: str, table: Any, known: Iterable[str]) -> bool:
        """Check that a table is one and has no keys but the known ones."""
        if not isinstance(table, dict):
            self.wrong(f"{owner} needs a table, but it is {shown(table)}. Pass key = value in braces or below.")
            return False
        words = list(known)
        strange = [key for key in table if key not in words]
        for key in strange:
            close = get_close_matches(key, words, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(words)}."
            self.at(key).wrong(f"{owner} has no key {shown(key)}. {hint}")
        return not strange

    def watch(self) -> "Watch":
        """Return what says later whether anything was found wrong since now."""
        return Watch(self.problems, len(self.problems.found))


@dataclass(frozen=True)
class Watch:
    """Says whether anything was found wrong since it was made."""

    problems: Problems
    before: int

    @property
    def is_fine(self) -> bool:
        """Whether nothing was."""
        return len(self.problems.found) == self.before


def key_lines(text: str) -> dict[KeyPath, int]:
    r"""Return path of a key or an element -> its line, from 1.

    Examples
    --------
    >>> key_lines('seeds = [1,\n 2]\n[methods.br]\nlearner = {C = 1}')[("seeds", 1)]
    2
    >>> key_lines('seeds = [1,\n 2]\n[methods.br]\nlearner = {C = 1}')[("methods", "br", "learner", "C")]
    4
    """
    return _Scanner(text).scanned()


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, or of the table that should have it; 1 where there is none."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Scanner:
    """Goes through the text once; `at` is the place reached."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self.counts: dict[KeyPath, int] = {}  # elements seen so far of every [[array of tables]]

    def scanned(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self._skip_space()
        while self.at < len(self.text):
            if self._peek() == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip_space()
        return self.lines

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip_space(self) -> None:
        self.at = self._match(_SPACE).end()

    def _match(self, pattern: re.Pattern[str]) -> Any:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise ValueError(f"cannot follow the text at {self.text[self.at : self.at + 20]!r}")
        return found

    def _note(self, path: KeyPath, start: int) -> None:
        self.lines.setdefault(path, self.text.count("\n", 0, start) + 1)

    def _keys(self) -> tuple[KeyPath, int]:
        """Read a key with dots; return its parts and where it starts."""
        parts: list[str | int] = []
        found = self._match(_KEY)
        start = found.start(1)
        while True:
            word = found.group(1)
            # The reader itself undoes quotes and their escapes.
            parts.append(tomllib.loads(f"key = {word}")["key"] if word[0] in "\"'" else word)
            self.at = found.end()
            if self._peek() != ".":
                return tuple(parts), start
            self.at += 1
            found = self._match(_KEY)

    def _header(self) -> KeyPath:
        many = self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        keys, start = self._keys()
        self.at += 2 if many else 1
        path = self._within((), keys[:-1] if many else keys, start)
        if many:
            path = (*path, keys[-1])
            self._note(path, start)
            self.counts[path] = self.counts.get(path, 0) + 1
            path = (*path, self.counts[path] - 1)
        self._note(path, start)
        return path

    def _within(self, table: KeyPath, keys: KeyPath, start: int) -> KeyPath:
        """Return the whole path of keys; an array of tables on the way means its last element."""
        for key in keys:
            table = (*table, key)
            self._note(table, start)
            if table in self.counts:
                table = (*table, self.counts[table] - 1)
        return table

    def _pair(self, table: KeyPath) -> None:
        keys, start = self._keys()
        path = self._within(table, keys, start)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        self._skip_space()
        self._note(path, self.at)
        sign = self._peek()
        if sign in "[{":
            self._elements(path, sign)
        else:
            self.at = self._match(_STRING if sign in "\"'" else _WORD).end()

    def _elements(self, path: KeyPath, sign: str) -> None:
        """Read an array, whose elements have numbers, or a table in braces, whose elements have keys."""
        self.at += 1
        self._skip_space()
        number = 0
        while self._peek() not in "]}":
            if sign == "{":
                self._pair(path)
            else:
                self._value((*path, number))
            number += 1
            self._skip_space()
            if self._peek() == ",":
                self.at += 1
                self._skip_space()
        self.at += 1
