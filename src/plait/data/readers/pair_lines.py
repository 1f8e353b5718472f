"""The plain parser of lines `label,label index:value index:value ...`: slow, complete, and the one that complains.

The kernels of `_pair_kernels` read the common spelling; what they give up comes here.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from plait.core.sentences import shown
from plait.data.errors import DataError

__all__ = ["LARGEST_INDEX", "LineRow", "parse_lines"]

LARGEST_INDEX = 2**31 - 2
_LARGEST_LABEL = 10**18 - 1

_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_INDEX = re.compile(rb"\d+")
_LABEL = re.compile(rb"[+-]?\d+")
# Python refuses to turn thousands of digits into an integer; nineteen are already too many here.
_MOST_DIGITS = 19


class LineRow(NamedTuple):
    """What one line says: its number in the file, label ids, feature indices and feature values."""

    line: int
    labels: list[int]
    indices: list[int]
    values: list[float]


def parse_lines(text: bytes, file: str, line: int, *, comments: bool, blank_rows: bool) -> Iterator[LineRow]:
    """Yield the rows of a block of lines, the first of which has number `line` in the file.

    Parameters
    ----------
    text : bytes
        Whole lines, each with its line end.
    file : str
        The file, for errors.
    line : int
        Number of the first line.
    comments : bool
        Whether `#` starts a comment.
    blank_rows : bool
        Whether a line without words is a row without labels and features; else it is passed over.
    """
    for number, content in enumerate(text.split(b"\n")[:-1], start=line):
        words = (content.partition(b"#")[0] if comments else content).split()
        if words or blank_rows:
            yield _row(words, file, number)


def _row(words: list[bytes], file: str, line: int) -> LineRow:
    labels: list[int] = []
    if words and b":" not in words[0]:
        labels = [_label(word, words[0], file, line) for word in words[0].split(b",")]
        words = words[1:]
    indices, values = [], []
    for word in words:
        index, colon, value = word.partition(b":")
        if index == b"qid":
            raise DataError.at(file, line, "pairs index:value", "a query id (qid:)", "Remove it: rows are not ranked.")
        if not colon or not _INDEX.fullmatch(index):
            raise DataError.at(file, line, "pairs index:value after the labels", _quoted(word))
        if len(index) > _MOST_DIGITS or int(index) > LARGEST_INDEX:
            raise DataError.at(file, line, f"feature indices of at most {LARGEST_INDEX}", _quoted(index))
        indices.append(int(index))
        values.append(_number(value, file, line))
    return LineRow(line, labels, indices, values)


def _label(word: bytes, list_of_labels: bytes, file: str, line: int) -> int:
    if not _LABEL.fullmatch(word):
        raise DataError.at(file, line, "whole numbers with commas between them as labels", _quoted(list_of_labels))
    if len(word) > _MOST_DIGITS or abs(int(word)) > _LARGEST_LABEL:
        raise DataError.at(file, line, f"labels of at most {_LARGEST_LABEL}", _quoted(word))
    return int(word)


def _number(word: bytes, file: str, line: int) -> float:
    """Return the number that a word spells, or say that it spells none."""
    if not _NUMBER.fullmatch(word):
        raise DataError.at(file, line, "a number after the colon", _quoted(word))
    return float(word)


def _quoted(word: bytes) -> str:
    return shown(word.decode("utf-8", "replace"))
