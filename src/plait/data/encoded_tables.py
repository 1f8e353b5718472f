"""Tables as numbers: the encoder fitted on one data set and used on it and on others; and where gaps are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.lazy_modules import lazy_module
from plait.data.conversion.frame_columns import columns_of_frame
from plait.data.dataset import Dataset

__all__ = ["encoded_parts", "first_gap", "needs_encoder", "takes_gaps"]

# What needs no encoder should not wait for scikit-learn.
_table_encoder = lazy_module("plait.data.table_encoder")
_tags = lazy_module("sklearn.utils")


def needs_encoder(data: Dataset, model: Any = None) -> bool:
    """Say whether a model cannot take the features as they are: a table of more than numbers, or one with gaps."""
    if data.is_table:
        return True
    return first_gap(data) != "" and not takes_gaps(model)


def takes_gaps(model: Any) -> bool:
    """Say whether a classifier can take NaN itself; without one the answer is no."""
    return model is not None and bool(_tags.get_tags(model).input_tags.allow_nan)


def encoded_parts(train: Dataset, *others: Dataset, model: Any = None, **options: Any) -> tuple[Dataset, ...]:
    """Return data sets with numbers as features, by a `TableEncoder` fitted on the first of them.

    Parameters
    ----------
    train : Dataset
        What the encoder is fitted on. If it needs none, all come back as they are.
    *others : Dataset
        What is encoded in the same way.
    model : classifier, optional
        What the features are for: gaps stay where it can take them.
    **options
        Of the encoder.

    Examples
    --------
    >>> import pandas as pd
    >>> beach = Dataset(pd.DataFrame({"sky": ["blue", "grey", "blue", "grey"]}), [[1], [0], [1], [0]])
    >>> encoded_parts(beach, beach.rows([1]))[1].X
    array([[0., 1.]])
    """
    if not any(needs_encoder(part, model) for part in (train, *others)):
        return (train, *others)
    encoder = _table_encoder.TableEncoder(**{"fill": None if takes_gaps(model) else "median"} | options)
    encoder.fit(train.X)
    names = encoder.get_feature_names_out(None if train.is_table else list(train.feature_names or ())).tolist()
    kinds = dict(zip(train.feature_names or (), train.feature_kinds or (), strict=True))
    of_features = [_kind(name, kinds) for name in names]
    return tuple(
        replace(part, X=encoder.transform(part.X), feature_names=names, feature_kinds=of_features)
        for part in (train, *others)
    )


def _kind(name: str, kinds: dict[str, str]) -> str:
    """Return the kind of a feature: that of its column if it is one, binary if it marks a word or a gap."""
    if kinds.get(name) in ("numeric", "binary", "nominal"):
        return kinds[name]
    return "binary" if "=" in name else "numeric"


def first_gap(data: Dataset, skip: Sequence[str] = ()) -> str:
    """Return where the first value is missing, by line and column, and how many are; nothing if none is.

    Columns of a table that are named in `skip` are not looked at.

    Examples
    --------
    >>> first_gap(Dataset([[1.0], [np.nan]], [[1], [0]], ["tempo"], name="songs", lines=np.array([2, 3])))
    "songs, line 3, column 'tempo' (1 gap in all)"
    """
    if data.is_table:
        columns = columns_of_frame(data.X, data.name)
        missing = [column.missing & (column.name not in skip) for column in columns]
        cells = [(int(np.argmax(gaps)), j) for j, gaps in enumerate(missing) if gaps.any()]
        n_gaps = sum(int(gaps.sum()) for gaps in missing)
    elif sparse.issparse(data.X):
        at = np.flatnonzero(np.isnan(data.X.data))
        n_gaps = len(at)
        cells = (
            [(int(np.searchsorted(data.X.indptr, at[0], "right")) - 1, int(data.X.indices[at[0]]))] if n_gaps else []
        )
    else:
        # A sum is NaN if a value is; only then every value is looked at.
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.isnan(data.X.sum()):
                return ""
        gaps = np.isnan(data.X)
        n_gaps = int(gaps.sum())
        cells = [divmod(int(np.argmax(gaps)), data.n_features)] if n_gaps else []
    if not n_gaps:
        return ""
    row, column = min(cells)
    place = f"row {row + 1}" if data.lines is None else f"line {data.lines[row]}"
    name = (data.feature_names or ())[column]
    return f"{data.name}, {place}, column {name!r} ({n_gaps} gap{'s' if n_gaps > 1 else ''} in all)"
