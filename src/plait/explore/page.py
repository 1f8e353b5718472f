"""`explore_page`: the page as HTML; every name reaches it as data and is shown as text."""

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from plait.pictures.pages import page_html

__all__ = ["explore_page", "page_script"]

_FOLDER = Path(__file__).parent
_KEYS = (
    ("j k", "next row, row before"),
    ("↑ ↓", "move along the labels"),
    ("y n u", "the label is there, is not, is unknown again"),
    ("x", "forget all that was said"),
    ("w", "why this label"),
    ("e", "answer what is asked next: go to it"),
    ("a c z", "the first doubt: accept the record, correct it; take the last word back"),
    ("/ f", "search rows, find a label"),
    ("l", "next loss"),
    ("?", "this list"),
)


def explore_page(title: str, data: Any = None) -> str:
    """Return the page; with data it needs no server, and infers by itself.

    Parameters
    ----------
    title : str
        Name of the data.
    data : JSON value, optional
        What `static_page` found.

    Examples
    --------
    >>> "a &lt; b" in explore_page("a < b")
    True
    """
    held = ""
    if data is not None:
        # A "<" inside a script could end it.
        held = f"<script type='application/json' id=data>{json.dumps(data).replace('<', chr(92) + 'u003c')}</script>"
    return page_html(
        f"{title}: plait explore", _body(title) + held, style=_read("explore_page.css"), script=page_script()
    )


@cache
def page_script() -> str:
    """Return the script of the page."""
    return _read("explore_inference.js") + _read("explore_static.js") + _read("explore_page.js")


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _body(title: str) -> str:
    keys = "".join(
        f"<dt>{' '.join(f'<kbd>{escape(key)}</kbd>' for key in group.split())}</dt><dd>{escape(words)}</dd>"
        for group, words in _KEYS
    )
    return f"""
<header><h1>{escape(title)}</h1><span class="soft small" id=about></span><span class=grow></span>
<span role=status aria-live=polite class="small" id=said></span>
<label class=small>Decide for <select id=loss aria-label="Loss"></select></label>
<button id=help aria-label="Keys and help">?</button></header>
<main>
<nav id=left aria-label="Rows"><div id=search role=search>
<input id=query type=search placeholder="Search rows" aria-label="Search rows" autocomplete=off>
<select id=order aria-label="Order of rows"></select><select id=has aria-label="Rows with this label"></select></div>
<p class="soft small" id=found></p><ol id=rows></ol><button id=more hidden>More rows</button></nav>
<section id=middle aria-label="The row">
<div class=card><h2><span id=rowname></span><span class=grow></span>
<button id=before aria-label="Row before">←</button><button id=after aria-label="Next row">→</button></h2>
<div id=image></div><div id=text></div><table id=features><tbody></tbody></table>
<p class="soft small" id=nmore></p></div>
<div class=card id=doubtcard hidden><h2>Records that look wrong</h2><table id=doubts><tbody></tbody></table>
<p class="soft small" id=settled></p><button id=save class=small hidden>Save as CSV</button></div>
<div class=card id=whycard hidden><h2><span id=whytitle></span></h2><table id=why><tbody></tbody></table>
<p class="soft small" id=whynote></p></div>
</section>
<section id=right aria-label="The labels">
<div class=card><h2>Decision <span class=soft id=decidedfor></span></h2><div id=decision></div>
<p class="small" id=ask></p></div>
<div class=card><h2>Most probable sets <span class="soft small" id=proved></span></h2>
<table id=sets><tbody></tbody></table></div>
<div class=card><h2>Labels <span class="soft small" id=how></span><span class=grow></span>
<input id=find type=search placeholder="Find a label" aria-label="Find a label" size=12 autocomplete=off>
<button id=forget hidden>Forget all</button></h2>
<ul id=labels></ul><button id=alllabels hidden></button></div>
<div class=card id=graphcard><h2>Label graph <span class="soft small" id=graphnote></span></h2>
<div id=graph></div></div>
</section></main>
<dialog id=keys><h2>Keys</h2><p>Say that a label is there or not: every other probability moves. The thin mark shows
where it was before anything was said.</p><dl>{keys}</dl><button id=closekeys>Close</button></dialog>
<noscript>This page needs JavaScript.</noscript>"""
