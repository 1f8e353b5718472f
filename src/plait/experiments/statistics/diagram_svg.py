"""The critical-difference diagram as SVG text: no packages, colours of the page around it, light or dark."""

from html import escape

import numpy as np

from plait.experiments.statistics.rank_comparison import RankComparison, rank_statement

__all__ = ["cd_svg"]

_LINE, _TOP, _GAP = 22.0, 64.0, 9.0
_FONT = "font: 13px system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def cd_svg(comparison: RankComparison, width: float = 720.0, title: str = "") -> str:
    """Return the diagram as one `<svg>` element, to embed in a page or to save as a file.

    Parameters
    ----------
    comparison : RankComparison
        From `compare_methods`.
    width : float, default=720.0
        Width of the drawing in its own units; it shrinks with the page.
    title : str, default=""
        Title for readers who cannot see the picture; by default the outcome of the tests.

    Examples
    --------
    >>> from plait.experiments.statistics import compare_methods
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.5, 0.3]]
    >>> cd_svg(compare_methods(scores, ["pcc", "cc", "br"])).startswith("<svg xmlns=")
    True
    """
    drawing = _Drawing(comparison, width)
    inside = [*drawing.axis(), *drawing.ruler(), *drawing.bars(), *drawing.labels()]
    words = escape(title or rank_statement(comparison))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {drawing.height:g}" '
        f'style="width: 100%; max-width: {width:g}px; {_FONT}" fill="currentColor" stroke="none" '
        f'role="img" aria-label="{escape(words)}">'
    )
    return "\n".join([head, f"<title>{words}</title>", *inside, "</svg>"])


class _Drawing:
    """Places of everything: the axis on top, bars below it, then the names, best half left, the others right."""

    def __init__(self, comparison: RankComparison, width: float) -> None:
        self.comparison, self.ranks = comparison, comparison.average_ranks
        order = np.argsort(self.ranks, kind="stable")
        self.k, half = len(order), (len(order) + 1) // 2
        # The outermost name hangs lowest on either side, so no line crosses another.
        self.left, self.right = order[:half], order[half:][::-1]
        longest = max(_length(self._words(m)) for m in order)
        self.margin = min(longest + 14, 0.34 * width)
        self.width = width
        self.first_label = _TOP + _GAP * (len(self._spans()) + 1) + 14
        self.height = self.first_label + _LINE * half

    def x(self, rank: float) -> float:
        """Return where a rank lies on the axis."""
        share = (rank - 1) / (self.k - 1)
        return self.margin + share * (self.width - 2 * self.margin)

    def _words(self, method: int) -> str:
        return f"{self.comparison.methods[method]} {self.ranks[method]:.2f}"

    def axis(self) -> list[str]:
        """Return the axis with a tick and a number at every rank."""
        parts = [_line(self.x(1), _TOP, self.x(self.k), _TOP, 1.2)]
        for rank in range(1, self.k + 1):
            parts.append(_line(self.x(rank), _TOP - 7, self.x(rank), _TOP, 1.2))
            if rank in self._numbered():
                parts.append(_text(self.x(rank), _TOP - 12, str(rank), "middle"))
        parts += [_line(self.x(rank + 0.5), _TOP - 4, self.x(rank + 0.5), _TOP, 1.2, 0.6) for rank in range(1, self.k)]
        return parts

    def _numbered(self) -> set[int]:
        """Return the ranks whose numbers are written: all, or as many as have room."""
        room = (self.width - 2 * self.margin) / (self.k - 1)
        step = next((step for step in (1, 2, 5, 10, 20, 50, 100) if step * room >= 22), 200)
        return {1, *range(step, self.k + 1, step)}

    def ruler(self) -> list[str]:
        """Return the critical difference as a length above the axis."""
        shown = min(self.comparison.difference, self.k - 1.0)
        start, end, y = self.x(1), self.x(1 + shown), 22.0
        more = "" if shown == self.comparison.difference else " (longer than the axis)"
        words = f"CD = {self.comparison.difference:.2f}{more}"
        ends = [_line(x, y - 5, x, y + 5, 1.2) for x in (start, end)]
        parts = [_line(start, y, end, y, 1.2), *ends]
        if end + 8 + _length(words) <= self.width:
            return [*parts, _text(end + 8, y + 4.5, words, "start")]
        return [*parts, _text((start + end) / 2, y - 8, words, "middle")]

    def _spans(self) -> list[tuple[float, float]]:
        if self.comparison.control is None:
            return [(self.ranks[group[0]], self.ranks[group[-1]]) for group in self.comparison.groups]
        middle, reach = self.ranks[self.comparison.control], self.comparison.difference
        return [(max(1.0, middle - reach), min(float(self.k), middle + reach))]

    def bars(self) -> list[str]:
        """Return a thick bar over every group that is undecided, one CD to either side of a control."""
        parts = []
        for level, (low, high) in enumerate(self._spans(), start=1):
            y = _TOP + _GAP * level
            parts.append(_line(self.x(low) - 3, y, self.x(high) + 3, y, 4.5, 0.85, "round"))
        return parts

    def labels(self) -> list[str]:
        """Return the names with their ranks, joined to the axis by thin lines."""
        parts = []
        for methods, anchor, step in ((self.left, "end", -1), (self.right, "start", 1)):
            for level, m in enumerate(methods):
                x, y = self.x(self.ranks[m]), self.first_label + _LINE * level
                inner = self.margin - 6 if step < 0 else self.width - self.margin + 6
                points = f"{x:.1f},{_TOP:g} {x:.1f},{y:.1f} {inner:.1f},{y:.1f}"
                parts.append(
                    f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1" '
                    'stroke-opacity="0.55"/>'
                )
                parts.append(f'<circle cx="{x:.1f}" cy="{_TOP:g}" r="3"/>')
                weight = ' font-weight="bold"' if m == self.comparison.control else ""
                parts.append(_text(inner + 4 * step, y + 4.5, self._words(m), anchor, weight, self.margin - 12))
        return parts


def _length(words: str) -> float:
    """Return a generous guess of how long words are, in the widest of the usual fonts."""
    return sum(11.0 if letter in "MWmw" else 9.2 if letter.isupper() else 8.0 for letter in words)


def _line(x1: float, y1: float, x2: float, y2: float, width: float, opacity: float = 1.0, cap: str = "butt") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'stroke-width="{width:g}" stroke-opacity="{opacity:g}" stroke-linecap="{cap}"/>'
    )


def _text(x: float, y: float, words: str, anchor: str, more: str = "", room: float | None = None) -> str:
    # A name longer than its margin is squeezed into it rather than cut off by the picture's edge.
    if room is not None and _length(words) > room:
        more += f' textLength="{room:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'
