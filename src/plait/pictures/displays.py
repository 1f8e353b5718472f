"""Displays: answers that draw themselves, as SVG everywhere and with matplotlib where it is installed."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from plait.core.extras import optional
from plait.core.sentences import ParameterError, shown
from plait.pictures.arrangements import headed, panels, saved
from plait.pictures.bars import draw_bars, draw_signed_bars
from plait.pictures.svg import BLUE, ORANGE

__all__ = ["BarDisplay", "BarPanel", "Display", "new_axes"]


class Display:
    """Base of displays: a subclass has `to_svg`, and `plot` for matplotlib.

    Examples
    --------
    >>> class Dot(Display):
    ...     def to_svg(self):
    ...         return "<svg></svg>"
    >>> Dot()._repr_html_()
    '<svg></svg>'
    """

    def to_svg(self) -> str:
        """Return the picture as SVG, which needs no other package."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self.to_svg()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file.

        Parameters
        ----------
        path : str or path
            Where; its name ends in .svg.
        """
        if Path(path).suffix.lower() != ".svg":
            raise ParameterError(
                f"save needs path to end in .svg, but it is {shown(str(path))}. Use plot() for what matplotlib writes."
            )
        Path(path).write_text(saved(self.to_svg()), encoding="utf-8")


def new_axes(ax: Any = None, **settings: Any) -> Any:
    """Return given axes of matplotlib, or new ones; settings as `matplotlib.pyplot.subplots` takes them.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Axes that are there.
    **settings
        Of new ones.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> new_axes("the axes that were given")
    'the axes that were given'
    """
    if ax is not None:
        return ax
    pyplot = optional("matplotlib.pyplot", extra="plots", purpose="plots")
    return pyplot.subplots(layout="constrained", **settings)[1]


class BarPanel(NamedTuple):
    """Bars under a heading: names, values, and whether values may lie below zero.

    Attributes
    ----------
    heading : str
        Stands above the bars.
    names : sequence of str
        Of the bars.
    values : sequence of float
        How long they are.
    signed : bool, default=False
        Whether values may lie below zero.

    Examples
    --------
    >>> panel = BarPanel("P(tag)", ["sea", "sun"], [0.9, 0.4])
    >>> "sea" in BarDisplay("One photograph", (panel,)).to_svg()
    True
    """

    heading: str
    names: Sequence[str]
    values: Sequence[float]
    signed: bool = False


@dataclass(frozen=True, eq=False)
class BarDisplay(Display):
    """Groups of bars, one below the other.

    Parameters
    ----------
    title : str
        What they show.
    groups : tuple of BarPanel
        The bars.

    Examples
    --------
    >>> display = BarDisplay("row 0", (BarPanel("labels", ["sea", "sun"], [0.9, 0.2]),))
    >>> display
    BarDisplay(row 0: labels)
    >>> display.to_svg().count("<rect")
    2
    """

    title: str
    groups: tuple[BarPanel, ...]

    def __repr__(self) -> str:
        return f"BarDisplay({self.title}: {', '.join(group.heading for group in self.groups)})"

    def to_svg(self) -> str:
        """Return the picture as SVG."""
        drawn = [
            headed((draw_signed_bars if group.signed else draw_bars)(group.names, group.values, title=title), title)
            for group in self.groups
            for title in [f"{self.title}: {group.heading}"]
        ]
        return panels([[svg] for svg in drawn], self.title)

    def plot(self, ax: Any = None) -> Any:
        """Draw the bars with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, or a sequence of them, optional
            One for each group of bars; new ones by default.

        Returns
        -------
        ax : the axes
        """
        n_bars = sum(len(group.names) for group in self.groups)
        size = (6.0, 0.3 * n_bars + 0.8 * len(self.groups))
        ax = new_axes(ax, nrows=len(self.groups), figsize=size)
        every = list(ax.flat) if hasattr(ax, "flat") else list(ax) if isinstance(ax, Sequence) else [ax]
        for axes, group in zip(every, self.groups, strict=True):
            inks = [BLUE if value >= 0 else ORANGE for value in group.values]
            places = range(len(group.names))
            axes.barh(places, group.values, color=inks)
            axes.set_yticks(places, labels=list(group.names))
            axes.invert_yaxis()
            axes.set_title(f"{self.title}: {group.heading}", loc="left", fontsize="medium")
        return ax
