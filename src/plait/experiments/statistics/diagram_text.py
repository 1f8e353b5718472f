"""The critical-difference diagram in plain characters, for the terminal."""

import numpy as np

from plait.experiments.statistics.rank_comparison import RankComparison, rank_statement

__all__ = ["cd_text"]


def cd_text(comparison: RankComparison, width: int = 61) -> str:
    """Return the diagram as lines of plain characters: ranks from left (best), bars of = over what is undecided.

    Parameters
    ----------
    comparison : RankComparison
        From `compare_methods`.
    width : int, default=61
        Characters of the axis.

    Examples
    --------
    >>> from plait.experiments.statistics import compare_methods
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
    Methods under one bar of = do not differ.
    Friedman over 4 data sets: F(2, 6) = 13, p = 0.0066, so the methods differ (alpha 0.05); Nemenyi CD 1.657.
    """
    ranks, names = comparison.average_ranks, comparison.methods
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
        mark = " (control)" if m == comparison.control else ""
        lines.append(f"{names[m].ljust(indent)}{''.join(row)} {ranks[m]:.2f}{mark}")
    for group in comparison.groups:
        start, end = column(ranks[group[0]]), column(ranks[group[-1]])
        lines.append(" " * (indent + start) + "=" * (end - start + 1))
    lines.append(_meaning(comparison))
    return "\n".join(line.rstrip() for line in [*lines, rank_statement(comparison)])


def _meaning(comparison: RankComparison) -> str:
    if not comparison.groups:
        return "Every difference of ranks is significant."
    if comparison.control is None:
        return "Methods under one bar of = do not differ."
    return f"Methods under the bar of = do not differ from {comparison.methods[comparison.control]}."
