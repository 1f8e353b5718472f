"""The tests of a paper done again, as lines for the terminal and as Markdown."""

from collections.abc import Iterable, Sequence

from plait.experiments.reproduction.repeated_tests import FoldOutcome, RepeatedPair, RepeatedRanks
from plait.experiments.statistics import SignedRanks, rank_statement
from plait.pictures.table_markup import as_markdown
from plait.pictures.tables import Entry, Heading, Table, as_text

__all__ = ["outcomes_text", "pairs_markdown", "pairs_text", "ranks_markdown", "ranks_text", "words_table"]

_WIDE = 2**16


def words_table(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of words."""
    columns = tuple(Heading(head, is_text=True, longest=80) for head in heads)
    return Table(name, "", columns, tuple(tuple(map(Entry, row)) for row in rows))


def _ranks_table(test: RepeatedRanks) -> Table:
    names = test.plait.methods
    columns = (Heading("average rank", is_text=True), *(Heading(name, 2) for name in names))
    sides = (("published", test.published), ("plait", test.plait))
    rows = tuple((Entry(side), *(Entry(float(rank)) for rank in found.average_ranks)) for side, found in sides)
    notes = tuple(f"{side}: {rank_statement(found)}" for side, found in sides)
    return Table(test.metric, f"{test.metric}, average ranks over {', '.join(test.datasets)}", columns, rows, notes)


def ranks_text(tests: Sequence[RepeatedRanks]) -> str:
    """Return average ranks of both sides and what the tests say, for a terminal."""
    return "".join(f"{as_text(_ranks_table(test), _WIDE)}\n\n" for test in tests)


def ranks_markdown(tests: Sequence[RepeatedRanks]) -> str:
    """Return average ranks of both sides and what the tests say, as Markdown."""
    lines = []
    for test in tests:
        table = _ranks_table(test)
        lines += [f"### {test.metric}", "", f"Over {', '.join(test.datasets)}.", "", as_markdown(table), ""]
        lines += [*(f"- {note}" for note in table.notes), ""]
    return "\n".join(lines)


def _outcome(test: SignedRanks | None) -> str:
    return "" if test is None else f"R+ {test.r_plus:g}, R- {test.r_minus:g}, p = {test.p_value:.2g}"


def pairs_text(tests: Sequence[RepeatedPair]) -> str:
    """Return the Wilcoxon tests for a terminal."""
    return as_text(_pairs_table(tests), _WIDE)


def pairs_markdown(tests: Sequence[RepeatedPair]) -> str:
    """Return the Wilcoxon tests as a Markdown table."""
    return as_markdown(_pairs_table(tests))


def _pairs_table(tests: Sequence[RepeatedPair]) -> Table:
    rows = (
        (f"{t.first} - {t.second}", t.metric, t.printed, str(len(t.datasets)), _outcome(t.published), _outcome(t.plait))
        for t in tests
    )
    heads = ("Wilcoxon", "measure", "printed, all data sets", "data sets here", "on printed means", "on plait's")
    return words_table("pairs", heads, rows)


def outcomes_text(outcomes: Sequence[FoldOutcome]) -> str:
    """Return wins, ties and losses of MC against each method: what the paper marked and what plait's folds say."""
    if not outcomes:
        return ""
    rows = []
    for method, metric in dict.fromkeys((o.method, o.metric) for o in outcomes):
        here = [o for o in outcomes if (o.method, o.metric) == (method, metric)]
        printed, ours = [o.published for o in here], [o.plait.outcome for o in here]
        counts = ["/".join(str(marks.count(word)) for word in ("win", "tie", "loss")) for marks in (printed, ours)]
        rows.append((method, metric, *counts))
    heads = ("MC against", "measure", "published", "plait")
    note = "(win/tie/loss over the data sets that ran)"
    return f"{as_text(words_table('outcomes', heads, rows), _WIDE)}\n{note}"
