"""The header of an ARFF file: the relation's name and the declared attributes, up to the @data line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from plait.core.sentences import shown
from plait.data.attributes import Attribute, AttributeTable
from plait.data.errors import DataError
from plait.data.readers.arff_dates import DEFAULT_PATTERN, date_reader
from plait.data.readers.arff_text import QUOTED, decoded, is_comment, unquoted

__all__ = ["Header", "read_header"]

_KEYWORD = re.compile(r"[ \t]*+@([A-Za-z]++)(?=[ \t%]|$)[ \t]*+")
_NAME = re.compile(rf"({QUOTED})|([^ \t{{'\"][^ \t{{]*+)")
_VALUE = re.compile(rf"[ \t]*+(?:({QUOTED})[ \t]*+|([^,}}'\"][^,}}]*+))([,}}])")
_WORD = re.compile(r"[A-Za-z]++")

_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "string", "date": "date"}
_TYPES = "a type (numeric, real, integer, string, date or {value, ...})"

# Nearly every attribute of a wide file is declared like this; all others go the long way.
_USUAL = re.compile(rb"@attribute[ \t]++([!#$&(-z|~][!-z|~]*+)[ \t]++([!-~][ -~]*+)\n", re.IGNORECASE)


@dataclass
class Header:
    """What stands before the rows.

    Parameters
    ----------
    file : str
        The file, for errors.
    relation : str
        The name after @relation, without quotes; empty where there is none.
    names : list of str
        The names of the attributes, in order; they are unique.
    types : list of Attribute
        The different declarations of attributes (with empty names).
    which : list of int
        Which of them each attribute has.
    line : int
        Lines read so far; at the end that of @data.
    rest : bytes
        What the block that holds @data has after it.
    """

    file: str
    relation: str = ""
    names: list[str] = field(default_factory=list)
    types: list[Attribute] = field(default_factory=list)
    which: list[int] = field(default_factory=list)
    line: int = 0
    rest: bytes = b""

    @property
    def attributes(self) -> list[Attribute]:
        """The attributes one by one."""
        kinds = (self.types[which] for which in self.which)
        return [replace(kind, name=name) for name, kind in zip(self.names, kinds, strict=True)]

    def table(self) -> AttributeTable:
        """Return the attributes as a table."""
        return AttributeTable(self.names, self.types, np.array(self.which, dtype=np.intp))

    def error(self, expected: str, found: str, todo: str = "") -> DataError:
        """Return the error at the current line."""
        return DataError.at(self.file, self.line, expected, found, todo)


def read_header(blocks: Iterator[bytes], file: str) -> Header:
    """Read blocks of lines up to the one that has @data, and return the header with the rest of that block."""
    reader = _Reader(Header(file))
    for block in blocks:
        end = reader.read(block)
        if end is not None:
            reader.header.rest = block[end:]
            return reader.header
    raise DataError.at(file, None, "a line with @data", f"the end of the file after {reader.header.line} lines")


class _Reader:
    """Takes in the lines of a header."""

    def __init__(self, header: Header):
        self.header = header
        self.taken: set[str] = set()
        # Most attributes have the same few types, so each is read once and its values are kept once.
        self.known: dict[bytes, int] = {}

    def read(self, block: bytes) -> int | None:
        """Read the lines of a block; return where the one after @data starts, or None if there was no @data."""
        start = 0
        while start < len(block):
            self.header.line += 1
            usual = _USUAL.match(block, start)
            if usual:
                name, declared = usual.groups()
                self._add(name.decode(), declared)
                start = usual.end()
                continue
            end = block.index(b"\n", start)
            if self._read_line(decoded(block[start:end])):
                return end + 1
            start = end + 1
        return None

    def _add(self, name: str, declared: bytes) -> None:
        header = self.header
        if name in self.taken:
            raise header.error("attributes with different names", f"{shown(name)} again", "Rename one of them.")
        self.taken.add(name)
        if declared not in self.known:
            self.known[declared] = len(header.types)
            header.types.append(_type(header, declared.decode().strip(" \t")))
        header.names.append(name)
        header.which.append(self.known[declared])

    def _read_line(self, line: str) -> bool:
        """Take in one line of any form; say whether it was @data."""
        header = self.header
        if is_comment(line):
            return False
        if "\0" in line:
            raise header.error("text", "a NUL byte", "This is no ARFF file, or one in another encoding than UTF-8.")
        match = _KEYWORD.match(line)
        word = match.group(1).lower() if match else ""
        rest = line[match.end() :] if match else ""
        if word == "relation":
            header.relation = _relation(rest)
        elif word == "attribute":
            name, declared = _name(header, rest)
            self._add(name, declared.encode())
        elif word == "data" and is_comment(rest):
            if not header.names:
                raise header.error("an @attribute before @data", "none")
            return True
        else:
            raise header.error("@relation, @attribute or @data", shown(line))
        return False


def _relation(rest: str) -> str:
    match = re.match(QUOTED, rest)
    if match and is_comment(rest, match.end()):
        return unquoted(match.group()) or ""
    return rest.split(" %")[0].split("\t%")[0].strip(" \t")


def _name(header: Header, rest: str) -> tuple[str, str]:
    """Return the name of an attribute and what follows it."""
    match = _NAME.match(rest)
    name = None if match is None else match.group(2) or unquoted(match.group())
    if match is None or name is None:
        raise header.error("a name after @attribute", shown(rest) if rest else "none")
    return name, rest[match.end() :]


def _type(header: Header, declared: str) -> Attribute:
    if declared.startswith("{"):
        return Attribute("", "nominal", _values(header, declared))
    match = _WORD.match(declared)
    word = match.group().lower() if match else ""
    kind = _KINDS.get(word)
    if kind is None or match is None:
        raise header.error(_TYPES, shown(declared) if declared else "none")
    rest = declared[match.end() :].strip(" \t")
    if kind == "date":
        return Attribute("", "date", pattern=_pattern(header, rest))
    if not is_comment(rest) or declared[match.end() : match.end() + 1] == "%":
        raise header.error(f"nothing after {word}", shown(rest))
    return Attribute("", kind)


def _values(header: Header, declared: str) -> tuple[str, ...]:
    values: dict[str, None] = {}
    position, sign = 1, ","
    while sign == ",":
        match = _VALUE.match(declared, position)
        if match is None:
            found = declared[position : position + 80]
            raise header.error("a value and then a comma or }", shown(found) if found else "the end of the line")
        quoted, plain, sign = match.groups()
        value = unquoted(quoted) if quoted else plain.strip(" \t")
        if (not value and not quoted) or value is None:
            raise header.error("a value between commas", "none")
        if value in values:
            raise header.error("different values in { }", f"{shown(value)} again", "Declare it once.")
        values[value] = None
        position = match.end()
    if not is_comment(declared, position):
        raise header.error("nothing after }", shown(declared[position:]))
    return tuple(values)


def _pattern(header: Header, rest: str) -> str:
    if is_comment(rest):
        return DEFAULT_PATTERN
    match = re.match(QUOTED, rest)
    pattern = unquoted(match.group()) if match and is_comment(rest, match.end()) else rest
    if pattern is None or date_reader(pattern) is None:
        raise header.error("a date format of the letters yMdHhmsSaEZXz", shown(rest))
    return pattern
