"""The page of the comparison: average ranks with their tests, regrets, times, every cell, and what is missing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compared.cells import ALIKE, FOLDS, LIMIT, MEASURES, folds_of
from benchmarks.compared.earlier_page import FROM_PAGE, cells_of_page, folds_of_page, times_of_page
from benchmarks.compared.problems import DEVELOPED_ON, MOST_TEST, MOST_TRAINING, NAMES
from plait.experiments.statistics import compare_methods, method_ranks, rank_difference, wilcoxon_test

Cells = dict[tuple[str, str], dict[str, Any]]
OURS = "AutoJoint"
# Exact match and micro-F1 that are wanted on the given splits, and micro-F1 of a long search over ten folds.
MULAN = {
    "emotions": (0.36, 0.715, 0.706),
    "scene": (0.73, 0.78, 0.787),
    "yeast": (0.26, 0.68, 0.676),
    "medical": (0.67, 0.82, 0.828),
    "enron": (0.19, 0.615, 0.613),
}
_FIRST_FOUR = ("exact match", "joint log-loss", "micro-F1", "macro-F1")


def read_cells(folder: Path) -> Cells:
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return {(each["method"], each["problem"]): each for each in found}


def finished(cells: Cells, method: str) -> list[str]:
    return [name for name in NAMES if "failed" not in cells.get((method, name), {"failed": ""})]


def with_earlier(cells: Cells, earlier: Path) -> Cells:
    """Return the cells, and those of an earlier page for what was not run again; all to the digits of the page."""
    joined = cells_of_page(earlier) | cells
    for cell in joined.values():
        cell |= {name: round(cell[name], 3) for name in (*MEASURES, ALIKE) if name in cell}
    return joined


def written_page(folder: Path, page: Path, earlier: Path | None = None) -> str:
    """Write the page, and return it; `earlier` is a page whose cells stand where the folder has none."""
    cells = read_cells(folder)
    times, folds = ({}, {}) if earlier is None else (times_of_page(earlier), folds_of_page(earlier))
    if earlier is not None:
        cells = with_earlier(cells, earlier)
    methods = sorted({method for method, _ in cells if finished(cells, method)})
    sets = finished(cells, OURS)
    whole = [method for method in methods if set(finished(cells, method)) >= set(sets)]
    parts = [
        _opening(sets),
        _origins(cells, sets),
        _ranks(cells, whole, sets),
        _untouched(cells, whole, sets),
        _single(cells, whole, sets),
        _regrets(cells, whole, sets),
        _duels(cells, methods, sets),
        _given_splits(cells, folder, folds),
        _times(cells, methods, sets, times),
        _cells(cells, methods, sets),
        _missing(cells, methods, sets),
    ]
    text = "\n\n".join(part for part in parts if part) + "\n"
    page.write_text(text)
    return text


def _opening(sets: list[str]) -> str:
    developed = [name for name in DEVELOPED_ON if name in sets]
    return f"""# How well AutoJoint predicts, against what else there is

Made by `python -m benchmarks comparison` (see `benchmarks/comparison.py` for what it needs; it can be stopped and run
again). {len(sets)} data sets, at most {MOST_TRAINING:,} training and {MOST_TEST:,} test rows of each; the given split,
else two thirds to train with seed 0. Every method runs with its defaults (gradient boosting with 300 rounds, forests
with 100 trees) in one thread; one that takes more than {LIMIT} s of CPU time on a data set is left out there. One split
a data set: what counts is the average, not a single cell.

Every method decides as well as it can: the other methods have the better of what they predict and of their marginals,
cut at one half or, for F1, at the thresholds of largest expected F1, whichever is best *on the test part*. AutoJoint
has one answer for each measure: `predict` with the loss of that name, `subset` for exact match. Joint log-loss of
methods without a joint distribution is that of independent labels, the better of two clips of their probabilities.
Boosted trees and forests are not tuned. Macro-F1 and mean average precision are means over the labels that occur in the
test part.

Settings of AutoJoint were chosen by splits inside the training parts of {", ".join(developed)};
no choice in use was made by a test part, but the scores of ten test parts had been seen before the last one (trees of
dense columns that take the best cut). One change was taken back after its test scores had been
seen: topics of tf-idf instead of its columns, chosen on training parts of medical, enron and yahoo_arts_zhang5000; of
seven test parts that nothing was tuned to, exact match fell on five (languagelog .290; enron rose to .188). The idea of
the method comes from a prototype that had been looked at on test parts of some of these. Nothing was tuned to the other
data sets, which have a table of their own."""


def _origins(cells: Cells, sets: list[str]) -> str:
    if not any(FROM_PAGE in cell for cell in cells.values()):
        return ""
    again = [name for name in sets if FROM_PAGE not in cells[OURS, name]]
    return f"""{OURS} was run by the code as it is now on {", ".join(again)}.
All other cells stand from an earlier run of the same command, to the three digits that this page prints, so all
comparisons are made at three digits (many Hamming losses are equal then). Times and ten folds are of that earlier
run."""


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [head, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _scores(cells: Cells, methods: list[str], sets: list[str], measure: str) -> Any:
    return np.array([[cells[method, name][measure] for method in methods] for name in sets])


def _rank_rows(cells: Cells, methods: list[str], sets: list[str]) -> list[list[str]]:
    ranks = {
        measure: method_ranks(_scores(cells, methods, sets, measure), higher_is_better=up).mean(axis=0)
        for measure, up in MEASURES.items()
    }
    order = np.argsort(np.mean(list(ranks.values()), axis=0))
    best = {measure: found.min() for measure, found in ranks.items()}
    return [[methods[k], *(_marked(ranks[measure][k], best[measure], "{:.1f}") for measure in MEASURES)] for k in order]


def _marked(value: float, best: float, form: str) -> str:
    text = form.format(value)
    return f"**{text}**" if np.isclose(value, best) else text


def _ranks(cells: Cells, methods: list[str], sets: list[str]) -> str:
    tests = []
    for measure, up in MEASURES.items():
        found = compare_methods(_scores(cells, methods, sets, measure), methods, higher_is_better=up)
        tests.append(f"{measure} {found.friedman.p_value:.1g}")
    difference = rank_difference(len(methods), len(sets))
    return f"""## Average ranks over {len(sets)} data sets, of methods that finished all of them

{_table(["", *MEASURES], _rank_rows(cells, methods, sets))}

Friedman's test, p-values: {", ".join(tests)}. Nemenyi's critical difference at 5 %: {difference:.2f} ranks."""


def _untouched(cells: Cells, methods: list[str], sets: list[str]) -> str:
    rest = [name for name in sets if name not in DEVELOPED_ON]
    if len(rest) < 2:
        return ""
    return f"## The same on the {len(rest)} data sets that nothing was tuned to\n\n" + _table(
        ["", *MEASURES], _rank_rows(cells, methods, rest)
    )


def _single(cells: Cells, methods: list[str], sets: list[str]) -> str:
    rest = [method for method in methods if not method.startswith(OURS)]
    if len(rest) < 2:
        return ""
    return "## Average ranks without AutoJoint: methods that do not stack\n\n" + _table(
        ["", *MEASURES], _rank_rows(cells, rest, sets)
    )


def _given_splits(cells: Cells, folder: Path, earlier: dict[str, list[str]]) -> str:
    rows = []
    for name, (sets, micro, *searched) in MULAN.items():
        cell = cells.get((OURS, name), {})
        if "exact match" not in cell:
            continue
        tens = folds_of(folder, name)
        whole = tens["folds"] == FOLDS
        row = [name, f"{cell['exact match']:.3f}", f"{sets:.2f}", f"{cell['micro-F1']:.3f}", f"{micro:.3f}"]
        old = earlier.get(name, ["", ""])
        row += [f"{tens[key]:.3f}" if whole else old[k] for k, key in enumerate(("exact match", "micro-F1"))]
        rows.append([*row, *(f"{each:.3f}" for each in searched)])
    head = ["", "exact match", "goal", "micro-F1", "goal", "exact match, ten folds", "micro-F1, ten folds"]
    return f"""## {OURS} on the splits that Mulan gives, and over ten folds

{_table([*head, "micro-F1, 24 hours of AutoML"], rows)}

The last column is what a search of a day on eight cores reached over ten folds."""


def _regrets(cells: Cells, methods: list[str], sets: list[str]) -> str:
    rows = []
    for k, method in enumerate(methods):
        regrets = []
        for measure, up in MEASURES.items():
            scores = _scores(cells, methods, sets, measure)
            best = scores.max(axis=1) if up else scores.min(axis=1)
            regrets.append(float(np.abs(best - scores[:, k]).mean()))
        rows.append([method, *(f"{each:.4f}" for each in regrets)])
    rows.sort(key=lambda row: float(row[1]))
    return "## Regret: mean distance to the best of these methods\n\n" + _table(["", *MEASURES], rows)


def _duels(cells: Cells, methods: list[str], sets: list[str]) -> str:
    alike = [("macro-F1", ALIKE)] if all(ALIKE in cells[OURS, name] for name in sets) else []
    rows = []
    for method in methods:
        common = [name for name in finished(cells, method) if name in sets]
        if method == OURS or len(common) < 2:
            continue
        row = [method, str(len(common))]
        for measure, own in [*((each, each) for each in _FIRST_FOUR), *alike]:
            ours = np.array([cells[OURS, name][own] for name in common])
            theirs = np.array([cells[method, name][measure] for name in common])
            gains = ours - theirs if MEASURES[measure] else theirs - ours
            p_value = wilcoxon_test(gains).p_value if np.any(gains) else 1.0
            row.append(f"{int((gains > 0).sum())}-{int((gains < 0).sum())}, p = {p_value:.2g}")
        rows.append(row)
    head = ["", "data sets", *_FIRST_FOUR, *(own for _, own in alike)]
    title = f"## {OURS} against each method: data sets won and lost, Wilcoxon's signed ranks"
    parts = [title, _table(head, rows)]
    if alike:
        parts.append(
            f"In the last column {OURS} decides by the rule of the others, too: the best on the test part of what it\n"
            "predicts and of cuts of its marginals there."
        )
    return "\n\n".join(parts)


def _times(cells: Cells, methods: list[str], sets: list[str], earlier: dict[str, list[str]]) -> str:
    rows = []
    for method in methods:
        if method in earlier:
            rows.append(earlier[method])
            continue
        common = [name for name in finished(cells, method) if name in sets and ("RandomForest", name) in cells]
        kept = [name for name in common if "failed" not in cells["RandomForest", name]]
        row = [method]
        for what in ("fit", "predict"):
            seconds = np.array([cells[method, name][what] for name in kept])
            forest = np.array([cells["RandomForest", name][what] for name in kept])
            row += [f"{np.median(seconds):.2f}", f"{np.median(seconds / np.maximum(forest, 1e-3)):.2f}"]
        rows.append(row)
    head = ["", "fit, s", "fit / RandomForest(100)", "predict, s", "predict / RandomForest(100)"]
    return "## CPU time, medians over data sets (predict: label sets of the test part)\n\n" + _table(head, rows)


def _cells(cells: Cells, methods: list[str], sets: list[str]) -> str:
    def shown(measure: str) -> Callable[[str], list[str]]:
        best = max if MEASURES[measure] else min

        def row(name: str) -> list[str]:
            known = {each: cells[each, name][measure] for each in methods if name in finished(cells, each)}
            top = best(known.values())
            return [name, *(_marked(known[each], top, "{:.3f}") if each in known else "" for each in methods)]

        return row

    parts = [
        f"### {measure}\n\n" + _table(["", *methods], [shown(measure)(name) for name in sets]) for measure in MEASURES
    ]
    return "## Every cell\n\n" + "\n\n".join(parts)


def _missing(cells: Cells, methods: list[str], sets: list[str]) -> str:
    lines = []
    for method in methods:
        failed = [name for name in sets if "failed" in cells.get((method, name), {})]
        absent = [name for name in sets if (method, name) not in cells]
        if failed or absent:
            parts = [f"stopped or failed on {', '.join(failed)}"] if failed else []
            parts += [f"not run on {', '.join(absent)}"] if absent else []
            lines.append(f"- {method}: {'; '.join(parts)}")
    stopped = [name for name in NAMES if "failed" in cells.get((OURS, name), {})]
    if stopped:
        lines.append(f"- {OURS}: stopped or failed on {', '.join(stopped)}, which are left out above")
    absent = [name for name in NAMES if (OURS, name) not in cells]
    if absent:
        lines.append(f"- data sets on which {OURS} was not run, left out above: {', '.join(absent)}")
    return "## What is missing\n\n" + "\n".join(lines) if lines else ""
