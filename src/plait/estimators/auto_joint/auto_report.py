"""`AutoReport`: what `AutoJoint` did, in numbers, as text and for notebooks."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

__all__ = ["AutoReport", "FewRowsWarning"]


class FewRowsWarning(UserWarning):
    """There are too few rows to weigh learners and penalties by rows held out."""


@dataclass(eq=False, repr=False)
class AutoReport:
    """What was learned and left out, with held-out scores of every stage.

    Attributes
    ----------
    learners : list of dict
        `name`, `weight` (0 of those that add next to nothing and are not asked), `log_loss` (of the marginals, per
        row, out of fold) and `seconds` of each base learner.
    stages : list of dict
        `name`, `log_loss` (per row, held out; None where nothing was held out) and `seconds` of each further stage.
    notes : list of str
        Rules that applied: what was left out, subsampled or replaced, and why.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from plait import AutoJoint
    >>> X, Y = make_multilabel_classification(100, n_classes=3, random_state=0)
    >>> model = AutoJoint(effort="fast", random_state=0).fit(X, Y)
    >>> type(model.report_).__name__, len(model.report_.learners)
    ('AutoReport', 1)
    """

    learners: list[dict[str, Any]] = field(default_factory=list)
    stages: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """CPU seconds of the fit, as far as they were spent in this process."""
        return float(sum(each["seconds"] for each in self.learners + self.stages))

    def _table(self) -> list[tuple[str, str, str, str]]:
        rows = [(each["name"], f"{each['weight']:.2f}", *_numbers(each)) for each in self.learners]
        return rows + [(each["name"], "", *_numbers(each)) for each in self.stages]

    def __repr__(self) -> str:
        rows = [("", "weight", "log-loss", "seconds"), *self._table()]
        width = max(len(row[0]) for row in rows)
        lines = [f"{name:{width}}  {weight:>6}  {loss:>8}  {seconds:>7}" for name, weight, loss, seconds in rows]
        return "\n".join(lines + self.notes)

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._table())
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        head = "<tr><th></th><th>weight</th><th>held-out log-loss</th><th>seconds</th></tr>"
        return f"<table>{head}{rows}</table>" + (f"<ul>{notes}</ul>" if notes else "")


def _numbers(each: dict[str, Any]) -> tuple[str, str]:
    loss = each["log_loss"]
    return "" if loss is None else f"{loss:.4f}", f"{each['seconds']:.2f}"
