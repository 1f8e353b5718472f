"""What a run makes of the pages: counts, cells, tests and pictures, for pages whose words are written by hand."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path

from plait.experiments.published import PAPERS
from plait.experiments.reproduction.compared_cells import VERDICTS, n_printed
from plait.experiments.reproduction.facts import COLUMNS, paper_facts
from plait.experiments.reproduction.figures import draw_figure, gains_table, means_table, times_table
from plait.experiments.reproduction.outcome_tables import COLUMN_WORDS, cells_csv, cells_markdown, tally_table
from plait.experiments.reproduction.paper_plans import paper_plan, plan_names
from plait.experiments.reproduction.repeated_tables import outcomes_text, pairs_markdown, ranks_markdown, words_table
from plait.experiments.reproduction.rerun import Reproduction, read_reproduction, read_results
from plait.pictures.arrangements import saved
from plait.pictures.table_markup import as_markdown

__all__ = ["write_index", "write_paper"]


def write_paper(paper: str, store: str | os.PathLike[str], folder: str | os.PathLike[str]) -> list[Path]:
    """Write all that a store says about a paper: Markdown parts, the cells as CSV, figures as SVG.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : path
        From `run_paper`, with any of the paper's plans.
    folder : path
        Where the parts go; made where there is none.

    Returns
    -------
    paths : list of Path
        What was written.

    Examples
    --------
    >>> from plait.experiments import open_store
    >>> open_store("pcc.sqlite", create=True).close()  # nothing has run yet
    >>> sorted(path.name for path in write_paper("pcc", "pcc.sqlite", "pages"))[:2]
    ['pcc-cells.md', 'pcc-counts.md']
    """
    columns = [read_reproduction(paper, store, column) for column in COLUMNS]
    texts = {
        f"{paper}-counts.md": as_markdown(tally_table(columns)),
        f"{paper}-cells.md": cells_markdown(columns),
        f"{paper}.csv": cells_csv(columns),
        f"{paper}-tests.md": "\n\n".join(part for found in columns for part in _tests(found)),
    }
    for plan in plan_names(paper):
        if plan not in COLUMNS:
            texts |= dict(_plan_texts(paper, store, plan))
    texts |= dict(_claims(paper, store))
    return _written(texts, Path(folder))


def _claims(paper: str, store: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield figures of a column's results, what methods gain on others, and their times."""
    facts, ran = paper_facts(paper), {column: read_results(paper, store, column)[0] for column in COLUMNS}
    for name, figure in facts.figures.items():
        if ran.get(figure.plan):
            yield f"{paper}-{name}.svg", saved(draw_figure(ran[figure.plan], figure))
    if facts.gains:
        results = {COLUMN_WORDS[column]: found for column, found in ran.items()}
        yield f"{paper}-gains.md", as_markdown(gains_table(paper, results, facts.gains["pairs"], facts.gains["metric"]))
    if facts.times:
        yield f"{paper}-times.md", as_markdown(times_table(paper, ran["as_run"], facts.times["pairs"]))


def _written(texts: dict[str, str], place: Path) -> list[Path]:
    place.mkdir(parents=True, exist_ok=True)
    texts = {name: text for name, text in texts.items() if text}  # a paper may have no tests
    for name, text in texts.items():
        (place / name).write_text(text.rstrip() + "\n", encoding="utf8", newline="\n")
    return [place / name for name in texts]


def _plan_texts(paper: str, store: str | os.PathLike[str], plan: str) -> Iterator[tuple[str, str]]:
    """Yield the table of a plan's means, and its picture where it is a figure."""
    results, _ = read_results(paper, store, plan)
    if results:
        yield f"{paper}-{plan}.md", as_markdown(means_table(results, paper_plan(paper, plan).metrics))
        figure = paper_facts(paper).figures.get(plan)
        if figure is not None:
            yield f"{paper}-{plan}.svg", saved(draw_figure(results, figure))


def _tests(found: Reproduction) -> Iterator[str]:
    words = COLUMN_WORDS[found.column]
    if found.ranks:
        yield f"### Rank tests, on the printed means and on plait's {words}"
        yield ranks_markdown(found.ranks).replace("### ", "#### ")
    if found.pairs:
        yield f"### Wilcoxon tests, on the printed means and on plait's {words}"
        yield pairs_markdown(found.pairs)
    if found.outcomes:
        yield f"### Paired t-tests over folds, {words}"
        yield f"```text\n{outcomes_text(found.outcomes)}\n```"


def write_index(folder: str | os.PathLike[str]) -> Path:
    """Write the counts of all papers from the CSV files that `write_paper` has left in a folder.

    Parameters
    ----------
    folder : path
        Where the files are, and the page goes.

    Returns
    -------
    Path

    Examples
    --------
    >>> write_index(".").name
    'index-counts.md'
    """
    heads = ("paper", "column", "within", "better", "worse", "compared", "printed", "coverage")
    rows = []
    for paper in PAPERS:
        file = Path(folder, f"{paper}.csv")
        if file.exists():
            with file.open(encoding="utf8", newline="") as opened:
                cells = list(csv.DictReader(opened))
            rows += [_index_row(paper, column, cells) for column in COLUMNS]
    return _written({"index-counts.md": as_markdown(words_table("index", heads, rows))}, Path(folder))[0]


def _index_row(paper: str, column: str, cells: list[dict[str, str]]) -> tuple[str, ...]:
    verdicts = [cell["verdict"] for cell in cells if (cell["column"], cell["comparable"]) == (column, "yes")]
    counts = [verdicts.count(word) for word in VERDICTS]
    share = f" ({counts[0] / len(verdicts):.1%})" if verdicts else ""
    printed = n_printed(paper)
    numbers = [f"{counts[0]}{share}", *map(str, counts[1:]), str(len(verdicts)), str(printed)]
    return f"[{paper.upper()}]({paper}.md)", COLUMN_WORDS[column], *numbers, f"{len(verdicts) / printed:.0%}"
