"""Dates of ARFF files: a Java pattern such as yyyy-MM-dd HH:mm becomes a reader of POSIX seconds in UTC.

Known letters: y year (yy: 69 to 99 are 19yy, the rest 20yy), M month (MMM: English name), d day, H hour, h hour with a
(AM, PM), m minute, s second, S millisecond, E name of the day (not checked), Z, X and z time zone (z: UTC or GMT only).
Text between ' signs stands for itself.
"""

import calendar
import datetime
import re
from collections.abc import Callable
from functools import lru_cache

__all__ = ["DEFAULT_PATTERN", "date_reader"]

DEFAULT_PATTERN = "yyyy-MM-dd'T'HH:mm:ss"

_LONGEST_PATTERN = 100
_MONTHS = [name.lower() for name in calendar.month_abbr]
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])")
_FIELDS = {
    "y": r"(?P<y>[0-9]{1,4})",
    "M": r"(?P<M>[0-9]{1,2})",
    "d": r"(?P<d>[0-9]{1,2})",
    "H": r"(?P<H>[0-9]{1,2})",
    "h": r"(?P<h>[0-9]{1,2})",
    "m": r"(?P<m>[0-9]{1,2})",
    "s": r"(?P<s>[0-9]{1,2})",
    "S": r"(?P<S>[0-9]{1,3})",
    "a": r"(?P<a>[AaPp][Mm])",
    "E": r"[A-Za-z]+",
    "Z": r"(?P<Z>[+-][0-9]{4})",
    "X": r"(?P<Z>Z|[+-][0-9]{2}(?::?[0-9]{2})?)",
    "z": r"(?:UTC|GMT)",
}


@lru_cache(maxsize=256)
def date_reader(pattern: str) -> Callable[[str], float | None] | None:
    """Return a function from text to seconds since 1970 (None for what is no date), or None for an unknown pattern.

    Examples
    --------
    >>> date_reader("dd.MM.yyyy")("02.01.1970")
    86400.0
    """
    expression = _expression(pattern) if len(pattern) <= _LONGEST_PATTERN else None
    if expression is None:
        return None
    try:
        compiled = re.compile(expression)
    except re.error:  # a field that stands twice
        return None
    short_year = re.search(r"(?<!y)y{1,2}(?!y)", pattern) is not None

    def read(text: str) -> float | None:
        match = compiled.fullmatch(text)
        return None if match is None else _seconds(match.groupdict(), short_year)

    return read


def _expression(pattern: str) -> str | None:
    parts, position = [], 0
    while position < len(pattern):
        piece = _PIECE.match(pattern, position)
        if piece is None:
            return None
        position = piece.end()
        quoted, letter, sign = piece.groups()
        if letter is None:
            parts.append(re.escape(sign or quoted.replace("''", "'") or "'"))
        elif letter == "M" and len(piece.group()) >= 3:
            parts.append(r"(?P<MMM>[A-Za-z]{3})[a-z]*")
        elif letter in _FIELDS:
            parts.append(_FIELDS[letter])
        else:
            return None
    return "".join(parts)


def _seconds(fields: dict[str, str | None], short_year: bool) -> float | None:
    number = {key: int(text) for key, text in fields.items() if text is not None and key not in ("MMM", "a", "Z")}
    year, month = number.get("y", 1970), number.get("M", 1)
    if short_year and year < 100:
        year += 1900 if year >= 69 else 2000
    if fields.get("MMM"):
        name = str(fields["MMM"]).lower()
        month = _MONTHS.index(name) if name in _MONTHS else 0
    hour = number.get("H", 0)
    if "h" in number:
        afternoon = str(fields.get("a") or "am").lower() == "pm"
        hour = number["h"] % 12 + 12 * afternoon if 1 <= number["h"] <= 12 else -1
    try:
        moment = datetime.datetime(
            year, month, number.get("d", 1), hour, number.get("m", 0), number.get("s", 0), tzinfo=datetime.UTC
        )
    except ValueError:
        return None
    seconds = calendar.timegm(moment.timetuple()) - _offset(fields.get("Z"))
    return float(seconds) + number.get("S", 0) / 1000


def _offset(zone: str | None) -> int:
    """Return the seconds by which a time zone is ahead of UTC."""
    if zone is None or zone == "Z":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * (-1 if zone[0] == "-" else 1)
