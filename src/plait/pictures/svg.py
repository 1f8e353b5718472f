"""Small functions that write SVG: no packages, ink in the colour of the page around it, light or dark."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "ORANGE",
    "circle",
    "cut_to",
    "ground",
    "line",
    "path",
    "picture",
    "rectangle",
    "text",
    "text_width",
]

# Told apart by colour-blind readers, in grey print, and on white as on near-black.
BLUE, ORANGE, GREEN, GREY = "#0f7fc4", "#d9730d", "#009e73", "#8a96a3"
_FONT = "font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"


def picture(
    width: float,
    height: float,
    inside: Iterable[str],
    title: str,
    *,
    size: float = 12,
    least: float = 0,
    shrinks: bool = True,
) -> str:
    """Return an `<svg>` element that shrinks with the page, not below `least` pixels of width, or not at all.

    Parameters
    ----------
    width, height : float
        The natural size.
    inside : iterable of str
        Elements.
    title : str
        For readers who cannot see the picture.
    size : float, default=12
        Of the letters.
    least : float, default=0
        Pixels of width below which it does not shrink.
    shrinks : bool, default=True
        Whether it shrinks with the page.

    Returns
    -------
    str

    Examples
    --------
    >>> picture(10, 10, [circle(5, 5, 3)], "a dot")[:4]
    '<svg'
    """
    words = escape(" ".join(title.split()))
    room = f"min-width:{least:g}px;" if least else ""
    fitting = f"width:100%;max-width:{width:g}px;{room}" if shrinks else ""
    fixed = "" if shrinks else f'width="{width:g}" height="{height:g}" '
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {fixed}viewBox="0 0 {width:g} {height:g}" '
        f'style="{fitting}font-size:{size:g}px;{_FONT}" fill="currentColor" '
        f'role="img" aria-label="{words}">\n<title>{words}</title>\n' + "\n".join(inside) + "\n</svg>"
    )


def line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    *,
    width: float = 1,
    opacity: float = 1,
    ink: str = "",
    cap: str = "",
) -> str:
    """Return a straight line; `cap` is the shape of its ends, such as "round".

    Parameters
    ----------
    x1, y1, x2, y2 : float
        Where it begins and ends.
    width, opacity : float, default=1
        How thick and how strong it is.
    ink : str, default=""
        The colour; that of the page by default.
    cap : str, default=""
        The shape of its ends.

    Returns
    -------
    str

    Examples
    --------
    >>> line(0, 0, 10, 0)[:5]
    '<line'
    """
    more = f' stroke-opacity="{opacity:g}"' if opacity < 1 else ""
    more += f' stroke-linecap="{cap}"' if cap else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{ink or "currentColor"}" '
        f'stroke-width="{width:g}"{more}/>'
    )


def path(d: str, *, ink: str = "currentColor", width: float = 1, opacity: float = 1, dashes: str = "") -> str:
    """Return a line along a path, not filled.

    Parameters
    ----------
    d : str
        The path, as SVG writes it.
    ink : str, default="currentColor"
        The colour.
    width, opacity : float, default=1
        How thick and how strong it is.
    dashes : str, default=""
        Lengths of dashes and gaps.

    Returns
    -------
    str

    Examples
    --------
    >>> path("M0 0H10")[:5]
    '<path'
    """
    broken = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{d}" fill="none" stroke="{ink}" stroke-width="{width:g}" stroke-opacity="{opacity:.3g}"{broken}/>'


def circle(x: float, y: float, radius: float, *, fill: str = "currentColor", title: str = "") -> str:
    """Return a dot; `title` shows when the pointer rests on it.

    Parameters
    ----------
    x, y : float
        Its middle.
    radius : float
        Its size.
    fill : str, default="currentColor"
        The colour.
    title : str, default=""
        Words for the pointer.

    Returns
    -------
    str

    Examples
    --------
    >>> circle(1, 2, 3)[:7]
    '<circle'
    """
    words = f"<title>{escape(title)}</title>" if title else ""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}">{words}</circle>'


def rectangle(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    fill: str,
    opacity: float = 1,
    title: str = "",
    radius: float = 0,
) -> str:
    """Return a filled rectangle.

    Parameters
    ----------
    x, y : float
        The upper left corner.
    width, height : float
        Its size.
    fill : str
        The colour.
    opacity : float, default=1
        How strong it is.
    title : str, default=""
        Words for the pointer.
    radius : float, default=0
        Of its corners.

    Returns
    -------
    str

    Examples
    --------
    >>> rectangle(0, 0, 10, 5, fill=BLUE)[:5]
    '<rect'
    """
    words = f"<title>{escape(title)}</title>" if title else ""
    faint = f' fill-opacity="{opacity:.2f}"' if opacity < 1 else ""
    round_ = f' rx="{radius:g}"' if radius else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"{faint}{round_}>'
        f"{words}</rect>"
    )


def ground(x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle in the colour of the page, which hides what is under it; white where it is saved.

    Parameters
    ----------
    x, y : float
        The upper left corner.
    width, height : float
        Its size.

    Returns
    -------
    str

    Examples
    --------
    >>> ground(0, 0, 10, 5)[:5]
    '<rect'
    """
    return f'<rect class="ground" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="#fff"/>'


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    opacity: float = 1,
    bold: bool = False,
    fill: str = "",
    turn: float = 0,
    title: str = "",
    length: float = 0,
) -> str:
    """Return words at a place, turned by so many degrees about it, and squeezed to a length if one is given.

    Parameters
    ----------
    x, y : float
        Where it begins, ends or has its middle, on its base line.
    words : str
        What it says; it is escaped.
    anchor : {"start", "middle", "end"}, default="start"
        What of it stands at the place.
    opacity : float, default=1
        How strong it is.
    bold : bool, default=False
        Whether it is bold.
    fill : str, default=""
        The colour; that of the page by default.
    turn : float, default=0
        Degrees about the place.
    title : str, default=""
        Words for the pointer.
    length : float, default=0
        What it is squeezed to.

    Returns
    -------
    str

    Examples
    --------
    >>> "a &lt; b" in text(0, 10, "a < b")
    True
    """
    more = f' text-anchor="{anchor}"' if anchor != "start" else ""
    more += f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
    more += ' font-weight="600"' if bold else ""
    more += f' fill="{fill}"' if fill else ""
    more += f' textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"' if length else ""
    more += f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    inner = f"<title>{escape(title)}</title>" if title else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{inner}{escape(words)}</text>'


@lru_cache(2**14)
def text_width(words: str, size: float = 12) -> float:
    """Return a generous guess of the length of words in the usual fonts.

    Parameters
    ----------
    words : str
        Any text.
    size : float, default=12
        Of the letters.

    Returns
    -------
    float

    Examples
    --------
    >>> text_width("ii") < text_width("mm") < text_width("語語")
    True
    """
    return size * sum(_letter_width(letter) for letter in words)


def _letter_width(letter: str) -> float:
    if ord(letter) >= 0x2E80:
        return 1.05
    if letter in "iljtfI.,:;'!|()[] ":
        return 0.36
    if letter in "MWmw@%":
        return 0.92
    return 0.72 if letter.isupper() else 0.6


@lru_cache(2**14)
def cut_to(words: str, room: float, size: float = 12) -> str:
    """Return words on one line, cut in the middle where they are longer than the room.

    Parameters
    ----------
    words : str
        What is cut.
    room : float
        How long it may be.
    size : float, default=12
        Of the letters.

    Returns
    -------
    str

    Examples
    --------
    >>> cut_to("a_rather_long_name_of_a_method_2", 100)
    'a_rather…hod_2'
    """
    words = " ".join(words.split()) or "(no name)"
    kept = len(words)
    while kept > 3 and text_width(_cut(words, kept), size) > room:
        kept -= 1
    return _cut(words, kept)


def _cut(words: str, kept: int) -> str:
    if kept >= len(words):
        return words
    # Names made by a program often differ in their last letters only.
    last = (kept - 1) * 2 // 5
    return f"{words[: kept - 1 - last]}…{words[len(words) - last :]}"
