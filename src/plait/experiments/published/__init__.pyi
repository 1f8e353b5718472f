from .results import (
    FOOTERS,
    PAPERS,
    Note,
    PublishedRankTest,
    PublishedScore,
    notes_on,
    printed_scores,
    published_rank_tests,
    published_results,
)

__all__ = [
    "FOOTERS",
    "Note",
    "PAPERS",
    "PublishedRankTest",
    "PublishedScore",
    "notes_on",
    "printed_scores",
    "published_rank_tests",
    "published_results",
]
