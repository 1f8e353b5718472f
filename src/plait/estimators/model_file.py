"""One file for a fitted model: `save_model`, `load_model`. It holds data only, and reading it runs no code.

A file is what `skops` writes of a table with two entries: `model`, and `plait`, a JSON text of the names of labels and
features, versions, and what the model was fitted on. A plain skops file of a fitted model or pipeline is read as well.
"""

import json
import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from importlib.metadata import version
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from plait import __version__
from plait.core.extras import optional
from plait.core.sentences import ParameterError, shown
from plait.data import DataError
from plait.data.conversion.files import replacing
from plait.estimators.model_types import check_parts, growth, is_trusted, packed

__all__ = ["ModelFile", "UntrustedModelError", "answers_of", "load_model", "read_model_file", "save_model"]

FORMAT = 1
_KEYS = {"plait", "model"}
_MOST_NAMES = 5
_UNKNOWN = -1


class UntrustedModelError(DataError):
    """A file holds types that models of plait and scikit-learn do not."""


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A fitted model and what is known of it.

    Parameters
    ----------
    model : estimator
        The fitted model, or a pipeline that ends in one.
    feature_names, label_names : tuple of str
        Columns of X (empty where X has none, as a list of texts) and of Y in training.
    method : str
        How the model is called.
    versions : dict of str to str
        Of plait, numpy, scipy, scikit-learn and python when it was written; empty for a plain skops file.
    data : str
        Name of the data it was fitted on; empty if unknown.
    n_rows : int or None
        How many rows it was fitted on, if known.
    date : str
        When it was written, in UTC.
    id_column : str
        The column of a table that names rows, which answers carry along; empty without one.
    tags_column, tags_sep : str
        The column of a table that had all labels of a row in one cell, and what stood between them; empty without one.

    Examples
    --------
    >>> from plait import recipes, save_model
    >>> save_model(recipes.br().fit([[0.0], [1.0]] * 9, [["sea"], ["sun"]] * 9), "model.plait")
    >>> file = read_model_file("model.plait")
    >>> file.label_names, file.model.predict_sets([[0.9]])
    (('sea', 'sun'), [('sun',)])
    """

    model: Any
    feature_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    method: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    data: str = ""
    n_rows: int | None = None
    date: str = ""
    id_column: str = ""
    tags_column: str = ""
    tags_sep: str = ""


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    data: Any = None,
    method: str = "",
    id_column: str = "",
    tags_column: str = "",
    tags_sep: str = "",
) -> None:
    """Write a fitted model to a file, with the names of its labels and features and what it was fitted on.

    The file is replaced whole or not at all. It holds data and no code; `load_model` and `plait predict` read it.

    Parameters
    ----------
    model : estimator
        A fitted model, or a pipeline that ends in one.
    path : path
        The file, by custom `*.plait`.
    data : Dataset, optional
        What it was fitted on: its names are kept where the model has none of its own, and the number of its rows.
    method : str, optional
        How to call it; by default its class.
    id_column : str, optional
        The column of a table that names rows; `plait predict` carries it through to its answers.
    tags_column, tags_sep : str, optional
        The column with all labels of a row, and what stands between them; `plait evaluate` reads other tables so.

    Examples
    --------
    >>> from plait import recipes, save_model  # and load_model reads it
    >>> model = recipes.br().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [["sea"], ["sea", "sun"], ["sun"], []] * 9)
    >>> save_model(model, "model.plait")
    """
    skops = _skops()
    file = replace(_described(model, data, method), id_column=id_column, tags_column=tags_column, tags_sep=tags_sep)
    known = {each.name: getattr(file, each.name) for each in fields(file) if each.name != "model"}
    content = {"plait": json.dumps({"format": FORMAT, **known}), "model": model}
    try:
        plain = skops.dumps(content)
    except Exception as problem:
        raise ParameterError(
            f"save_model needs a model that can be written as data, but {' '.join(str(problem).split())}. "
            "Leave out what holds functions or connections."
        ) from problem
    with replacing(path) as draft:
        draft.write_bytes(packed(plain))


def _described(model: Any, data: Any, method: str) -> ModelFile:
    """Return a file of a model that is fitted, with all that is known of it."""
    problem = _problem(model)
    if problem:
        raise ParameterError(f"save_model needs a fitted model, but it is {problem}. Call fit first.")
    labels = _names(getattr(data, "label_names", None)) or _own_labels(model)
    features = _names(getattr(model, "feature_names_in_", None)) or _names(getattr(data, "feature_names", None))
    features = features or _own_features(model)
    versions = {"plait": __version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    rows = None if data is None else int(data.n_samples)
    name = str(getattr(data, "name", None) or "")
    date = datetime.now(UTC).isoformat(timespec="seconds")
    file = ModelFile(model, features, labels, method or type(_last(model)).__name__, versions, name, rows, date)
    wrong = _mismatch(file)
    if wrong:
        raise ParameterError(f"save_model needs data that the model was fitted on, but {wrong}. Pass those.")
    return file


def load_model(path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> Any:
    """Read a fitted model; it is checked, and no code that is not plait's or scikit-learn's runs.

    Parameters
    ----------
    path : path
        What `save_model`, `plait fit` or `skops.io.dump` wrote.
    trusted : sequence of str, default=()
        Names of types that the model may hold besides those of plait and scikit-learn. Trust them only if you know
        where the file comes from.

    Returns
    -------
    model : estimator
        The fitted model; it knows the names of its labels.

    Raises
    ------
    DataError
        If the file is no model, damaged, or of a newer plait; `UntrustedModelError` if it holds other types.

    See Also
    --------
    save_model : write it.

    Examples
    --------
    >>> from plait import recipes, save_model
    >>> model = recipes.br().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [["sea"], ["sea", "sun"], ["sun"], []] * 9)
    >>> save_model(model, "model.plait")
    >>> load_model("model.plait").label_names_
    array(['sea', 'sun'], dtype=object)
    """
    return read_model_file(path, trusted=trusted).model


def read_model_file(path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> ModelFile:
    """Read a model with all that its file says of it: see `load_model`.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : sequence of str
        Types of other packages that it may hold.

    Returns
    -------
    ModelFile

    Examples
    --------
    >>> from plait import recipes, save_model
    >>> save_model(recipes.br().fit([[0.0], [1.0]] * 9, [["sea"], ["sun"]] * 9), "model.plait")
    >>> sorted(read_model_file("model.plait").versions)
    ['numpy', 'plait', 'python', 'scikit-learn', 'scipy']
    """
    file = Path(path)
    if not os.path.isfile(file):
        raise _wrong(file, "no such file", "Write one with 'plait fit' or save_model.")
    _skops()  # missing, it is no fault of the file
    try:
        with file.open("rb") as stream:
            content = _loaded(file, stream, trusted)
    except DataError:
        raise
    except Exception as problem:  # a file of a stranger may hold anything
        reason = " ".join(f"{type(problem).__name__} {problem}".split())[:200]
        raise _wrong(file, f"something else ({reason})") from problem
    found = _described_by(file, content) if isinstance(content, dict) else ModelFile(content)
    return _checked(file, found)


@contextmanager
def answers_of(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say that a model of a file cannot be used where asking it ends in an error that no data explain."""
    try:
        yield
    # UnboundLocalError, a NameError: scikit-learn's imputer whose parameters no longer fit each other.
    except (AttributeError, LookupError, NameError, TypeError) as problem:
        reason = " ".join(f"{type(problem).__name__} {problem}".split())[:200]
        raise _wrong(Path(path), f"one that cannot answer ({reason})", "Fit the model again.") from problem


def _wrong(file: Path, found: str, advice: str = "Pass another file, or write it again.") -> DataError:
    return DataError.at(file, None, "a model written by plait", found, advice)


def _skops() -> Any:
    return optional("skops.io", extra="models", purpose="model files")


def _loaded(file: Path, stream: Any, trusted: Sequence[str]) -> Any:
    if stream.read(1) == b"\x80":
        raise _wrong(file, "a pickle, which would run code", "Read it where you trust it, and write it by save_model.")
    bomb = growth(stream, os.fstat(stream.fileno()).st_size)
    if bomb:
        raise _wrong(file, bomb)
    skops = _skops()
    held = skops.get_untrusted_types(file=file)
    unknown = sorted(name for name in held if name not in trusted and not is_trusted(name))
    if unknown:
        raise UntrustedModelError.at(
            file,
            None,
            "types of models of plait and scikit-learn only",
            ", ".join(unknown[:_MOST_NAMES]),
            "Name them as trusted (--trust, trusted=) if you know where the file comes from.",
        )
    content = skops.load(file, trusted=held)
    check_parts(content)
    return content


# What a file says.


def _described_by(file: Path, content: dict[Any, Any]) -> ModelFile:
    if "model" in content and "feature_names" in content:
        raise _wrong(file, "one of an older plait (format 0)", "Fit the model again.")
    if set(content) != _KEYS or not isinstance(content["plait"], str):
        raise _wrong(file, f"a table of {shown(sorted(map(str, content)))}")
    try:
        known = json.loads(content["plait"])
        number = known.pop("format")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _wrong(file, f"a description that is {shown(content['plait'][:40])}") from None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise _wrong(file, f"one of format {shown(number)}")
    if number > FORMAT:
        versions = known.get("versions")
        newer = versions.get("plait", "a newer one") if isinstance(versions, dict) else "a newer one"
        raise _wrong(file, f"one of plait {newer} (format {number}; this is {__version__})", "Install a newer plait.")
    for key in ("feature_names", "label_names"):
        if not isinstance(known.get(key), list) or not all(isinstance(name, str) for name in known[key]):
            raise _wrong(file, f"{key} that are {shown(known.get(key))}")
        known[key] = tuple(known[key])
    words = {key: known.get(key, "") for key in ("method", "data", "date", "id_column", "tags_column", "tags_sep")}
    tables = {"versions": known.get("versions", {}), "n_rows": known.get("n_rows")}
    for key, value in (words | tables).items():
        must: Any = str if key in words else dict if key == "versions" else int | None
        if not isinstance(value, must):
            raise _wrong(file, f"{key} that is {shown(value)}")
    own = {each.name for each in fields(ModelFile)}
    return ModelFile(content["model"], **{key: value for key, value in known.items() if key in own})


def _checked(file: Path, found: ModelFile) -> ModelFile:
    """Return a file whose model is one, is fitted, and has as many labels and features as the file has names."""
    problem = _problem(found.model)
    if problem:
        raise _wrong(file, problem)
    if not found.versions:
        found = replace(found, label_names=_own_labels(found.model))
        found = replace(found, feature_names=_own_features(found.model))
        found = replace(found, method=type(_last(found.model)).__name__)
    wrong = _mismatch(found)
    if wrong:
        raise _wrong(file, wrong)
    if hasattr(_last(found.model), "label_names_"):
        _last(found.model).label_names_ = np.array(found.label_names, dtype=object)
    return found


def _problem(model: Any) -> str:
    """Say why an object is no fitted model, if it is none."""
    if not (hasattr(model, "fit") and hasattr(model, "predict")) or isinstance(model, type):
        return f"an object of {type(model).__name__}, which is no model"
    try:
        check_is_fitted(model)
        _last(model)
    except (NotFittedError, TypeError, AttributeError, IndexError, ValueError):
        return f"{type(model).__name__}, which is not fitted"
    wrong = [name for name, value in vars(_last(model)).items() if name.endswith("_") and isinstance(value, type)]
    return f"{type(model).__name__}, whose {wrong[0]} is a class" if wrong else ""


def _mismatch(file: ModelFile) -> str:
    """Say how the names of a file differ from what its model was fitted on, if they do."""
    last = _last(file.model)
    pairs = (
        ("labels", file.label_names, getattr(last, "n_labels_", _UNKNOWN)),
        ("features", file.feature_names, getattr(file.model, "n_features_in_", _UNKNOWN)),
    )
    for what, names, number in pairs:
        if not isinstance(number, Integral):
            return f"the number of its {what} is {shown(number)}"
        if number != _UNKNOWN and names and len(names) != number:
            return f"there are {len(names)} names of {what} and the model has {shown(number)}"
        if len(set(names)) < len(names):
            return f"names of {what} stand twice"
    return ""


def _last(model: Any) -> Any:
    return _last(model.steps[-1][1]) if isinstance(model, Pipeline) else model


def _names(names: Any) -> tuple[str, ...]:
    return () if names is None else tuple(str(name) for name in names)


def _own_features(model: Any) -> tuple[str, ...]:
    own = _names(getattr(model, "feature_names_in_", None))
    return own or tuple(f"x{j}" for j in range(int(getattr(model, "n_features_in_", 0))))


def _own_labels(model: Any) -> tuple[str, ...]:
    last = _last(model)
    classes = getattr(last, "classes_", ())  # a list of them, one for each label, where there are several
    several = len(classes) if isinstance(classes, list) or getattr(last, "multilabel_", False) else 1
    n_labels = getattr(last, "n_labels_", getattr(last, "n_outputs_", several))
    return _names(getattr(last, "label_names_", None)) or tuple(f"y{k}" for k in range(int(n_labels)))
