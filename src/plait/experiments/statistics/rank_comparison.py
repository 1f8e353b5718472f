"""One statement about several methods on several data sets: the Friedman test and what follows from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_score

from plait.core.arrays import Floats
from plait.core.sentences import ParameterError
from plait.experiments.statistics.critical_difference import rank_difference, undecided_groups
from plait.experiments.statistics.friedman import Friedman, friedman_test, score_table
from plait.pictures import BLUE, GREY, Display, new_axes
from plait.pictures.critical_differences import CriticalDifferences

__all__ = ["RankComparison", "cd_svg", "cd_text", "cd_tikz", "compare_methods", "rank_statement"]


@dataclass(frozen=True, eq=False)
class RankComparison(Display):
    """Average ranks of methods, the Friedman test and the critical difference; a display as scikit-learn has them.

    Parameters
    ----------
    methods : tuple of str
        Names, in the order of the columns.
    friedman : Friedman
        The test whether the methods differ at all.
    alpha : float
        Level of all tests.
    difference : float
        The critical difference of average ranks: Nemenyi's, or Bonferroni-Dunn's where there is a control.
    groups : tuple of tuples of int
        Maximal groups of methods that the ranks cannot tell apart; with a control, the one group around it.
    control : int, optional
        The method that all others are compared with.

    Examples
    --------
    >>> found = compare_methods([[0.9, 0.8], [0.7, 0.6], [0.5, 0.4]], ["pcc", "br"])
    >>> found.test, found.average_ranks
    ('Nemenyi', array([1., 2.]))
    """

    methods: tuple[str, ...]
    friedman: Friedman
    alpha: float
    difference: float
    groups: tuple[tuple[int, ...], ...]
    control: int | None = None

    @property
    def average_ranks(self) -> Floats:
        """Return the mean rank of each method; 1 is best."""
        return self.friedman.average_ranks

    @property
    def test(self) -> str:
        """Return the name of the test behind the critical difference."""
        return "Nemenyi" if self.control is None else "Bonferroni-Dunn"

    @classmethod
    def from_estimator(
        cls, models: Mapping[str, Any], problems: Sequence[Any], *, scoring: Any, cv: Any = 3, **how: Any
    ) -> "RankComparison":
        """Return the comparison of models by their cross-validated scores, higher ones better.

        Parameters
        ----------
        models : mapping
            Name -> classifier, which is cloned for every fold.
        problems : sequence of (X, Y)
            Data sets.
        scoring : str or callable
            As `sklearn.model_selection.cross_val_score` takes it, such as one of `plait.metrics.scorers`.
        cv : int or splitter, default=3
            Folds.
        **how
            As `compare_methods` takes it.
        """
        scores = [
            [
                cross_val_score(model, X, Y, scoring=scoring, cv=cv, error_score="raise").mean()
                for model in models.values()
            ]
            for X, Y in problems
        ]
        return compare_methods(scores, list(models), **how)

    @classmethod
    def from_predictions(cls, scores: Any, methods: Sequence[str], **how: Any) -> "RankComparison":
        """Return the comparison of scores that were found before; the same as `compare_methods`.

        Parameters
        ----------
        scores : array-like of shape (n_datasets, n_methods)
            One number per data set and method, none missing.
        methods : sequence of str
            Names of the columns.
        **how
            As `compare_methods` takes it.
        """
        return compare_methods(scores, methods, **how)

    def to_svg(self) -> str:
        """Return the critical-difference diagram as SVG."""
        return cd_svg(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw average ranks, and a bar below all methods that they cannot tell apart, with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where; new ones by default.

        Returns
        -------
        ax : the axes
        """
        order = np.argsort(self.average_ranks, kind="stable")
        ranks, below = self.average_ranks[order], len(order) - 0.4 + 0.3 * np.arange(len(self.groups))
        ax = new_axes(ax, figsize=(6.0, 0.3 * (len(order) + 0.3 * len(below)) + 0.9))
        ax.plot(ranks, range(len(order)), "o", color=BLUE)
        if len(below):
            # Thin lines lead from each method to the bars.
            ax.vlines(ranks, range(len(order)), below[-1], color=GREY, linewidth=0.6, zorder=0)
        for group, height in zip(self.groups, below, strict=True):
            ax.plot(self.average_ranks[[group[0], group[-1]]], [height, height], color=GREY, linewidth=4)
        ax.set_yticks(range(len(order)), labels=[self.methods[m] for m in order])
        ax.invert_yaxis()
        ax.set(xlabel=f"average rank, 1 is best; {self.test} CD {self.difference:.2f}")
        return ax


def compare_methods(
    scores: Any,
    methods: Sequence[str],
    *,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    control: str | None = None,
) -> RankComparison:
    """Rank methods over data sets and say which differences of ranks mean something.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        One number per data set and method, none missing.
    methods : sequence of str
        Names of the columns.
    higher_is_better : bool, default=True
        Whether large scores are good; False for losses.
    alpha : float, default=0.05
        Level of the tests.
    control : str, optional
        Compare all methods with this one (Bonferroni-Dunn) instead of all pairs (Nemenyi).

    Returns
    -------
    RankComparison

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.5, 0.3]]
    >>> compare_methods(scores, ["pcc", "cc", "br"]).groups
    ((0, 1), (1, 2))
    """
    table, names = score_table("compare_methods", scores), tuple(methods)
    if len(names) != table.shape[1]:
        must = f"a name for each of the {table.shape[1]} columns"
        raise ParameterError(f"compare_methods needs methods to be {must}, but there are {len(names)}.")
    if control is not None and control not in names:
        listed = ", ".join(names)
        raise ParameterError(f"compare_methods needs control to be one of {listed}, but it is {control!r}. Pass one.")
    friedman = friedman_test(table, higher_is_better=higher_is_better)
    place = None if control is None else names.index(control)
    test = "nemenyi" if control is None else "bonferroni-dunn"
    difference = rank_difference(len(names), len(table), alpha, test)
    groups = undecided_groups(friedman.average_ranks, difference)
    if place is not None:
        groups = _around(friedman.average_ranks, place, difference)
    return RankComparison(names, friedman, alpha, difference, groups, place)


def _around(ranks: Floats, control: int, difference: float) -> tuple[tuple[int, ...], ...]:
    near = [m for m in range(len(ranks)) if abs(ranks[m] - ranks[control]) < difference]
    near.sort(key=lambda m: (ranks[m], m))
    return (tuple(near),) if len(near) > 1 else ()


def rank_statement(comparison: RankComparison) -> str:
    """Return the outcome of the Friedman test and the critical difference as a sentence.

    Parameters
    ----------
    comparison : RankComparison
        From `compare_methods`.

    Returns
    -------
    str

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.5, 0.3]]
    >>> print(rank_statement(compare_methods(scores, ["pcc", "cc", "br"])))
    Friedman over 4 data sets: F(2, 6) = 13, p = 0.0066, so the methods differ (alpha 0.05); Nemenyi CD 1.657.
    """
    found = comparison.friedman
    first, second = found.degrees_of_freedom
    verdict = "the methods differ" if found.p_value < comparison.alpha else "no difference is shown"
    return (
        f"Friedman over {found.n_datasets} data sets: F({first}, {second}) = {found.f:.4g}, p = {found.p_value:.2g}, "
        f"so {verdict} (alpha {comparison.alpha:g}); {comparison.test} CD {comparison.difference:.3f}."
    )


def _diagram(comparison: RankComparison) -> CriticalDifferences:
    return CriticalDifferences(
        comparison.methods,
        comparison.average_ranks,
        comparison.difference,
        comparison.groups,
        comparison.control,
        rank_statement(comparison),
    )


def cd_svg(comparison: RankComparison, width: float = 720.0, title: str = "") -> str:
    """Return the critical-difference diagram as one `<svg>` element, to embed in a page or to save as a file.

    Parameters
    ----------
    comparison : RankComparison
        From `compare_methods`.
    width : float, default=720.0
        Width of the drawing in its own units; it shrinks with the page.
    title : str, default=""
        Title for readers who cannot see the picture; by default the outcome of the tests.

    Returns
    -------
    str

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.5, 0.3]]
    >>> cd_svg(compare_methods(scores, ["pcc", "cc", "br"])).startswith("<svg xmlns=")
    True
    """
    return _diagram(comparison).as_svg(width, title)


def cd_text(comparison: RankComparison, width: int = 61) -> str:
    """Return the critical-difference diagram as lines of plain characters for the terminal.

    Parameters
    ----------
    comparison : RankComparison
        From `compare_methods`.
    width : int, default=61
        Characters of the axis.

    Returns
    -------
    str

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.5, 0.3]]
    >>> print(cd_text(compare_methods(scores, ["pcc", "cc", "br"]), width=21))
    average rank, 1 is best
        1         2         3
        |---------|---------|
    pcc *         .           1.00
    cc            . *         2.25
    br            .       *   2.75
        =============
                    =======
    Methods under one bar of = are not told apart.
    Friedman over 4 data sets: F(2, 6) = 13, p = 0.0066, so the methods differ (alpha 0.05); Nemenyi CD 1.657.
    """
    return _diagram(comparison).as_text(width)


def cd_tikz(comparison: RankComparison, width: float = 12.0) -> str:
    r"""Return the critical-difference diagram as a `tikzpicture`, which needs the package tikz and nothing else.

    Parameters
    ----------
    comparison : RankComparison
        From `compare_methods`.
    width : float, default=12.0
        Centimetres from edge to edge.

    Returns
    -------
    str

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4], [0.9, 0.5, 0.3]]
    >>> cd_tikz(compare_methods(scores, ["pcc", "cc", "br"])).splitlines()[1]
    '\\begin{tikzpicture}[x=1cm,y=-1cm,font=\\small]'
    """
    return _diagram(comparison).as_tikz(width)
