"""A picture on the page: with its caption, a button that saves it as SVG, and others that zoom it."""

import re
from html import escape

__all__ = ["figure_html", "zoom_html"]


def figure_html(svg: str, name: str, caption: str = "", kind: str = "") -> str:
    """Return a picture that shrinks with the page; `name` becomes the name of the saved file, `kind` a class.

    Examples
    --------
    >>> figure_html("<svg></svg>", "a/b")
    "<figure><div class='wide'><svg></svg></div><div class='tools'><button ...>SVG</button></div></figure>"
    """
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    style = f" class='{kind}'" if kind else ""
    return f"<figure{style}><div class='wide'>{svg}</div>{words}<div class='tools'>{_save(name)}</div></figure>"


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
