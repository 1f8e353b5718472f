"""The page of references, written from references.bib: what keys such as [OCC 33] lead to."""

import re
import unicodedata
from pathlib import Path

__all__ = ["keys", "page"]

_FILE = Path(__file__).parents[2] / "references.bib"
# The accents of LaTeX as combining characters.
_ACCENTS = {"'": "\u0301", '"': "\u0308", "`": "\u0300", "^": "\u0302", "~": "\u0303", "v": "\u030c"}


def keys() -> set[str]:
    """Return the keys of all references."""
    return set(_entries())


def page() -> str:
    """Return the page, in reStructuredText."""
    head = "References\n==========\n\nA number behind a key is that of an equation, table, algorithm or section: "
    head += "[OCC 33] is equation 33 of that paper."
    return "\n\n".join([head, *(_item(key, fields) for key, fields in _entries().items())]) + "\n"


def _entries() -> dict[str, dict[str, str]]:
    text = _FILE.read_text(encoding="utf8")
    bodies = re.findall(r"^@\w+\{([^,\s]+),(.*?)^\}", text, re.M | re.S)
    return {key: dict(re.findall(r"(\w+)\s*=\s*\{(.*)\},?\s*$", body, re.M)) for key, body in bodies}


def _accented(words: str) -> str:
    """Return words with their accents: LaTeX writes an accent before its letter, Unicode behind it."""
    put = re.sub(r"""\\(['"`^~]|v(?=\{))\{?([A-Za-z])\}?""", lambda found: found[2] + _ACCENTS[found[1]], words)
    return unicodedata.normalize("NFC", put)


def _item(key: str, fields: dict[str, str]) -> str:
    plain = {name: re.sub(r"[{}\\]", "", _accented(value)).replace("--", "–") for name, value in fields.items()}
    authors = ", ".join(" ".join(reversed(name.split(", "))) for name in plain.get("author", "").split(" and "))
    place = plain.get("journal") or plain.get("booktitle") or plain.get("publisher") or plain.get("note") or ""
    details = ", ".join(
        word for word in (place and f"*{place}*", plain.get("volume"), plain.get("pages"), plain.get("year")) if word
    )
    said = ". ".join(part.rstrip(".") for part in (authors, plain.get("title", ""), details) if part)
    said = re.sub(r"^(\w+)\.", r"\1\\.", said)  # "J. Ross" would begin a list
    return f".. _paper-{key.lower()}:\n\n**{key}**\n   {said}."
