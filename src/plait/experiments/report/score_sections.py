"""Sections of the page about scores: at a glance, one for each metric, and one with a plot for each data set."""

from html import escape

import numpy as np

from plait.core.arrays import Floats
from plait.experiments.report.figures import figure_html, filtered
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.rankings import Ranking
from plait.experiments.report.score_tables import direction, holm_rows, metric_words
from plait.experiments.report.tables import Contents
from plait.experiments.statistics import cd_svg, rank_statement
from plait.pictures.dots import draw_dots
from plait.pictures.scatter import draw_scatter
from plait.pictures.table_markup import as_html
from plait.pictures.tables import Table

__all__ = ["Section", "dataset_section", "draw_time_scatter", "glance_section", "metric_sections"]

_PHONE = 352.0  # pixels of a picture on the narrowest usual phone
# Name in links, title, HTML.
Section = tuple[str, str, str]

_MEANINGS = {
    "exact_match": "Share of rows with every label right.",
    "subset_loss": "Share of rows with any label wrong.",
    "hamming_score": "Share of labels right.",
    "hamming_loss": "Share of labels wrong.",
    "jaccard_accuracy": "Labels both true and predicted among those true or predicted, mean over rows.",
    "sample_f1": "F1 of each row's labels, mean over rows.",
    "macro_f1": "F1 of each label, mean over labels; a label that is neither true nor predicted counts 0.",
    "macro_f1_absent_1": "F1 of each label, mean over labels; a label that is neither true nor predicted counts 1.",
    "macro_f1_of_means": "F1 of the mean precision and the mean recall of labels.",
    "micro_f1": "F1 over all labels of all rows together.",
    "ranking_loss": "Pairs of a true and a false label that are ranked the wrong way, ties among them, mean over rows.",
    "normalized_coverage": "How far down the ranking all true labels are found, as a share of the labels.",
    "normalized_coverage_from_1": "The same, where the first place of the ranking counts 1 instead of 0.",
    "sample_precision": "Predicted labels that are right, mean over rows.",
    "sample_recall": "True labels that are predicted, mean over rows.",
    "macro_precision": "Rows predicted to have a label that have it, mean over labels.",
    "macro_recall": "Rows with a label that are predicted to have it, mean over labels.",
    "micro_precision": "Predicted labels of all rows together that are right.",
    "micro_recall": "True labels of all rows together that are predicted.",
    "one_error": "Rows whose label with the highest score is wrong.",
    "sample_average_precision": "True labels among those ranked as high, mean over true labels and rows.",
    "macro_average_precision": "Area under precision over recall of each label, mean over labels that occur.",
    "micro_average_precision": "Area under precision over recall of all labels of all rows together.",
    "sample_roc_auc": "Pairs of a true and a false label in the right order, mean over rows.",
    "macro_roc_auc": "Pairs of a row with a label and one without in the right order, mean over labels.",
    "micro_roc_auc": "Pairs of a true and a false label of all rows together in the right order.",
    **{f"precision_at_{k}": f"Right labels among the {k} with the highest scores." for k in (1, 3, 5)},
    **{f"ndcg_at_{k}": f"Discounted gain of the {k} labels with the highest scores." for k in (1, 3, 5)},
    "cll_loss": "-log P(y | x) of the true label set, sum over the rows of a test part.",
    "log_loss": "-log P(y | x) of the true label set, mean over rows.",
}


def glance_section(contents: Contents) -> Section:
    """Return the table of all metrics, or a sentence where there is nothing yet."""
    if not contents.glance.rows:
        return "glance", "At a glance", "<p>The store holds no cells yet: run <code>plait bench</code> first.</p>"
    return "glance", "At a glance", as_html(contents.glance)


def metric_sections(contents: Contents) -> list[Section]:
    """Return a section for each metric: table, critical differences, pairs, score against time."""
    blocks = zip(contents.rankings, contents.scores, contents.pairs, strict=True)
    return [_metric_section(contents, *block) for block in blocks]


def _metric_section(contents: Contents, ranking: Ranking, scores: Table, pairs: Table | None) -> Section:
    words = metric_words(ranking.metric)
    parts = [f"<p class='lead'>{escape(_MEANINGS.get(ranking.metric, ''))}</p>", as_html(scores)]
    if ranking.comparison is None:
        parts.append(f"<p>{escape(ranking.no_test)}</p>")
    else:
        tests = f"{rank_statement(ranking.comparison)} {_bars(ranking)} {_holm(ranking)}"
        caption = f"Critical differences of {words}. {tests}"
        drawn, narrow = (cd_svg(ranking.comparison, width) for width in (_cd_width(ranking), _PHONE))
        parts.append(figure_html(drawn, f"critical-difference-{ranking.metric}", caption, narrow))
    if pairs is not None:
        parts.append(f"<details><summary>{escape(pairs.title)}</summary>{as_html(pairs)}</details>")
    scatter = draw_time_scatter(ranking, contents.outcomes)
    if scatter:
        caption = (
            "Score against time. Blue: no other method is both faster and better. Times are geometric means over data "
            "sets of the seconds of one part, without compilation."
        )
        parts.append(figure_html(scatter, f"time-{ranking.metric}", caption))
    return ranking.metric.replace("_", "-"), f"{_capital(words)} {direction(ranking.metric)}", "\n".join(parts)


def _cd_width(ranking: Ranking) -> float:
    return 720.0 + 8.0 * min(40, max(0, len(ranking.methods) - 20))


def _bars(ranking: Ranking) -> str:
    found = ranking.comparison
    if found is None or not found.groups:
        return ""
    if found.control is None:
        return "Methods joined by a bar are not told apart."
    return f"Methods within the bar are not told apart from {found.methods[found.control]}."


def _holm(ranking: Ranking) -> str:
    """Return what Wilcoxon's tests with Holm's correction say, beside the critical difference."""
    found = ranking.comparison
    assert found is not None
    reference = found.methods[int(ranking.average_ranks.argmin()) if found.control is None else found.control]
    differ = [row.method for row in holm_rows(ranking, reference) if row.corrected < found.alpha]
    return f"Wilcoxon's tests with Holm's correction tell {reference} apart from {', '.join(differ) or 'none'}."


def draw_time_scatter(ranking: Ranking, outcomes: Outcomes) -> str:
    """Return the picture over the complete data sets; empty where no method has both numbers.

    Scores are means over data sets; times are geometric means, in which each data set counts alike.
    """
    rows = ranking.complete if ranking.complete.any() else np.ones(len(ranking.datasets), dtype=bool)
    columns = [outcomes.methods.index(method) for method in ranking.methods]
    with np.errstate(invalid="ignore"):
        scores = ranking.means[rows].mean(axis=0)
    seconds = _seconds(outcomes.seconds[rows][:, columns])
    kept = np.isfinite(scores) & np.isfinite(seconds)
    if not kept.any():
        return ""
    names = [name for name, keep in zip(ranking.methods, kept, strict=True) if keep]
    n_sets = int(rows.sum())
    over = f"mean over {n_sets} data sets" if n_sets > 1 else ranking.datasets[int(np.argmax(rows))]
    words = f"{metric_words(ranking.metric)} {direction(ranking.metric)}"
    return draw_scatter(
        seconds[kept],
        scores[kept],
        names,
        score_words=f"{words}, {over}",
        time_words="seconds of fit and prediction",
        title=f"{words} against time, {over}",
        higher_is_better=ranking.higher_is_better,
    )


def _seconds(seconds: Floats) -> Floats:
    """Return geometric means over data sets of the mean over parts; NaN where one is missing."""
    means = np.full(seconds.shape[:2], np.nan)
    there = np.isfinite(seconds).any(axis=2)
    means[there] = np.nanmean(seconds[there], axis=1)
    averages: Floats = np.exp(np.log(np.maximum(means, 1e-6)).mean(axis=0))
    return averages


def dataset_section(contents: Contents) -> Section:
    """Return a row of plots for each data set."""
    parts = ["<p class='note'>Mean over the parts, with a line of one standard deviation to either side.</p>"]
    for d, dataset in enumerate(contents.outcomes.datasets):
        plots = [(ranking.metric, _dots(ranking, d)) for ranking in contents.rankings]
        figures = [filtered(figure_html(svg, f"{dataset}-{metric}"), metric=metric) for metric, svg in plots if svg]
        shown = "".join(figures) or "<p>No cell is finished.</p>"
        parts.append(filtered(f"<h3>{escape(dataset)}</h3><div class='grid'>{shown}</div>", dataset=dataset))
    return "datasets", "Data sets", "\n".join(parts) if contents.outcomes.datasets else ""


def _dots(ranking: Ranking, dataset: int) -> str:
    """Return one metric on one data set: a dot for the mean of each method, a line of one standard deviation."""
    words = metric_words(ranking.metric)
    return draw_dots(
        ranking.methods,
        ranking.means[dataset],
        ranking.spreads[dataset],
        ranking.best[dataset],
        heading=f"{words} {direction(ranking.metric)}",
        title=f"{words} on {ranking.datasets[dataset]}",
        higher_is_better=ranking.higher_is_better,
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
