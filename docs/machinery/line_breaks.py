"""Where long names in code may go on in the next line: behind a dot, a bracket, an underscore, before a capital.

Columns of tables would otherwise be as wide as their longest name, or cut names anywhere. What is copied stays whole.
"""

import re
from typing import Any

__all__ = ["add_to", "breakable"]

_CODE = re.compile(r'(<span class="pre">)([^<]*)(</span>)')
# Never inside an entity such as &quot;, which holds none of these signs.
_LONG = 16  # signs; what is shorter stays in one line
_PLACES = re.compile(r"(?<=[.(\[=,_/])(?=\w)|(?<=[a-z]{3})(?=[A-Z][a-z]{3})")


def add_to(app: Any) -> None:
    """Put the places into every page that is written."""
    app.connect("html-page-context", _write)


def breakable(body: str) -> str:
    """Return a page's markup with places for breaks in inline code."""
    return _CODE.sub(lambda code: code[1] + _broken(code[2]) + code[3], body)


def _broken(code: str) -> str:
    return _PLACES.sub("<wbr>", code) if len(code) >= _LONG else code


def _write(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    if "body" in context:
        context["body"] = breakable(context["body"])
