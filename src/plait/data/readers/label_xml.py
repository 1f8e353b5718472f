"""The XML file of Mulan that says which attributes are labels."""

import os
import re
from collections.abc import Callable
from xml.parsers import expat

from plait.core.sentences import shown
from plait.data.errors import DataError
from plait.data.files import read_all

__all__ = ["read_label_names"]

_DECLARED_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}\bencoding\b|^\xff\xfe|^\xfe\xff")


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
