"""Fitted models in files: with the names of features and labels, so that data which do not fit are refused."""

import os
import pickle
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from plait import __version__
from plait.core.extras import optional
from plait.core.sentences import shown
from plait.data import DataError, Dataset
from plait.data.conversion.files import replacing
from plait.estimators import trusted_types

__all__ = ["ModelFile", "UntrustedModelError", "load_model", "matching_features", "save_model"]

_PICKLES = (".pkl", ".pickle", ".joblib")
_MOST_NAMES = 5


class UntrustedModelError(DataError):
    """A file holds types that are not plait's, scikit-learn's or NumPy's."""


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A fitted model and what it was fitted on.

    Parameters
    ----------
    model : estimator
        The fitted model.
    feature_names, label_names : tuple of str
        Columns of X and Y in training.
    method : str
        How the model is called.
    version : str
        plait's version when it was written.
    """

    model: Any
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    method: str
    version: str = __version__


def save_model(file: ModelFile, path: str | os.PathLike[str]) -> None:
    """Write a model with `skops`, which holds data only; a name ending in .pkl or .pickle writes a pickle.

    The file is replaced whole or not at all.
    """
    content = {name: getattr(file, name) for name in file.__dataclass_fields__}
    written = pickle.dumps(content) if Path(path).suffix in _PICKLES else _skops().dumps(content)
    with replacing(path) as temporary:
        temporary.write_bytes(written)


def load_model(path: str | os.PathLike[str], *, trusted: Sequence[str] = (), allow_pickle: bool = False) -> ModelFile:
    """Read a model; types that plait does not know are refused, and so is a pickle unless it is allowed.

    Parameters
    ----------
    path : path
        What `save_model` wrote.
    trusted : sequence of str, default=()
        Names of types to trust besides those of plait and those that skops knows.
    allow_pickle : bool, default=False
        Read a pickle. A pickle runs code when it is read: allow it only for files you wrote yourself.
    """
    file = Path(path)
    if not file.is_file():
        raise DataError.at(file, None, "a model file", "no such file", "Write one with 'plait fit'.")
    if file.suffix in _PICKLES:
        return _from_pickle(file, allow_pickle)
    io, known = _skops(), [*trusted_types(), *trusted]
    try:
        unknown = sorted(set(io.get_untrusted_types(file=file)) - set(known))
    except Exception as problem:
        raise DataError.at(file, None, "a model written by plait", f"something else ({problem})") from problem
    if unknown:
        raise UntrustedModelError.at(
            file,
            None,
            "types of plait, scikit-learn and NumPy only",
            f"{', '.join(unknown[:_MOST_NAMES])}",
            "Name them as trusted (--trust) if you know where the file comes from.",
        )
    return ModelFile(**io.load(file, trusted=known))


def _skops() -> Any:
    return optional("skops.io", extra="models", purpose="model files")


def _from_pickle(file: Path, allowed: bool) -> ModelFile:
    if not allowed:
        raise UntrustedModelError.at(
            file,
            None,
            "a model in the skops format",
            "a pickle, which runs code when it is read",
            "Allow it (--allow-pickle) only if you wrote the file yourself.",
        )
    warnings.warn(f"{file} is a pickle: reading it runs the code it holds.", UserWarning, stacklevel=3)
    with file.open("rb") as stream:
        return ModelFile(**pickle.load(stream))


def matching_features(file: ModelFile, data: Dataset) -> Any:
    """Return the columns of X that the model was fitted on, in its order; a difference is an error that names it.

    Columns that are the model's labels are left aside. Features named by number (`x0`, `x1`, ..., as in LIBSVM files)
    that a sparse file does not mention are zero.
    """
    names = list(data.feature_names or ())
    place = {name: j for j, name in enumerate(names)}
    missing = [name for name in file.feature_names if name not in place]
    extra = [name for name in names if name not in set(file.feature_names) | set(file.label_names)]
    X = data.X
    if missing and sparse.issparse(X) and not extra and all(_is_number_name(name) for name in (*names, *missing)):
        X = sparse.hstack([X, sparse.csr_matrix((X.shape[0], len(missing)))], format="csr")
        place.update({name: len(names) + j for j, name in enumerate(missing)})
        missing = []
    if missing or extra:
        raise DataError(
            f"the model of method {shown(file.method)} needs the {len(file.feature_names)} features it was fitted on, "
            f"but {data.name} {_difference(missing, extra)}. Pass data with the same columns."
        )
    order = [place[name] for name in file.feature_names]
    return X if order == list(range(X.shape[1])) else X[:, np.array(order, dtype=np.int64)]


def _is_number_name(name: str) -> bool:
    return name[:1] == "x" and name[1:].isdigit()


def _difference(missing: list[str], extra: list[str]) -> str:
    words = []
    for verb, names in (("lacks", missing), ("has besides", extra)):
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            words.append(f"{verb} {', '.join(map(repr, names[:_MOST_NAMES]))}{more}")
    return " and ".join(words)
