"""The tests of a paper done again: on its printed means and on plait's, over the data sets that both have."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.experiments.planning.measures import smaller_is_better
from plait.experiments.published import published_results
from plait.experiments.reproduction.compared_cells import ComparedCell
from plait.experiments.reproduction.facts import paper_facts
from plait.experiments.reproduction.run_ledger import Means
from plait.experiments.statistics import (
    PairedT,
    RankComparison,
    SignedRanks,
    compare_methods,
    paired_t_test,
    wilcoxon_test,
)

__all__ = [
    "FoldOutcome",
    "RepeatedPair",
    "RepeatedRanks",
    "repeated_outcomes",
    "repeated_pairs",
    "repeated_ranks",
]


@dataclass(frozen=True, eq=False)
class RepeatedRanks:
    """Ranks of methods by one measure over the same data sets, from printed means and from plait's.

    Parameters
    ----------
    metric : str
        The measure.
    datasets : tuple of str
        Data sets on which both have every method.
    published, plait : RankComparison
        The Friedman test, average ranks and critical difference of either.

    Examples
    --------
    >>> from plait.experiments.statistics import compare_methods
    >>> ranked = compare_methods([[0.5, 0.4], [0.6, 0.5], [0.7, 0.6]], ["PACC", "BR"])
    >>> RepeatedRanks("exact_match", ("emotions", "scene", "yeast"), ranked, ranked).plait.methods
    ('PACC', 'BR')
    """

    metric: str
    datasets: tuple[str, ...]
    published: RankComparison
    plait: RankComparison


@dataclass(frozen=True)
class FoldOutcome:
    """One paired t-test over folds: what the paper marked, and what plait's folds say.

    Attributes
    ----------
    dataset, method, metric : str
        What was compared with the control.
    published : {"win", "tie", "loss"}
        What the paper marked.
    plait : PairedT
        What plait's folds say.

    Examples
    --------
    >>> from plait.experiments.statistics import paired_t_test
    >>> test = paired_t_test([0.35, 0.36, 0.39], [0.26, 0.27, 0.28])
    >>> FoldOutcome("emotions", "BR", "exact_match", "win", test).plait.outcome
    'win'
    """

    dataset: str
    method: str
    metric: str
    published: str
    plait: PairedT


def repeated_ranks(paper: str, cells: Sequence[ComparedCell]) -> list[RepeatedRanks]:
    """Repeat the rank tests of a paper.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    cells : sequence of ComparedCell
        From `compare_with_paper`; cells with a data set or a method that cannot be compared are left out.

    Returns
    -------
    tests : list of RepeatedRanks
        One for every measure with at least two data sets and two methods.

    Examples
    --------
    >>> repeated_ranks("occ", [])  # no cells, no tests
    []
    """
    asked, control = paper_facts(paper).ranks.get("methods", ()), paper_facts(paper).ranks.get("control")
    found = []
    for metric in dict.fromkeys(cell.published.metric for cell in cells):
        here = {
            (c.published.dataset, c.published.method): c
            for c in cells
            if c.published.metric == metric and _is_ranked(c)
        }
        methods, datasets = _whole_block(list(asked), list(here))
        if len(datasets) < 2 or len(methods) < 2:
            continue
        table = [[here[name, method] for method in methods] for name in datasets]
        better = not smaller_is_better(metric)
        chosen = control if control in methods else None
        printed = [[cell.published.mean for cell in row] for row in table]
        ours = [[cell.mean for cell in row] for row in table]
        tests = (compare_methods(s, methods, higher_is_better=better, control=chosen) for s in (printed, ours))
        found.append(RepeatedRanks(metric, tuple(datasets), *tests))
    return found


def _is_ranked(cell: ComparedCell) -> bool:
    """Say whether a cell may be ranked: what is wrong with a measure or a method is so on all data sets alike."""
    return all(note.comparable for note in cell.notes if note.dataset)


def _whole_block(methods: list[str], places: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return methods and data sets, as many pairs as there are, of which every pair has a result."""
    found = set(places)
    names = list(dict.fromkeys(dataset for dataset, _ in places))
    coverage = {method: sum((name, method) in found for name in names) for method in methods}
    best: tuple[list[str], list[str]] = ([], [])
    for least in sorted({n for n in coverage.values() if n}):
        kept = [method for method in methods if coverage[method] >= least]
        whole = [name for name in names if all((name, method) in found for method in kept)]
        if min(len(kept), len(whole)) > 1 and len(kept) * len(whole) > len(best[0]) * len(best[1]):
            best = kept, whole
    return best


def repeated_outcomes(cells: Sequence[ComparedCell], control: str = "MC") -> list[FoldOutcome]:
    """Repeat the paired t-tests of the paper on mixtures: the control against every method, over the same folds.

    Parameters
    ----------
    cells : sequence of ComparedCell
        Of the paper "mc"; those of which only the mean was kept are left out.
    control : str, default="MC"
        The method from whose side is counted.

    Returns
    -------
    list of FoldOutcome

    Examples
    --------
    >>> repeated_outcomes([])  # no method ran
    []
    """
    folds = {(c.published.dataset, c.published.method, c.published.metric): c.parts for c in cells}
    found = []
    for score in published_results("mc"):
        if score.method == control or score.marker not in ("win", "tie", "loss"):
            continue
        ours = folds.get((score.dataset, control, score.metric), ())
        theirs = folds.get((score.dataset, score.method, score.metric), ())
        if len(ours) == len(theirs) > 1:
            better = not smaller_is_better(score.metric)
            test = paired_t_test(np.array(ours), np.array(theirs), higher_is_better=better)
            found.append(FoldOutcome(score.dataset, score.method, score.metric, score.marker, test))
    return found


@dataclass(frozen=True)
class RepeatedPair:
    """Two methods by one measure: Wilcoxon's test on printed means and on plait's.

    Parameters
    ----------
    metric, first, second : str
        The measure and the methods.
    datasets : tuple of str
        Data sets on which plait has both methods.
    published : SignedRanks or None
        On the printed means of these; None where a method has none.
    plait : SignedRanks
        On plait's means.
    printed : str
        What the paper prints of its own test over all its data sets; empty where it prints none.

    Examples
    --------
    >>> from plait.experiments.statistics import wilcoxon_test
    >>> plait = wilcoxon_test([0.5, 0.6, 0.7], [0.4, 0.5, 0.65])
    >>> pair = RepeatedPair("exact_match", "PACC", "BR", ("emotions", "scene", "yeast"), None, plait)
    >>> pair.first, pair.printed
    ('PACC', '')
    """

    metric: str
    first: str
    second: str
    datasets: tuple[str, ...]
    published: SignedRanks | None
    plait: SignedRanks
    printed: str = ""


def repeated_pairs(paper: str, cells: Sequence[ComparedCell], means: Means | None = None) -> list[RepeatedPair]:
    """Repeat the Wilcoxon tests of a paper.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    cells : sequence of ComparedCell
        From `compare_with_paper`.
    means : Means, optional
        What ran; for methods of which the paper prints tests only.

    Returns
    -------
    tests : list of RepeatedPair
        One for every pair and measure with at least two data sets.

    Examples
    --------
    >>> repeated_pairs("pacc", [])  # no cells, no tests
    []
    """
    asked = paper_facts(paper).pairs
    zeros, allowed = asked.get("zeros", "drop"), asked.get("datasets")
    printed_tests = {(s.method, s.metric): f"{s.marker}, p = {s.mean:g}" for s in published_results(paper)}
    found = []
    for metric in dict.fromkeys(cell.published.metric for cell in cells):
        here = {(c.published.dataset, c.published.method): c for c in cells if c.published.metric == metric}
        ours = {place: found[metric].mean for place, found in (means or {}).items() if metric in found}
        ours |= {place: c.mean for place, c in here.items()}
        printed = {place: c.published.mean for place, c in here.items()}
        for first, second in asked.get("methods", ()):
            datasets = [name for name, method in ours if method == first and (name, second) in ours]
            datasets = [name for name in datasets if allowed is None or name in allowed]
            if len(datasets) < 2:
                continue
            places = [[(name, method) for name in datasets] for method in (first, second)]
            tests = [
                wilcoxon_test(*([side[place] for place in row] for row in places), zeros=zeros)
                if all(place in side for row in places for place in row)
                else None
                for side in (printed, ours)
            ]
            words = printed_tests.get((f"{first} vs {second}", f"{metric}:p-value"), "")
            assert tests[1] is not None
            found.append(RepeatedPair(metric, first, second, tuple(datasets), tests[0], tests[1], words))
    return found
