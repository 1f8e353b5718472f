"""Read a file of lines `label,label index:value ...` block by block into the arrays of two CSR matrices.

This is what the LIBSVM and the XC format have in common. Memory stays within a small multiple of the file: nothing is
allocated by a number that the file only states. Simple lines are read many at once, in large files by kernels; what
is spelt in another way is left to the parser that goes line by line, which is slow and complete and the one that
complains.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import shown
from plait.data.conversion.files import LARGE_FILE, up_to
from plait.data.errors import DataError
from plait.data.readers.pair_text import PairText

__all__ = ["PairRows", "check_width", "read_pair_rows"]

_kernels = lazy_module("plait.data.readers._text_kernels")

LARGEST_INDEX = 2**31 - 2
_LARGEST_LABEL = 10**18 - 1

_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_INDEX = re.compile(rb"\d+")
_LABEL = re.compile(rb"[+-]?\d+")
# Python refuses to turn thousands of digits into an integer; nineteen are already too many here.
_MOST_DIGITS = 19


# A column costs memory even where nothing is stored in it. A file may have this many, or so many a byte.
_COLUMNS_FLOOR = 2**20
_COLUMNS_PER_BYTE = 64

_NEWLINE, _HASH = 10, 35
# White space to Python's text, but not to its bytes.
_NOT_SIMPLE = b"\x1c\x1d\x1e\x1f"
_IN_INTEGERS, _IN_NUMBERS = b"0123456789+-", b"0123456789+-.eE"


@dataclass(frozen=True)
class PairRows:
    """Rows of labels and pairs; row r has `labels[label_ends[r - 1]:label_ends[r]]`, likewise its pairs.

    Parameters
    ----------
    labels, label_ends, indices, values, pair_ends : ndarray
        Label ids, feature indices and values as they stand in the file.
    lines : ndarray of shape (n_rows,)
        The line of each row, for errors.
    ordered : bool
        Whether the indices increase within every row.
    n_bytes : int
        How long the lines are.
    """

    labels: Ints
    label_ends: Ints
    indices: npt.NDArray[np.int32]
    values: Floats
    pair_ends: Ints
    lines: Ints
    ordered: bool
    n_bytes: int

    def features(self, file: str, n_features: int, first: int = 0) -> Any:
        """Return the CSR matrix of the values, with index `first` in column 0; zeros are not stored."""
        indptr = np.concatenate((np.zeros(1, dtype=np.int64), self.pair_ends))
        columns = self.indices if first == 0 else self.indices - np.int32(first)
        X = sparse.csr_matrix((self.values, columns, indptr), shape=(len(self.lines), n_features))
        if not self.ordered:
            X.sort_indices()
        self._refuse_doubles(X, file, "feature", first)
        if self.values.size and not self.values.all():
            X.eliminate_zeros()
        return X

    def label_sets(self, file: str, columns: npt.NDArray[np.integer[Any]], n_labels: int) -> Any:
        """Return the CSR matrix of the labels, whose columns are given for each of `labels`."""
        indptr = np.concatenate((np.zeros(1, dtype=np.int64), self.label_ends))
        ones = np.ones(len(columns), dtype=np.uint8)
        Y = sparse.csr_matrix((ones, columns, indptr), shape=(len(self.lines), n_labels))
        Y.sort_indices()
        self._refuse_doubles(Y, file, "label", 0)
        return Y

    def line_of(self, position: int, ends: npt.NDArray[np.int64]) -> int:
        """Return the line of the row that holds a position of `labels` or `indices`."""
        return int(self.lines[np.searchsorted(ends, position, side="right")])

    def _refuse_doubles(self, matrix: Any, file: str, what: str, first: int) -> None:
        equal = matrix.indices[1:] == matrix.indices[:-1]
        starts = matrix.indptr[1:-1]
        equal[starts[(starts > 0) & (starts < len(matrix.indices))] - 1] = False
        if equal.any():
            at = int(np.argmax(equal))
            line = self.line_of(at, matrix.indptr[1:])
            name = f"index {matrix.indices[at] + first}" if what == "feature" else "a label"
            raise DataError.at(file, line, f"each {what} once", f"{name} twice", "Remove one of them.")


def read_pair_rows(
    file: str, blocks: Iterable[bytes], *, line: int = 1, comments: bool = False, blank_rows: bool = False
) -> PairRows:
    """Return the rows of blocks of whole lines, the first line of which has number `line`.

    `comments` and `blank_rows` are those of `parse_lines`.
    """
    rest = iter(blocks)
    first, size = up_to(LARGE_FILE, rest)
    read_simple = _scanned if kernels_pay(size, LARGE_FILE) else _split
    parts, n_bytes = [], 0
    for block in chain(first, rest):
        part = read_simple(block, line, comments, blank_rows) or _parsed(file, block, line, comments, blank_rows)
        parts.append(part)
        line += block.count(b"\n")
        n_bytes += len(block)
    return _joined(parts, n_bytes)


def check_width(file: str, line: int | None, what: str, width: int, n_bytes: int) -> None:
    """Refuse more columns than the length of a file can justify."""
    most = min(max(_COLUMNS_FLOOR, _COLUMNS_PER_BYTE * n_bytes), LARGEST_INDEX + 1)
    if width > most:
        raise DataError.at(
            file, line, f"at most {most} {what} in a file of {n_bytes} bytes", shown(width), "Correct the number."
        )


def _split(block: bytes, line: int, comments: bool, blank_rows: bool) -> PairRows | None:
    """Return a block's rows, all of their numbers at once, or None where a line is not simple, or wrong."""
    if not block.isascii() or len(block.translate(None, _NOT_SIMPLE)) < len(block):
        return None
    commented = comments and b"#" in block
    lines, labels, pairs = [], [], []
    for number, text in enumerate(block.decode("ascii").split("\n")[:-1], start=line):
        if commented:
            text = text.partition("#")[0]
        words = text.split(None, 1)
        if words or blank_rows:
            has_labels = bool(words) and ":" not in words[0]
            lines.append(number)
            labels.append(words[0] if has_labels else "")
            pairs.append(text if not has_labels else words[1] if len(words) > 1 else "")
    try:
        written = PairText(" ".join(" ".join(pairs).split()), ":", " ")
        indices, values = written.indices, written.numbers(np.arange(len(written.indices)), _IN_NUMBERS)
        ids = _integers(",".join(label for label in labels if label).split(",") if any(labels) else [], _LARGEST_LABEL)
    except (ValueError, OverflowError):
        return None
    label_ends = np.cumsum([label.count(",") + 1 if label else 0 for label in labels], dtype=np.int64)
    pair_ends = np.cumsum([text.count(":") for text in pairs], dtype=np.int64)
    if indices.max(initial=0) > LARGEST_INDEX:
        return None
    grows = np.diff(indices) > 0
    grows[pair_ends[(pair_ends > 0) & (pair_ends < len(indices))] - 1] = True
    return PairRows(
        ids,
        label_ends,
        indices.astype(np.int32),
        values,
        pair_ends,
        np.array(lines, dtype=np.int64),
        bool(grows.all()),
        len(block),
    )


def _integers(words: list[str], most: int) -> Ints:
    if "".join(words).encode("ascii").translate(None, _IN_INTEGERS) or max(map(len, words), default=0) > _MOST_DIGITS:
        raise ValueError("no whole number of so many digits")
    numbers = np.fromiter(map(int, words), dtype=np.int64, count=len(words))
    if (np.abs(numbers) > most).any():
        raise ValueError("too large")
    return numbers


def _scanned(block: bytes, line: int, comments: bool, blank_rows: bool) -> PairRows | None:
    """Return a block's rows by the kernels, or None where it is not spelt in the common way."""
    text = np.frombuffer(block, dtype=np.uint8)
    n_lines, n_pairs, n_commas = _kernels.count_marks(text)
    labels = np.empty(n_commas + n_lines, dtype=np.int64)
    label_ends, pair_ends, lines = (np.empty(n_lines, dtype=np.int64) for _ in range(3))
    indices, values = np.empty(n_pairs, dtype=np.int32), np.empty(n_pairs)
    hard = np.empty((n_pairs, 3), dtype=np.int64)
    stop = _HASH if comments else _NEWLINE
    rows, n_hard, ordered = _kernels.scan_rows(
        text, stop, blank_rows, labels, label_ends, indices, values, pair_ends, lines, hard
    )
    if rows < 0:
        return None
    lines = lines[:rows] + line
    # An underscore is the one thing that float takes and the format does not.
    if n_hard and b"_" in block:
        return None
    try:
        values[hard[:n_hard, 0]] = [float(block[start:end]) for start, end in hard[:n_hard, 1:].tolist()]
    except ValueError:
        return None
    # Copies, so that no oversized buffer is kept alive until all blocks are joined.
    n_labels, n_pairs = (int(ends[rows - 1]) if rows else 0 for ends in (label_ends, pair_ends))
    return PairRows(
        labels[:n_labels].copy(),
        label_ends[:rows].copy(),
        indices[:n_pairs].copy(),
        values[:n_pairs].copy(),
        pair_ends[:rows].copy(),
        lines,
        bool(ordered),
        len(block),
    )


def _parsed(file: str, block: bytes, line: int, comments: bool, blank_rows: bool) -> PairRows:
    """Return a block's rows by the plain parser, which raises where the content is wrong."""
    rows = list(parse_lines(block, file, line, comments=comments, blank_rows=blank_rows))
    return PairRows(
        np.array([label for row in rows for label in row.labels], dtype=np.int64),
        np.cumsum([len(row.labels) for row in rows], dtype=np.int64),
        np.array([index for row in rows for index in row.indices], dtype=np.int32),
        np.array([value for row in rows for value in row.values], dtype=np.float64),
        np.cumsum([len(row.indices) for row in rows], dtype=np.int64),
        np.array([row.line for row in rows], dtype=np.int64),
        all(a < b for row in rows for a, b in zip(row.indices, row.indices[1:], strict=False)),
        len(block),
    )


def _joined(parts: list[PairRows], n_bytes: int) -> PairRows:
    """Join blocks; each field's parts are dropped as soon as they are joined."""
    ends = {"labels": 0, "pairs": 0}
    shifted = {"labels": [np.empty(0, dtype=np.int64)], "pairs": [np.empty(0, dtype=np.int64)]}
    for part in parts:
        for field, part_ends in (("labels", part.label_ends), ("pairs", part.pair_ends)):
            shifted[field].append(part_ends + ends[field])
            ends[field] += int(part_ends[-1]) if len(part_ends) else 0
    return PairRows(
        np.concatenate([np.empty(0, dtype=np.int64), *(part.labels for part in parts)]),
        np.concatenate(shifted["labels"]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part.indices for part in parts)]),
        np.concatenate([np.empty(0), *(part.values for part in parts)]),
        np.concatenate(shifted["pairs"]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.lines for part in parts)]),
        all(part.ordered for part in parts),
        n_bytes,
    )


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
