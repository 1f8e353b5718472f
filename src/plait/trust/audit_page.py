"""The page of an audit: records to work through, the likeliest errors first."""

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plait.pictures.pages import page_html

if TYPE_CHECKING:
    from plait.trust.label_audit import Audit

__all__ = ["audit_page"]

_FOLDER = Path(__file__).parent


def audit_page(audit: "Audit", most: int, row_names: Sequence[Any] | None) -> str:
    """Return the page of an audit as HTML that needs nothing from outside.

    Parameters
    ----------
    audit : Audit
        What was found.
    most : int
        How many records to list.
    row_names : sequence or None
        What to call the rows.
    """
    names = np.arange(len(audit.recorded)) if row_names is None else row_names
    rows, labels = audit.cells(most)
    cells = [
        (
            str(names[row]),
            int(label),
            int(audit.recorded[row, label]),
            float(audit.wrong[row, label]),
            np.flatnonzero(audit.recorded[row]).tolist(),
            np.flatnonzero(audit.likeliest[row]).tolist(),
        )
        for row, label in zip(rows, labels, strict=True)
        if not np.isnan(audit.wrong[row, label])
    ]
    # A "<" inside a script could end it.
    data = json.dumps({"labels": list(audit.label_names), "cells": cells}).replace("<", "\\u003c")
    script = f"const AUDIT={data};\n{(_FOLDER / 'audit_page.js').read_text(encoding='utf-8')}"
    return page_html(
        "Which recorded labels look wrong", _body(audit), style=(_FOLDER / "audit_page.css").read_text(), script=script
    )


def _body(audit: "Audit") -> str:
    n_rows, n_labels = audit.recorded.shape
    likely = int((np.nan_to_num(audit.wrong) > 0.5).sum())
    missed, false = audit.rates_at_most()
    ones = int(audit.recorded.sum())
    bound = ""
    if not np.isnan(missed):
        n_missed = int(np.ceil(missed / max(1.0 - missed, 0.5) * ones))
        n_false = int(np.ceil(false * (n_rows * n_labels - ones)))
        bound = (
            f"<p class=soft>In all, at most about {n_missed:,} labels are missing and {n_false:,} there by mistake: "
            "a hard row and a wrong record look alike, so these are bounds, not counts.</p>"
        )
    return (
        "<h1>Which recorded labels look wrong</h1>"
        f"<p>{n_rows:,} rows, {n_labels} labels, {ones:,} of them recorded. {likely:,} records are more likely wrong "
        "than right, judged by models that had not seen the row, by its features and its other records.</p>"
        f"{bound}<p class=tools><label>Label <select id=label></select></label> "
        "<label>Record <select id=kind><option value=''>any</option><option value=0>not there: may be missing</option>"
        "<option value=1>there: may be a mistake</option></select></label> "
        "<button id=copy>Copy as CSV</button> <span id=said role=status></span></p>"
        "<div class=wide><table id=cells><thead><tr><th>row</th><th>label</th><th>recorded</th><th>probably wrong</th>"
        f"<th>the row's labels, and what the model would change</th></tr></thead><tbody></tbody></table></div>"
        f"<noscript>{escape('This page needs JavaScript; Audit.to_frame() has the same list.')}</noscript>"
    )
