"""The page: heading, table of contents and sections in one self-contained file."""

from datetime import UTC, datetime
from html import escape

from plait.experiments.report.contents import Contents
from plait.experiments.report.model_sections import calibration_section, feature_section, graph_section
from plait.experiments.report.page_script import SCRIPT
from plait.experiments.report.page_style import STYLE
from plait.experiments.report.score_sections import dataset_section, glance_section, metric_sections
from plait.experiments.report.what_ran import run_section
from plait.pictures.pages import page_html

__all__ = ["report_html"]


def report_html(contents: Contents) -> str:
    """Return the whole page."""
    sections = [
        glance_section(contents),
        *metric_sections(contents),
        dataset_section(contents),
        calibration_section(contents),
        graph_section(contents),
        feature_section(contents),
        run_section(contents),
    ]
    sections = [section for section in sections if section[2]]
    links = "".join(f"<li><a href='#{escape(name)}'>{escape(title)}</a></li>" for name, title, _ in sections)
    bodies = "\n".join(
        f"<section id='{escape(name)}'><h2>{escape(title)}</h2>\n{body}</section>" for name, title, body in sections
    )
    title = contents.outcomes.plan or "Report"
    body = (
        f"<nav aria-label='Contents'><ol>{links}</ol></nav>\n<main><header><h1>{escape(title)}</h1>"
        f"{_facts(contents)}</header>\n{bodies}\n</main>"
    )
    return page_html(f"{title}: report", body, style=STYLE, script=SCRIPT)


def _facts(contents: Contents) -> str:
    """Return how much there is, as a row of numbers, and when it was finished."""
    outcomes = contents.outcomes
    done = len(outcomes.results)
    parts = {(cell.seed, cell.fold) for cell in (*outcomes.results, *outcomes.missing)}
    seeds = {seed for seed, _ in parts}
    facts = [
        ("methods", str(len(outcomes.methods)), False),
        ("data sets", str(len(outcomes.datasets)), False),
        ("parts" if len(seeds) < 2 else f"parts with {len(seeds)} seeds", str(len(parts)), False),
        ("cells finished", f"{done} of {outcomes.n_planned}", done < outcomes.n_planned),
        ("failures", str(len(outcomes.failures)), bool(outcomes.failures)),
    ]
    shown = "".join(
        f"<div{' class=bad' if bad else ''}><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value, bad in facts
    )
    return f"<dl class='facts'>{shown}</dl>{_when(contents)}"


def _when(contents: Contents) -> str:
    outcomes = contents.outcomes
    sentences = []
    times = [cell.finished for cell in outcomes.results if cell.finished]
    if times:
        moment = datetime.fromtimestamp(max(times), tz=UTC)
        sentences.append(f"Last cell finished {moment:%Y-%m-%d %H:%M} UTC.")
    if outcomes.missing:
        sentences.append("The run is not finished: tables show what is there, and how much of it.")
    if outcomes.others:
        sentences.append(f"The store also holds: {', '.join(outcomes.others)} (--plan).")
    return f"<p class='lead'>{escape(' '.join(sentences))}</p>" if sentences else ""
