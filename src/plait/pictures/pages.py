"""The frame of plait's pages: one self-contained HTML file, light or dark as the reader has it, fit for print."""

from html import escape

__all__ = ["page_html"]

_STYLE = """
:root{color-scheme:light dark;--ink:#1b2733;--soft:#566473;--paper:#fff;--wash:#f4f6f8;--line:#d9dfe5;--mark:#0b5f9e}
@media(prefers-color-scheme:dark){:root{--ink:#e3e9ef;--soft:#9aa8b5;--paper:#11171d;--wash:#1a222a;--line:#303c48;
--mark:#74b9f2}}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--paper:#fff;--wash:#fff;--line:#bbb;--mark:#0b5f9e}}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;color:var(--ink);
background:var(--paper);margin:0 auto;max-width:60rem;padding:1rem;overflow-wrap:break-word}
h1{font-size:1.55rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}
h3{font-size:1rem;margin:1.6rem 0 .4rem}
a{color:var(--mark)}
.wide{overflow-x:auto}img{max-width:100%;background:#fff;border-radius:4px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.25rem .8rem;border-bottom:1px solid var(--line);text-align:right;font-weight:400}
thead th{font-weight:600}
td:first-child,th:first-child{text-align:left}.best{font-weight:700;color:var(--mark)}
pre{white-space:pre-wrap}
"""


def page_html(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a whole page that needs nothing from outside.

    Parameters
    ----------
    title : str
        Title of the window; it is escaped.
    body : str
        HTML.
    style : str, default=""
        CSS after plait's own.
    script : str, default=""
        JavaScript, run when the page is there.

    Returns
    -------
    str

    Examples
    --------
    >>> page_html("a < b", "<p>hello</p>").startswith("<!doctype html><html lang='en'>")
    True
    """
    run = f"<script>{script}</script>" if script else ""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style></head>\n<body>{body}{run}</body></html>\n"
    )
