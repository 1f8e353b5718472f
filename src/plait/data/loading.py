"""Load a data set by name or path, and save it by suffix."""

import os
import re
from difflib import get_close_matches
from pathlib import Path

from plait.core.checks import Nothing, OneOf, check_value
from plait.core.sentences import ParameterError, complaint, shown
from plait.data.cache import cache_folder, data_folder
from plait.data.catalogue import find_data_file, known_names, part_beside
from plait.data.dataset import Dataset
from plait.data.encoding import NOMINAL_MODES
from plait.data.errors import DataError
from plait.data.file_names import DATA_SUFFIXES
from plait.data.files import plain_suffix
from plait.data.formats import read_file, write_file
from plait.data.label_columns import LabelChoice
from plait.data.openml import NotAtOpenMLError, load_openml

__all__ = ["load_dataset", "save_dataset"]

_OPENML = "openml:"


def load_dataset(
    source: str | os.PathLike[str], *, labels: LabelChoice = None, split: str | None = None, nominal: str = "onehot"
) -> Dataset:
    r"""Load a data set by its name, or from a file.

    Parameters
    ----------
    source : str or path
        A path, or a name. A name (`emotions`) is looked for in the folder that the environment variable PLAIT_DATA
        names, as `emotions/emotions.arff.gz`, `emotions.csv` and the like, then in the same way in the cache
        (PLAIT_CACHE, else `plait` in the user's cache folder), then at openml.org, from where it is kept in the
        cache. `yeast@4` names a version at OpenML, `openml:40589` the number of a data set there. A path is read by
        its suffix below the packing (.gz, .bz2, .xz): .arff, .csv, .tsv, .parquet, .svm, .libsvm or .txt (XC
        format or LIBSVM). A path of a folder means the data set of the same name in it.
    labels : list of str, str, re.Pattern or int, optional
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
        An ARFF file is believed without it: by the XML file beside it (Mulan), else by `-C n` in its relation name
        (MEKA). For LIBSVM these are the label ids. Tables always need it.
    split : {"train", "test"}, optional
        Which part to read: `emotions-train.arff.gz` beside or instead of `emotions.arff.gz`.
    nominal : {"onehot", "codes"}, default="onehot"
        What a feature of more than two words becomes: an indicator for each, or one column of codes.

    Returns
    -------
    Dataset
        Features and labels, dense or sparse as they are stored.

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
        raise ParameterError(complaint("load_dataset", "source", "a name or a path", source))
    if _is_path(source):
        return read_file(_file(Path(source).expanduser(), split), labels, nominal)
    name = str(source)
    if name.startswith(_OPENML) or "@" in name:
        return _from_openml(name.removeprefix(_OPENML), labels, split, nominal)
    return _by_name(name, labels, split, nominal)


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
    Dataset 'beach': 1 rows, 1 features (dense), 1 labels (dense), cardinality 1.000
    """
    write_file(dataset, path)


def _is_path(source: str | os.PathLike[str]) -> bool:
    if isinstance(source, os.PathLike):
        return True
    separated = os.sep in source or (os.altsep is not None and os.altsep in source)
    return separated or plain_suffix(source) in DATA_SUFFIXES


def _file(path: Path, split: str | None) -> Path:
    """Return the file that a path and a part mean."""
    if path.is_dir():
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


def _by_name(name: str, labels: LabelChoice, split: str | None, nominal: str) -> Dataset:
    folders = [folder for folder in (data_folder(), cache_folder()) if folder is not None]
    for folder in folders:
        file = find_data_file(folder, name, split)
        if file is not None:
            return read_file(file, labels, nominal)
    for folder in folders:
        other = find_data_file(folder, name, "train" if split is None else None)
        if other is not None:
            hint = f"Pass split={'None' if split else repr('train')}."
            part = f"part {shown(split)} of it" if split else "the whole of it"
            raise DataError.at(other, None, part, "none in this folder", hint)
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
