"""The critical-difference diagram [Demsar2006], as SVG and in plain characters for the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Floats
from plait.pictures.svg import circle, line, path, picture, text, text_width
from plait.pictures.table_markup import latex_text

__all__ = ["CriticalDifferences"]

_LINE, _TOP, _GAP, _SIZE = 22.0, 64.0, 9.0, 13.0
_BOLD = 1.12  # how much longer bold letters are
_TIKZ = 50.0  # units of the drawing in a centimetre of LaTeX


@dataclass(frozen=True, eq=False)
class CriticalDifferences:
    """Average ranks of methods, and which of them are too near to each other to be told apart.

    Parameters
    ----------
    methods : sequence of str
        Names.
    ranks : ndarray of shape (n_methods,)
        Average ranks; 1 is best.
    difference : float
        Ranks further apart than this differ.
    groups : sequence of sequences of int
        Methods that are not told apart, each group from its best.
    control : int, optional
        The method that all others are compared with.
    outcome : str, default=""
        A sentence about the tests, for readers who cannot see the picture and below the plain characters.

    Examples
    --------
    >>> found = CriticalDifferences(["pcc", "cc", "br"], np.array([1.0, 2.25, 2.75]), 1.657, [[0, 1], [1, 2]])
    >>> print(found.as_text(width=21))
    average rank, 1 is best
        1         2         3
        |---------|---------|
    pcc *         .           1.00
    cc            . *         2.25
    br            .       *   2.75
        =============
                    =======
    Methods under one bar of = are not told apart.
    """

    methods: Sequence[str]
    ranks: Floats
    difference: float
    groups: Sequence[Sequence[int]]
    control: int | None = None
    outcome: str = ""

    def as_svg(self, width: float = 720.0, title: str = "") -> str:
        """Return the diagram in colours of the page around it; it shrinks with the page.

        Parameters
        ----------
        width : float, default=720.0
            In pixels.
        title : str, optional
            For readers who cannot see the picture; by default the outcome.
        """
        drawing = _Drawing(self, width)
        inside = [*drawing.axis(), *drawing.ruler(), *drawing.bars(), *drawing.labels()]
        return picture(width, drawing.height, inside, title or self.outcome, size=_SIZE)

    def as_tikz(self, width: float = 12.0) -> str:
        """Return the diagram as a `tikzpicture` so many centimetres wide, drawn in the places of the SVG.

        Parameters
        ----------
        width : float, default=12.0
            In centimetres.
        """
        return _Drawing(self, _TIKZ * width).tikz()

    def as_text(self, width: int = 61) -> str:
        """Return lines of plain characters: ranks from left (best), bars of = over what is undecided.

        Parameters
        ----------
        width : int, default=61
            Characters of the axis; at least two a method.
        """
        ranks, names = self.ranks, self.methods
        k, indent = len(names), max(map(len, names)) + 1
        width = max(width, 2 * k)

        def column(rank: float) -> int:
            return round((rank - 1) / (k - 1) * (width - 1))

        numbers, axis, grid = ([" "] * width for _ in range(3))
        axis[:] = "-" * width
        for rank in range(1, k + 1):
            axis[column(rank)] = "|"
            place = min(column(rank), width - len(str(rank)))
            numbers[place : place + len(str(rank))] = str(rank)
            if 1 < rank < k:
                grid[column(rank)] = "."
        lines = ["average rank, 1 is best", " " * indent + "".join(numbers), " " * indent + "".join(axis)]
        for m in np.argsort(ranks, kind="stable"):
            row = grid.copy()
            row[column(ranks[m])] = "*"
            mark = " (control)" if m == self.control else ""
            lines.append(f"{names[m].ljust(indent)}{''.join(row)} {ranks[m]:.2f}{mark}")
        for group in self.groups:
            start, end = column(ranks[group[0]]), column(ranks[group[-1]])
            lines.append(" " * (indent + start) + "=" * (end - start + 1))
        lines += [self._meaning, *([self.outcome] if self.outcome else [])]
        return "\n".join(words.rstrip() for words in lines)

    @property
    def _meaning(self) -> str:
        if not self.groups:
            return "Every difference of ranks is significant."
        if self.control is None:
            return "Methods under one bar of = are not told apart."
        return f"Methods under the bar of = are not told apart from {self.methods[self.control]}."


class _Drawing:
    """Places of everything: the axis on top, bars below it, then the names, best half left, the others right."""

    def __init__(self, found: CriticalDifferences, width: float) -> None:
        self.found, self.ranks = found, found.ranks
        order = np.argsort(self.ranks, kind="stable")
        self.k, half = len(order), (len(order) + 1) // 2
        # The outermost name hangs lowest on either side, so no line crosses another.
        self.left, self.right = order[:half], order[half:][::-1]
        longest = max(map(self._length, order))
        self.margin = min(longest + 14, 0.34 * width)
        self.width = width
        self.first_label = _TOP + _GAP * (len(self._spans()) + 1) + 14
        self.height = self.first_label + _LINE * half

    def x(self, rank: float) -> float:
        """Return where a rank lies on the axis."""
        share = (rank - 1) / (self.k - 1)
        return self.margin + share * (self.width - 2 * self.margin)

    def _words(self, method: int) -> str:
        return f"{self.found.methods[method]} {self.ranks[method]:.2f}"

    def _length(self, method: int) -> float:
        return text_width(self._words(method), _SIZE) * (_BOLD if method == self.found.control else 1.0)

    def axis(self) -> list[str]:
        """Return the axis with a tick and a number at every rank."""
        parts = [line(self.x(1), _TOP, self.x(self.k), _TOP, width=1.2)]
        for rank in range(1, self.k + 1):
            parts.append(line(self.x(rank), _TOP - 7, self.x(rank), _TOP, width=1.2))
            if rank in self._numbered():
                parts.append(text(self.x(rank), _TOP - 12, str(rank), anchor="middle"))
        halves = [self.x(rank + 0.5) for rank in range(1, self.k)]
        return parts + [line(x, _TOP - 4, x, _TOP, width=1.2, opacity=0.6) for x in halves]

    def _numbered(self) -> set[int]:
        """Return the ranks whose numbers are written: all, or as many as have room."""
        room = (self.width - 2 * self.margin) / (self.k - 1)
        step = next((step for step in (1, 2, 5, 10, 20, 50, 100) if step * room >= 22), 200)
        return {1, *range(step, self.k + 1, step)}

    def ruler(self) -> list[str]:
        """Return the critical difference as a length above the axis."""
        shown = min(self.found.difference, self.k - 1.0)
        start, end, y = self.x(1), self.x(1 + shown), 22.0
        more = "" if shown == self.found.difference else " (longer than the axis)"
        words = f"CD = {self.found.difference:.2f}{more}"
        ends = [line(x, y - 5, x, y + 5, width=1.2) for x in (start, end)]
        parts = [line(start, y, end, y, width=1.2), *ends]
        if end + 8 + text_width(words, _SIZE) <= self.width:
            return [*parts, text(end + 8, y + 4.5, words)]
        return [*parts, text((start + end) / 2, y - 8, words, anchor="middle")]

    def _spans(self) -> list[tuple[float, float]]:
        if self.found.control is None:
            return [(self.ranks[group[0]], self.ranks[group[-1]]) for group in self.found.groups]
        middle, reach = self.ranks[self.found.control], self.found.difference
        return [(max(1.0, middle - reach), min(float(self.k), middle + reach))]

    def bars(self) -> list[str]:
        """Return a thick bar over every group that is undecided, one CD to either side of a control."""
        spans = enumerate(self._spans(), start=1)
        places = [(self.x(low) - 3, self.x(high) + 3, _TOP + _GAP * level) for level, (low, high) in spans]
        return [line(start, y, end, y, width=4.5, opacity=0.85, cap="round") for start, end, y in places]

    def labels(self) -> list[str]:
        """Return the names with their ranks, joined to the axis by thin lines."""
        parts = []
        for methods, anchor, step in ((self.left, "end", -1), (self.right, "start", 1)):
            inner, room = (self.margin - 6 if step < 0 else self.width - self.margin + 6), self.margin - 12
            for level, m in enumerate(methods):
                x, y, words = self.x(self.ranks[m]), self.first_label + _LINE * level, self._words(m)
                # A name longer than its margin is squeezed into it rather than cut off by the picture's edge.
                length = room if self._length(m) > room else 0
                bold = m == self.found.control
                parts.append(path(f"M{x:.1f} {_TOP:g}V{y:.1f}H{inner:.1f}", opacity=0.55))
                parts.append(circle(x, _TOP, 3))
                parts.append(text(inner + 4 * step, y + 4.5, words, anchor=anchor, bold=bold, length=length))
        return parts

    def tikz(self) -> str:
        """Return axis, ruler, bars and names as TikZ, in centimetres, downward as on a screen."""
        last = self.x(min(1 + self.found.difference, float(self.k)))
        commands = [f"\\draw {_at(self.x(1), _TOP)} -- {_at(self.x(self.k), _TOP)};"]
        for rank in range(1, self.k + 1):
            number = f" node[above] {{{rank}}}" if rank in self._numbered() else ""
            commands.append(f"\\draw {_at(self.x(rank), _TOP)} -- {_at(self.x(rank), _TOP - 7)}{number};")
        words = f"CD = {self.found.difference:.2f}"
        commands.append(f"\\draw[|-|] {_at(self.x(1), 22)} -- {_at(last, 22)} node[right] {{{words}}};")
        for level, (low, high) in enumerate(self._spans(), start=1):
            y = _TOP + _GAP * level
            thick = "\\draw[line width=2.5pt,line cap=round]"
            commands.append(f"{thick} {_at(self.x(low) - 3, y)} -- {_at(self.x(high) + 3, y)};")
        for methods, side, edge in ((self.left, "left", self.margin), (self.right, "right", self.width - self.margin)):
            for level, m in enumerate(methods):
                x, y = self.x(self.ranks[m]), self.first_label + _LINE * level
                name = latex_text(self._words(m))
                name = f"\\textbf{{{name}}}" if m == self.found.control else name
                commands.append(f"\\draw[thin] {_at(x, _TOP)} |- {_at(edge, y)} node[{side}] {{{name}}};")
                commands.append(f"\\fill {_at(x, _TOP)} circle (1.5pt);")
        lines = ["% needs \\usepackage{tikz}", "\\begin{tikzpicture}[x=1cm,y=-1cm,font=\\small]"]
        return "\n".join([*lines, *(f"  {command}" for command in commands), "\\end{tikzpicture}", ""])


def _at(x: float, y: float) -> str:
    return f"({x / _TIKZ:.3f},{y / _TIKZ:.3f})"
