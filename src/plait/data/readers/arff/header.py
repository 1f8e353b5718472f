r"""The header of an ARFF file, up to the @data line, and the letters of the format: quotes, escapes and numbers.

Rules, shared by header and rows:

- Lines end with LF, CR LF or CR. Text is UTF-8; a line that is not is taken as Latin-1.
- White space is blank and tab. A `%` starts a comment at the start of a line, or after white space or a closing
  quote or brace where nothing more has to follow.
- A value that starts with ' or " ends at the same sign. Inside, a backslash makes n, r and t a line end, a return and
  a tab, uXXXX a character, and any other sign itself. Elsewhere quotes and backslashes are plain characters.
"""

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from plait.core.sentences import shown
from plait.data.conversion.attributes import Attribute, AttributeTable
from plait.data.conversion.files import blocks_of_lines
from plait.data.errors import DataError

__all__ = ["Header", "QUOTED", "as_number", "decoded", "is_comment", "read_header", "text_blocks", "unquoted"]

# The quantifiers are possessive (*+), so that no text can make a match go back and forth.
QUOTED = r"""(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+")"""

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_NOTHING = re.compile(r"[ \t]*+(?:%|\Z)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def text_blocks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the file as blocks of whole lines that end with LF, without a byte order mark."""
    first = True
    for block in blocks_of_lines(path):
        if first:
            block = block.removeprefix(_BYTE_ORDER_MARK)
            first = False
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield block


def decoded(line: bytes) -> str:
    """Return a line as text: UTF-8, or Latin-1 where that fails."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def unquoted(text: str) -> str | None:
    r"""Return what stands between quotes, escapes resolved, or None if half a surrogate pair is escaped.

    Examples
    --------
    >>> unquoted(r"'it\'s'"), unquoted('"a"')
    ("it's", 'a')
    """
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    plain = _ESCAPE.sub(_resolved, inner)
    try:
        # Characters beyond the first plane are escaped as two halves, which only UTF-16 can join.
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None


def _resolved(match: re.Match[str]) -> str:
    code, sign = match.groups()
    return chr(int(code, 16)) if code else _NAMED.get(sign, sign)


def as_number(text: str) -> float | None:
    """Return a finite number, or None for anything else: words such as nan and inf, and what overflows.

    Examples
    --------
    >>> as_number("-1.5e3"), as_number("1e999"), as_number("inf"), as_number("1_000")
    (-1500.0, None, None, None)
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def is_comment(text: str, position: int = 0) -> bool:
    """Say whether nothing but white space or a comment is left of a line from a position on."""
    return _NOTHING.match(text, position) is not None


_KEYWORD = re.compile(r"[ \t]*+@([A-Za-z]++)(?=[ \t%]|$)[ \t]*+")
_NAME = re.compile(rf"({QUOTED})|([^ \t{{'\"][^ \t{{]*+)")
_VALUE = re.compile(rf"[ \t]*+(?:({QUOTED})[ \t]*+|([^,}}'\"][^,}}]*+))([,}}])")
_WORD = re.compile(r"[A-Za-z]++")

_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "string"}
_TYPES = "a type (numeric, real, integer, string or {value, ...})"

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
    if word == "date":
        todo = "Declare it as string to leave it out, or write it as a number, such as seconds."
        raise header.error(_TYPES, "a date", todo)
    kind = _KINDS.get(word)
    if kind is None or match is None:
        raise header.error(_TYPES, shown(declared) if declared else "none")
    rest = declared[match.end() :].strip(" \t")
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
