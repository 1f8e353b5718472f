"""Bars and short names for tables on a terminal."""

from collections.abc import Sequence

__all__ = ["LONGEST_NAME", "bar", "bar_lines", "shortened"]

LONGEST_NAME = 32
_LINE, _SHORTEST_BAR = 80, 6


def bar(share: float, width: int) -> str:
    """Return a bar in eighths of a character; what is above zero shows at least one eighth.

    Parameters
    ----------
    share : float
        From 0 to 1.
    width : int
        Characters of a whole bar.

    Returns
    -------
    str

    Examples
    --------
    >>> bar(0.5, 4), bar(1e-9, 4), bar(0.0, 4)
    ('██', '▏', '')
    """
    eighths = max(round(share * width * 8), 1 if share > 0 else 0)
    return "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")


def bar_lines(
    names: Sequence[str],
    shares: Sequence[float],
    numbers: Sequence[str],
    notes: Sequence[str],
    width: int,
    longest: int = LONGEST_NAME,
) -> list[str]:
    """Return one line for each name: the name, its number, its bar and a note.

    Parameters
    ----------
    names : sequence of str
        Cut at `longest` characters.
    shares : sequence of float
        Length of each bar as a share of `width`.
    numbers : sequence of str
        What the bars show, aligned to the right.
    notes : sequence of str
        What follows the bars.
    width : int
        Characters of a whole bar; fewer where a line would be longer than 80.
    longest : int, default=32
        Characters of the longest name.

    Returns
    -------
    list of str

    Examples
    --------
    >>> for line in bar_lines(["sea", "snow"], [1.0, 0.5], ["12", "6"], ["", "rare"], 4): print(line)
      sea   12  ████
      snow   6  ██    rare
    """
    short = [shortened(name, longest) for name in names]
    column = max((len(name) for name in short), default=0)
    digits = max((len(number) for number in numbers), default=0)
    beside = column + digits + max((len(note) for note in notes), default=0) + 8
    width = min(width, max(_SHORTEST_BAR, _LINE - beside))
    return [
        f"  {name:<{column}}  {number:>{digits}}  {bar(share, width):<{width}}  {note}".rstrip()
        for name, share, number, note in zip(short, shares, numbers, notes, strict=True)
    ]


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name on one line and at most so long.

    Parameters
    ----------
    name : str
        Any name.
    most : int, default=32
        Characters.

    Returns
    -------
    str

    Examples
    --------
    >>> shortened("a   b"), shortened("", 9), shortened("abcdef", 4)
    ('a b', '(no name)', 'abc…')
    """
    name = " ".join(name.split()) or "(no name)"
    return name if len(name) <= most else name[: most - 1] + "…"
