"""The page of the demonstration: one self-contained HTML file that opens by double click."""

import base64
from html import escape
from pathlib import Path
from typing import Any

from plait.data.writers.atomic import replacing

__all__ = ["write_page"]

_STYLE = """
:root{color-scheme:light dark;--ink:#1b2733;--paper:#fff;--line:#d5dbe1;--mark:#1f4e8c}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf0;--paper:#12181f;--line:#33404d;--mark:#7fb0ef}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;
max-width:60rem;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
.wide{overflow-x:auto}img{max-width:100%;background:#fff;border-radius:4px}
table{border-collapse:collapse}td,th{padding:.25rem .8rem;border-bottom:1px solid var(--line);text-align:right}
td:first-child,th:first-child{text-align:left}.best{font-weight:700;color:var(--mark)}
pre{white-space:pre-wrap}
"""


def write_page(found: Any, picture: Path, path: Path) -> None:
    """Write what a `Demonstration` found, with its picture inside; the file is replaced whole or not at all."""
    image = base64.b64encode(picture.read_bytes()).decode()
    losses = {
        f"decided for {name}": dict(zip(_LOSSES, row, strict=True))
        for name, row in zip(_LOSSES, found.losses, strict=True)
    }
    data = found.data
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width,initial-scale=1'><title>plait: a demonstration</title>",
        f"<style>{_STYLE}</style></head><body><h1>plait: one joint model, any question</h1>",
        f"<p>{data.n_samples} rows, {data.n_features} features and {data.n_labels} labels, drawn from a known "
        "P(Y | x).</p>",
        f"<img alt='true and learned graph, scores and losses' src='data:image/png;base64,{image}'>",
        "<h2>Scores on rows kept aside</h2>",
        _table(found.scores, lowest=False),
        "<h2>One fitted chain, four ways to find the most probable label set</h2>",
        _table(found.inferences, lowest=False, marked=("exact_match",)),
        "<h2>The best answer for each loss, scored by each loss</h2>",
        _table(losses, lowest=True),
        f"<h2>Questions to one row</h2><pre>{escape(chr(10).join(found.questions))}</pre></body></html>",
    ]
    with replacing(path) as temporary:
        temporary.write_text("\n".join(parts), encoding="utf8")


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
