"""What a file's name says: the name of its data set, below packing and suffix, and whether it is data."""

import os
from pathlib import Path

from plait.data.files import PACKED_SUFFIXES

__all__ = ["DATA_SUFFIXES", "plain_stem"]

# In the order in which they are looked for where only a name is given.
DATA_SUFFIXES = (".arff", ".parquet", ".csv", ".tsv", ".svm", ".libsvm", ".txt")


def plain_stem(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without folder, packing and suffix.

    Examples
    --------
    >>> plain_stem("data/emotions-train.arff.gz"), plain_stem("reuters.v2.svm")
    ('emotions-train', 'reuters.v2')
    """
    name = Path(path)
    return name.with_suffix("").stem if name.suffix.lower() in PACKED_SUFFIXES else name.stem
