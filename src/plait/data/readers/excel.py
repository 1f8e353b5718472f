"""Read the first sheet of Excel files through pandas and openpyxl."""

import io
import os
from collections.abc import Mapping

from plait.core.extras import optional
from plait.data.conversion.files import plain_stem, read_all
from plait.data.conversion.label_columns import LabelChoice
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.frames import LabelPlan, dataset_of_frame

__all__ = ["read_excel"]

_MOST_BYTES = 1 << 30


def read_excel(
    path: str | os.PathLike[str],
    labels: LabelChoice = None,
    *,
    tags: str | None = None,
    sep: str | None = None,
    positive: str | Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Dataset:
    """Read the first sheet of an Excel file (.xlsx), whose first row names the columns.

    Parameters
    ----------
    path : path
        The file.
    labels : list of str, str, re.Pattern or int
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
    tags, sep, positive : optional
        As `from_frame` takes them.
    kinds : dict of str to str, optional
        What columns are, as `TableEncoder.kinds_` has it; then `X` is a data frame in any case.
    name : str, optional
        Name of the data set; by default that of the file.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        If the file cannot be read, a label is missing, or no labels were chosen.

    Examples
    --------
    >>> from plait.data import Dataset
    >>> beach = Dataset([[0.5], [2.0]], [[1, 0], [1, 1]], feature_names=["blue"], label_names=["sea", "sun"])
    >>> beach.to_frame().to_excel("beach.xlsx", index=False)
    >>> read_excel("beach.xlsx", labels=["sea", "sun"])
    Dataset 'beach': 2 rows, 1 feature (dense), 2 labels (dense), cardinality 1.500
    """
    pandas = optional("pandas", extra="excel", purpose="Excel files")
    optional("openpyxl", extra="excel", purpose="Excel files")
    file = os.fspath(path)
    content = io.BytesIO(read_all(path, _MOST_BYTES))
    try:
        frame = pandas.read_excel(content, dtype=object, engine="openpyxl")
    except MemoryError:
        raise
    except Exception as problem:
        found = f"one that cannot be read ({str(problem)[:200]})"
        raise DataError.at(file, None, "a whole Excel file", found) from None
    title = plain_stem(path) if name is None else name
    return dataset_of_frame(frame, LabelPlan(labels, tags, sep, positive), title, file, keep=kinds is not None)
