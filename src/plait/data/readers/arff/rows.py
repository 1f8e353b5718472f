"""The rows of an ARFF file in plain Python: line by line, and for simple lines by whole columns.

A dense row has one value for each attribute, separated by commas (or tabs); a sparse one is `{index value, ...}` with
growing indices, where what is left out is 0 or the first declared value. `RowParser` reads any line, is the reference
of everything faster and makes all error messages about rows. `ColumnParser` and the kernels read simple lines only
(no quotes, escapes, tabs, weights or comments behind values) and leave all others to it.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, groupby
from typing import NamedTuple

import numpy as np

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.sentences import shown
from plait.data.conversion.attributes import Attribute, AttributeTable, value_codes
from plait.data.errors import DataError
from plait.data.readers.arff.header import QUOTED, as_number, decoded, is_comment, unquoted
from plait.data.readers.pair_text import PairText, plain_numbers

__all__ = ["ColumnParser", "Row", "RowParser", "Rows"]

# A value, quoted or plain, then blanks, then a comma and blanks where there is one.
_TOKEN = re.compile(rf"(?:({QUOTED})|([^,\t '\"{{][^,\t ]*+(?: ++[^,\t %][^,\t ]*+)*+))([ \t]*+)(,[ \t]*+)?+")
_PAIR = re.compile(rf"[ \t]*+([0-9]++)[ \t]++(?:({QUOTED})[ \t]*+|([^,}}'\"][^,}}]*+))([,}}])")
_WEIGHT = re.compile(r"\{[ \t]*+([^ \t{},]{1,40}+)[ \t]*+\}")
_SPECIAL = re.compile(r"[{}'\"\t%\0]")

# What a block of simple lines does not hold; braces only as the first and the last byte of a line.
_NOT_SIMPLE = b"'\"\t%\0\x0b\x0c"
_IN_NUMBERS = b"0123456789+-.eE?"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its values, the attributes they belong to (dense: None), and whether it is sparse and had a weight."""

    values: list[float]
    indices: list[int] | None
    sparse: bool
    weighted: bool


class RowParser:
    """Turns lines into rows of numbers: codes for nominal values, NaN for missing ones, 0 for strings.

    Parameters
    ----------
    table : AttributeTable
        As declared.
    is_label : ndarray of shape (n_attributes,)
        Which attributes are labels; these are 0, 1 or missing.
    file : str
        The file, for errors.
    """

    def __init__(self, table: AttributeTable, is_label: Bools, file: str):
        self.table = table
        self.n_attributes = len(table.names)
        self.is_label = is_label.tolist()
        self.file = file
        self.codes = [_codes(kind) for kind in table.types]
        self.which = table.which.tolist()
        self.line = 0

    def parse(self, line: bytes, number: int) -> Row | None:
        """Return the row in a line (without its end), or None for a blank line or a comment."""
        self.line = number
        text = decoded(line).strip(" \t")
        if not text or text[0] == "%":
            return None
        if "\0" in text:
            raise self.error("text", "a NUL byte", "The file is damaged.")
        if text[0] == "{":
            return self._sparse(text)
        weighted = False
        if _SPECIAL.search(text):
            tokens, weighted = self._tokens(text)
        else:
            self._check_count(text.count(",") + 1)
            tokens = [(token.strip(" "), False) for token in text.split(",")]
        return Row([self._value(j, *token) for j, token in enumerate(tokens)], None, False, weighted)

    def error(self, expected: str, found: str, todo: str = "") -> DataError:
        """Return the error at the current line."""
        return DataError.at(self.file, self.line, expected, found, todo)

    def _tokens(self, text: str) -> tuple[list[tuple[str, bool]], bool]:
        """Return the values of a dense row, whether each was quoted, and whether a weight follows."""
        tokens: list[tuple[str, bool]] = []
        position = 0
        while match := _TOKEN.match(text, position):
            quoted, plain, blanks, comma = match.groups()
            tokens.append((plain, False) if quoted is None else (self._unquoted(quoted), True))
            position = match.end()
            if comma:
                if len(tokens) > self.n_attributes:
                    raise self.error(f"{self.n_attributes} values", "more")
            elif is_comment(text, position):
                self._check_count(len(tokens))
                return tokens, False
            elif "\t" not in blanks:
                raise self.error("a comma between two values", shown(text[position:]))
        match = _WEIGHT.match(text, position)
        if match is None or not is_comment(text, match.end()):
            raise self.error(*self._no_value(text[position:], len(tokens)))
        self._check_weight(match.group(1))
        self._check_count(len(tokens))
        return tokens, True

    def _check_count(self, n_values: int) -> None:
        if n_values != self.n_attributes:
            raise self.error(f"{self.n_attributes} values", f"{n_values}")

    def _no_value(self, rest: str, n_before: int) -> tuple[str, str]:
        if rest[:1] in ("'", '"'):
            return "a closing quote", shown(rest)
        found = shown(rest) if rest.startswith("{") else "none"
        return f"a value of attribute {n_before + 1} ('?' if it is missing)", found

    def _sparse(self, text: str) -> Row:
        indices: list[int] = []
        values: list[float] = []
        match = re.match(r"\{[ \t]*+\}", text)
        position, sign = (match.end(), "}") if match else (1, ",")
        while sign == ",":
            match = _PAIR.match(text, position)
            if match is None:
                rest = text[position:]
                raise self.error("'index value' and then a comma or }", shown(rest) if rest else "the end of the line")
            index, quoted, plain, sign = match.groups()
            j = self._index(index, indices)
            token = self._unquoted(quoted) if quoted else plain.rstrip(" \t")
            indices.append(j)
            values.append(self._value(j, token, bool(quoted)))
            position = match.end()
        return Row(values, indices, True, self._weighted(text[position:].strip(" \t")))

    def _index(self, text: str, before: list[int]) -> int:
        # int() refuses thousands of digits.
        significant = text.lstrip("0") or "0"
        j = int(significant) if len(significant) < 19 else self.n_attributes
        if j >= self.n_attributes:
            raise self.error(f"an index from 0 to {self.n_attributes - 1}", shown(text))
        if before and j <= before[-1]:
            raise self.error(f"an index above {before[-1]} (they grow along the row)", str(j))
        return j

    def _weighted(self, rest: str) -> bool:
        if is_comment(rest):
            return False
        match = re.match(rf",[ \t]*+{_WEIGHT.pattern}", rest)
        if match is None or not is_comment(rest, match.end()):
            raise self.error("nothing after }", shown(rest))
        self._check_weight(match.group(1))
        return True

    def _check_weight(self, text: str) -> None:
        if as_number(text) is None:
            raise self.error("a number as the weight of the row", shown(text))

    def _unquoted(self, text: str) -> str:
        plain = unquoted(text)
        if plain is None:
            raise self.error("escapes of whole characters", shown(text))
        return plain

    def _value(self, j: int, text: str, quoted: bool) -> float:
        if text == "?" and not quoted:
            return math.nan
        value = self.codes[self.which[j]](text)
        wrong_label = self.is_label[j] and value not in (0.0, 1.0)
        if value is None or wrong_label or (not text and not quoted):
            raise self.error(*self._wrong_value(j, text))
        return value

    def _wrong_value(self, j: int, text: str) -> tuple[str, str]:
        kind = self.table.types[self.which[j]]
        owner = f"{'label' if self.is_label[j] else 'attribute'} {shown(self.table.names[j])}"
        found = shown(text) if text else "none"
        if kind.kind == "nominal":
            some = ", ".join(kind.values[:5]) + (", ..." if len(kind.values) > 5 else "")
            return f"a declared value of {owner} ({shown(some)[1:-1]})", found
        return ("0 or 1" if self.is_label[j] else "a finite number") + f" for {owner}", found


def _codes(kind: Attribute) -> Callable[[str], float | None]:
    """Return the function from text to number (None: no such value)."""
    if kind.kind == "nominal":
        return dict(zip(kind.values, map(float, value_codes(kind.values)), strict=True)).get
    return as_number if kind.kind == "numeric" else _zero


def _zero(_text: str) -> float:
    """Return what stands in for a string, whose column is dropped."""
    return 0.0


class Rows(NamedTuple):
    """Several rows: pairs of an attribute's index and its value one after the other, and where those of a row end."""

    attribute: Array | None  # None: every row has all attributes, in order
    value: Floats
    ends: Ints
    sparse: bool
    weighted: bool = False

    @classmethod
    def of(cls, rows: list[Row], n_attributes: int) -> "Rows":
        """Return single rows as one."""
        every = range(n_attributes)
        indices = chain.from_iterable(every if row.indices is None else row.indices for row in rows)
        return cls(
            np.fromiter(indices, dtype=np.int32),
            np.fromiter(chain.from_iterable(row.values for row in rows), dtype=np.float64),
            np.cumsum([len(row.values) for row in rows]),
            any(row.sparse for row in rows),
            any(row.weighted for row in rows),
        )


class ColumnParser:
    """Turns blocks of simple lines into rows of numbers, attributes of one type at a time.

    Parameters
    ----------
    table : AttributeTable
        As declared.
    is_label : ndarray of shape (n_attributes,)
        Which attributes are labels.
    """

    def __init__(self, table: AttributeTable, is_label: Bools):
        self.n_attributes = len(table.names)
        # The type of an attribute and whether it is a label say what its words mean.
        self.meaning = (2 * table.which + is_label).astype(np.int64)
        self.words = {which: _words(table.types[which // 2]) for which in set(self.meaning.tolist())}
        lengths = [(which, len(list(run))) for which, run in groupby(self.meaning.tolist())]
        stops = np.cumsum([length for _, length in lengths]).tolist()
        self.runs = [(which, stop - n, stop) for (which, n), stop in zip(lengths, stops, strict=True)]

    def parse(self, block: bytes) -> Rows | None:
        """Return the rows of a block of lines, or None if one of them is not simple, or wrong."""
        if not block.isascii() or len(block.translate(None, _NOT_SIMPLE)) < len(block):
            return None
        lines = [line for line in (line.strip(" ") for line in block.decode("ascii").split("\n")) if line]
        try:
            return self._sparse(lines) if b"{" in block or b"}" in block else self._dense(lines)
        except (ValueError, KeyError):
            return None

    def _dense(self, lines: list[str]) -> Rows:
        n, d = len(lines), self.n_attributes
        if any(line.count(",") != d - 1 for line in lines):
            raise ValueError("a row has another number of values")
        cells = ",".join(lines).split(",") if lines else []
        if any(" " in line for line in lines):
            cells = [cell.strip(" ") for cell in cells]
        value = np.empty((n, d))
        for which, start, stop in self.runs:
            words = list(chain.from_iterable(cells[at + start : at + stop] for at in range(0, n * d, d)))
            value[:, start:stop] = self._values(which, words).reshape(n, stop - start)
        return Rows(None, value.ravel(), np.arange(1, n + 1) * d, False)

    def _sparse(self, lines: list[str]) -> Rows:
        bodies = [line[1:-1].strip(" ") for line in lines]
        if any(line[:1] + line[-1:] != "{}" or line.count("{") + line.count("}") != 2 for line in lines):
            raise ValueError("not all rows are sparse")
        ends = np.cumsum([body.count(",") + 1 if body else 0 for body in bodies])
        text = ",".join(body for body in bodies if body)
        if "  " in text or " ," in text or ", " in text:
            text = ",".join(" ".join(pair.split()) for pair in text.split(","))
        pairs = PairText(text, " ", ",")
        attribute = pairs.indices
        grows = np.diff(attribute) > 0
        grows[ends[(ends > 0) & (ends < len(attribute))] - 1] = True
        if not grows.all() or attribute.max(initial=0) >= self.n_attributes:
            raise ValueError("indices do not grow along a row, or are too large")
        value, meaning = np.empty(len(attribute)), self.meaning[attribute]
        for which in np.unique(meaning).tolist():
            places = np.flatnonzero(meaning == which)
            if self.words[which] is None:
                value[places] = _checked(pairs.numbers(places, _IN_NUMBERS), which)
            else:
                every = len(places) == len(value)
                words = pairs.words if every else [pairs.words[k] for k in places.tolist()]
                value[places] = self._values(which, words)
        return Rows(attribute.astype(np.int32), value, ends, True)

    def _values(self, which: int, words: list[str]) -> Floats:
        """Return what words mean for attributes of one type; whatever cannot be is a KeyError or a ValueError."""
        known = self.words[which]
        if known is not None:
            return np.fromiter(map(known.__getitem__, words), dtype=np.float64, count=len(words))
        return _checked(plain_numbers(words, _IN_NUMBERS), which)


def _checked(value: Floats, which: int) -> Floats:
    """Return numbers if they are finite or missing, and those of labels if they are 0, 1 or missing."""
    wrong = (value != 0) & (value != 1) & ~np.isnan(value) if which % 2 else np.isinf(value)
    if wrong.any():
        raise ValueError("not finite, or no label")
    return value


class _AnyWord(dict[str, float]):
    """What words of a string attribute mean, whose column is dropped: nothing, but they are there."""

    def __missing__(self, word: str) -> float:
        if not word:
            raise KeyError(word)
        return 0.0


def _words(kind: Attribute) -> dict[str, float] | None:
    """Return the numbers that words of an attribute stand for, or None where they are numbers themselves."""
    if kind.kind == "numeric":
        return None
    known = dict(zip(kind.values, map(float, value_codes(kind.values)), strict=True))
    known.pop("", None)  # only counts between quotes, and so does a declared ?
    known["?"] = math.nan
    return _AnyWord(known) if kind.kind == "string" else known
