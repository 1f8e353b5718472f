"""What a paper printed beside what came out, for the plans of `plait reproduce`."""

from collections.abc import Sequence
from math import isfinite

from plait.experiments.published import PAPERS, PublishedScore
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.score_tables import metric_words
from plait.experiments.reproduction.compared_cells import compare_with_paper
from plait.experiments.reproduction.facts import COLUMNS, paper_facts
from plait.pictures.tables import Entry, Heading, Table

__all__ = ["page_title", "printed_table"]

_LONGEST_TITLE = 60
_COLUMNS = (
    Heading("data set", is_text=True),
    Heading("method", is_text=True),
    Heading("measure", is_text=True),
    Heading("printed"),
    Heading("here"),
    Heading("deviations", 1),
    Heading("verdict", is_text=True),
)


def _paper_of(plan: str) -> tuple[str, str]:
    """Return paper and column of a plan by its name, "occ" or "occ/as_run", with or without words after it."""
    paper, _, column = plan.split(" ")[0].partition("/")
    return paper, column or "clean"


def page_title(plan: str) -> str:
    """Return a heading for a plan: the paper's where it is one's, and no longer than a line.

    Examples
    --------
    >>> page_title("occ/as_run scene,yeast BR,CC").startswith("OCC, as its program ran: ")
    True
    >>> page_title("my methods")
    'my methods'
    """
    paper, column = _paper_of(plan)
    if paper in PAPERS and column in COLUMNS:
        how = {"clean": "as the paper says", "as_run": "as its program ran"}[column]
        return f"{paper.upper()}, {how}: {paper_facts(paper).title}"
    return plan if len(plan) <= _LONGEST_TITLE else f"{plan[: _LONGEST_TITLE - 1]}…"


def printed_table(outcomes: Outcomes) -> Table:
    """Return every printed number that the cells have too; without rows where the plan is not that of a paper."""
    paper, column = _paper_of(outcomes.plan)
    title = "Printed numbers beside these"
    if paper not in PAPERS or column not in COLUMNS:
        return Table("printed", title, _COLUMNS, ())
    rows, cells = [], compare_with_paper(paper, outcomes.results, column)
    digits = _printed_digits([cell.published for cell in cells])
    for cell in cells:
        score = cell.published
        decimals = digits[score.dataset, score.metric]
        words = cell.verdict if cell.comparable else "another experiment"
        rows.append(
            (
                *map(Entry, (score.dataset, score.method, metric_words(score.metric))),
                Entry(score.mean, score.std, decimals=decimals),
                Entry(cell.mean, cell.std, decimals=decimals),
                Entry(round(cell.deviations, 1) + 0.0),  # no -0.0
                Entry(words),
            )
        )
    spread = paper_facts(paper).spread
    notes = (
        "The paper prints no spread." if spread == "none" else f"The printed spread is that of the paper: {spread}.",
        "Deviations: how much better than printed, in standard deviations over the parts; within two is within.",
    )
    return Table("printed", title, _COLUMNS, tuple(rows), notes)


def _printed_digits(scores: Sequence[PublishedScore]) -> dict[tuple[str, str], int]:
    """Return for each data set and measure how many digits after the point are printed at most."""
    found: dict[tuple[str, str], int] = {}
    for score in scores:
        key = score.dataset, score.metric
        digits = (
            len(f"{value:.6f}".rstrip("0").partition(".")[2]) for value in (score.mean, score.std) if isfinite(value)
        )
        found[key] = max(found.get(key, 1), *digits, 0)
    return found
