"""The page: heading, table of contents, and sections on scores, probabilities, label graphs, features and what ran."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from plait.core.arrays import Floats
from plait.experiments.report.figures import figure_html, filtered, zoom_html
from plait.experiments.report.label_scores import label_section
from plait.experiments.report.model_findings import (
    ChosenFeatures,
    Reliability,
    ShownGraph,
    choose_labels,
    chosen_features,
    pooled_reliability,
)
from plait.experiments.report.printed_numbers import page_title
from plait.experiments.report.rankings import rank_methods
from plait.experiments.report.score_sections import Section, dataset_section, glance_section, metric_sections
from plait.experiments.report.score_tables import metric_table, metric_words
from plait.experiments.report.tables import Contents
from plait.experiments.running.cells import CellResult
from plait.pictures.graph_layouts import GraphLayout, level_layout
from plait.pictures.graphs import draw_graph
from plait.pictures.heat_map import draw_heat_map
from plait.pictures.pages import page_html
from plait.pictures.reliability import draw_reliability
from plait.pictures.table_markup import as_html
from plait.pictures.text_bars import shortened

__all__ = ["report_html"]

_MOST_PANELS, _MOST_PICTURES, _MOST_OF_ONE = 300, 120, 3
_MOST_FEATURES, _MOST_LABELS = 60, 60
_MOST_TRACES = 20
_LONG = 25


def report_html(contents: Contents) -> str:
    """Return the whole page: the verdict, the main table and the first metric in sight, all else folded.

    Parameters
    ----------
    contents : Contents
        From `report_contents`.

    Returns
    -------
    str

    Examples
    --------
    >>> from plait.experiments import CellResult
    >>> from plait.experiments.report import outcomes_of, report_contents
    >>> cells = [CellResult("sea", name, 0, 0, metrics={"exact_match": x}) for name, x in (("br", 0.4), ("cc", 0.5))]
    >>> contents = report_contents(outcomes_of(cells))
    >>> "cc is best in exact match" in report_html(contents)
    True
    """
    printed = as_html(contents.printed) if contents.printed.rows else ""
    metrics = metric_sections(contents)
    sections = [
        glance_section(contents),
        ("printed", "Printed numbers beside these", printed),
        *metrics,
        dataset_section(contents),
        ("labels", "Labels", label_section(contents.outcomes, contents.labels)),
        calibration_section(contents),
        graph_section(contents),
        feature_section(contents),
        run_section(contents),
    ]
    sections = [section for section in sections if section[2]]
    in_sight = {"glance", *(name for name, _, _ in metrics[:1])}
    of_metric = {name: ranking.metric for (name, _, _), ranking in zip(metrics, contents.rankings, strict=True)}
    links = "".join(
        f"<li{_metric(of_metric, name)}><a href='#{escape(name)}'>{escape(title)}</a></li>"
        for name, title, _ in sections
    )
    bodies = "\n".join(
        f"<section id='{escape(name)}'{_metric(of_metric, name)}><details{' open' if name in in_sight else ''}>"
        f"<summary><h2>{escape(title)}</h2></summary>\n{body}</details></section>"
        for name, title, body in sections
    )
    title = page_title(contents.outcomes.plan) or "Report"
    body = (
        f"<nav aria-label='Contents'><ol>{links}</ol>{_filters(contents)}</nav>\n<main><header><h1>{escape(title)}</h1>"
        f"{_verdict(contents)}{_facts(contents)}</header>\n{bodies}\n</main>"
    )
    style, script = (Path(__file__).with_suffix(suffix).read_text(encoding="utf8") for suffix in (".css", ".js"))
    return page_html(f"{title}: report", body, style=style, script=script)


def _metric(of_metric: dict[str, str], name: str) -> str:
    return f" data-metric='{escape(of_metric[name])}'" if name in of_metric else ""


def _verdict(contents: Contents) -> str:
    first, *others = contents.verdict or [""]
    more = f"<p>{escape(' '.join(others))}</p>" if others else ""
    return f"<div class='verdict'><p><strong>{escape(first)}</strong></p>{more}</div>" if first else ""


def _filters(contents: Contents) -> str:
    """Return boxes by which a reader hides methods, metrics and data sets."""
    outcomes = contents.outcomes
    kinds = (
        ("Methods", "method", [(name, name) for name in outcomes.methods]),
        ("Metrics", "metric", [(name, metric_words(name)) for name in outcomes.metrics]),
        ("Data sets", "dataset", [(name, name) for name in outcomes.datasets]),
    )
    shown = "".join(
        f"<details><summary>{title}</summary><fieldset><legend class='unseen'>{title} to show</legend>"
        + "".join(
            f"<label><input type='checkbox' checked data-filter='{kind}' value='{escape(name)}'>{escape(words)}</label>"
            for name, words in names
        )
        + "</fieldset></details>"
        for title, kind, names in kinds
        if len(names) > 1
    )
    note = "<p class='note'>Ranks and tests stay those of all methods and data sets.</p>"
    return (
        f"<div class='filters' role='group' aria-label='Show'><strong>Show</strong>{shown}{note}</div>" if shown else ""
    )


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


def calibration_section(contents: Contents) -> Section:
    """Return reliability diagrams of marginals and of label sets, and the joint log-loss; empty without any."""
    labels = _reliabilities(contents, "reliability", "marginals")
    sets = _reliabilities(contents, "joint_reliability", "predicted label sets")
    parts = []
    if labels:
        words = (
            "How often a label is true among those that were given a probability, all parts and labels together. On "
            "the diagonal, what is given is what happens; below it, labels are less frequent than given. The error is "
            "the mean distance; larger dots stand for more labels."
        )
        parts += [f"<p class='lead'>{words}</p>{as_html(contents.calibration)}", *labels]
    if sets:
        words = (
            "The same of whole label sets: how often the predicted set is the true one, by the probability that the "
            "model gives it."
        )
        parts += [f"<h3>Whole label sets</h3><p class='lead'>{words}</p>", *sets]
    return "calibration", "Probabilities", "\n".join([*parts, _joint_words(contents)] if parts else [])


def _reliabilities(contents: Contents, of: str, what: str) -> list[str]:
    """Return the diagrams of all methods, data set by data set."""
    outcomes, parts, left = contents.outcomes, [], _MOST_PANELS
    for dataset in outcomes.datasets:
        found = [(method, pooled_reliability(outcomes.cells(dataset, method), of)) for method in outcomes.methods]
        panels = [
            filtered(figure_html(_reliability(bins, method, dataset, what), f"{of}-{dataset}-{method}"), method=method)
            for method, bins in found
            if bins is not None
        ][:left]
        left -= len(panels)
        if panels:
            grid = f"<h3>{escape(dataset)}</h3><div class='grid small'>{''.join(panels)}</div>"
            parts.append(filtered(grid, dataset=dataset))
    if left == 0:
        parts.append(f"<p class='note'>The first {_MOST_PANELS} are shown.</p>")
    return parts


def _reliability(bins: Reliability, method: str, dataset: str, what: str) -> str:
    return draw_reliability(
        bins.count,
        bins.mean,
        bins.frequency,
        name=method,
        note=f"error {bins.calibration_error:.3f}",
        title=f"Reliability of the {what} of {method} on {dataset}",
    )


def _joint_words(contents: Contents) -> str:
    """Return the joint log-loss, or where on the page it stands."""
    products = _by_product(contents)
    note = f"For {escape(', '.join(products))} P(y | x) is the product of the marginals." if products else ""
    if "log_loss" in contents.outcomes.metrics:
        return f"<p>The <a href='#log-loss'>joint log-loss</a> has a section of its own. {note}</p>"
    joint = rank_methods(contents.outcomes, "log_loss")
    return f"<h3>Joint log-loss</h3>{as_html(metric_table(joint))}<p class='note'>{note}</p>" if joint.methods else ""


def _by_product(contents: Contents) -> list[str]:
    return [
        method
        for method in contents.outcomes.methods
        if any(
            cell.method == method and cell.extras.get("joint_by") == "product of marginals"
            for cell in contents.outcomes.results
        )
    ]


def graph_section(contents: Contents) -> Section:
    """Return the label graphs that were learned in the first part; equal graphs of a data set are one picture."""
    outcomes, parts, left = contents.outcomes, [], _MOST_PICTURES
    for dataset in outcomes.datasets:
        firsts = [
            cells[0] for method in outcomes.methods if (cells := _with(outcomes.cells(dataset, method), "graphs"))
        ]
        shown, empty = [], []
        for methods, graphs, cell in _grouped(firsts):
            if not any(group for graph in graphs for group in graph["parents"]):
                empty.extend(methods)
            elif left > 0:
                shown.append(_graph_figures(dataset, methods, graphs, cell))
                left -= 1
        if shown or empty:
            none = f"<p class='note'>No links between labels: {escape(', '.join(empty))}.</p>" if empty else ""
            drawn = f"<h3>{escape(dataset)}</h3><div class='graphs'>{''.join(shown)}</div>{none}"
            parts.append(filtered(drawn, dataset=dataset))
    if parts:
        words = (
            "Graphs learned in the first part. An arrow, or an arc downward, leads from a label to one that depends on "
            "it; orange labels depend on none. Drag to move; the buttons, or the wheel with Ctrl, zoom."
        )
        parts.insert(0, f"<p class='lead'>{words}</p>")
    if left == 0:
        parts.append(f"<p class='note'>The first {_MOST_PICTURES} are shown.</p>")
    return "graphs", "Label graphs", "\n".join(parts)


def _with(cells: Sequence[CellResult], key: str) -> list[CellResult]:
    return [cell for cell in cells if cell.extras.get(key)]


def _grouped(cells: Sequence[CellResult]) -> list[tuple[list[str], list[dict[str, Any]], CellResult]]:
    """Return methods with the same graphs together."""
    groups: dict[str, tuple[list[str], list[dict[str, Any]], CellResult]] = {}
    for cell in cells:
        graphs = sorted(cell.extras["graphs"], key=lambda graph: -(graph.get("weight") or 0.0))
        key = json.dumps([[graph["parents"], graph.get("strengths")] for graph in graphs])
        groups.setdefault(key, ([], graphs, cell))[0].append(cell.method)
    return list(groups.values())


def _graph_figures(dataset: str, methods: list[str], graphs: list[dict[str, Any]], cell: CellResult) -> str:
    who = ", ".join(methods)
    figures = []
    for number, graph in enumerate(graphs[:_MOST_OF_ONE], start=1):
        shown = choose_labels(graph)
        names = _label_names(cell, shown.n_labels)
        words = [f"{who}: {shown.n_labels} labels, {shown.n_edges} links{_which(graphs, number)}."]
        words.append(shown.note)
        if shown.alone:
            words.append("Without links: " + _listed([names[label] for label in shown.alone]) + ".")
        svg = _graph(shown, names, f"Label graph of {who} on {dataset}")
        figures.append(zoom_html(svg, f"graph-{dataset}-{methods[0]}-{number}", " ".join(filter(None, words))))
    return "".join(figures)


def _graph(shown: ShownGraph, names: Sequence[str], title: str) -> str:
    """Return the picture of the labels shown: by levels, or as a list in the order of the chain where it is dense."""
    place = {label: number for number, label in enumerate(shown.labels)}
    edges = [(place[parent], place[child]) for parent, child, _ in shown.edges]
    if shown.is_dense:
        layout = GraphLayout(tuple(range(len(place))), (0,) * len(place), "arcs")
    else:
        layout = level_layout([[parent for parent, child in edges if child == label] for label in range(len(place))])
    strengths = [strength for *_, strength in shown.edges] if shown.has_strengths else None
    return draw_graph(layout, edges, [names[label] for label in shown.labels], title, strengths=strengths)


def _which(graphs: list[dict[str, Any]], number: int) -> str:
    if len(graphs) == 1:
        return ""
    weight = graphs[number - 1].get("weight")
    return f"; graph {number} of {len(graphs)}" + ("" if weight is None else f", weight {weight:.2f}")


def _label_names(cell: CellResult, n_labels: int) -> list[str]:
    names = [str(name) for name in cell.extras.get("label_names") or ()]
    return names if len(names) == n_labels else [f"label {k}" for k in range(n_labels)]


def _listed(names: Sequence[str], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shortened(name) for name in names[:most]) + more


def feature_section(contents: Contents) -> Section:
    """Return a heat map of the selected features for each data set and method that selects."""
    outcomes, parts, left = contents.outcomes, [], _MOST_PICTURES
    for dataset in outcomes.datasets:
        shown = []
        for method in outcomes.methods:
            chosen = chosen_features(outcomes.cells(dataset, method)) if left > 0 else None
            if chosen is not None:
                svg, words = _heat_map(chosen, f"Features that {method} keeps on {dataset}")
                figure = zoom_html(svg, f"features-{dataset}-{method}", f"{method}: {words}")
                shown.append(filtered(figure, method=method))
                left -= 1
        if shown:
            parts.append(filtered(f"<h3>{escape(dataset)}</h3>{''.join(shown)}", dataset=dataset))
    return "features", "Selected features", "\n".join(parts)


def _heat_map(chosen: ChosenFeatures, title: str) -> tuple[str, str]:
    """Return the picture of the features that most labels keep, and a sentence about what it shows."""
    columns = np.argsort(-chosen.shares.sum(axis=0), kind="stable")[:_MOST_FEATURES]
    rows = _shown_rows(chosen.shares)
    labels, features = [chosen.labels[k] for k in rows], [chosen.features[k] for k in columns]
    svg = draw_heat_map(chosen.shares[rows][:, columns], labels, features, title=title, after=f" of {chosen.n_parts}")
    return svg, _sentence(chosen, len(columns), len(rows))


def _shown_rows(shares: Floats) -> list[int]:
    if len(shares) <= _MOST_LABELS:
        return list(range(len(shares)))
    return sorted(np.argsort(-shares.sum(axis=1), kind="stable")[:_MOST_LABELS].tolist())


def _sentence(chosen: ChosenFeatures, n_columns: int, n_rows: int) -> str:
    of = f" of {chosen.n_features}" if chosen.n_features else ""
    whom = "The model keeps" if len(chosen.labels) == 1 else "A label keeps"
    parts = "part" if chosen.n_parts == 1 else "parts"
    words = [f"{whom} {chosen.n_kept:.4g}{of} features on average over {chosen.n_parts} {parts}."]
    if n_columns < len(chosen.features):
        words.append(f"Shown are the {n_columns} of {len(chosen.features)} chosen ones that most labels keep.")
    if n_rows < len(chosen.labels):
        words.append(f"Shown are {n_rows} of {len(chosen.labels)} labels.")
    if chosen.n_parts > 1:
        words.append("The stronger the colour, the more parts chose the feature.")
    return " ".join(words)
