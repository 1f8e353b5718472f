from .results import PAPERS, Note, PublishedRankTest, PublishedScore, notes_on, published_rank_tests, published_results

__all__ = [
    "Note",
    "PAPERS",
    "PublishedRankTest",
    "PublishedScore",
    "notes_on",
    "published_rank_tests",
    "published_results",
]
