"""What a file's name says: the name of its data set, below packing and suffix."""

import os
from pathlib import Path

from plait.data.files import PACKED_SUFFIXES

__all__ = ["plain_stem"]


def plain_stem(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without folder, packing and suffix.

    Examples
    --------
    >>> plain_stem("data/emotions-train.arff.gz"), plain_stem("reuters.v2.svm")
    ('emotions-train', 'reuters.v2')
    """
    name = Path(path)
    return name.with_suffix("").stem if name.suffix.lower() in PACKED_SUFFIXES else name.stem
