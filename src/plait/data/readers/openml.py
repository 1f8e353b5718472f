"""Data sets from openml.org through scikit-learn, kept in the cache."""

import re
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import numpy as np
from scipy import sparse

from plait.core.extras import installed
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import shown, warn_user
from plait.data.conversion.attributes import Attribute, value_codes
from plait.data.conversion.feature_encoding import encode_features
from plait.data.conversion.frame_columns import column_of_objects
from plait.data.conversion.label_columns import LabelChoice, label_column, label_positions
from plait.data.dataset import Dataset
from plait.data.errors import DataError, DataWarning
from plait.data.frames import LabelPlan, dataset_of_frame

__all__ = ["NotAtOpenMLError", "load_openml"]

_datasets = lazy_module("sklearn.datasets")

# The oldest version of this name has one label for each row; scikit-learn's own examples fetch this one.
_MULTI_LABEL_VERSIONS = {"yeast": 4}
_SECONDS = 30.0
# What can stand in the addresses of OpenML.
_NAME = re.compile(r"[A-Za-z0-9._()+-]+")


class NotAtOpenMLError(DataError):
    """OpenML has no such data set, or cannot be reached."""


def load_openml(source: str, folder: Path, *, labels: LabelChoice = None, nominal: str = "onehot") -> Dataset:
    """Fetch a data set from openml.org, or from the cache where it was fetched before.

    Parameters
    ----------
    source : str
        A name (`emotions`), a name and a version (`yeast@4`), or a number (`40589`).
    folder : path
        The cache.
    labels : list of str, str, re.Pattern or int, optional
        The label columns; by default the target columns that the data set has at OpenML.
    nominal : {"onehot", "codes"}, default="onehot"
        What a feature of more than two words becomes.

    Returns
    -------
    Dataset
        Sparse features where the data set is stored so.

    Raises
    ------
    NotAtOpenMLError
        If there is no such data set or no way to OpenML.
    DataError
        If its targets are not labels.

    Examples
    --------
    >>> from pathlib import Path
    >>> data = load_openml("emotions", Path("cache"))  # doctest: +SKIP
    >>> data.label_names[:2]  # doctest: +SKIP
    ('amazed.suprised', 'happy.pleased')
    """
    query = _query(source)
    whole = {} if labels is None else {"target_column": None}
    bunch = _fetch(source, query | whole, folder)
    names = [*bunch.feature_names, *(bunch.target_names or ())]
    chosen = _targets(bunch) if labels is None else [names[j] for j in label_positions(names, labels, source)]
    if labels is None and len(chosen) < 2:
        found = f"one, {shown(chosen[0])}" if chosen else "none"
        hint = "Name another version as in 'yeast@4', or pass labels=."
        raise DataError.at(f"openml.org, {source}", None, "several target columns", found, hint)
    place = f"openml.org, {source}"
    name = re.sub("@.*", "", source)
    if bunch.get("frame") is not None:
        return dataset_of_frame(bunch.frame, LabelPlan(chosen), name, place)
    if sparse.issparse(bunch.data) and bunch.target_names:
        # What a sparse file does not store of its targets scikit-learn leaves unset; as features they come out whole.
        bunch = _fetch(source, query | {"target_column": None}, folder)
    return _dataset_of_arrays(bunch, chosen, nominal, name, place)


def _targets(bunch: Any) -> list[str]:
    """Return the names of the target columns, where need be from the words with which OpenML describes the data."""
    described = str(bunch.get("details", {}).get("default_target_attribute") or "").split(",")
    return list(bunch.target_names or [name for name in bunch.feature_names if name in described])


def _query(source: str) -> dict[str, Any]:
    if source.isdecimal():
        return {"data_id": int(source)}
    name, _, version = source.partition("@")
    if not _NAME.fullmatch(name):
        raise NotAtOpenMLError.at(f"openml.org, {source}", None, "a name of letters, digits and ._()+-", shown(name))
    if version:
        if not version.isdecimal():
            raise DataError.at(f"openml.org, {source}", None, "a whole number as version", shown(version))
        return {"name": name, "version": int(version)}
    return {"name": name, "version": _MULTI_LABEL_VERSIONS.get(name.lower(), "active")}


def _fetch(source: str, query: dict[str, Any], folder: Path) -> Any:
    """Return scikit-learn's bunch of arrays, or of a frame where there are free texts, which arrays cannot hold."""
    place = f"openml.org, {source}"
    with _patience(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            bunch = _fetch_in_form(query, folder)
        except (URLError, TimeoutError, ConnectionError) as problem:
            raise NotAtOpenMLError.at(place, None, "a way to OpenML", _reason(problem)) from None
        except MemoryError:
            raise
        except Exception as problem:
            kind = NotAtOpenMLError if type(problem).__name__ == "OpenMLError" else DataError
            raise kind.at(place, None, "a data set that scikit-learn can fetch", _one_line(problem)) from None
    for warning in told:
        # Others speak of scikit-learn's inside.
        if issubclass(warning.category, UserWarning):
            warn_user(f"{place}: {_one_line(warning.message)}", DataWarning)
    return bunch


def _fetch_in_form(query: dict[str, Any], folder: Path) -> Any:
    # Not the parser by pandas: it takes TRUE and FALSE, the usual labels, for truth values and breaks on them. And
    # arrays come with all declared values of a nominal feature, frames only with those that occur.
    options = {"parser": "liac-arff", "data_home": folder, "cache": True, "n_retries": 1, "delay": 0.5}
    try:
        return _datasets.fetch_openml(**query, **options, as_frame=False)
    except IndexError:
        # An unset target may be no position of a value at all.
        return _datasets.fetch_openml(**query | {"target_column": None}, **options, as_frame=False)
    except ValueError as problem:
        if "STRING attributes" in str(problem) and installed("pandas"):
            return _datasets.fetch_openml(**query, **options, as_frame=True)
        raise


@contextmanager
def _patience() -> Iterator[None]:
    """Give up on a silent network after a while; scikit-learn would wait for ever."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(before or _SECONDS)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _reason(problem: Exception) -> str:
    if isinstance(problem, HTTPError):
        return f"the answer {problem.code} ({problem.reason})"
    return f"no answer ({getattr(problem, 'reason', None) or problem})"


def _one_line(problem: object) -> str:
    return " ".join(str(problem).split())[:300].rstrip(".") or type(problem).__name__


def _dataset_of_arrays(bunch: Any, chosen: list[str], nominal: str, name: str, place: str) -> Dataset:
    """Return the data set of a matrix of numbers and codes, and of target columns beside it or among them."""
    position = {column: j for j, column in enumerate(bunch.feature_names)}
    categories = {column: tuple(map(str, values)) for column, values in (bunch.categories or {}).items()}
    target = None if bunch.target is None else np.asarray(bunch.target, dtype=object).reshape(len(bunch.target), -1)
    beside = {} if target is None else {column: target[:, k] for k, column in enumerate(bunch.target_names)}
    Y = np.empty((bunch.data.shape[0], len(chosen)), dtype=np.uint8)
    for k, column in enumerate(chosen):
        values = beside[column] if column in beside else _words(bunch.data, position[column], categories.get(column))
        Y[:, k], _ = label_column(column_of_objects(column, list(values), place), place)
    features = [column for column in bunch.feature_names if column not in set(chosen)]
    X = bunch.data[:, [position[column] for column in features]]
    X = sparse.csr_matrix(X, dtype=np.float64) if sparse.issparse(X) else np.array(X, dtype=np.float64)
    attributes = [
        Attribute(column, "nominal", categories[column]) if column in categories else Attribute(column)
        for column in features
    ]
    X, feature_names, kinds = encode_features(_coded(X, attributes), attributes, nominal, place)
    return Dataset(X, Y, feature_names, chosen, name, kinds)


def _words(data: Any, j: int, values: tuple[str, ...] | None) -> list[Any]:
    column = (data[:, [j]].toarray() if sparse.issparse(data) else np.asarray(data[:, j])).ravel().tolist()
    if values is None:
        return column
    return [None if number != number else values[int(number)] for number in column]


def _coded(X: Any, attributes: list[Attribute]) -> Any:
    """Return the matrix with positions of values, as scikit-learn gives them, replaced by their codes."""
    for j, attribute in enumerate(attributes):
        codes = np.array(value_codes(attribute.values), dtype=np.float64)
        if np.array_equal(codes, np.arange(len(codes))):
            continue
        if sparse.issparse(X):
            stored = X.indices == j
            known = stored & ~np.isnan(X.data)
            X.data[known] = codes[X.data[known].astype(np.int64)]
        else:
            known = ~np.isnan(X[:, j])
            X[known, j] = codes[X[known, j].astype(np.int64)]
    return X
