"""Load a data set by name or path, and save it by suffix: which file a name means, which reader a suffix asks for."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from plait.core.checks import Nothing, OneOf, check_value
from plait.core.sentences import ParameterError, complaint, shown, warn_user
from plait.data.conversion.feature_encoding import NOMINAL_MODES
from plait.data.conversion.files import PACKED_SUFFIXES, blocks_of_lines, plain_stem, plain_suffix
from plait.data.conversion.label_columns import LabelChoice, label_positions
from plait.data.dataset import Dataset
from plait.data.encoded_tables import encoded_parts
from plait.data.errors import DataError, DataWarning
from plait.data.readers.arff.header import Header
from plait.data.readers.arff.reader import read_arff
from plait.data.readers.delimited import read_csv
from plait.data.readers.excel import read_excel
from plait.data.readers.libsvm import read_libsvm
from plait.data.readers.meka import meka_label_count, read_meka
from plait.data.readers.mulan import find_label_xml, read_mulan
from plait.data.readers.openml import NotAtOpenMLError, load_openml
from plait.data.readers.parquet import read_parquet
from plait.data.readers.xc import is_xc_head, read_xc
from plait.data.writers.delimited import write_csv
from plait.data.writers.libsvm import write_libsvm
from plait.data.writers.mulan import write_mulan
from plait.data.writers.parquet import write_parquet
from plait.data.writers.xc import write_xc

__all__ = ["DATA_SUFFIXES", "cache_folder", "data_folder", "find_data_file", "load_dataset", "save_dataset"]

_FilePath: TypeAlias = str | os.PathLike[str]

_OPENML = "openml:"
_PARTS = ("-train", "-test")
_FRAMES = "A data frame, however read, goes to plait.data.from_frame."


def load_dataset(
    source: str | os.PathLike[str],
    *,
    labels: LabelChoice = None,
    split: str | None = None,
    nominal: str = "onehot",
    fetch: bool = False,
    tags: str | None = None,
    sep: str | None = None,
    positive: str | Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Dataset:
    r"""Load a data set by its name, or from a file.

    Parameters
    ----------
    source : str or path
        A path, or a name. A name (`emotions`) is looked for in the folder that the environment variable PLAIT_DATA
        names, as `emotions/emotions.arff.gz`, `emotions.csv` and the like, then in the same way in the cache
        (PLAIT_CACHE, else `plait` in the user's cache folder). `openml:emotions` is fetched from openml.org and kept
        in the cache; `openml:yeast@4` names a version there, `openml:40589` a number. A path is read by its suffix
        below the packing (.gz, .bz2, .xz): .arff, .csv, .tsv, .parquet, .xlsx, .svm, .libsvm or .txt (XC format or
        LIBSVM). A path of a folder means the data set of the same name in it.
    labels : list of str, str, re.Pattern or int, optional
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
        An ARFF file is believed without it: by the XML file beside it (Mulan), else by `-C n` in its relation name
        (MEKA). For LIBSVM these are the label ids. Tables always need it.
    split : {"train", "test"}, optional
        Which part to read: `emotions-train.arff.gz` beside or instead of `emotions.arff.gz`. The test part of a
        table is read as its training part is: what is a word there is one here.
    nominal : {"onehot", "codes"}, default="onehot"
        What a nominal attribute of an ARFF file with more than two values becomes: an indicator for each, or one
        column of codes. Tables keep their words.
    tags, sep : str, optional
        Instead of labels, in tables: the column that holds all labels of a row, and what joins them ("|", ";", commas
        and lists in writing are found out, and a note says what was taken).
    positive : str or dict, optional
        The word that means 1 in label columns of two words, for all or by label. 0 and 1, true and false, yes and no
        (in many languages), and x beside empty cells are understood without it.
    kinds : dict of str to str, optional
        What the columns of a table are, as `TableEncoder.kinds_` has it: read the file as the one that a model was
        fitted on, whatever its own words look like. `X` is a data frame then.
    fetch : bool, default=False
        Look for a name that is not found here at openml.org. Nothing else but `openml:` goes to the network.

    Returns
    -------
    Dataset
        Features and labels, dense or sparse as they are stored; `X` is a data frame where a table holds more than
        numbers, for `TableEncoder` before a model.

    Raises
    ------
    DataError
        If there is no such data set, or its content cannot be used; one sentence says where and why.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "beach.csv")
    ...     size = file.write_text("size,waves,sea,sun\n1.5,0,1,1\n2.0,1,0,1\n")
    ...     load_dataset(file, labels=["sea", "sun"])
    Dataset 'beach': 2 rows, 2 features (dense), 2 labels (dense), cardinality 1.500
    """
    check_value("load_dataset", "split", split, (OneOf(("train", "test")), Nothing()))
    check_value("load_dataset", "nominal", nominal, (OneOf(NOMINAL_MODES),))
    if not isinstance(source, str | os.PathLike) or not os.fspath(source):
        raise ParameterError(complaint("load_dataset", "source", "a name or a path", source, _FRAMES))
    table = {"tags": tags, "sep": sep, "positive": positive, "kinds": kinds}
    if _is_path(source):
        return _read_part(_file(Path(source).expanduser(), split), labels, split, nominal, table)
    name = str(source)
    if name.startswith(_OPENML):
        return _from_openml(name.removeprefix(_OPENML), labels, split, nominal)
    return _by_name(name, labels, split, nominal, fetch, table)


def save_dataset(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a data set to a file, in the format that the suffix below the packing (.gz, .bz2, .xz) names.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path
        The file: .arff (with an XML file of the labels beside it), .csv, .tsv, .parquet, .svm or .libsvm, or .txt for
        the XC format. It is replaced whole or not at all.

    Raises
    ------
    DataError
        If the suffix is none of these, the format cannot hold the data, or the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_dataset(Dataset([[0.5]], [[1]], ["size"], ["sea"], "beach"), Path(folder, "beach.csv"))
    ...     load_dataset(Path(folder, "beach.csv"), labels=["sea"])
    Dataset 'beach': 1 row, 1 feature (dense), 1 label (dense), cardinality 1.000
    """
    write_file(dataset, path)


def _is_path(source: str | os.PathLike[str]) -> bool:
    if isinstance(source, os.PathLike):
        return True
    separated = os.sep in source or (os.altsep is not None and os.altsep in source)
    return separated or plain_suffix(source) in DATA_SUFFIXES or (Path(source).suffix != "" and os.path.isfile(source))


def _file(path: Path, split: str | None) -> Path:
    """Return the file that a path and a part mean."""
    if os.path.isdir(path):
        found = find_data_file(path.parent, path.resolve().name, split)
        if found is None or found.parent != path:
            part = f"-{split}" if split else ""
            raise DataError.at(path, None, f"a file {path.resolve().name}{part}.arff or the like in it", "none")
        return found
    if split is None:
        return path
    part_file = part_beside(path, split)
    if part_file is None:
        raise DataError.at(path, None, f"a file of the part {shown(split)} beside it", "none")
    return part_file


def _by_name(
    name: str, labels: LabelChoice, split: str | None, nominal: str, fetch: bool, table: dict[str, Any]
) -> Dataset:
    folders = [folder for folder in (data_folder(), cache_folder()) if folder is not None]
    for folder in folders:
        file = find_data_file(folder, name, split)
        if file is not None:
            return _read_part(file, labels, split, nominal, table)
    for folder in folders:
        other = find_data_file(folder, name, "train" if split is None else None)
        if other is not None:
            hint = f"Pass split={'None' if split else repr('train')}."
            part = f"part {shown(split)} of it" if split else "the whole of it"
            raise DataError.at(other, None, part, "none in this folder", hint)
    if not fetch:
        raise _nowhere(name, folders, f"Nothing was fetched: {shown(_OPENML + name)} would ask openml.org")
    try:
        return _from_openml(name, labels, split, nominal)
    except NotAtOpenMLError as problem:
        raise _nowhere(name, folders, str(problem)) from None


def _from_openml(source: str, labels: LabelChoice, split: str | None, nominal: str) -> Dataset:
    if split is not None:
        raise NotAtOpenMLError.at(f"openml.org, {source}", None, f"a part {shown(split)}", "whole data sets only")
    return load_openml(source, cache_folder(), labels=labels, nominal=nominal)


def _nowhere(name: str, folders: list[Path], problem: str) -> DataError:
    """Say where a name was looked for, and which known names are like it."""
    known = sorted({other for folder in folders for other in known_names(folder)})
    lower = {other.lower(): other for other in known}
    close = [lower[word] for word in get_close_matches(name.lower(), list(lower), n=3)]
    places = [f"{folder} ({len(known_names(folder))} data sets)" for folder in folders]
    unset = "" if data_folder() else "PLAIT_DATA is not set. "
    hint = f"Did you mean {' or '.join(map(shown, close))}?" if close else "Pass a path, or set PLAIT_DATA."
    reason = re.sub(r"^openml\.org, [^:]*: expected ", "OpenML: expected ", problem).rstrip(".")
    return DataError(f"No data set is called {shown(name)}: looked in {', '.join(places)}. {reason}. {unset}{hint}")


def data_folder() -> Path | None:
    """Return the folder that the environment variable PLAIT_DATA names, if it does."""
    folder = os.environ.get("PLAIT_DATA")
    return Path(folder).expanduser() if folder else None


def cache_folder() -> Path:
    """Return the folder for fetched data: PLAIT_CACHE, else `plait` in the user's cache; it need not exist.

    Examples
    --------
    >>> before = os.environ.get("PLAIT_CACHE")
    >>> os.environ["PLAIT_CACHE"] = "somewhere"
    >>> cache_folder().name
    'somewhere'
    >>> _ = os.environ.pop("PLAIT_CACHE") if before is None else os.environ.update(PLAIT_CACHE=before)
    """
    chosen = os.environ.get("PLAIT_CACHE")
    return Path(chosen).expanduser() if chosen else _user_cache() / "plait"


def _user_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME")
    # The standard says that a relative path is to be ignored.
    return Path(chosen) if chosen and os.path.isabs(chosen) else Path.home() / ".cache"


def find_data_file(folder: Path, name: str, split: str | None = None) -> Path | None:
    """Return the file of a data set, or of its part `split`, in a folder or in its own folder there."""
    stem = name if split is None else f"{name}-{split}"
    return next((file for place in (folder / name, folder) for file in _files(place, stem)), None)


def part_beside(path: Path, split: str) -> Path | None:
    """Return the file of a part beside the file of the whole, of the same kind where there is one."""
    stem = f"{plain_stem(path)}-{split}"
    files = list(_files(path.parent, stem))
    return next((file for file in files if plain_suffix(file) == plain_suffix(path)), files[0] if files else None)


def known_names(folder: Path) -> list[str]:
    """Return the names of the data sets in a folder, sorted."""
    names = set()
    try:
        entries = list(folder.iterdir())
    except OSError:
        return []
    for entry in entries:
        if entry.is_dir():
            if any(find_data_file(folder, entry.name, split) for split in (None, "train", "test")):
                names.add(entry.name)
        elif plain_suffix(entry) in DATA_SUFFIXES:
            stem = plain_stem(entry)
            names.add(next((stem.removesuffix(part) for part in _PARTS if stem.endswith(part)), stem))
    return sorted(names)


def _files(folder: Path, stem: str) -> Iterator[Path]:
    for suffix in DATA_SUFFIXES:
        for packing in ("", *PACKED_SUFFIXES):
            file = folder / f"{stem}{suffix}{packing}"
            if os.path.isfile(file):
                yield file


def _read_part(path: Path, labels: LabelChoice, split: str | None, nominal: str, table: dict[str, Any]) -> Dataset:
    """Read a file; of the test part of a table, kinds of columns and what joins tags are those of the training part."""
    if split == "test" and plain_suffix(path) in _TABLES and table["kinds"] is None:
        whole = path.parent / f"{plain_stem(path).removesuffix('-test')}{plain_suffix(path)}"
        train = part_beside(whole, "train")
        if train is not None:
            first = read_file(train, labels, nominal, table)
            kinds = dict(zip(first.feature_names or (), first.feature_kinds or (), strict=True))
            table = table | {"kinds": kinds if first.is_table else None, "sep": table["sep"] or first.tags_sep or None}
    return read_file(path, labels, nominal, table)


def read_file(path: _FilePath, labels: LabelChoice, nominal: str, table: Mapping[str, Any] | None = None) -> Dataset:
    """Read a data file by its suffix below the packing; `table` holds what only tables know."""
    read, given = _format_of(path).read, table or {}
    if plain_suffix(path) in _TABLES:
        return _noted(path, read(path, labels, **given))
    for name in ("tags", "positive"):
        if given.get(name) is not None:
            must = f"None for a file of this kind, which is no table ({', '.join(_TABLES)})"
            raise ParameterError(complaint("load_dataset", name, must, given[name], "Leave it out."))
    return _noted(path, read(path, labels, nominal))


def _noted(path: _FilePath, dataset: Dataset) -> Dataset:
    """Return the data set, with a note if numbers in it are infinite."""
    if dataset.is_table:
        return dataset
    infinite = np.isinf(dataset.X.data if sparse.issparse(dataset.X) else dataset.X)
    if infinite.any():
        count = np.count_nonzero(infinite)
        first = int((dataset.X.indices[infinite] if infinite.ndim == 1 else infinite.any(axis=0).nonzero()[0])[0])
        column = shown((dataset.feature_names or ())[first])
        message = f"{path}: {count} numbers are infinite, such as 1e999 would be; one is in column {column}."
        warn_user(f"{message} Models refuse them: mend the file, or replace them.", DataWarning)
    return dataset


def write_file(dataset: Dataset, path: _FilePath) -> None:
    """Write a data file by its suffix below the packing; where it can hold numbers only, words are encoded."""
    write = _format_of(path).write
    if dataset.is_table and plain_suffix(path) not in _TABLES:
        (dataset,) = encoded_parts(dataset, fill=None)
    write(dataset, path)


def _format_of(path: _FilePath) -> "_Format":
    found = _FORMATS.get(plain_suffix(path))
    if found is None:
        raise DataError.at(path, None, f"a suffix among {', '.join(_FORMATS)}", shown(plain_suffix(path)), _FRAMES)
    return found


def _read_arff(path: _FilePath, labels: LabelChoice, nominal: str) -> Dataset:
    """Read an ARFF file with the labels of `labels`, else of the XML file beside it (Mulan), else of `-C n` (MEKA)."""
    file = os.fspath(path)
    if labels is not None:

        def chosen(header: Header) -> list[int]:
            return label_positions([attribute.name for attribute in header.attributes], labels, file)

        return read_arff(path, chosen, nominal)
    try:
        xml = find_label_xml(path)
    except DataError:
        if meka_label_count(path) is not None:
            return read_meka(path, nominal=nominal)
        raise DataError.at(
            path,
            None,
            "to be told the labels by labels=, by an XML file beside it, or by -C and their number in its relation",
            "none of these",
        ) from None
    return read_mulan(path, xml, nominal=nominal)


def _read_text(path: _FilePath, labels: LabelChoice, nominal: str) -> Dataset:
    """Read a file of the XC format if it starts with three numbers, else of LIBSVM."""
    if not is_xc_head(next(blocks_of_lines(path), b"").partition(b"\n")[0]):
        return _read_libsvm(path, labels, nominal)
    if labels is not None:
        must = "None for a file of the XC format, whose labels are known"
        raise ParameterError(complaint("load_dataset", "labels", must, labels))
    return read_xc(path)


def _read_libsvm(path: _FilePath, labels: LabelChoice, _nominal: str) -> Dataset:
    return read_libsvm(path, labels=labels)  # type: ignore[arg-type]


def _write_excel(dataset: Dataset, path: _FilePath) -> None:
    raise DataError.at(path, None, "a format that plait writes", "Excel, which it reads only", "Write .csv instead.")


class _Format(NamedTuple):
    """What reads and what writes files of one suffix."""

    read: Callable[..., Dataset]
    write: Callable[[Dataset, _FilePath], None]


# In the order in which they are looked for where only a name is given.
_FORMATS = {
    ".arff": _Format(_read_arff, write_mulan),
    ".parquet": _Format(read_parquet, write_parquet),
    ".csv": _Format(read_csv, write_csv),
    ".tsv": _Format(read_csv, write_csv),
    ".xlsx": _Format(read_excel, _write_excel),
    ".svm": _Format(_read_libsvm, write_libsvm),
    ".libsvm": _Format(_read_libsvm, write_libsvm),
    ".txt": _Format(_read_text, write_xc),
}
DATA_SUFFIXES = tuple(_FORMATS)
_TABLES = (".parquet", ".csv", ".tsv", ".xlsx")
