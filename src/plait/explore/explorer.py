"""`Explorer`: every question of the page, answered with plain lists, numbers and names."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy
from sklearn.utils import _safe_indexing

from plait import losses as losses_room
from plait.core.arrays import Floats, Ints, Labels
from plait.core.named_answers import label_sets
from plait.core.naming import registered, registry, resolve
from plait.core.sentences import ParameterError, shown
from plait.explore.correction_log import ACTIONS, CorrectionLog
from plait.explore.drawn_labels import label_drawing
from plait.explore.row_answers import RowAnswers, WhatIsSaid
from plait.explore.row_features import RowFeatures, named_background
from plait.explore.row_ranking import ORDERS, RowRanking
from plait.inference import LabelSupport
from plait.losses import Loss
from plait.posterior import Posterior

__all__ = ["Explorer"]

_SETS, _REASONS, _DOUBTS, _MOST_ROWS = 5, 8, 20, 200
_KEPT = 31  # rows whose doubts are remembered


class Explorer:
    """A model, data, and what a reader says about them.

    Parameters
    ----------
    model : fitted classifier with `joint(X)`
        Such as `AutoJoint`, `recipes.pcc()` or a `JointPipeline`.
    data : Dataset
        The rows; its labels are the records, where it has those of the model.
    X : array, sparse matrix or data frame, optional
        What the model is asked with, where that is not `data.X`.
    feature_names : sequence of str, optional
        What its columns are called; as in the model, else those of `data.X` as in the data.
    label_names : sequence of str, optional
        What labels are called; as in the model, or as in the data where it was fitted on labels without names.
    row_names : sequence of str, optional
        What rows are called; their numbers, from 0, if nothing is given.
    corrections : CorrectionLog, optional
        Where decisions about records are kept.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data import Dataset
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]] * 10)
    >>> beach = Dataset(X, [{"sea"}, {"sea"}, {"sun"}, {"sea", "sun"}] * 10, name="beach")
    >>> explorer = Explorer(recipes.pcc().fit(beach.X, beach.Y), beach)
    >>> explorer.about()["labels"]
    ['sea', 'sun']
    >>> before, after = (explorer.view(2, known)["marginals"][1] for known in ({}, {0: 1}))
    >>> before > after
    True
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        X: Any = None,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        row_names: Sequence[str] | None = None,
        corrections: CorrectionLog | None = None,
    ) -> None:
        if not hasattr(model, "joint"):
            raise ParameterError(
                f"Explorer needs a model with joint(X), but {type(model).__name__} gives decisions only. "
                "Fit a method with probabilities, such as auto or pcc."
            )
        self.model, self.data = model, data
        self.X = data.X if X is None else X
        self._names = feature_names or (data.feature_names if X is None and not data.is_table else None)
        self.label_names = _label_names(model, data, label_names)
        self.row_names = [str(row) for row in range(data.n_samples)] if row_names is None else list(map(str, row_names))
        self.corrections = corrections
        self.features = RowFeatures(data, self.row_names, set(self.label_names))
        self._recorded = _records(data, self.label_names)
        self.ranking = RowRanking(self.posterior, self.records, data.n_samples)
        self._answers = RowAnswers(self.posterior, len(self.label_names))
        self._doubtful: dict[int, Any] = {}
        self._lock = threading.Lock()

    def posterior(self, rows: Ints) -> Posterior:
        """Return P(y | x) of some rows.

        Parameters
        ----------
        rows : array of int
            Which.
        """
        answer: Posterior = self.model.joint(_safe_indexing(self.X, rows))
        return answer._changed(label_names=self.label_names, features=named_background(self.model, answer, self._names))

    @property
    def losses(self) -> list[str]:
        """Words of the losses by which the model can decide on label sets, its own first."""
        found = getattr(self._answers.of(0).asked, "thresholds", None) or {}
        words = [
            word
            for word, loss in registry(losses_room, Loss).items()
            if loss.answer == "labels" and (not loss.needs_thresholds or word in found)
        ]
        own = registered(type(self._loss).__name__)
        return sorted(words, key=lambda word: (word != own, word != "subset", word))

    @property
    def _loss(self) -> Loss:
        loss: Loss = resolve("Explorer", "loss", self._answers.of(0).asked.loss, losses_room, Loss)
        return loss

    @property
    def ask_by(self) -> str:
        """What the answer to a question is worth, as `Posterior.ask` has it."""
        return "set" if self._loss.wanted == "mode" else "hamming"

    def about(self) -> dict[str, Any]:
        """Return what stays: names, losses, sizes, the graph."""
        return {
            "title": self.data.name,
            "model": type(getattr(self.model, "_last", lambda: self.model)()).__name__,
            "labels": list(self.label_names),
            "losses": self.losses,
            "n_rows": self.data.n_samples,
            "recorded": self._recorded is not None,
            "corrections": None if self.corrections is None else str(self.corrections.path),
            "graph": label_drawing(self.model, self.label_names),
        }

    def records(self, rows: Ints) -> Labels | None:
        """Return the labels of some rows as recorded and corrected; None where nothing is recorded.

        Parameters
        ----------
        rows : array of int
            Which.
        """
        if self._recorded is None:
            return None
        table = self._recorded[rows]
        found = np.array(table.toarray() if sparse.issparse(table) else table, dtype=np.uint8)
        if self.corrections is not None:
            with self._lock:
                said = list(self.corrections.current.items())
            places, number = {int(row): i for i, row in enumerate(rows)}, self._number
            for (row, label), correction in said:
                if row in places and label in number:
                    found[places[row], number[label]] = int(correction.value)
        return found

    @property
    def _number(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.label_names)}

    def warm_up(self) -> None:
        """Ask every question of the first row once: what is compiled or read at its first use is not at a click."""
        if self.data.n_samples:
            self.view(0)
            self.view(0, {0: 1})
            self.sets(0)
            self.sets(0, {0: 1})
            self.why(0, len(self.label_names) - 1)

    def view(self, row: int, known: Mapping[int, int] | None = None, loss: str | None = None) -> dict[str, Any]:
        """Return what one click needs: probabilities, the decision, doubts.

        Parameters
        ----------
        row : int
            Which row.
        known : mapping of int to {0, 1}, optional
            Labels that the reader said.
        loss : str, optional
            Word of the loss that the decision is for.
        """
        self.ranking.clicked()
        before, said = self._answers.of(row), self._answers.of(row, known)
        return {
            "row": row,
            "name": self.row_names[row],
            "marginals": _rounded(said.marginals),
            "before": _rounded(before.marginals),
            "how": said.how,
            "exact": said.exact,
            "worth": said.worth,
            "decision": self._decided(row, said, loss),
            **self._doubts(row),
        }

    def _decided(self, row: int, said: WhatIsSaid, word: str | None) -> list[int] | None:
        """Return the labels decided for a loss, or None where that takes more than milliseconds."""
        loss = said.asked._loss("Explorer", word)
        if loss.wanted == "marginals":
            found = loss.decide(LabelSupport.of_marginals(said.marginals[None], said.how))
        elif self._answers.is_few or (loss.wanted == "mode" and self._answers.finds_modes(row)):
            found = said.asked.decide(loss)
        else:
            return None
        return [int(label) for label in np.flatnonzero(found[0])]

    def _doubts(self, row: int) -> dict[str, Any]:
        recorded = self.records(np.array([row]))
        if recorded is None:
            return {"recorded": None, "doubts": [], "settled": {}}
        settled = {
            self._number[label]: correction.action
            for (of, label), correction in (self.corrections.current.items() if self.corrections else ())
            if of == row and label in self._number
        }
        # They do not depend on what is said, only on the records.
        last, doubts = self._doubtful.get(row, (None, None))
        if last != recorded.tobytes():
            doubts = self._answers.of(row).asked.doubts(recorded)[0]
            self._doubtful = {**dict(list(self._doubtful.items())[-_KEPT:]), row: (recorded.tobytes(), doubts)}
        order = [int(k) for k in np.argsort(-doubts, kind="stable") if doubts[k] > 0.2 and int(k) not in settled]
        return {
            "recorded": np.flatnonzero(recorded[0]).tolist(),
            "doubts": [[k, float(round(doubts[k], 4))] for k in order[:_DOUBTS]],
            "settled": settled,
        }

    def row(self, row: int) -> dict[str, Any]:
        """Return what the features of a row are.

        Parameters
        ----------
        row : int
            Which.
        """
        return self.features.of(row)

    def sets(self, row: int, known: Mapping[int, int] | None = None, loss: str | None = None) -> dict[str, Any]:
        """Return what may take longer: the most probable sets, and the label to ask next.

        Parameters
        ----------
        row : int
            Which.
        known : mapping of int to int, optional
            Label -> 1 or 0, as said on the page.
        loss : str, optional
            What to decide for; by default the model's.
        """
        self.ranking.clicked()
        said, names = self._answers.of(row, known), self.label_names
        searched = self._answers.searched(row, known)
        top = searched.top(min(_SETS, 2 ** len(names)))
        quick = self._decided(row, said, loss) is not None
        proved, places = bool(searched.exact.all()), np.flatnonzero(top.probabilities[0] > 0)
        return {
            "sets": [[np.flatnonzero(top.vectors[0, i]).tolist(), float(top.probabilities[0, i])] for i in places],
            "proved": proved,
            "decision": None if quick else [int(label) for label in np.flatnonzero(searched.decide(loss)[0])],
            "ask": self._next(said.asked) if self._answers.is_few else _most_uncertain(said.marginals, known or {}),
        }

    @staticmethod
    def _next(asked: Posterior) -> list[Any] | None:
        """Return the label whose answer is worth most, and what it is worth."""
        ask = asked.ask(1)
        label = int(ask.labels[0, 0])
        return None if label < 0 else [label, float(ask.values[0, 0])]

    def why(self, row: int, label: int, known: Mapping[int, int] | None = None) -> dict[str, Any]:
        """Return what moved a label in a row: name, kind, value and change of the log-odds of each reason.

        Parameters
        ----------
        row, label : int
            Which.
        known : mapping of int to int, optional
            Label -> 1 or 0, as said on the page.
        """
        self.ranking.clicked()
        others = {k: value for k, value in (known or {}).items() if k != label}
        found = self._answers.of(row, others).asked.why(label, _REASONS)
        lines = zip(found.name, found.kind, found.value, found.contribution, strict=True)
        return {
            "label": label,
            "reasons": [
                [str(name), kind, None if np.isnan(value) else float(value), float(part)]
                for name, kind, value, part in lines
            ],
            "additive": found.additive,
        }

    def rows(
        self, order: str = "file", query: str = "", label: int | None = None, offset: int = 0, most: int = 50
    ) -> dict[str, Any]:
        """Return rows to choose from.

        Parameters
        ----------
        order : {"file", "doubtful", "uncertain", "disagreeing"}
            Which first.
        query : str
            Words that the row's name, text or words have to hold.
        label : int, optional
            A label that has to be recorded.
        offset, most : int
            Which part of the list.
        """
        if order not in ORDERS:
            raise ParameterError(f"rows needs order to be one of {', '.join(ORDERS)}, but it is {shown(order)}.")
        chosen = self.features.found(query)
        if label is not None and self._recorded is not None:
            column = self._recorded[:, [label]]
            has = np.asarray(column.toarray() if sparse.issparse(column) else column).ravel() == 1
            chosen = chosen[has[chosen]]
        ordered = self.ranking.rows(order, chosen)
        part = ordered[offset : offset + min(most, _MOST_ROWS)].tolist()
        return {
            "n_found": len(chosen),
            "n_measured": self.ranking.n_done,
            "problem": self.ranking.problem,
            "rows": [
                [row, self.row_names[row], glimpse, self._measure(order, row)] for row, glimpse in self.glimpses(part)
            ],
        }

    def glimpses(self, rows: Sequence[int]) -> list[tuple[int, str]]:
        """Return rows and the beginning of what each says: its text, else the recorded labels, else its words.

        Parameters
        ----------
        rows : sequence of int
            Which.
        """
        recorded = None if self.features.text else self.records(np.asarray(rows, dtype=np.int64))
        if recorded is None:
            return [(row, self.features.glimpse(row)) for row in rows]
        return [
            (row, ", ".join(names)[:80])
            for row, names in zip(rows, label_sets(recorded, self.label_names), strict=True)
        ]

    def _measure(self, order: str, row: int) -> float | None:
        value = self.ranking.value(order, row)
        return None if value is None else round(value, 4)

    def settle(self, row: int, label: int, action: str) -> dict[str, Any]:
        """Keep a decision about a record; it is on the disk when this returns.

        Parameters
        ----------
        row, label : int
            Which record.
        action : {"accept", "correct", "undo"}
            It is right, it is wrong, or the last word about it does not count.
        """
        if action not in ACTIONS:
            raise ParameterError(f"settle needs action to be one of {', '.join(ACTIONS)}, but it is {shown(action)}.")
        if self.corrections is None or self._recorded is None:
            raise ParameterError("settle needs recorded labels and a file for corrections, but there are none.")
        recorded = int(np.asarray(self._recorded[row, [label]].sum()))
        value = {"accept": recorded, "correct": 1 - recorded, "undo": recorded}[action]
        before = self._answers.of(row).marginals
        name = self.label_names[label]
        with self._lock:
            self.corrections.add(row, self.row_names[row], name, recorded, action, value, float(before[label]))
        if row < self.ranking.n_done:
            self.ranking.measure(np.array([row]))
        return {"saved": self.corrections.n_lines}


def _label_names(model: Any, data: Any, names: Sequence[str] | None) -> tuple[str, ...]:
    own, recorded = tuple(map(str, names or model.label_names_)), tuple(map(str, data.label_names or ()))
    return recorded if names is None and len(own) == len(recorded) and not set(own) & set(recorded) else own


def _records(data: Any, names: Sequence[str]) -> Any:
    """Return the recorded labels in the model's order; None where the data lack some of them."""
    place = {name: k for k, name in enumerate(data.label_names or ())}
    if any(name not in place for name in names):
        return None
    return data.Y[:, [place[name] for name in names]]


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in values]


def _most_uncertain(marginals: Floats, known: Mapping[int, int]) -> list[Any] | None:
    """Return the label with the largest entropy among those that are not known, and its entropy."""
    entropy = -(xlogy(marginals, marginals) + xlogy(1 - marginals, 1 - marginals))
    entropy[list(known)] = -1.0
    label = int(entropy.argmax())
    return None if entropy[label] < 0 else [label, float(entropy[label])]
