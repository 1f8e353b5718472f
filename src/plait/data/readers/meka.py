"""MEKA's format: an ARFF file whose relation name says how many attributes are labels."""

import os
import re

from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.readers.arff import read_arff
from plait.data.readers.arff.header import Header, read_header, text_blocks
from plait.data.readers.mulan import first_or_last

__all__ = ["meka_label_count", "read_meka"]

_COUNT = re.compile(r"(?:^|[\s:'\"])-[Cc]\s+([+-]?[0-9]{1,9})(?![0-9])")


def read_meka(path: str | os.PathLike[str], *, nominal: str = "onehot", name: str | None = None) -> Dataset:
    r"""Read an ARFF file with `-C n` in its relation name: the first n attributes (or last -n) are labels.

    Parameters
    ----------
    path : path
        The ARFF file, plain or packed (.gz, .bz2, .xz).
    nominal, name
        As for `read_mulan`, whose notes hold here too.

    Returns
    -------
    Dataset
        Files with sparse rows give CSR matrices, others dense ones.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.arff"
    >>> _ = path.write_text("@relation 'tiny: -C 1'\n@attribute sea {0,1}\n@attribute size numeric\n@data\n1,0.5\n")
    >>> read_meka(path)
    Dataset 'tiny': 1 row, 1 feature (dense), 1 label (dense), cardinality 1.000
    """
    return read_arff(path, _labels, nominal, name)


def meka_label_count(path: str | os.PathLike[str]) -> int | None:
    """Return n of `-C n` in an ARFF file's relation name, or None if there is none.

    Only the header is read. Files that MEKA's came from keep their name through many tools, so where there is an XML
    file of labels, that one is to be believed.
    """
    return _count(read_header(text_blocks(path), os.fspath(path)).relation)


def _count(relation: str) -> int | None:
    match = _COUNT.search(relation)
    return int(match.group(1)) if match else None


def _labels(header: Header) -> list[int]:
    n = _count(header.relation)
    if n is None:
        raise DataError.at(
            header.file,
            None,
            "-C and a number of labels in the relation's name",
            repr(header.relation[:80]),
            "Read it with read_mulan.",
        )
    return first_or_last(header, n)
