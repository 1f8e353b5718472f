"""Pictures made of pictures: several beside each other, one under a heading, one as a file of its own."""

import re
from collections.abc import Sequence

from plait.pictures.svg import picture, text, text_width

__all__ = ["headed", "panels", "saved"]


def panels(rows: Sequence[Sequence[str]], title: str, gap: float = 28) -> str:
    """Return one picture of several: rows of `<svg>` elements, each in its natural size.

    Parameters
    ----------
    rows : sequence of sequences of str
        Pictures, row by row.
    title : str
        For readers who cannot see the picture.
    gap : float, default=28
        Between two pictures.

    Returns
    -------
    str

    Examples
    --------
    >>> from plait.pictures import circle
    >>> dot = picture(10, 10, [circle(5, 5, 3)], "a dot")
    >>> panels([[dot, dot]], "two dots").count("<circle")
    2
    """
    sizes = [[_size(part) for part in row] for row in rows]
    n_columns = max(map(len, rows))
    widths = [max(row[c][0] for row in sizes if c < len(row)) for c in range(n_columns)]
    lefts = [sum(widths[:c]) + gap * c for c in range(n_columns)]
    inside, top = [], 0.0
    for row, known in zip(rows, sizes, strict=True):
        inside += [_placed(part, lefts[c], top) for c, part in enumerate(row)]
        top += max(height for _, height in known) + gap
    return picture(lefts[-1] + widths[-1], top - gap, inside, title)


def headed(svg: str, words: str) -> str:
    """Return a picture with a heading above it.

    Parameters
    ----------
    svg : str
        A picture.
    words : str
        The heading.

    Returns
    -------
    str

    Examples
    --------
    >>> "Scores" in headed(picture(10, 10, [], "empty"), "Scores")
    True
    """
    width, height = _size(svg)
    return picture(
        max(width, 1.1 * text_width(words)), height + 30, [text(0, 13, words, bold=True), _placed(svg, 0, 30)], words
    )


def saved(svg: str, edge: float = 16) -> str:
    """Return a picture as the content of a file: dark ink on a white ground, in its natural size.

    Parameters
    ----------
    svg : str
        A picture.
    edge : float, default=16
        White around it.

    Returns
    -------
    str

    Examples
    --------
    >>> saved(picture(10, 10, [], "empty"))[:4]
    '<svg'
    """
    width, height = (side + 2 * edge for side in _size(svg))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" color="#1b2733">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{_placed(svg, edge, edge)}\n</svg>\n'
    )


def _size(svg: str) -> tuple[float, float]:
    """Return width and height that a picture gives itself."""
    box = svg.split('viewBox="', 1)[1].split('"', 1)[0].split()
    return float(box[2]), float(box[3])


def _placed(svg: str, x: float, y: float) -> str:
    """Return a picture at a place of another one, in its natural size."""
    width, height = _size(svg)
    head, rest = svg.split(">", 1)
    # What makes it shrink with a page would stretch it here.
    head = re.sub(r'style="[^"]*?font-size', 'style="font-size', re.sub(r' (width|height)="[^"]*"', "", head))
    place = f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
    return f"{head.replace('<svg ', place, 1)}>{rest}"
