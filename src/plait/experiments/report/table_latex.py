r"""A table for LaTeX with booktabs: decimals aligned by their number, the best bold, every name escaped."""

import math
import re

from plait.experiments.report.tables import Entry, Table, number_text

__all__ = ["latex_text", "as_latex"]

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
_ODD = re.compile("[" + re.escape("".join(_SIGNS)) + "]")


def latex_text(words: str) -> str:
    r"""Return words with everything escaped that LaTeX reads as a command.

    Examples
    --------
    >>> print(latex_text("a_b & 50% <\\x>"))
    a\_b \& 50\% \textless{}\textbackslash{}x\textgreater{}
    """
    return _ODD.sub(lambda found: _SIGNS[found.group()], " ".join(words.split()))


def as_latex(table: Table) -> str:
    """Return the table as a `table` environment that needs the package booktabs."""
    shape = "".join("l" if column.is_text else "r" for column in table.columns)
    heads = " & ".join(latex_text(column.name) for column in table.columns)
    rows = [
        " & ".join(_entry(entry, column.decimals) for entry, column in zip(row, table.columns, strict=True)) + r" \\"
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


def _entry(entry: Entry, decimals: int) -> str:
    words = latex_text(number_text(entry.value, decimals))
    if entry.best:
        words = rf"\textbf{{{words}}}"
    if not math.isnan(entry.spread):
        words += rf" {{\scriptsize $\pm$ {number_text(entry.spread, decimals)}}}"
    return words + (rf" {{\scriptsize ({latex_text(entry.note)})}}" if entry.note else "")
