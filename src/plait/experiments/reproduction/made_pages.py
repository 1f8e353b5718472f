"""What a run makes of the pages: counts, cells, tests and pictures, for pages whose words are written by hand."""

import csv
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from plait.experiments.published import PAPERS, printed_scores
from plait.experiments.reproduction.compared_cells import VERDICTS, n_printed
from plait.experiments.reproduction.facts import COLUMNS, paper_facts
from plait.experiments.reproduction.figures import draw_figure, gains_table, means_table, times_table
from plait.experiments.reproduction.outcome_tables import COLUMN_WORDS, cells_csv, cells_markdown, tally_table
from plait.experiments.reproduction.paper_plans import available_datasets, paper_plan, plan_names
from plait.experiments.reproduction.repeated_tables import outcomes_text, pairs_markdown, ranks_markdown, words_table
from plait.experiments.reproduction.rerun import Reproduction, ledger_file, read_means, read_reproduction
from plait.experiments.reproduction.run_ledger import Means, ledger_text
from plait.pictures.arrangements import saved
from plait.pictures.table_markup import as_markdown

__all__ = ["write_index", "write_paper"]


def write_paper(
    paper: str, store: str | os.PathLike[str], folder: str | os.PathLike[str], *, state: str = ""
) -> list[Path]:
    """Write all that a store says about a paper: Markdown parts, the cells as CSV, figures as SVG.

    What the folder holds of earlier runs and the store does not stays, unless the plan has other settings now: the file
    PAPER-runs.csv has every mean with the run that it comes from, and PAPER-runs.md counts the cells of each run.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : path
        From `run_paper`, with any of the paper's plans.
    folder : path
        Where the parts go; made where there is none.
    state : str, default=""
        What the state of the code is called that ran, such as a commit; it stands beside the day and the version.

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
    columns = [read_reproduction(paper, store, column, kept=folder, state=state) for column in COLUMNS]
    means = {found.column: found.means for found in columns}
    others = [name for name in plan_names(paper) if name not in COLUMNS]
    means |= {name: read_means(paper, store, name, kept=folder, state=state)[0] for name in others}
    texts = {
        ledger_file(paper, folder).name: ledger_text(paper, means),
        f"{paper}-counts.md": as_markdown(tally_table(columns, _at_hand(columns))),
        f"{paper}-runs.md": _runs_text(columns),
        f"{paper}-cells.md": cells_markdown(columns),
        f"{paper}.csv": cells_csv(columns),
        f"{paper}-tests.md": "\n\n".join(part for found in columns for part in _tests(found)),
    }
    for plan in others:
        texts |= dict(_plan_texts(paper, plan, means[plan]))
    texts |= dict(_claims(paper, means))
    return _written(texts, Path(folder))


def _at_hand(columns: Sequence[Reproduction]) -> list[str]:
    """Return the names in print of the data sets that are on this machine, or that an earlier run had."""
    paper = columns[0].paper
    plans = [available_datasets(paper_plan(paper, found.column))[0] for found in columns]
    here = {paper_facts(paper).aliases.get(data.name, data.name) for plan in plans for data in plan.datasets}
    here |= {cell.published.dataset for found in columns for cell in found.cells}
    return list(dict.fromkeys(score.dataset for score in printed_scores(paper) if score.dataset in here))


def _runs_text(columns: Sequence[Reproduction]) -> str:
    """Return how many cells come from which run; nothing where there are no cells."""
    counts = [Counter(cell.run for cell in found.cells) for found in columns]
    runs = sorted(set().union(*counts))
    rows = [(run, *(str(count[run]) for count in counts)) for run in runs]
    heads = ("run", *(COLUMN_WORDS[found.column] for found in columns))
    return as_markdown(words_table("runs", heads, rows)) if rows else ""


def _claims(paper: str, means: Mapping[str, Means]) -> Iterator[tuple[str, str]]:
    """Yield figures of a column's results, what methods gain on others, and their times."""
    facts = paper_facts(paper)
    for name, figure in facts.figures.items():
        drawn = draw_figure(means[figure.plan], figure) if means.get(figure.plan) else ""
        if drawn:
            yield f"{paper}-{name}.svg", saved(drawn)
    if facts.gains:
        ran = {COLUMN_WORDS[column]: means[column] for column in COLUMNS}
        yield f"{paper}-gains.md", as_markdown(gains_table(paper, ran, facts.gains["pairs"], facts.gains["metric"]))
    if facts.times:
        yield f"{paper}-times.md", as_markdown(times_table(paper, means["as_run"], facts.times["pairs"]))


def _written(texts: dict[str, str], place: Path) -> list[Path]:
    place.mkdir(parents=True, exist_ok=True)
    texts = {name: text for name, text in texts.items() if text}  # a paper may have no tests
    for name, text in texts.items():
        (place / name).write_text(text.rstrip() + "\n", encoding="utf8", newline="\n")
    return [place / name for name in texts]


def _plan_texts(paper: str, plan: str, means: Means) -> Iterator[tuple[str, str]]:
    """Yield the table of a plan's means, and its picture where it is a figure."""
    if means:
        yield f"{paper}-{plan}.md", as_markdown(means_table(means, paper_plan(paper, plan).metrics))
        figure = paper_facts(paper).figures.get(plan)
        if figure is not None:
            yield f"{paper}-{plan}.svg", saved(draw_figure(means, figure))


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
