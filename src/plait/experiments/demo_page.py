"""The page of the demonstration: one self-contained HTML file that opens by double click."""

import base64
from html import escape
from pathlib import Path
from typing import Any

from plait.data.conversion.files import replacing
from plait.pictures.pages import page_html

__all__ = ["write_page"]


def write_page(found: Any, picture: Path, path: Path) -> None:
    """Write what a `Demonstration` found, with its picture inside; the file is replaced whole or not at all."""
    image = base64.b64encode(picture.read_bytes()).decode()
    losses = {
        f"decided for {name}": dict(zip(_LOSSES, row, strict=True))
        for name, row in zip(_LOSSES, found.losses, strict=True)
    }
    data = found.data
    parts = [
        "<h1>plait: one joint model, any question</h1>",
        f"<p>{data.n_samples} rows, {data.n_features} features and {data.n_labels} labels, drawn from a known "
        "P(Y | x).</p>",
        f"<img alt='true and learned graph, scores and losses' src='data:image/png;base64,{image}'>",
        "<h2>Scores on rows kept aside</h2>",
        _table(found.scores, lowest=False),
        "<h2>One fitted chain, four ways to find the most probable label set</h2>",
        _table(found.inferences, lowest=False, marked=("exact_match",)),
        "<h2>The best answer for each loss, scored by each loss</h2>",
        _table(losses, lowest=True),
        f"<h2>Questions to one row</h2><pre>{escape(chr(10).join(found.questions))}</pre>",
    ]
    with replacing(path) as temporary:
        temporary.write_text(page_html("plait: a demonstration", "\n".join(parts)), encoding="utf8")


_LOSSES = ("subset", "hamming", "f1", "jaccard")


def _table(rows: dict[str, Any], *, lowest: bool, marked: tuple[str, ...] | None = None) -> str:
    """Return a table of numbers; the best of each marked column stands out."""
    columns = list(next(iter(rows.values())))
    best = {name: (min if lowest else max)(row[name] for row in rows.values()) for name in columns}
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in ("", *columns))
    lines = [
        f"<tr><td>{escape(name)}</td>"
        + "".join(
            f"<td{' class=best' if row[c] == best[c] and (marked is None or c in marked) else ''}>{row[c]:.3f}</td>"
            for c in columns
        )
        + "</tr>"
        for name, row in rows.items()
    ]
    return f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
