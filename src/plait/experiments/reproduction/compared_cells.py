"""Plait's results beside the published ones, cell by cell: the difference, in published standard deviations."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from plait.experiments.planning.measures import MEASURES, smaller_is_better
from plait.experiments.published import Note, PublishedScore, notes_on, printed_scores
from plait.experiments.reproduction.facts import paper_facts
from plait.experiments.reproduction.run_ledger import Means, Measured, measured_means
from plait.experiments.running.cells import CellResult

__all__ = ["VERDICTS", "ComparedCell", "Tally", "compare_means", "compare_with_paper", "n_printed", "tally"]

VERDICTS = ("within", "better", "worse")
_DEVIATIONS = 2.0


@dataclass(frozen=True)
class ComparedCell:
    """One printed number and plait's.

    Parameters
    ----------
    published : PublishedScore
        What the paper printed.
    mean, std : float
        Plait's mean and standard deviation over the parts (NaN from one part).
    n_parts : int
        Number of parts.
    deviations : float
        How much better plait is than printed, in standard deviations over the parts: negative is worse.
    errors : float
        The same in standard errors of the difference between the two means.
    verdict : {"within", "better", "worse"}
        Within two standard deviations and the rounding of print, or beyond them on either side.
    notes : tuple of Note
        What is known about the printed number.
    parts : tuple of float
        Plait's value on each part; empty where only the mean was kept.
    run : str
        When it ran, and by which version.

    Examples
    --------
    >>> ran = [CellResult("scene", "PCC eps=0.5 (greedy)", 0, 0, metrics={"hamming_loss": 0.116})]
    >>> cell = compare_with_paper("pcc", ran)[0]
    >>> cell.published.mean, cell.mean, cell.verdict
    (0.115, 0.116, 'within')
    """

    published: PublishedScore
    mean: float
    std: float
    n_parts: int
    deviations: float
    errors: float
    verdict: str
    notes: tuple[Note, ...] = ()
    parts: tuple[float, ...] = ()
    run: str = ""

    @property
    def comparable(self) -> bool:
        """Say whether the two numbers come from the same experiment, as far as is known."""
        return all(note.comparable for note in self.notes)


@dataclass(frozen=True)
class Tally:
    """How many comparable cells are within, better and worse, of how many that are printed.

    Parameters
    ----------
    within, better, worse : int
        Cells of each verdict.
    printed : int
        Numbers in the paper's tables.
    within_errors : int
        Cells whose two means differ by at most two standard errors of the difference.

    Examples
    --------
    >>> found = Tally(within=90, better=6, worse=4, printed=120, within_errors=85)
    >>> found.compared, found.share
    (100, 0.9)
    """

    within: int
    better: int
    worse: int
    printed: int
    within_errors: int

    @property
    def compared(self) -> int:
        """Return the number of cells that are compared."""
        return self.within + self.better + self.worse

    @property
    def share(self) -> float:
        """Return the share of the compared cells that is within; NaN of no cells."""
        return self.within / self.compared if self.compared else float("nan")

    @property
    def coverage(self) -> float:
        """Return the share of the printed cells that is compared."""
        return self.compared / self.printed


def compare_with_paper(paper: str, results: Sequence[CellResult], column: str = "clean") -> list[ComparedCell]:
    """Put results beside what a paper printed, in the paper's order.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper; results have its names of data sets and methods.
    results : sequence of CellResult
        What ran; cells that failed are left out, and so are combinations of which a part failed.
    column : {"clean", "as_run"}, default="clean"
        By which plan.

    Returns
    -------
    cells : list of ComparedCell
        One for every printed number that plait has too.

    Examples
    --------
    >>> ran = [CellResult("scene", "PCC eps=0.5 (greedy)", 0, 0, metrics={"hamming_loss": 0.3})]
    >>> [(cell.published.metric, cell.verdict) for cell in compare_with_paper("pcc", ran)]
    [('hamming_loss', 'worse')]
    """
    return compare_means(paper, measured_means(results), column)


def compare_means(paper: str, means: Means, column: str = "clean") -> list[ComparedCell]:
    """Put means beside what a paper printed, in the paper's order.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    means : Means
        Of a column's plan.
    column : {"clean", "as_run"}, default="clean"
        By which plan.
    """
    aliases, names = paper_facts(paper).aliases, paper_facts(paper).measures.get(column, {})
    # Tables of a paper may mean different data by one name, of which each has some of the measures printed there.
    named = {(aliases.get(dataset, dataset), method): found for (dataset, method), found in means.items()}
    compared = []
    for score in printed_scores(paper):
        measure = names.get(score.metric, score.metric)
        found = named.get((score.dataset, score.method), {}).get(measure)
        if measure in MEASURES and found is not None and not np.isnan(found.mean):
            compared.append(_compared(score, found, column))
    return compared


def _compared(score: PublishedScore, found: Measured, column: str) -> ComparedCell:
    mean, std = found.mean, found.std
    # Printed to three decimals; sums of log-likelihoods to one.
    rounding = 0.05 if score.metric == "cll_loss" else 0.0005
    scale, error = _spreads(score, std, found.n_parts, rounding)
    gain = (score.mean - mean) if smaller_is_better(score.metric) else (mean - score.mean)
    # What lies within the rounding of print is no difference.
    gain = float(np.sign(gain) * max(0.0, abs(gain) - rounding))
    deviations = gain / scale
    notes = notes_on(score.paper, score.dataset, score.method, score.metric, column)
    verdict = "better" if deviations > _DEVIATIONS else "worse" if deviations < -_DEVIATIONS else "within"
    away = deviations, gain / error, verdict
    return ComparedCell(score, mean, std, found.n_parts, *away, notes, found.parts, found.run)


def _spreads(score: PublishedScore, std: float, n_parts: int, rounding: float) -> tuple[float, float]:
    """Return the deviation over parts that the paper has, and the standard error of the difference of the means."""
    spread = paper_facts(score.paper).spread
    printed = max(score.std, rounding) if not np.isnan(score.std) else float("nan")
    own = float(np.nan_to_num(std, nan=0.0))
    if spread == "none" or np.isnan(printed):
        scale = max(std, rounding) if not np.isnan(std) else float("nan")
        return scale, scale * float(np.sqrt(2 / n_parts))
    if spread == "standard error over rows":
        # Both sides predict the same rows, so that plait's error is about the printed one.
        return printed, printed * float(np.sqrt(2))
    if spread == "standard error":
        return printed * float(np.sqrt(n_parts)), float(np.hypot(printed, own / np.sqrt(n_parts)))
    return printed, float(np.hypot(printed, own) / np.sqrt(n_parts))


def tally(paper: str, cells: Iterable[ComparedCell]) -> Tally:
    """Count the verdicts of comparable cells, and what the paper prints.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    cells : iterable of ComparedCell
        From `compare_with_paper`.

    Returns
    -------
    Tally

    Examples
    --------
    >>> ran = [CellResult("scene", "PCC eps=0.5 (greedy)", 0, 0, metrics={"hamming_loss": 0.116})]
    >>> tally("pcc", compare_with_paper("pcc", ran)).within
    1
    """
    good = [cell for cell in cells if cell.comparable]
    verdicts = [cell.verdict for cell in good]
    near = sum(bool(abs(cell.errors) <= _DEVIATIONS or np.isnan(cell.errors)) for cell in good)
    within, better, worse = (verdicts.count(word) for word in VERDICTS)
    return Tally(within, better, worse, n_printed(paper), near)


def n_printed(paper: str, datasets: Container[str] | None = None) -> int:
    """Return how many numbers of its own a paper's tables hold that a run can be put beside.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    datasets : container of str, optional
        On these data sets only.

    Returns
    -------
    int

    Examples
    --------
    >>> n_printed("occ")
    364
    """
    own = (score for score in printed_scores(paper) if score.method not in paper_facts(paper).quoted)
    return sum(datasets is None or score.dataset in datasets for score in own)
