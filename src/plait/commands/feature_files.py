"""Files of chosen features (labels x features as 0 and 1), which `plait select -o` writes and `plait fit` takes."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from plait.core.arrays import Bools
from plait.core.sentences import ParameterError, shown
from plait.data import DataError, Dataset
from plait.data.conversion.files import open_bytes, read_all, replacing
from plait.features import GivenFeatures

__all__ = ["read_mask", "with_features", "write_mask"]


def write_mask(
    path: str | os.PathLike[str], support: Bools, label_names: Iterable[str], feature_names: Iterable[str]
) -> None:
    """Write which label keeps which feature as CSV, 1 or 0, with names; the old file stays if anything fails.

    A file name that ends in .gz, .bz2 or .xz is packed.
    """
    with (
        replacing(path) as draft,
        open_bytes(draft, "wb") as stream,
        io.TextIOWrapper(stream, encoding="utf8", newline="") as text,
    ):
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["label", *feature_names])
        writer.writerows([name, *row] for name, row in zip(label_names, support.astype(int).tolist(), strict=True))


def read_mask(
    path: str | os.PathLike[str], label_names: Sequence[str], feature_names: Sequence[str]
) -> list[list[int]]:
    """Return which of the labels keeps which of the features, by what `write_mask` wrote; columns are found by name."""
    try:
        head, *rows = csv.reader(io.StringIO(read_all(path, 1 << 30).decode("utf8"), newline=""))
        table = {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}
    except (ValueError, IndexError) as problem:
        raise DataError.at(path, None, "a file of 'plait select -o'", f"something else ({problem})") from None
    for what, wanted, known in (("label", label_names, table), ("feature", feature_names, set(head[1:]))):
        missing = [name for name in wanted if name not in known]
        if missing:
            advice = "Select from the data that the model is fitted on."
            raise DataError.at(path, None, f"the {what} {shown(missing[0])}", "none of this name", advice)
    return [[int(table[label][feature] == "1") for feature in feature_names] for label in label_names]


def with_features(model: Any, path: str, data: Dataset) -> Any:
    """Return the model, or the pipeline that ends in one, with the features of a file for each label."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if "selector" not in last.get_params(deep=False):
        raise ParameterError(
            f"plait fit needs a method that chooses features by label for --features, but it is "
            f"{type(last).__name__}. Pass pcc, br or another method of conditionals."
        )
    names = list(data.feature_names or ())
    if isinstance(model, Pipeline):
        encoder = clone(model.steps[0][1]).fit(data.X)
        names = encoder.get_feature_names_out(None if data.is_table else names).tolist()
    support = read_mask(path, list(data.label_names or ()), names)
    last.set_params(selector=GivenFeatures(support=np.array(support, dtype=bool)))
    return model
