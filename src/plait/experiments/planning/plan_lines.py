"""Find the line of every key of a TOML text, which Python's own reader does not tell.

The text has been read before, so that its form is right: only what is needed to follow it is looked at.
"""

import re
import tomllib
from typing import Any

__all__ = ["Path", "key_lines", "line_of"]

Path = tuple[str | int, ...]

_KEY = re.compile(r"""\s*("(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*""")
_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL)
_WORD = re.compile(r"[^,\]}#\n]+")


def key_lines(text: str) -> dict[Path, int]:
    r"""Return path of a key or an element -> its line, from 1.

    Examples
    --------
    >>> key_lines('seeds = [1,\n 2]\n[methods.br]\nlearner = {C = 1}')[("seeds", 1)]
    2
    >>> key_lines('seeds = [1,\n 2]\n[methods.br]\nlearner = {C = 1}')[("methods", "br", "learner", "C")]
    4
    """
    return _Scanner(text).scanned()


def line_of(lines: dict[Path, int], path: Path) -> int:
    """Return the line of a key, or of the table that should have it; 1 where there is none."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Scanner:
    """Goes through the text once; `at` is the place reached."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}  # elements seen so far of every [[array of tables]]

    def scanned(self) -> dict[Path, int]:
        table: Path = ()
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

    def _note(self, path: Path, start: int) -> None:
        self.lines.setdefault(path, self.text.count("\n", 0, start) + 1)

    def _keys(self) -> tuple[Path, int]:
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

    def _header(self) -> Path:
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

    def _within(self, table: Path, keys: Path, start: int) -> Path:
        """Return the whole path of keys; an array of tables on the way means its last element."""
        for key in keys:
            table = (*table, key)
            self._note(table, start)
            if table in self.counts:
                table = (*table, self.counts[table] - 1)
        return table

    def _pair(self, table: Path) -> None:
        keys, start = self._keys()
        path = self._within(table, keys, start)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _value(self, path: Path) -> None:
        self._skip_space()
        self._note(path, self.at)
        sign = self._peek()
        if sign in "[{":
            self._elements(path, sign)
        else:
            self.at = self._match(_STRING if sign in "\"'" else _WORD).end()

    def _elements(self, path: Path, sign: str) -> None:
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
