"""The Wilcoxon tests of two papers done again: on the printed means and on plait's, over the data sets both have."""

from collections.abc import Sequence
from dataclasses import dataclass

from plait.experiments.reproduction.compared_cells import ComparedCell
from plait.experiments.statistics import SignedRanks, wilcoxon_test

__all__ = ["RepeatedPair", "pairs_markdown", "pairs_text", "repeated_pairs"]

# Pairs of methods, the rule for equal scores, and the data sets where not all count [SCLS table 6; PACC table 7].
_LARGE = ("bibtex", "delicious", "enron", "langlog", "medical", "rcv1s1", "rcv1s2", "rcv1s3", "rcv1s4", "rcv1s5")
_PAIRS: dict[str, tuple[tuple[tuple[str, str], ...], str, tuple[str, ...] | None]] = {
    "scls": ((("SCLS", "AMI"), ("SCLS", "MDMR")), "zsplit", _LARGE),
    "pacc": ((("PACC-LDF", "PACC"),), "drop", None),
}


@dataclass(frozen=True)
class RepeatedPair:
    """Two methods by one measure: Wilcoxon's test on printed means and on plait's."""

    metric: str
    first: str
    second: str
    datasets: tuple[str, ...]
    published: SignedRanks
    plait: SignedRanks


def repeated_pairs(paper: str, cells: Sequence[ComparedCell]) -> list[RepeatedPair]:
    """Repeat the Wilcoxon tests of a paper.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    cells : sequence of ComparedCell
        From `compare_with_paper`.

    Returns
    -------
    tests : list of RepeatedPair
        One for every pair and measure with at least two data sets.
    """
    pairs, zeros, allowed = _PAIRS.get(paper, ((), "drop", None))
    found = []
    for metric in dict.fromkeys(cell.published.metric for cell in cells):
        here = {(c.published.dataset, c.published.method): c for c in cells if c.published.metric == metric}
        for first, second in pairs:
            datasets = [name for name, method in here if method == first and (name, second) in here]
            datasets = [name for name in datasets if allowed is None or name in allowed]
            if len(datasets) < 2:
                continue
            a, b = ([here[name, method] for name in datasets] for method in (first, second))
            printed = wilcoxon_test([c.published.mean for c in a], [c.published.mean for c in b], zeros=zeros)
            ours = wilcoxon_test([c.mean for c in a], [c.mean for c in b], zeros=zeros)
            found.append(RepeatedPair(metric, first, second, tuple(datasets), printed, ours))
    return found


def _outcome(test: SignedRanks) -> str:
    return f"R+ {test.r_plus:g}, R- {test.r_minus:g}, p = {test.p_value:.2g}"


def pairs_text(tests: Sequence[RepeatedPair]) -> str:
    """Return the tests for a terminal, one line each."""
    return "\n".join(
        f"Wilcoxon, {t.first} - {t.second}, {t.metric}, {len(t.datasets)} data sets: "
        f"published {_outcome(t.published)}; plait {_outcome(t.plait)}"
        for t in tests
    )


def pairs_markdown(tests: Sequence[RepeatedPair]) -> str:
    """Return the tests as a Markdown table."""
    lines = ["| Wilcoxon | measure | data sets | published | plait |", "| --- | --- | --- | --- | --- |"]
    for t in tests:
        row = (f"{t.first} - {t.second}", t.metric, str(len(t.datasets)), _outcome(t.published), _outcome(t.plait))
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)
