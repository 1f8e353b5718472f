"""`LikelySets`: the most probable label sets of every row, by vector and by name, as text, as HTML and as a frame."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.named_answers import RowFrame, label_sets
from plait.pictures.text_bars import bar, shortened

__all__ = ["LikelySets"]

_BAR, _MOST_ROWS, _MOST_NAMES = 20, 5, 12
# Colours that show on light and on dark notebooks alike.
_STYLE = (
    ".plait-sets table{border-collapse:collapse;margin:2px 0 10px;color:inherit;font:inherit}"
    ".plait-sets td{text-align:left;padding:2px 8px 2px 0;border:0;background:none;vertical-align:middle}"
    ".plait-sets .share{text-align:right;font-variant-numeric:tabular-nums;min-width:3.6em}"
    ".plait-sets .track{width:150px;height:.8em;border-radius:3px;background:rgba(128,128,128,.18)}"
    ".plait-sets .bar{height:100%;border-radius:3px;background:#4c86d8}"
    ".plait-sets .name{display:inline-block;padding:0 .55em;margin:1px 3px 1px 0;border-radius:.8em;"
    "border:1px solid rgba(128,128,128,.45)}"
    ".plait-sets .known{border-color:#c77700;color:#c77700}.plait-sets .no{text-decoration:line-through}"
    ".plait-sets .soft{opacity:.65}"
)


class _VectorsAndProbabilities(NamedTuple):
    vectors: npt.NDArray[Any]
    probabilities: Floats


class LikelySets(_VectorsAndProbabilities):
    """The most probable label sets of every row, the most probable first. Made by `top(k)` of a `Posterior`.

    Unpacks into `vectors`, (n_rows, k, n_labels), and `probabilities`, (n_rows, k); where a row has fewer sets, the
    probability is 0. `names` are the same sets by name; printing them shows bars.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_rows, k, n_labels)
        The sets.
    probabilities : ndarray of float64, shape (n_rows, k)
        Of each.
    label_names : sequence of str, optional
        "y0", "y1", ... by default.
    rows : RowFrame, optional
        How the rows are called; by their numbers by default.
    known : ndarray of int8, shape (n_rows, n_labels), optional
        Labels that were known when it was asked; -1 where unknown.

    Examples
    --------
    >>> likely = LikelySets(np.array([[[1, 1], [0, 1]]]), np.array([[0.75, 0.125]]), ["sea", "sun"])
    >>> likely.names
    [[('sea', 'sun'), ('sun',)]]
    >>> likely
    row 0
        75.0%  ███████████████       sea, sun
        12.5%  ██▌                   sun
        12.5%                        (other sets)
    """

    label_names: tuple[str, ...]
    rows: RowFrame
    known: npt.NDArray[np.int8] | None
    n_unasked: int = 0  # rows of which only the number is shown

    def __new__(
        cls,
        vectors: npt.NDArray[Any],
        probabilities: Floats,
        label_names: Sequence[str] | None = None,
        rows: RowFrame | None = None,
        known: npt.NDArray[np.int8] | None = None,
    ) -> Self:
        """Return the pair, which knows the names of labels and rows, and what is known of each row."""
        self = super().__new__(cls, vectors, probabilities)
        names = [f"y{k}" for k in range(vectors.shape[2])] if label_names is None else label_names
        self.label_names, self.rows, self.known = tuple(names), RowFrame() if rows is None else rows, known
        return self

    @property
    def names(self) -> list[list[tuple[str, ...]]]:
        """The sets of every row as tuples of names; those of probability 0 are left out."""
        return [
            label_sets(sets[chances > 0], self.label_names)
            for sets, chances in zip(self.vectors, self.probabilities, strict=True)
        ]

    def to_frame(self, library: str | None = None) -> Any:
        """Return a row for each set: row, rank, labels (joined by "|"), probability.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default that of the frame that was asked about, else pandas.
        """
        found = self.names
        counts = [len(sets) for sets in found]
        columns = {
            "row": np.repeat(self.rows.names(len(found)), counts),
            "rank": [rank for count in counts for rank in range(1, count + 1)],
            "labels": ["|".join(names) for sets in found for names in sets],
            "probability": self.probabilities[self.probabilities > 0],
        }
        return self.rows.frame(columns, library=library, indexed=False)

    def __repr__(self) -> str:
        return "\n".join(self._row_text(row) for row in range(min(_MOST_ROWS, len(self.vectors)))) + self._left("\n")

    def _row_text(self, row: int) -> str:
        known = ", ".join(name if value else f"not {name}" for name, value in self._known(row))
        lines = [f"row {self._row_name(row)}" + (f", known: {known}" if known else "")]
        for names, chance in self._shares(row):
            shown = [shortened(name) for name in names[:_MOST_NAMES]]
            more = [f"and {len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
            lines.append(
                f"  {_percent(chance):>7}  {bar(chance, _BAR):<{_BAR}}  {', '.join([*shown, *more]) or '(no label)'}"
            )
        rest = self._rest(row)
        return "\n".join([*lines, f"  {rest:7.1%}  {'':<{_BAR}}  (other sets)"] if rest >= 0.0005 else lines)

    def _repr_html_(self) -> str:
        rows = "".join(self._row_html(row) for row in range(min(_MOST_ROWS, len(self.vectors))))
        return f'<div class="plait-sets"><style>{_STYLE}</style>{rows}<span class="soft">{self._left()}</span></div>'

    def _row_html(self, row: int) -> str:
        known = dict(self._known(row))
        chips = "".join(_chip(name, "known" if value else "known no") for name, value in known.items())
        lines = [
            f'<tr><td class="share">{escape(_percent(chance))}</td>{_track(chance)}<td>'
            + ("".join(_chip(name, "known" if name in known else "") for name in names[:_MOST_NAMES]) or _NOTHING)
            + (f'<span class="soft">and {len(names) - _MOST_NAMES} more</span>' if len(names) > _MOST_NAMES else "")
            + "</td></tr>"
            for names, chance in self._shares(row)
        ]
        rest = self._rest(row)
        if rest >= 0.0005:
            lines.append(f'<tr class="soft"><td class="share">{rest:.1%}</td><td></td><td>(other sets)</td></tr>')
        heading = f"<b>row {escape(str(self._row_name(row)))}</b>" + (f" &nbsp; known: {chips}" if chips else "")
        return f"<div>{heading}</div><table>{''.join(lines)}</table>"

    def _row_name(self, row: int) -> Any:
        return self.rows.names(len(self.vectors))[row]

    def _known(self, row: int) -> list[tuple[str, int]]:
        values = [] if self.known is None else self.known[row].tolist()
        return [(name, value) for name, value in zip(self.label_names, values, strict=False) if value >= 0]

    def _shares(self, row: int) -> list[tuple[tuple[str, ...], float]]:
        chances = self.probabilities[row]
        sets = label_sets(self.vectors[row][chances > 0], self.label_names)
        return list(zip(sets, chances[chances > 0].tolist(), strict=True))

    def _rest(self, row: int) -> float:
        return float(1.0 - self.probabilities[row].sum())

    def _left(self, before: str = "") -> str:
        left = max(0, len(self.vectors) - _MOST_ROWS) + self.n_unasked
        return f"{before}... {left} more row{'s' if left > 1 else ''}" if left > 0 else ""


_NOTHING = '<span class="soft">(no label)</span>'


def _percent(chance: float) -> str:
    return f"{chance:.1%}" if chance >= 0.0005 else "<0.1%"


def _chip(name: str, kind: str) -> str:
    return f'<span class="name {kind}" title="{escape(name)}">{escape(shortened(name))}</span>'


def _track(share: float) -> str:
    width = f"{min(100.0, 100 * share):.1f}%"
    return f'<td><div class="track"><div class="bar" style="width:{width}"></div></div></td>'
