"""The section of the page about what ran: failures first, then sizes, costs, settings, versions and the plan."""

from html import escape

from plait.experiments.report.contents import Contents
from plait.experiments.report.score_sections import Section
from plait.pictures.table_markup import as_html

__all__ = ["run_section"]

_MOST_TRACES = 20
_LONG = 25


def run_section(contents: Contents) -> Section:
    """Return the tables; long ones are folded."""
    parts = []
    for table in contents.runs:
        shown = as_html(table)
        long = len(table.rows) > _LONG
        folded = f"<details><summary>{escape(table.title)}, {len(table.rows)} lines</summary>{shown}</details>"
        parts.append(folded if long else shown)
    parts.append(_traces(contents))
    if contents.outcomes.text:
        parts.append(f"<details><summary>The plan</summary><pre>{escape(contents.outcomes.text)}</pre></details>")
    return "runs", "What ran", "\n".join(filter(None, parts))


def _traces(contents: Contents) -> str:
    failures = [cell for cell in contents.outcomes.failures if cell.traceback]
    shown = "".join(
        f"<p>{escape(f'{cell.dataset}, {cell.method}, fold {cell.fold}, seed {cell.seed}')}</p>"
        f"<pre>{escape(cell.traceback or '')}</pre>"
        for cell in failures[:_MOST_TRACES]
    )
    more = f"<p>And {len(failures) - _MOST_TRACES} more.</p>" if len(failures) > _MOST_TRACES else ""
    return f"<details><summary>Where it failed</summary>{shown}{more}</details>" if shown else ""
