"""Write Mulan's format: an ARFF file, dense or sparse, and an XML file that names the labels."""

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from scipy import sparse

from plait.core.sentences import shown
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.file_names import plain_stem
from plait.data.files import open_bytes
from plait.data.writers.atomic import replacing
from plait.data.writers.number_words import number_text

__all__ = ["write_mulan"]

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:;/+*=()<>-]*")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_mulan(dataset: Dataset, path: str | os.PathLike[str], xml: str | os.PathLike[str] | None = None) -> None:
    r"""Write a data set as an ARFF file and an XML file of its labels.

    Features of kind binary are declared {0,1}, all others numeric; labels come last. Sparse features give sparse
    rows, dense ones dense rows, whatever the form of the labels. Numbers read back as they were, to the last bit.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path
        The ARFF file, packed by its suffix (.gz, .bz2, .xz). Both files are replaced whole or not at all.
    xml : path, optional
        The XML file; by default the one beside the ARFF file with the same stem.

    Raises
    ------
    DataError
        If a value or a name cannot be written in this format, or a file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> beach = Dataset([[0.5], [2.0]], [[1], [0]], ["size"], ["the sea"], "beach")
    >>> with TemporaryDirectory() as folder:
    ...     write_mulan(beach, Path(folder, "beach.arff"))
    ...     Path(folder, "beach.arff").read_text().splitlines()[1:]
    ['', '@attribute size numeric', "@attribute 'the sea' {0,1}", '', '@data', '0.5,1', '2,0']
    """
    goal = Path(path)
    beside = goal.with_name(f"{plain_stem(goal)}.xml") if xml is None else Path(xml)
    shared = set(dataset.feature_names or ()) & set(dataset.label_names or ())
    if shared:
        raise DataError.at(path, None, "features and labels of different names", f"{shown(min(shared))} in both")
    with replacing(goal) as draft, replacing(beside) as xml_draft:
        with open_bytes(xml_draft, "wb") as stream:
            stream.write(_label_xml(dataset, beside).encode())
        with open_bytes(draft, "wb") as stream:
            stream.writelines(f"{line}\n".encode() for line in _header(dataset))
            stream.writelines(f"{line}\n".encode() for line in _rows(dataset, goal))


def _label_xml(dataset: Dataset, path: Path) -> str:
    names = list(dataset.label_names or ())
    unfit = [name for name in names if _NOT_XML.search(name)]
    if unfit:
        raise DataError.at(path, None, "label names that XML can hold", shown(unfit[0]), "Rename the label.")
    # An XML reader turns plain line ends and tabs of an attribute into blanks.
    quoted = [quoteattr(name, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}) for name in names]
    lines = "".join(f"<label name={name}></label>\n" for name in quoted)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
    return f"{head}{lines}</labels>\n"


def _word(text: str) -> str:
    """Return a name as it stands in ARFF: plain, or in quotes with its odd signs escaped."""
    if _PLAIN_WORD.fullmatch(text):
        return text
    return "'" + "".join(_ESCAPES.get(sign, sign) if sign.isprintable() else _code(sign) for sign in text) + "'"


def _code(sign: str) -> str:
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    # Characters beyond the first plane are escaped as two halves.
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[k : k + 2].hex()}" for k in range(0, len(units), 2))


def _header(dataset: Dataset) -> Iterator[str]:
    yield f"@relation {_word(dataset.name)}"
    yield ""
    kinds = zip(dataset.feature_names or (), dataset.feature_kinds or (), strict=True)
    yield from (f"@attribute {_word(name)} {'{0,1}' if kind == 'binary' else 'numeric'}" for name, kind in kinds)
    yield from (f"@attribute {_word(name)} {{0,1}}" for name in dataset.label_names or ())
    yield ""
    yield "@data"


def _rows(dataset: Dataset, path: Path) -> Iterator[str]:
    binary = [kind == "binary" for kind in dataset.feature_kinds or ()]
    if sparse.issparse(dataset.X):
        X, Y = dataset.X.sorted_indices(), sparse.csr_matrix(dataset.Y).sorted_indices()
        for i in range(dataset.n_samples):
            columns, values = _row_of(X, i)
            pairs = [f"{j} {_value(v, binary[j], path)}" for j, v in zip(columns, values, strict=True) if v != 0]
            pairs += [f"{dataset.n_features + k} 1" for k in _row_of(Y, i)[0]]
            yield "{" + ",".join(pairs) + "}"
        return
    labels = dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y
    for values, row in zip(dataset.X, labels, strict=True):
        cells = [_value(v, binary[j], path) for j, v in enumerate(values.tolist())]
        yield ",".join([*cells, *map(str, row.tolist())])


def _row_of(matrix: Any, i: int) -> tuple[list[int], list[float]]:
    ends = slice(matrix.indptr[i], matrix.indptr[i + 1])
    return matrix.indices[ends].tolist(), matrix.data[ends].tolist()


def _value(value: float, binary: bool, path: Path) -> str:
    if math.isnan(value):
        return "?"
    if math.isinf(value) or (binary and value not in (0.0, 1.0)):
        expected = "0 and 1 in binary features" if binary else "finite numbers"
        raise DataError.at(path, None, f"{expected} to write", shown(value))
    return number_text(value)
