"""Write Mulan's format: an ARFF file and the XML file of its labels."""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.sentences import shown
from plait.data.conversion.feature_encoding import is_identifier
from plait.data.conversion.files import open_bytes, plain_stem, replacing
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.writers.row_text import number_text

__all__ = ["write_mulan"]

# Longer lists of codes are declared as numbers.
_MOST_CODES = 10_000


_ROWS_AT_ONCE = 256
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
_ESCAPED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TO_ESCAPE = re.compile(r"[\\'\x00-\x1f\x7f]")
# What XML 1.0 cannot hold, in any spelling.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_mulan(dataset: Dataset, path: str | os.PathLike[str], xml: str | os.PathLike[str] | None = None) -> None:
    r"""Write a data set as an ARFF file, features first, and an XML file that names its labels.

    Parameters
    ----------
    dataset : Dataset
        What to write. Its rows are written sparse if `X` is sparse and dense if it is dense, whatever `Y` is.
    path : path
        The ARFF file, packed by its suffix (.gz, .bz2, .xz). Both files are replaced whole or not at all.
    xml : path, optional
        The XML file; by default the one beside it that `read_mulan` looks for.

    Raises
    ------
    DataError
        If a feature and a label have the same name, a label's name has characters that XML cannot hold, a value is
        infinite, or a file cannot be written.

    Notes
    -----
    Numbers read back exactly and NaN, also of a label, is written as `?`. Columns of kind "binary" are declared {0,1}
    and codes of kind "nominal" {0,1,2,...}, so `read_mulan(path, nominal="codes")` gives back an equal data set but for
    its name, which is that of the file, and for stored zeros. A column whose values do not fit its kind, or are so many
    that they would be taken for identifiers, is declared numeric.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> beach = Dataset([[0.5, 1.0]], [[1]], ["size", "it's wet"], ["sea"], "beach", ["numeric", "binary"])
    >>> with TemporaryDirectory() as folder:
    ...     write_mulan(beach, Path(folder, "beach.arff"))
    ...     print(Path(folder, "beach.arff").read_text(), end="")
    @relation beach
    <BLANKLINE>
    @attribute size numeric
    @attribute 'it\'s wet' {0,1}
    @attribute sea {0,1}
    <BLANKLINE>
    @data
    0.5,1,1
    """
    file = os.fspath(path)
    goal = Path(path).with_name(f"{plain_stem(path)}.xml") if xml is None else Path(xml)
    _check(dataset, file)
    header = _header(dataset).encode()
    labels = _label_xml(dataset.label_names or ()).encode()
    with replacing(path) as draft, replacing(goal) as xml_draft:
        with open_bytes(draft, "wb") as stream:
            stream.write(header)
            for text in _rows(dataset):
                stream.write(text.encode())
        with open_bytes(xml_draft, "wb") as stream:
            stream.write(labels)


def _check(dataset: Dataset, file: str) -> None:
    features, labels = dataset.feature_names or (), dataset.label_names or ()
    shared = sorted(set(features) & set(labels))
    if shared:
        raise DataError.at(file, None, "features and labels with different names", shown(shared[0]), "Rename one.")
    for name in (*features, *labels, dataset.name):
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise DataError.at(file, None, "names that can be written as UTF-8", ascii(name), "Rename it.")
    for name in labels:
        if _NOT_IN_XML.search(name):
            raise DataError.at(file, None, "names of labels that XML can hold", shown(name), "Rename it.")
    values = dataset.X.data if sparse.issparse(dataset.X) else dataset.X
    if np.isinf(values).any():
        raise DataError.at(file, None, "finite values", "an infinite one", "ARFF has no word for it.")


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return "'" + _TO_ESCAPE.sub(lambda sign: _ESCAPED.get(sign.group()) or f"\\u{ord(sign.group()):04x}", name) + "'"


def _header(dataset: Dataset) -> str:
    features = zip(dataset.feature_names or (), declared_types(dataset), strict=True)
    labels = ((name, "{0,1}") for name in dataset.label_names or ())
    lines = [f"@attribute {_quoted(name)} {kind}\n" for name, kind in (*features, *labels)]
    return f"@relation {_quoted(dataset.name)}\n\n{''.join(lines)}\n@data\n"


def _label_xml(names: Iterable[str]) -> str:
    lines = "".join(f"<label name={quoteattr(name)}></label>\n" for name in names)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
    return f"{head}{lines}</labels>\n"


def _rows(dataset: Dataset) -> Iterator[str]:
    """Yield the text of some rows at a time."""
    lines = _sparse_lines if sparse.issparse(dataset.X) else _dense_lines
    for start in range(0, dataset.n_samples, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        yield "".join(f"{line}\n" for line in lines(dataset.X[rows], dataset.Y[rows]))


def _word(value: float) -> str:
    return "?" if value != value else number_text(value)


def _dense_lines(X: Any, Y: Any) -> Iterator[str]:
    labels = Y.toarray() if sparse.issparse(Y) else Y
    for x, y in zip(X.astype(np.float64).tolist(), labels.tolist(), strict=True):
        yield ",".join([*map(_word, x), *map(_word, y)])


def _sparse_lines(X: Any, Y: Any) -> Iterator[str]:
    both = sparse.hstack((X.astype(np.float64), sparse.csr_matrix(Y)), format="csr", dtype=np.float64)
    both.sum_duplicates()
    both.eliminate_zeros()
    indices, values, ends = both.indices.tolist(), both.data.tolist(), both.indptr.tolist()
    for start, end in pairwise(ends):
        pairs = zip(indices[start:end], values[start:end], strict=True)
        yield "{" + ",".join(f"{index} {_word(value)}" for index, value in pairs) + "}"


def declared_types(dataset: Dataset) -> list[str]:
    """Return the ARFF type of each feature: {0,1} if binary, {0,1,...} if nominal, else numeric.

    A column whose values are not those of its kind, or that would be dropped as an identifier when it is read, is
    numeric.

    Examples
    --------
    >>> kinds = ["numeric", "binary", "nominal", "binary"]
    >>> declared_types(Dataset([[1, 1, 3, 2], [2, 0, 0, 0]], [[1], [0]], feature_kinds=kinds))
    ['numeric', '{0,1}', '{0,1,2,3}', 'numeric']
    """
    kinds = np.array(dataset.feature_kinds or (), dtype=object)
    result = ["numeric"] * len(kinds)
    matrix = dataset.X
    if sparse.issparse(matrix):
        matrix = sparse.csc_matrix(matrix)
        matrix.sum_duplicates()
    for j in np.flatnonzero(kinds != "numeric").tolist():
        values, n_known = _values(matrix, j)
        if kinds[j] == "binary" and np.isin(values, (0, 1)).all():
            result[j] = "{0,1}"
        elif kinds[j] == "nominal" and _are_codes(values):
            # Three values at least, as two would be read as binary.
            n_codes = max(int(values.max(initial=0)) + 1, 3)
            if not is_identifier(n_known, len(values), n_codes):
                result[j] = "{" + ",".join(map(str, range(n_codes))) + "}"
    return result


def _values(matrix: Any, j: int) -> tuple[npt.NDArray[np.float64], int]:
    """Return the different values of a column, and in how many rows it is known."""
    is_sparse = sparse.issparse(matrix)
    column = matrix.data[matrix.indptr[j] : matrix.indptr[j + 1]] if is_sparse else matrix[:, j]
    known = column[~np.isnan(column)]
    left_out = matrix.shape[0] - len(column)
    values = np.unique(np.append(known, 0.0) if left_out else known)
    return values, len(known) + left_out


def _are_codes(values: npt.NDArray[np.float64]) -> bool:
    return bool(((values >= 0) & (values < _MOST_CODES) & (values == np.floor(values))).all())
