"""Results printed in the five papers, as data.

Takes the name of a paper; hands on its printed results, rank tests and notes. The CSV files are written by
`tools/published_tables.py`, but for `notes.csv`, which is written by hand.
"""

from plait.experiments.published.results import (
    PAPERS,
    Note,
    PublishedRankTest,
    PublishedScore,
    notes_on,
    published_rank_tests,
    published_results,
)

__all__ = [
    "PAPERS",
    "Note",
    "PublishedRankTest",
    "PublishedScore",
    "notes_on",
    "published_rank_tests",
    "published_results",
]
