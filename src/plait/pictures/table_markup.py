"""Tables as HTML, whose heads sort by click, as LaTeX with booktabs, and as Markdown; every name is escaped."""

import math
import re
from html import escape

from plait.pictures.tables import Entry, Heading, Table

__all__ = ["as_html", "as_latex", "as_markdown", "latex_text"]

_MOST_PRINTED = 8
_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "∞": r"$\infty$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "–": "--",
    "…": r"\ldots{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_ARROW = re.compile(" (?=[↑↓]$)")
_ODD = re.compile("[" + re.escape("".join(_SIGNS)) + "]")


def as_html(table: Table, *, sortable: bool = True) -> str:
    """Return the table with its title and notes, in a box that scrolls sideways by itself where it is wide.

    A head is a button by which the report's script sorts, unless `sortable` is False. Paper does not scroll: a table of
    many columns is there once more, in blocks that only show in print.

    Parameters
    ----------
    table : Table
        What is shown.
    sortable : bool, default=True
        Whether heads are buttons.

    Returns
    -------
    str

    Examples
    --------
    >>> as_html(Table("t", "a < b", (Heading("method", is_text=True),), ((Entry("br"),),)))[:37]
    "<p class='caption'>a &lt; b</p><div c"
    """
    notes = "".join(f"<p class='note'>{escape(note)}</p>" for note in table.notes)
    many = len(table.columns) > _MOST_PRINTED + 2
    blocks = "".join(_box(block, "paper", sortable=False) for block in _blocks(table)) if many else ""
    shown = _box(table, "screen" if many else "", sortable=sortable)
    return f"<p class='caption'>{escape(table.title)}</p>{shown}{blocks}{notes}"


def _blocks(table: Table) -> list[Table]:
    """Return tables of a few columns, each with the first one."""
    places = range(1, len(table.columns), _MOST_PRINTED)
    chosen = [(0, *range(start, min(start + _MOST_PRINTED, len(table.columns)))) for start in places]
    return [
        Table(
            "",
            table.title,
            tuple(table.columns[c] for c in few),
            tuple(tuple(row[c] for c in few) for row in table.rows),
        )
        for few in chosen
    ]


def _box(table: Table, kind: str, *, sortable: bool) -> str:
    heads = "".join(_head(column, sortable) for column in table.columns)
    rows = "\n".join(
        "<tr>"
        + "".join(_cell(entry, column, c) for c, (entry, column) in enumerate(zip(row, table.columns, strict=True)))
        + "</tr>"
        for row in table.rows
    )
    name = f" id='table-{escape(table.name)}'" if table.name else ""
    return (
        f"<div class='wide {kind}' style='--chars:{_characters(table)}' tabindex='0' role='region' "
        f"aria-label='{escape(table.title)}'><table{name}>"
        f"<thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def _characters(table: Table) -> int:
    """Return how long the longest line is, by which the printed table is scaled to the paper."""
    longest = 0
    for row in table.rows:
        # Longer words are broken.
        lengths = [min(22, len(e.written(c)[0])) for e, c in zip(row, table.columns, strict=True)]
        spreads = [0 if math.isnan(entry.spread) else 6 for entry in row]
        longest = max(longest, sum(lengths) + sum(spreads) + 3 * len(row))
    return longest


def _head(column: Heading, sortable: bool) -> str:
    kind = " class='text'" if column.is_text else ""
    # An arrow that says what is better stays beside its word.
    name = _ARROW.sub("\u00a0", escape(column.name))
    if not sortable:
        return f"<th scope='col'{kind}>{name}</th>"
    first = "ascending" if column.smaller_first or column.is_text else "descending"
    return f"<th scope='col'{kind} data-first='{first}'><button type='button'>{name}</button></th>"


def _cell(entry: Entry, column: Heading, c: int) -> str:
    tag = "th scope='row'" if c == 0 else "td"
    best = " best" if entry.best else ""
    note = f"<small>{escape(entry.note)}</small>" if entry.note else ""
    if isinstance(entry.value, str):
        # A name has a box of its own, which breaks a word only where it is longer than the box.
        words = f"<span>{escape(entry.value)}</span>" if c == 0 else escape(entry.value)
        return f"<{tag} class='text{best}'>{words}{note}</{tag[:2]}>"
    # The words of JavaScript: Infinity, not inf.
    key = "" if math.isnan(entry.value) else f" data-value='{repr(entry.value).replace('inf', 'Infinity')}'"
    value, spread = entry.written(column)
    spread = spread and f"<i>±{spread}</i>"
    mark = f" class='{best.strip()}'" if best else ""
    return f"<{tag}{mark}{key}>{value}{spread}{note}</{tag[:2]}>"


def latex_text(words: str) -> str:
    r"""Return words with everything escaped that LaTeX reads as a command.

    Parameters
    ----------
    words : str
        Any text.

    Returns
    -------
    str

    Examples
    --------
    >>> print(latex_text("a_b & 50% <\\x>"))
    a\_b \& 50\% \textless{}\textbackslash{}x\textgreater{}
    """
    return _ODD.sub(lambda found: _SIGNS[found.group()], " ".join(words.split()))


def as_latex(table: Table) -> str:
    r"""Return the table as a `table` environment that needs the package booktabs.

    Parameters
    ----------
    table : Table
        What is shown.

    Returns
    -------
    str

    Examples
    --------
    >>> r"\begin{tabular}{l}" in as_latex(Table("t", "Scores", (Heading("method", is_text=True),), ((Entry("br"),),)))
    True
    """
    shape = "".join("l" if column.is_text else "r" for column in table.columns)
    heads = " & ".join(latex_text(column.name) for column in table.columns)
    rows = [
        " & ".join(_latex_entry(entry, column) for entry, column in zip(row, table.columns, strict=True)) + r" \\"
        for row in table.rows
    ]
    caption = latex_text(" ".join([f"{table.title}.", *table.notes]))
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            *([r"\footnotesize"] if len(table.columns) > 5 else []),
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{shape}}}",
            r"\toprule",
            rf"{heads} \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _latex_entry(entry: Entry, column: Heading) -> str:
    value, spread = entry.written(column)
    words = latex_text(value)
    if entry.best:
        words = rf"\textbf{{{words}}}"
    if spread:
        words += rf" {{\scriptsize $\pm$ {spread}}}"
    return words + (rf" {{\scriptsize ({latex_text(entry.note)})}}" if entry.note else "")


def as_markdown(table: Table) -> str:
    r"""Return the table as Markdown, without its title and notes; the best is bold.

    Parameters
    ----------
    table : Table
        What is shown.

    Returns
    -------
    str

    Examples
    --------
    >>> head = (Heading("method", is_text=True), Heading("sea", 2))
    >>> print(as_markdown(Table("t", "Scores", head, ((Entry("a|b"), Entry(0.5, best=True)),))))
    | method | sea |
    | --- | --- |
    | a\|b | **0.50** |
    """
    rows = [
        [_markdown_entry(entry, column) for entry, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    lines = [[_markdown_text(column.name) for column in table.columns], ["---"] * len(table.columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_entry(entry: Entry, column: Heading) -> str:
    value, spread = entry.written(column)
    words = _markdown_text(value) + (spread and f" ±{spread}")
    return (f"**{words}**" if entry.best else words) + (f" ({entry.note})" if entry.note else "")


def _markdown_text(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")
