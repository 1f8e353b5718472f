"""Read docstrings as plain text: `n_iter_` is a name, not a link, and |S| is a size, not a substitution.

Only names in backquotes, numpydoc's sections and its lists are markup.
"""

import re
from typing import Any

__all__ = ["escape_marks"]

# What stands in backquotes, with or without a role in front of it, is left alone.
_QUOTED = re.compile(r"(``.*?``|(?::[\w:]+:)?`[^`]*`)")
_NAME_WITH_UNDERSCORE = re.compile(r"(?<=\w)_(?!\w)")
_BAR = re.compile(r"(?<!\\)\|")


def escape_marks(_app: Any, _kind: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Escape marks in a docstring's text, in place; examples stay as they are."""
    in_example = False
    for place, line in enumerate(lines):
        # An example runs from its first prompt to the next empty line.
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example and not line.lstrip().startswith((".. ", "| ")):
            lines[place] = "".join(_escaped(part) for part in _QUOTED.split(line))


def _escaped(part: str) -> str:
    if part.startswith(("`", ":")) and part.endswith("`"):
        return part
    return _BAR.sub(r"\\|", _NAME_WITH_UNDERSCORE.sub(r"\\_", part))
