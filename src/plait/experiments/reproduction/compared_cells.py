"""Plait's results beside the published ones, cell by cell: the difference, in published standard deviations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.experiments.planning.measures import MEASURES, smaller_is_better
from plait.experiments.published import Note, PublishedScore, notes_on, published_results
from plait.experiments.running.cells import CellResult

__all__ = ["VERDICTS", "ComparedCell", "Tally", "compare_with_paper", "tally"]

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
        How much better plait is than printed, in standard deviations: negative is worse.
    verdict : {"within", "better", "worse"}
        Within two standard deviations and the rounding of print, or beyond them on either side.
    notes : tuple of Note
        What is known about the printed number.
    """

    published: PublishedScore
    mean: float
    std: float
    n_parts: int
    deviations: float
    verdict: str
    notes: tuple[Note, ...] = ()

    @property
    def comparable(self) -> bool:
        """Say whether the two numbers come from the same experiment, as far as is known."""
        return all(note.comparable for note in self.notes)


@dataclass(frozen=True)
class Tally:
    """How many comparable cells are within, better and worse."""

    within: int
    better: int
    worse: int

    @property
    def n_cells(self) -> int:
        """Return the number of comparable cells."""
        return self.within + self.better + self.worse

    @property
    def share(self) -> float:
        """Return the share that is within two standard deviations or better; NaN of no cells."""
        return (self.within + self.better) / self.n_cells if self.n_cells else float("nan")


def compare_with_paper(paper: str, results: Sequence[CellResult]) -> list[ComparedCell]:
    """Put results beside what a paper printed, in the paper's order.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper; results have its names of data sets and methods.
    results : sequence of CellResult
        What ran; cells that failed are left out, and so are combinations of which a part failed.

    Returns
    -------
    cells : list of ComparedCell
        One for every printed number that plait has too.
    """
    parts: dict[tuple[str, str], list[CellResult]] = {}
    for result in results:
        parts.setdefault((result.dataset, result.method), []).append(result)
    whole = {place: rows for place, rows in parts.items() if all(row.error is None for row in rows)}
    compared = []
    for score in published_results(paper):
        rows = whole.get((score.dataset, score.method), [])
        values = [row.metrics[score.metric] for row in rows if score.metric in row.metrics]
        if score.metric in MEASURES and values and not np.isnan([score.mean, *values]).any():
            compared.append(_compared(score, np.array(values)))
    return compared


def _compared(score: PublishedScore, values: npt.NDArray[np.float64]) -> ComparedCell:
    mean = float(values.mean())
    std = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
    # Printed to three decimals; sums of log-likelihoods to one.
    rounding = 0.05 if score.metric == "cll_loss" else 0.0005
    scale = score.std if not np.isnan(score.std) else std
    scale = max(scale, rounding) if not np.isnan(scale) else float("nan")
    gain = (score.mean - mean) if smaller_is_better(score.metric) else (mean - score.mean)
    # What lies within the rounding of print is no difference.
    gain = float(np.sign(gain) * max(0.0, abs(gain) - rounding))
    deviations = gain / scale
    verdict = "better" if deviations > _DEVIATIONS else "worse" if deviations < -_DEVIATIONS else "within"
    notes = notes_on(score.paper, score.dataset, score.method, score.metric)
    return ComparedCell(score, mean, std, len(values), deviations, verdict, notes)


def tally(cells: Iterable[ComparedCell]) -> Tally:
    """Count the verdicts of comparable cells."""
    verdicts = [cell.verdict for cell in cells if cell.comparable]
    return Tally(*(verdicts.count(word) for word in VERDICTS))
