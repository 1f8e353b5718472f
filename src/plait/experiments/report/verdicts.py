"""The verdict: who is best, by what test, and what it costs, in a few sentences."""

import math
from collections.abc import Sequence

import numpy as np

from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.rankings import Ranking
from plait.experiments.report.score_tables import holm_rows, method_seconds, metric_words
from plait.pictures.tables import number_text

__all__ = ["verdict"]

_MOST_NAMED = 4


def verdict(rankings: Sequence[Ranking], outcomes: Outcomes) -> list[str]:
    """Return sentences on the first metric, on the others, and on time; none where nothing is finished.

    Parameters
    ----------
    rankings : sequence of Ranking
        One for each metric, the most important first.
    outcomes : Outcomes
        Results of the cells.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from plait.experiments.report.rankings import rank_methods
    >>> from plait.experiments.report.outcomes import outcomes_of
    >>> from plait.experiments.running.cells import CellResult
    >>> scores = {("sea", "br"): 0.4, ("sea", "cc"): 0.5, ("sun", "br"): 0.6, ("sun", "cc"): 0.7}
    >>> cells = [CellResult(*pair, 0, 0, metrics={"exact_match": value}) for pair, value in scores.items()]
    >>> found = outcomes_of(cells)
    >>> print(verdict([rank_methods(found, "exact_match")], found)[0])
    cc is best in exact match, with a mean rank of 1.00 of 2 over 2 data sets; methods differ (Friedman, p = 0), but ...
    """
    shown = [ranking for ranking in rankings if len(ranking.methods) and np.isfinite(ranking.means).any()]
    if not shown or len(outcomes.methods) < 2:
        return []
    first = shown[0]
    best = _winners(first)[0]
    sentences = [_ranked(first, best) if first.comparison is not None else _counted(first, best)]
    sentences += _others(shown[1:], best)
    sentences += _cost(outcomes, best)
    return sentences


def _winners(ranking: Ranking) -> list[str]:
    """Return the methods of the best mean rank, ties included; without ranks, of the best mean score."""
    values = ranking.average_ranks
    if ranking.comparison is None:
        means = ranking.means.mean(axis=0)
        values = np.where(np.isfinite(means), -means if ranking.higher_is_better else means, np.inf)
    return [method for method, value in zip(ranking.methods, values, strict=True) if value == values.min()]


def _ranked(ranking: Ranking, best: str) -> str:
    found = ranking.comparison
    assert found is not None
    rank = float(ranking.average_ranks.min())
    words = (
        f"{_named(best)} is best in {metric_words(ranking.metric)}, with a mean rank of {rank:.2f} "
        f"of {len(ranking.methods)} over {found.friedman.n_datasets} data sets"
    )
    p = found.friedman.p_value
    if not p < found.alpha:
        return f"{words}; no difference is shown (Friedman, p = {p:.2g})."
    reference = best if found.control is None else found.methods[found.control]
    gaps = np.abs(found.average_ranks - found.average_ranks[found.methods.index(reference)])
    clear = [method for method, gap in zip(found.methods, gaps, strict=True) if gap >= found.difference]
    holm = [row.method for row in holm_rows(ranking, reference) if row.corrected < found.alpha]
    if not clear and not holm:
        whom = f"too few data sets tell {_named(reference)} from another"
        return f"{words}; methods differ (Friedman, p = {p:.2g}), but {whom}."
    who = "it" if reference == best else _named(reference)
    corrected = f"Wilcoxon with Holm's correction from {_who(holm)}"
    return f"{words}: {found.test} tells {who} apart from {_who(clear)}, {corrected}."


def _counted(ranking: Ranking, best: str) -> str:
    """Return the best where no test is possible."""
    m, words = ranking.methods.index(best), metric_words(ranking.metric)
    if len(ranking.datasets) == 1:
        value = number_text(float(ranking.means[0, m]), 3)
        return f"{_named(best)} is best in {words}, {value} on {ranking.datasets[0]}; one data set allows no rank test."
    return f"{_named(best)} is best in {words} on average; too few data sets are finished for a rank test."


def _others(rankings: Sequence[Ranking], best: str) -> list[str]:
    """Return who is best in the other metrics, by name; of equal ones all, and `best` alone where it is among them."""
    winners: dict[str, list[str]] = {}
    for ranking in rankings:
        found = _winners(ranking)
        name = best if best in found else _and([_named(method) for method in found])
        winners.setdefault(name, []).append(metric_words(ranking.metric))
    also = winners.pop(best, [])
    parts = [f"It is also best in {_and(also)}"] if also else []
    parts += [f"{name} in {_and(words)}" for name, words in winners.items()]
    return [f"{'' if also else 'Best elsewhere: '}{'; '.join(parts)}."] if parts else []


def _cost(outcomes: Outcomes, best: str) -> list[str]:
    """Return the seconds of the best method beside those of the fastest."""
    seconds = dict(zip(outcomes.methods, method_seconds(outcomes), strict=True))
    finite = {method: value for method, value in seconds.items() if math.isfinite(value) and value > 0}
    if best not in finite:
        return []
    fastest = min(finite, key=finite.__getitem__)
    mine = f"A part takes {_named(best)} {_time(finite[best])}"
    if fastest == best:
        return [f"{mine}, less than any other."]
    return [f"{mine}, {finite[best] / finite[fastest]:.2g} times as long as {_named(fastest)}, the fastest."]


def _time(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def _who(names: Sequence[str]) -> str:
    named = [_named(name) for name in names]
    if len(named) > _MOST_NAMED:
        return f"{len(named)} others ({', '.join(named[:_MOST_NAMED])}, ...)"
    return _and(named) if named else "none"


def _named(method: str) -> str:
    """Return a name as a part of a sentence: in quotes where it holds what divides names there."""
    return f'"{method}"' if "," in method or " and " in method else method


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
