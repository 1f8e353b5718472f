"""What the five papers printed: results, rank tests, and notes on misprints and limits of comparison."""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from plait.core.checks import OneOf, check_value

__all__ = [
    "FOOTERS",
    "PAPERS",
    "Note",
    "PublishedRankTest",
    "PublishedScore",
    "notes_on",
    "printed_scores",
    "published_rank_tests",
    "published_results",
]

PAPERS = ("occ", "scls", "mc", "pcc", "pacc")
# Rows at the foot of a table.
FOOTERS = ("average-rank", "win/tie/loss", "12-datasets", "10-large-label-sets")
_PLACE = ("dataset", "method", "metric", "column")


@dataclass(frozen=True)
class PublishedScore:
    """One printed number.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        Where it is printed.
    table : str
        The table there.
    dataset, method : str
        Names as in the paper; rows such as `average-rank` are the footers of a table.
    metric : str
        Name of plait's measure.
    mean, std : float
        As printed; NaN where nothing is. `std` is a standard error in "pcc".
    marker : str
        Rank, tick or outcome of a test beside the number.
    protocol : str
        How it was evaluated.

    Examples
    --------
    >>> score = published_results("pcc")[1]
    >>> score.dataset, score.method, score.metric, score.mean
    ('scene', 'PCC eps=0.5 (greedy)', 'hamming_loss', 0.115)
    """

    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    mean: float
    std: float
    marker: str
    protocol: str


@dataclass(frozen=True)
class PublishedRankTest:
    """One printed Friedman test and its critical difference; `f_recomputed` follows from the printed means.

    Attributes
    ----------
    paper, table, metric : str
        Where it is printed, and for which measure.
    n_methods, n_datasets : int
        How many were ranked, on how many data sets.
    f : float
        The printed statistic.
    test : str
        Which test gave the difference.
    difference : float
        The printed critical difference.
    f_recomputed : float
        The statistic of the printed means.

    Examples
    --------
    >>> test = published_rank_tests("occ")[0]
    >>> test.metric, test.f, test.f_recomputed
    ('exact_match', 25.017, 23.803)
    """

    paper: str
    table: str
    metric: str
    n_methods: int
    n_datasets: int
    f: float
    test: str
    difference: float
    f_recomputed: float


@dataclass(frozen=True)
class Note:
    """A misprint or a limit of comparison; an empty field stands for any data set, method, measure or column.

    Parameters
    ----------
    paper, dataset, method, metric : str
        Which printed numbers it is about.
    column : {"", "clean", "as_run"}
        Beside which of plait's numbers it matters.
    comparable : bool
        Whether both numbers come from the same method and experiment, as far as is known.
    text : str
        What is known.

    Examples
    --------
    >>> note = notes_on("pcc", "scene", "PCC eps=0.5 (greedy)", "subset_loss")[0]
    >>> note.comparable, note.text[:14]
    (True, 'Not explained:')
    """

    paper: str
    dataset: str
    method: str
    metric: str
    column: str
    comparable: bool
    text: str

    def covers(self, dataset: str, method: str, metric: str) -> bool:
        """Say whether the note is about a printed number.

        Parameters
        ----------
        dataset, method, metric : str
            Of the number.
        """
        pairs = ((self.dataset, dataset), (self.method, method), (self.metric, metric))
        return all(own in ("", other) for own, other in pairs)


@cache
def published_results(paper: str) -> tuple[PublishedScore, ...]:
    """Return all results that a paper printed.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.

    Returns
    -------
    tuple of PublishedScore

    Examples
    --------
    >>> first = published_results("occ")[0]
    >>> first.dataset, first.method, first.metric, first.mean, first.std
    ('emotions', 'BR', 'exact_match', 0.233, 0.019)
    """
    check_value("published_results", "paper", paper, [OneOf(PAPERS)])
    return tuple(
        PublishedScore(
            paper,
            row["table"],
            row["dataset"],
            row["method"],
            row["metric"],
            _number(row["mean"]),
            _number(row["std"]),
            row["marker"],
            row["protocol"],
        )
        for row in _rows(f"{paper}.csv")
    )


def printed_scores(paper: str) -> list[PublishedScore]:
    """Return the numbers of a paper's tables that a run can be put beside: no footers, times, tests or gaps.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.

    Returns
    -------
    list of PublishedScore

    Examples
    --------
    >>> len(printed_scores("occ"))
    364
    """
    scores = [s for s in published_results(paper) if s.dataset not in FOOTERS and not s.metric.endswith("_seconds")]
    return [s for s in scores if not math.isnan(s.mean) and " vs " not in s.method]


@cache
def published_rank_tests(paper: str) -> tuple[PublishedRankTest, ...]:
    """Return the Friedman tests that a paper printed.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.

    Returns
    -------
    tuple of PublishedRankTest

    Examples
    --------
    >>> [(test.metric, test.f) for test in published_rank_tests("scls")][:2]
    [('hamming_loss', 62.406), ('ranking_loss', 63.719)]
    """
    check_value("published_rank_tests", "paper", paper, [OneOf(PAPERS)])
    return tuple(
        PublishedRankTest(
            paper,
            row["table"],
            row["metric"],
            int(row["n_methods"]),
            int(row["n_datasets"]),
            float(row["f"]),
            row["test"],
            float(row["difference"]),
            float(row["f_recomputed"]),
        )
        for row in _rows("rank_tests.csv")
        if row["paper"] == paper
    )


@cache
def _notes(paper: str) -> tuple[Note, ...]:
    check_value("notes_on", "paper", paper, [OneOf(PAPERS)])
    return tuple(
        Note(
            paper, row["dataset"], row["method"], row["metric"], row["column"], row["comparable"] == "yes", row["note"]
        )
        for row in _rows(f"notes/{paper}.csv")
    )


def notes_on(paper: str, dataset: str, method: str, metric: str, column: str = "clean") -> tuple[Note, ...]:
    """Return the notes about one printed number beside one of plait's columns.

    Parameters
    ----------
    paper, dataset, method, metric : str
        Which number.
    column : {"clean", "as_run"}, default="clean"
        Beside which of plait's numbers.

    Returns
    -------
    tuple of Note

    Examples
    --------
    >>> [note.text[:25] for note in notes_on("occ", "birds", "MDDM", "exact_match", "as_run") if note.dataset]
    ['Printed with rank 8 of 7 ']
    """
    notes = (note for note in _notes(paper) if note.column in ("", column))
    return tuple(note for note in notes if note.covers(dataset, method, metric))


def _number(word: str) -> float:
    return float(word) if word else float("nan")


def _rows(name: str) -> Iterator[dict[str, str]]:
    file = resources.files("plait.experiments.published").joinpath(*name.split("/"))
    yield from csv.DictReader(file.read_text(encoding="utf8").splitlines())
