"""Mulan's format: an ARFF file, and an XML file that names the labels."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.parsers import expat

from plait.core.sentences import shown
from plait.data.conversion.files import PACKED_SUFFIXES, plain_stem, read_all
from plait.data.conversion.label_columns import LabelChoice, label_positions
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.readers.arff import read_arff
from plait.data.readers.arff.header import Header

__all__ = ["find_label_xml", "first_or_last", "read_mulan"]

_DECLARED_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}\bencoding\b|^\xff\xfe|^\xfe\xff")


_SPLIT = re.compile(r"[-_.](?:train|test|tra|tst|valid|validation|dev)[0-9]*$", re.IGNORECASE)


def read_mulan(
    path: str | os.PathLike[str],
    xml: str | os.PathLike[str] | None = None,
    *,
    labels: LabelChoice = None,
    nominal: str = "onehot",
    name: str | None = None,
) -> Dataset:
    r"""Read an ARFF file, dense or sparse, whose labels an XML file or the caller names.

    Parameters
    ----------
    path : path
        The ARFF file, plain or packed (.gz, .bz2, .xz).
    xml : path, optional
        The XML file of the labels. By default the one beside the ARFF file: for emotions-train.arff.gz
        emotions-train.xml or emotions.xml, plain or packed.
    labels : list of str, str, re.Pattern or int, optional
        Names of the label attributes, or a pattern such as "tag_*", or how many of the first (n) or last (-n)
        attributes are labels; no XML file is needed then.
    nominal : {"onehot", "codes"}, default="onehot"
        Whether a nominal feature with more than two values becomes an indicator for each value or one column of codes.
    name : str, optional
        What to call the data set; by default the file's name.

    Returns
    -------
    Dataset
        Labels in the order of the ARFF attributes. Files with sparse rows give CSR matrices, others dense ones.

    Raises
    ------
    DataError
        If a file cannot be used; it says which, at which line, and what was expected.

    Notes
    -----
    Values are finite numbers; the words nan and inf and what overflows are errors, `?` is a missing value; a
    label that is missing is not known, NaN, and `Y` is dense then. Two-valued nominal attributes become one 0/1 column,
    string and identifier attributes are dropped with a `DataWarning`, as `plait.data.conversion.feature_encoding`
    describes. Weights of rows are left out with a `DataWarning`. Relational attributes, attributes with the same name
    and files without rows are errors.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> path = folder / "tiny.arff"
    >>> _ = path.write_text("@relation tiny\n@attribute size numeric\n@attribute sea {0,1}\n@data\n0.5,1\n?,0\n")
    >>> read_mulan(path, labels=["sea"])
    Dataset 'tiny': 2 rows, 1 feature (dense), 1 label (dense), cardinality 0.500
    """
    if labels is None:
        source = find_label_xml(path) if xml is None else Path(xml)
        chosen, origin = read_label_names(source), os.fspath(source)
        return read_arff(path, lambda header: _positions(header, chosen, origin), nominal, name)
    file = os.fspath(path)
    return read_arff(path, lambda header: label_positions(header.names, labels, file), nominal, name)


def find_label_xml(path: str | os.PathLike[str]) -> Path:
    """Return the XML file beside an ARFF file that names its labels."""
    folder, stem = Path(path).parent, plain_stem(path)
    stems = [stem, _SPLIT.sub("", stem)]
    for candidate in stems:
        for packing in ("", *PACKED_SUFFIXES):
            file = folder / f"{candidate}.xml{packing}"
            if os.path.isfile(file):
                return file
    wanted = " or ".join(f"{candidate}.xml" for candidate in dict.fromkeys(stems))
    raise DataError.at(path, None, f"{wanted} beside it", "no such file", "Pass xml=, or labels=.")


def first_or_last(header: Header, n: int) -> list[int]:
    """Return the positions of the first n (or, negative, the last -n) attributes."""
    total = len(header.names)
    if n == 0 or abs(n) > total:
        raise DataError.at(header.file, None, f"1 to {total} label attributes (or -1 to -{total})", str(n))
    return list(range(n)) if n > 0 else list(range(total + n, total))


def _positions(header: Header, names: Sequence[str], origin: str) -> list[int]:
    where = {name: j for j, name in enumerate(header.names)}
    absent = [name for name in names if name not in where]
    if absent:
        raise DataError.at(
            header.file, None, f"an attribute for each label in {origin}", f"none called {shown(absent[0])}"
        )
    return [where[name] for name in names]


def read_label_names(path: str | os.PathLike[str]) -> list[str]:
    """Return the names of all labels, in the order of the file; a hierarchy is flattened.

    Raises
    ------
    DataError
        If the file is no XML or names no label, names one twice, or has a document type, which can declare entities
        that grow without bound and is of no use here.
    """
    file = os.fspath(path)
    content = read_all(path)
    parser = expat.ParserCreate(_fallback_encoding(content))
    names: dict[str, None] = {}

    def fault(expected: str, found: str) -> DataError:
        return DataError.at(file, parser.CurrentLineNumber, expected, found)

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] != "label":
            return
        if "name" not in attributes:
            raise fault("a label with a name", "none")
        name = attributes["name"]
        if name in names:
            raise fault("labels with different names", f"{shown(name)} again")
        names[name] = None

    def doctype(*_details: object) -> None:
        raise fault("labels only", "a document type declaration")

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = doctype
    _parse(parser, content, fault)
    if not names:
        raise DataError.at(file, None, '<label name="..."> elements', "none")
    return list(names)


def _fallback_encoding(content: bytes) -> str | None:
    """Return Latin-1 for text that says no encoding and is not UTF-8 either."""
    if _DECLARED_ENCODING.match(content):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "iso-8859-1"
    return None


def _parse(parser: expat.XMLParserType, content: bytes, fault: Callable[[str, str], DataError]) -> None:
    try:
        parser.Parse(content, True)
    except expat.ExpatError as problem:
        raise fault("well-formed XML", expat.ErrorString(problem.code)) from None
    except (ValueError, LookupError) as problem:
        if isinstance(problem, DataError):
            raise
        # The parser asks Python for an encoding it does not know itself.
        raise fault("XML in an encoding that is known", str(problem)) from None
