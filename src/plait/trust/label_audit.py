"""`audit`: which recorded labels look wrong, judged by models that did not see them; the answer is an `Audit`."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable

from plait.core.arrays import Floats, Labels
from plait.core.checks import HasMethods, Interval, Nothing, check_value
from plait.core.labels import Targets
from plait.core.named_answers import label_sets
from plait.core.parallel import Parallel, delayed
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError
from plait.core.unknown_labels import known_cells, unknown_as_absent
from plait.data.folds import MultilabelStratifiedKFold
from plait.data.frames import frame_library
from plait.pictures.pages import page_html
from plait.posterior import Posterior
from plait.posterior.answers import row_blocks
from plait.trust.calibration_rows import calibration_targets, named_labels, rows_and_labels
from plait.trust.neighbour_sets import ErrorRates, partial_suspicions, suspicions

__all__ = ["Audit", "audit"]

_FOLDER = Path(__file__).parent
_RATE = (Interval(float, 0, 1, closed="neither"),)
_LEAST_POSITIVES = 2  # that training rows of a fold need for a label to be judged
_MOST_ROWS = 200  # that the page lists as a whole
_POOLED_FROM = 20  # positives from which a label helps to bound the numbers of errors


@dataclass(frozen=True, eq=False)
class Audit:
    """What an audit found: how probable each record is wrong, and what the model would record instead.

    Attributes
    ----------
    label_names : tuple of str
        Names of the labels.
    recorded : ndarray of uint8, shape (n_rows, n_labels)
        The records; int8, with -1 for unknown ones, where some are.
    wrong : ndarray of float64, shape (n_rows, n_labels)
        P(the record is wrong | x, all records of the row); NaN where a label was too rare to be judged, or is unknown.
    likeliest : ndarray of uint8, shape (n_rows, n_labels)
        The likeliest label set near the recorded one.
    marginals : ndarray of float64, shape (n_rows, n_labels)
        P(label | x), out of fold.
    surprise : ndarray of float64, shape (n_rows,)
        log P(recorded set | x) + entropy of P(Y | x): below zero where the whole set is less probable than usual.

    References
    ----------
    [Scott2015] Scott, A rate of convergence for mixture proportion estimation, with application to learning from noisy
    labels, AISTATS 2015: the anchor points of `counts`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from plait import audit, recipes
    >>> found = audit(recipes.br(), *make_multilabel_classification(100, n_classes=3, random_state=0))
    >>> found.to_frame(2)[["row", "label", "recorded"]]
       row label  recorded
    0   77    y2         1
    1   85    y0         0
    """

    label_names: tuple[str, ...]
    recorded: Labels
    wrong: Floats
    likeliest: Labels
    marginals: Floats
    surprise: Floats

    def __repr__(self) -> str:
        n_rows, n_labels = self.recorded.shape
        likely = int((np.nan_to_num(self.wrong) > 0.5).sum())
        return f"Audit({n_rows} rows, {n_labels} labels: {likely} records more likely wrong than right)"

    def cells(self, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and labels of the records, the likeliest errors first; ties by row, then by label.

        Parameters
        ----------
        most : int, optional
            How many; all by default.
        """
        order = np.argsort(-np.nan_to_num(self.wrong, nan=-1.0).ravel(), kind="stable")
        order = order[known_cells(self.recorded).ravel()[order]][:most]
        rows, labels = np.divmod(order, self.recorded.shape[1])
        return rows, labels

    def to_frame(self, most: int | None = None, library: str | None = None) -> Any:
        """Return the records to look at, the likeliest errors first.

        Parameters
        ----------
        most : int, optional
            How many; None for all.
        library : {"pandas", "polars"}, optional
            None takes pandas, or polars where only that is installed.

        Returns
        -------
        frame
            Columns row, label, recorded (0 or 1), probability (that this record is wrong) and suggestion (the names
            that the model would record for the row).
        """
        rows, labels = self.cells(most)
        sets = label_sets(self.likeliest, self.label_names)
        table = {
            "row": rows,
            "label": np.asarray(self.label_names, dtype=object)[labels],
            "recorded": self.recorded[rows, labels].astype(np.int64),
            "probability": self.wrong[rows, labels],
            "suggestion": [sets[row] for row in rows],
        }
        return frame_library("to_frame", library, "frames")[1].DataFrame(table)

    def rows_to_frame(self, most: int | None = None, library: str | None = None) -> Any:
        """Return the rows whose whole label set is improbable, the most surprising first.

        Parameters
        ----------
        most : int, optional
            How many; None for all.
        library : {"pandas", "polars"}, optional
            None takes pandas, or polars where only that is installed.
        """
        order = np.argsort(self.surprise, kind="stable")[:most]
        there = unknown_as_absent(self.recorded)
        recorded, sets = (label_sets(one, self.label_names) for one in (there, self.likeliest))
        table = {
            "row": order,
            "surprise": self.surprise[order],
            "recorded": [recorded[row] for row in order],
            "suggestion": [sets[row] for row in order],
        }
        return frame_library("rows_to_frame", library, "frames")[1].DataFrame(table)

    def counts(self, library: str | None = None) -> Any:
        """Return, label by label, how many records may be wrong at most.

        These are bounds: a hard row and a wrong record look alike, so what is wrong cannot be counted, and sums of
        probabilities are several times too large. Rates come from anchor points, pooled over labels with at least 20
        records: of the cells as sure as the surest tenth of the recorded ones, how many are not recorded; of those
        less likely than the median of the others, how many are [Scott2015].

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            None takes pandas, or polars where only that is installed.
        """
        return frame_library("counts", library, "frames")[1].DataFrame(self.bounds())

    def bounds(self) -> dict[str, Any]:
        """Return what `counts` holds as columns by name; numbers are NaN without labels to pool."""
        missed, false = self.rates_at_most()
        ones, zeros = ((self.recorded == value).sum(axis=0) for value in (1, 0))
        bounds = missed / max(1.0 - missed, 0.5) * ones, false * zeros
        known = not np.isnan(missed)
        most = [np.ceil(bound).astype(np.int64 if known else np.float64) for bound in bounds]
        return {
            "label": list(self.label_names),
            "recorded": ones,
            "missed_at_most": most[0],
            "false_at_most": most[1],
        }

    def rates_at_most(self) -> tuple[float, float]:
        """Return bounds of P(not recorded | there) and P(recorded | not there); NaN without labels to pool."""
        pooled = (self.recorded == 1).sum(axis=0) >= _POOLED_FROM
        known = known_cells(self.recorded[:, pooled])
        P, R = self.marginals[:, pooled][known], self.recorded[:, pooled][known] == 1
        if not R.any() or R.all():
            return float("nan"), float("nan")
        high, low = np.quantile(P[R], 0.9), np.quantile(P[~R], 0.5)
        return float(1.0 - R[high <= P].mean()), float(R[low >= P].mean())

    def at_most(self) -> tuple[int, int] | None:
        """Return how many labels are missing, and how many there by mistake, at most; None without labels to pool."""
        missed, false = self.rates_at_most()
        if np.isnan(missed):
            return None
        ones, zeros = int((self.recorded == 1).sum()), int((self.recorded == 0).sum())
        return math.ceil(missed / max(1.0 - missed, 0.5) * ones), math.ceil(false * zeros)

    def to_html(self, most: int = 500, row_names: Sequence[Any] | None = None) -> str:
        """Return a page to work through: records by how probable they are wrong, by label, to copy as CSV.

        Parameters
        ----------
        most : int, default=500
            How many records it lists.
        row_names : sequence, optional
            What to call the rows; their numbers, from 0, if nothing is given.
        """
        return _page(self, most, row_names)


def audit(
    model: Any,
    X: Any,
    Y: Any = None,
    cv: Any = 5,
    *,
    missed: float = 0.05,
    false: float | None = None,
    swapped: float = 0.05,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Say which recorded labels look wrong.

    Every row is judged by a copy of the model that was trained without it, by its features and all its records, which
    may be wrong too: the true label set is the recorded one, or has one label flipped, or one swapped for another.

    Parameters
    ----------
    model : classifier with `joint(X)`
        Such as `AutoJoint()` or `recipes.pcc()`, or a `JointPipeline`; it is cloned, not changed.
    X : array, sparse matrix or data frame of shape (n_rows, n_features), or Dataset
        Features; a data set brings its records with it.
    Y : labels in any form that `fit` takes, optional
        The records. Unknown ones (NaN), of models that take them, are not judged.
    cv : int or splitter, default=5
        Folds; a number makes folds with every label spread evenly.
    missed : float, default=0.05
        How often a label that is there is thought not to be recorded.
    false : float, optional
        How often a label that is not there is thought to be recorded; None for as many false labels as missed ones.
    swapped : float, default=0.05
        Weight of swaps of one label for another; 0 if errors are known to be single, 0.2 if labels are often
        mistaken for each other.
    random_state : int, Generator or None, default=0
        Of the folds.
    n_jobs : int, optional
        Processes over folds.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import numpy as np
    >>> from plait import recipes
    >>> from plait.trust import audit
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0.1, X[:, 1] > 0]).astype(int)
    >>> Y[7, 2] ^= 1  # a wrong record
    >>> found = audit(recipes.pcc(), X, Y)
    >>> rows, labels = found.cells(1)
    >>> (int(rows[0]), found.label_names[labels[0]])
    (7, 'y2')
    """
    check_value("audit", "model", model, (HasMethods(("fit", "joint")),), "Pass a classifier that learns P(Y | X).")
    check_value("audit", "missed", missed, _RATE)
    check_value("audit", "false", false, (*_RATE, Nothing()))
    check_value("audit", "swapped", swapped, (Interval(float, 0, 1, closed="left"),))
    X, Y = rows_and_labels(X, Y)
    X, _ = indexable(X, None)
    targets = calibration_targets("audit", clone(model), X, Y, unknown=True)
    recorded = targets.Y
    share = (recorded == 1).sum() / max(1, known_cells(recorded).sum())
    if not 0 < share < 1:
        raise ParameterError("audit needs Y to hold both 0 and 1, but all records are the same. Pass recorded labels.")
    rates = ErrorRates(missed, missed * share / (1 - share) if false is None else false, swapped)
    splits = list(_folds(cv, random_state).split(np.zeros(len(recorded)), unknown_as_absent(recorded)))
    tasks = (delayed(_judged)(model, X, targets, train, test, rates) for train, test in splits)
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    parts = list(progress(parallel(tasks), "auditing folds", len(splits)))
    place = np.concatenate([test for _, test in splits])
    if not np.array_equal(np.sort(place), np.arange(len(recorded))):
        raise ParameterError(
            "audit needs cv to test every row once, but some rows are never or often tested. Use folds."
        )
    columns = [np.concatenate(column)[np.argsort(place)] for column in zip(*parts, strict=True)]
    return Audit(targets.names, recorded, *columns)


def _folds(cv: Any, random_state: Any) -> Any:
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return MultilabelStratifiedKFold(n_splits=int(cv), shuffle=True, random_state=random_state)
    return check_cv(cv)


def _judged(model: Any, X: Any, targets: Targets, train: Any, test: Any, rates: ErrorRates) -> tuple[Any, ...]:
    """Return what `Audit` says of the rows of one fold."""
    recorded = targets.Y
    fitted = clone(model).fit(_safe_indexing(X, train), named_labels(targets, train))
    answer: Posterior = fitted.joint(_safe_indexing(X, test))
    records = recorded[test]
    wrong, likeliest = np.empty(records.shape), np.empty(records.shape, dtype=np.uint8)
    surprise = np.empty(len(records))
    whole = known_cells(records).all(axis=1)
    for where, judge in ((np.flatnonzero(whole), _judged_whole), (np.flatnonzero(~whole), partial_suspicions)):
        if len(where):
            wrong[where], likeliest[where], surprise[where] = judge(answer[where], records[where], rates)
    rare = np.minimum((recorded[train] == 1).sum(axis=0), (recorded[train] == 0).sum(axis=0)) < _LEAST_POSITIVES
    wrong[:, rare] = np.nan
    return wrong, likeliest, answer.marginals(), surprise


def _judged_whole(answer: Posterior, records: Any, rates: ErrorRates) -> tuple[Floats, Labels, Floats]:
    """Return what is wrong, the likeliest sets and the surprise of rows whose labels are all known."""
    records = records.astype(np.uint8)
    wrong, likeliest = np.empty(records.shape), np.empty_like(records)
    # The log weights of all swaps of a row are what takes memory.
    row_bytes = 8 * records.shape[1] * (3 + int(records.sum(axis=1).max(initial=0)))
    for rows in row_blocks(len(records), row_bytes):
        wrong[rows], likeliest[rows] = suspicions(answer.joint.condition(answer.X[rows]), records[rows], rates)
    return wrong, likeliest, answer.log_prob(records) + answer.entropy()


def _page(audit: Audit, most: int, row_names: Sequence[Any] | None) -> str:
    names = np.arange(len(audit.recorded)) if row_names is None else row_names
    rows, labels = audit.cells(most)
    cells = [
        (
            str(names[row]),
            int(label),
            int(audit.recorded[row, label]),
            float(audit.wrong[row, label]),
            np.flatnonzero(audit.recorded[row] == 1).tolist(),
            np.flatnonzero(audit.likeliest[row]).tolist(),
        )
        for row, label in zip(rows, labels, strict=True)
        if not np.isnan(audit.wrong[row, label])
    ]
    improbable = np.argsort(audit.surprise, kind="stable")[: min(most, _MOST_ROWS)]
    whole = [
        (
            str(names[row]),
            float(audit.surprise[row]),
            np.flatnonzero(audit.recorded[row] == 1).tolist(),
            np.flatnonzero(audit.likeliest[row]).tolist(),
        )
        for row in improbable
    ]
    # A "<" inside a script could end it.
    data = json.dumps({"labels": list(audit.label_names), "cells": cells, "rows": whole}).replace("<", "\\u003c")
    script = f"const AUDIT={data};\n{(_FOLDER / 'audit_page.js').read_text(encoding='utf-8')}"
    return page_html(
        "Which recorded labels look wrong",
        _page_body(audit),
        style=(_FOLDER / "audit_page.css").read_text(),
        script=script,
    )


def _page_body(audit: Audit) -> str:
    n_rows, n_labels = audit.recorded.shape
    likely = int((np.nan_to_num(audit.wrong) > 0.5).sum())
    ones = int((audit.recorded == 1).sum())
    bound = table = ""
    if (most := audit.at_most()) is not None:
        bound = (
            f"<p class=soft>In all, at most about {most[0]:,} labels are missing and {most[1]:,} there by mistake: "
            "a hard row and a wrong record look alike, so these are bounds, not counts.</p>"
        )
        lines = "".join(
            f"<tr><td>{escape(name)}</td><td>{recorded:,}</td><td>{missed:,}</td><td>{false:,}</td></tr>"
            for name, recorded, missed, false in zip(*audit.bounds().values(), strict=True)
        )
        table = (
            "<h2>Label by label</h2><p class=soft>How many records may be wrong at most, in each direction.</p>"
            "<div class=wide><table id=labels><thead><tr><th>label</th><th>recorded</th><th>missing, at most</th>"
            f"<th>there by mistake, at most</th></tr></thead><tbody>{lines}</tbody></table></div>"
        )
    return (
        "<h1>Which recorded labels look wrong</h1>"
        f"<p>{n_rows:,} rows, {n_labels} labels, {ones:,} of them recorded. {likely:,} records are more likely wrong "
        "than right, judged by models that had not seen the row, by its features and its other records.</p>"
        f"{bound}<p class=tools><label>Label <select id=label></select></label> "
        "<label>Record <select id=kind><option value=''>any</option><option value=0>not there: may be missing</option>"
        "<option value=1>there: may be a mistake</option></select></label> "
        "<label>Row <input type=search id=search></label> <label><input type=checkbox id=left> only those left</label> "
        "<button id=copy>Copy as CSV</button> <span id=said role=status></span></p>"
        "<div class=wide><table id=cells><thead><tr><th>row</th><th>label</th><th>recorded</th><th>probably wrong</th>"
        "<th>the row's labels, and what the model would change</th><th>looked at</th></tr></thead><tbody></tbody>"
        "</table></div><p><button id=more-cells></button></p>"
        "<h2>Rows whose whole label set is improbable</h2><p class=soft>Log-probability of the recorded "
        "set against what is usual for the row; the further below zero, the stranger. <button id=copy-rows>Copy as CSV"
        "</button></p><div class=wide><table id=rows><thead><tr><th>row</th><th>surprise</th><th>the row's labels, and "
        "what the model would change</th></tr></thead><tbody></tbody></table></div>"
        f"<p><button id=more-rows></button></p>{table}"
        f"<noscript>{escape('This page needs JavaScript; Audit.to_frame() has the same list.')}</noscript>"
    )
