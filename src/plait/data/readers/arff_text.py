r"""The letters of ARFF: blocks of text lines, decoding, quotes, escapes and numbers.

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

from plait.data.files import blocks_of_lines

__all__ = ["QUOTED", "as_number", "decoded", "is_comment", "text_blocks", "unquoted"]

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
