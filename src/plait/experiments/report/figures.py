"""A picture on the page: with its caption, a button that saves it as SVG, and others that zoom it."""

import re
from html import escape

__all__ = ["figure_html", "figures_of", "filtered", "zoom_html"]

_FIGURE = re.compile(r"<figure\b.*?(<svg\b.*?</svg>).*?data-name='([^']*)'.*?</figure>", re.DOTALL)


def filtered(html: str, **kinds: str) -> str:
    """Return a part of the page that goes when a reader hides its method, metric or data set.

    Examples
    --------
    >>> filtered("<p>wet</p>", dataset="sea")
    "<div data-dataset='sea'><p>wet</p></div>"
    """
    names = "".join(f" data-{kind}='{escape(name)}'" for kind, name in kinds.items())
    return f"<div{names}>{html}</div>"


def figures_of(page: str) -> dict[str, str]:
    """Return every picture of a page, by the name under which it is saved.

    Examples
    --------
    >>> figures_of(figure_html("<svg></svg>", "a/b"))
    {'a-b': '<svg></svg>'}
    """
    found: dict[str, str] = {}
    for svg, name in _FIGURE.findall(page):
        number, free = 2, name
        while free in found:  # names that differ in signs only
            number, free = number + 1, f"{name}-{number}"
        found[free] = svg
    return found


def figure_html(svg: str, name: str, caption: str = "", narrow: str = "") -> str:
    """Return a picture that shrinks with the page; `name` becomes the name of the saved file.

    Where it shrinks to what cannot be read, `narrow` is the same drawn for a phone, shown there in its place.

    Examples
    --------
    >>> figure_html("<svg></svg>", "a/b")
    "<figure><div class='wide'><svg></svg></div><div class='tools'><button ...>SVG</button></div></figure>"
    """
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    style = " class='two'" if narrow else ""
    box = f"<div class='wide'>{svg}{narrow}</div>"
    return f"<figure{style}>{box}{words}<div class='tools'>{_save(name)}</div></figure>"


def zoom_html(svg: str, name: str, caption: str = "") -> str:
    """Return a picture in a box that scrolls, at the size at which its names are read; buttons zoom it."""
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    ways = (
        ("in", "+", "larger"),
        ("out", "−", "smaller"),
        ("one", "1:1", "natural size"),
        ("whole", "whole", "all of it"),
    )
    buttons = "".join(
        f"<button type='button' class='tool' data-zoom='{way}' title='{title}' aria-label='{title}'>{sign}</button>"
        for way, sign, title in ways
    )
    box = f"<div class='zoom' tabindex='0'>{svg}</div>"
    return f"<figure>{box}{words}<div class='tools'>{buttons}{_save(name)}</div></figure>"


def _save(name: str) -> str:
    file = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "picture"
    return (
        f"<button type='button' class='tool save' data-name='{escape(file)}' title='Save this picture' "
        f"aria-label='Save this picture as SVG'>SVG</button>"
    )
