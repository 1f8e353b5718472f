"""`chunks(path)`: a file, or a folder of files, read block by block, again whenever it is iterated over."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from plait.core.checks import Interval, Nothing, check_value
from plait.core.extras import optional
from plait.core.sentences import ParameterError, complaint, shown
from plait.data.conversion.files import PACKED_SUFFIXES, blocks_of_lines, plain_stem, plain_suffix, up_to
from plait.data.conversion.label_columns import LabelChoice
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.frames import LabelPlan, dataset_of_frame
from plait.data.readers.delimited import csv_part
from plait.data.readers.pair_rows import PairRows, check_width, read_pair_rows
from plait.data.readers.xc import XCFile, is_xc_head

__all__ = ["FileChunks", "chunks"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_QUOTE = b'"'
_KINDS = {"numeric": "numeric", "binary": "numeric", "words": "words", "dates": "dates"}


def chunks(
    path: str | os.PathLike[str],
    *,
    labels: LabelChoice = None,
    n_features: int | None = None,
    kinds: Mapping[str, str] | None = None,
    positive: str | Mapping[str, str] | None = None,
    chunk_bytes: int = 1 << 24,
) -> "FileChunks":
    r"""Return the rows of a file, or of all files of a folder, in chunks that can be read again and again.

    `fit`, `predict`, `predict_proba` and `joint` of models take them as they are; one chunk is in memory at a time.

    Parameters
    ----------
    path : path
        A file, packed or not: LIBSVM (.svm, .libsvm, .txt), the XC repository's text (.txt that begins with three
        numbers), CSV (.csv, .tsv) or Parquet; or a folder of such files of one kind, read in the order of their names.
    labels : list, str, re.Pattern or int, optional
        The label columns of a table, as `load_dataset` takes them; for LIBSVM the label ids, in order. Without them a
        LIBSVM file is read once to find its ids and its number of features; a table needs them.
    n_features : int, optional
        Number of features of a LIBSVM file, where indices begin at 1; with `labels`, nothing has to be read before.
    kinds : dict of str to str, optional
        What the columns of a table are, as `TableEncoder.kinds_` has it; then chunks hold data frames. By default the
        first chunk decides, and what contradicts it later is an error.
    positive : str or dict, optional
        The word that means 1 in label columns of two words.
    chunk_bytes : int, default=16777216
        About how many bytes of text, or of numbers in a Parquet file, a chunk holds.

    Returns
    -------
    FileChunks
        Iterating gives a `Dataset` for each chunk.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "songs.svm")
    ...     size = file.write_text("3,7 1:0.5 4:1\n 2:1.5\n7 3:1\n")
    ...     [part.n_samples for part in chunks(file, chunk_bytes=1)], chunks(file).label_names
    ([3], ('3', '7'))
    """
    check_value("chunks", "chunk_bytes", chunk_bytes, (Interval(int, 1, None),))
    check_value("chunks", "n_features", n_features, (Interval(int, 1, None), Nothing()))
    files = _files(Path(path))
    suffixes = {plain_suffix(file) for file in files}
    if len(suffixes) > 1:
        raise DataError.at(path, None, "files of one kind", f"suffixes {', '.join(sorted(suffixes))}")
    (suffix,) = suffixes
    if suffix == ".parquet":
        return ParquetChunks(files, chunk_bytes, LabelPlan(labels, positive=positive), kinds)
    if suffix in (".csv", ".tsv"):
        separator = "\t" if suffix == ".tsv" else None
        return TableChunks(files, chunk_bytes, LabelPlan(labels, positive=positive), kinds, separator)
    if suffix == ".txt" and is_xc_head(next(blocks_of_lines(files[0]), b"").partition(b"\n")[0]):
        return XCChunks(files, chunk_bytes)
    if suffix in (".svm", ".libsvm", ".txt"):
        return LibsvmChunks(files, chunk_bytes, labels, n_features)
    raise DataError.at(files[0], None, "a file of LIBSVM, XC, CSV or Parquet to read in chunks", shown(suffix))


def _files(path: Path) -> list[Path]:
    if not os.path.isdir(path):
        return [path]
    found = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith((".", "_")))
    if not found:
        raise DataError.at(path, None, "files in this folder", "none")
    return found


class FileChunks(ABC):
    r"""Chunks of files, see `chunks`; iterating gives a `Dataset` for each.

    Parameters
    ----------
    files : sequence of Path
        What is read.
    chunk_bytes : int
        About how much of a file a chunk holds.

    Attributes
    ----------
    files : list of Path
        What is read.
    label_names, feature_names : tuple of str
        Of all chunks.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from plait.data import chunks
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "photos.csv").write_text("blue,bright,sea,sun\n0.5,2,1,0\n0.1,3,0,1\n")
    ...     parts = chunks(Path(folder, "photos.csv"), labels=["sea", "sun"])
    ...     parts.label_names, [part.n_samples for part in parts]
    (('sea', 'sun'), [2])
    """

    def __init__(self, files: Sequence[Path], chunk_bytes: int) -> None:
        self.files, self.chunk_bytes = list(files), chunk_bytes
        self._first: Dataset | None = None

    @property
    def name(self) -> str:
        """Name of the file, or of the folder."""
        return plain_stem(self.files[0]) if len(self.files) == 1 else self.files[0].parent.name

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels."""
        return tuple(self.no_rows.label_names or ())

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(self.no_rows.feature_names or ())

    @property
    def no_rows(self) -> Dataset:
        """A data set without rows that has the names and kinds of all chunks."""
        if self._first is None:
            first = next(iter(self))
            self._first = first.rows(np.arange(0))
        return self._first

    def __iter__(self) -> Iterator[Dataset]:
        for file in self.files:
            yield from self._read(file)

    def __length_hint__(self) -> int:
        """Return about how many chunks there are; packed text is taken for five times as long."""
        growth = {file: 5 if file.suffix in PACKED_SUFFIXES else 1 for file in self.files}
        return max(1, sum(growth[file] * os.path.getsize(file) for file in self.files) // self.chunk_bytes)

    def __repr__(self) -> str:
        return f"chunks of {self.name!r}: {len(self.files)} file{'s' if len(self.files) > 1 else ''}"

    @abstractmethod
    def _read(self, file: Path) -> Iterator[Dataset]:
        """Give the chunks of one file."""


def _line_groups(blocks: Iterator[bytes], size: int, line: int = 1) -> Iterator[tuple[list[bytes], int]]:
    """Yield blocks of lines, together about `size` bytes, and the number of their first line."""
    while (group := up_to(size, blocks))[1]:
        yield group[0], line
        line += sum(block.count(b"\n") for block in group[0])


def _plain_blocks(file: Path) -> Iterator[bytes]:
    blocks = blocks_of_lines(file)
    return chain([next(blocks, b"").removeprefix(_BYTE_ORDER_MARK)], blocks)


class LibsvmChunks(FileChunks):
    """Chunks of LIBSVM files."""

    def __init__(self, files: Sequence[Path], chunk_bytes: int, labels: Any, n_features: int | None) -> None:
        super().__init__(files, chunk_bytes)
        self._ids: list[int] | None = None if labels is None else self._checked_ids(labels)
        self._n_features, self._base = n_features, 1
        self._scanned = labels is not None and n_features is not None

    @staticmethod
    def _checked_ids(labels: Any) -> list[int]:
        try:
            ids = [int(label) for label in labels]
        except (TypeError, ValueError):
            ids = []
        if len(ids) != len(set(ids)) or isinstance(labels, str) or (not ids and len(labels)):
            raise ParameterError(complaint("chunks", "labels", "a sequence of different label ids", labels))
        return ids

    def _scan(self) -> None:
        """Find the label ids, the number of features and whether indices begin at 0, by one reading."""
        ids: set[int] = set()
        least, largest, n_bytes = 1, 0, 0
        for file in self.files:
            for rows in self._rows(file):
                ids.update(np.unique(rows.labels).tolist())
                if len(rows.indices):
                    least, largest = min(least, int(rows.indices.min())), max(largest, int(rows.indices.max()))
                n_bytes += rows.n_bytes
        self._base = least
        found = largest + 1 - least
        if self._n_features is None:
            check_width(str(self.files[0]), None, "features", found, n_bytes)
            self._n_features = found
        self._ids = sorted(ids) if self._ids is None else self._ids
        self._scanned = True

    def _rows(self, file: Path) -> Iterator[PairRows]:
        for group, line in _line_groups(_plain_blocks(file), self.chunk_bytes):
            rows = read_pair_rows(str(file), group, line=line, comments=True)
            if len(rows.lines):
                yield rows

    def __iter__(self) -> Iterator[Dataset]:
        if not self._scanned:
            self._scan()
        yield from super().__iter__()

    def _read(self, file: Path) -> Iterator[Dataset]:
        assert self._ids is not None
        assert self._n_features is not None
        place = {label: column for column, label in enumerate(self._ids)}
        names = [str(label) for label in self._ids]
        for rows in self._rows(file):
            beyond = (rows.indices < self._base) | (rows.indices >= self._n_features + self._base)
            if beyond.any():
                at = int(np.argmax(beyond))
                expected = f"indices from {self._base} to {self._n_features + self._base - 1}"
                raise DataError.at(file, rows.line_of(at, rows.pair_ends), expected, str(rows.indices[at]))
            occurring, inverse = np.unique(rows.labels, return_inverse=True)
            strange = next((label for label in occurring.tolist() if label not in place), None)
            if strange is not None:
                line = rows.line_of(int(np.argmax(rows.labels == strange)), rows.label_ends)
                raise DataError.at(file, line, "only the labels asked for", f"label {strange}", "Add it to labels.")
            columns = np.array([place[label] for label in occurring.tolist()], dtype=np.int64)[inverse]
            X = rows.features(str(file), self._n_features, self._base)
            yield Dataset(X, rows.label_sets(str(file), columns, len(names)), label_names=names, name=self.name)


class XCChunks(FileChunks):
    """Chunks of files of the extreme classification repository."""

    def _read(self, file: Path) -> Iterator[Dataset]:
        blocks = _plain_blocks(file)
        first = next(blocks)
        whole = XCFile.of(str(file), first)
        rest = chain([first.partition(b"\n")[2]], blocks)
        names, seen = [str(label) for label in range(whole.n_labels)], 0
        for group, line in _line_groups(rest, self.chunk_bytes, 2):
            rows = whole.checked(read_pair_rows(str(file), group, line=line, blank_rows=True), whole.n_rows - seen)
            seen += len(rows.lines)
            if len(rows.lines):
                X, Y = rows.features(str(file), whole.n_features), rows.label_sets(str(file), rows.labels, len(names))
                yield Dataset(X, Y, label_names=names, name=self.name)
        if seen != whole.n_rows:
            raise DataError.at(file, None, f"the {whole.n_rows} rows that line 1 states", str(seen))


class TableChunks(FileChunks):
    """Chunks of CSV files; the first chunk says what columns are, all files have the same head."""

    def __init__(
        self,
        files: Sequence[Path],
        chunk_bytes: int,
        plan: LabelPlan,
        kinds: Mapping[str, str] | None,
        separator: str | None = None,
    ) -> None:
        super().__init__(files, chunk_bytes)
        self._plan, self._kinds, self._separator = plan, kinds, separator
        # Whether X is a frame; None for an array, False where the first chunk is to say so.
        self._keep: bool | None = kinds is not None

    def _read(self, file: Path) -> Iterator[Dataset]:
        blocks = _plain_blocks(file)
        first = _whole_records(next(blocks), blocks)
        head, _, below = first.partition(b"\n")
        head += b"\n"
        for group, line in _record_groups(chain([below], blocks), self.chunk_bytes):
            kinds = self._kinds or {}
            how: dict[str, Any] = {"separator": self._separator, "keep": self._keep, "skipped": line - 2}
            part, self._separator = csv_part(head + group, str(file), self._plan, kinds, **how)
            yield self._settled(part)

    def _settled(self, part: Dataset) -> Dataset:
        """Return the chunk; the first one says how all others are read."""
        if self._kinds is None:
            self._keep = True if part.is_table else None
            names, found = part.feature_names or (), part.feature_kinds or ()
            self._kinds = {name: _KINDS[kind] for name, kind in zip(names, found, strict=True)}
        return part


def _whole_records(block: bytes, blocks: Iterator[bytes]) -> bytes:
    """Return a block, with those after it as long as a quote is open at its end."""
    while block.count(_QUOTE) % 2 and (more := next(blocks, b"")):
        block += more
    return block


def _record_groups(blocks: Iterator[bytes], size: int) -> Iterator[tuple[bytes, int]]:
    line = 2
    for block in blocks:
        group = _whole_records(block, blocks)
        while len(group) < size and (more := next(blocks, b"")):
            group += _whole_records(more, blocks)
        if group.strip():
            yield group, line
        line += group.count(b"\n")


class ParquetChunks(TableChunks):
    """Chunks of Parquet files, by pyarrow."""

    def _read(self, file: Path) -> Iterator[Dataset]:
        arrow = optional("pyarrow.parquet", extra="parquet", purpose="Parquet files")
        try:
            source = arrow.ParquetFile(file)
        except (OSError, ValueError) as problem:
            raise DataError.at(file, None, "a whole Parquet file", f"one that cannot be read ({problem})") from None
        with source:
            n_rows = max(1, self.chunk_bytes // (8 * max(1, source.metadata.num_columns)))
            for batch in source.iter_batches(n_rows):
                frame = batch.to_pandas()
                yield self._settled(dataset_of_frame(frame, self._plan, self.name, str(file), keep=self._keep))
