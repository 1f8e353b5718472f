"""Predictions of a saved model for the rows of a data set, as a table to write or print."""

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.commands.model_file import ModelFile, load_model, matching_features
from plait.core.labels import label_number
from plait.core.sentences import ParameterError, shown
from plait.data import Dataset, load_dataset
from plait.data.conversion.files import plain_suffix, replacing
from plait.estimators import Posterior

__all__ = ["Predictions", "answer_rows", "answers_text", "parsed_evidence", "predict_rows", "write_answers"]

_TABLES = (".csv", ".tsv", ".parquet")


def predict_rows(
    model: str,
    data: str,
    *,
    labels: Any = None,
    split: str | None = None,
    form: str = "labels",
    loss: str | None = None,
    top: int | None = None,
    given: Sequence[str] = (),
    trust: Sequence[str] = (),
    allow_pickle: bool = False,
    out: str | None = None,
) -> None:
    """Print or write what a saved model says of every row of a data set.

    Parameters
    ----------
    model : str
        A file that `plait fit` wrote.
    data : str
        A file, or the name of a data set.
    labels, split : optional
        As `load_dataset` takes them; a table without labels needs no word about them.
    form : {"labels", "proba", "joint"}, default="labels"
        What is asked, unless `top` is given.
    loss : str, optional
        Another loss than the model's own.
    top : int, optional
        This many most probable label sets.
    given : sequence of str
        Words LABEL=0 or LABEL=1, known for all rows.
    trust : sequence of str
        Types that the model may hold besides plait's own.
    allow_pickle : bool, default=False
        Read a pickled model, which runs the code it holds.
    out : str, optional
        The file to write: CSV, or JSON lines for a name that ends in .jsonl.
    """
    if top is not None and top < 1:
        raise ParameterError(f"plait predict needs --top to be at least 1, but it is {top}. Pass 1 or more.")
    file = load_model(model, trusted=trust, allow_pickle=allow_pickle)
    if labels is None and plain_suffix(data) in _TABLES:
        labels = []
    rows = load_dataset(data, labels=labels, split=split)
    form, k = (form, 1) if top is None else ("top", top)
    answers = answer_rows(file, rows, form=form, loss=loss, k=k, evidence=parsed_evidence(given))
    if out:
        write_answers(answers, out)
        print(f"{out}: {answers.note}")
    else:
        print(answers_text(answers), end="")


@dataclass(frozen=True, eq=False)
class Predictions:
    """A table: one line for each row of the data (several for `top`), with its column names.

    `note` says how the answers were found.
    """

    columns: tuple[str, ...]
    lines: list[list[Any]]
    note: str


def answer_rows(
    file: ModelFile,
    data: Dataset,
    *,
    form: str = "labels",
    loss: str | None = None,
    k: int = 1,
    evidence: Mapping[str, int] | None = None,
) -> Predictions:
    """Return what the model says of every row.

    Parameters
    ----------
    file : ModelFile
        The model.
    data : Dataset
        The rows; must have the features of the model.
    form : {"labels", "proba", "joint", "top"}, default="labels"
        The label set of least expected loss; the marginals; the most probable set with its probability and the
        entropy of the row; or the `k` most probable sets with their probabilities.
    loss : str, optional
        Another loss than the model's own.
    k : int, default=1
        How many sets for "top".
    evidence : mapping, optional
        Label -> 0 or 1, known for all rows.
    """
    X = matching_features(file, data)
    if form == "labels" and not evidence:
        labels = np.asarray(file.model.predict(X, loss=loss)).reshape(X.shape[0], -1)
        return Predictions(file.label_names, labels.tolist(), f"{len(labels)} rows")
    if not hasattr(file.model, "joint"):
        raise ParameterError(
            f"plait predict needs a model with probabilities for this, but {shown(file.method)} gives decisions only. "
            "Fit another method, such as pcc."
        )
    posterior = file.model.joint(X)
    if evidence:
        numbers = {
            label_number("given", "evidence", name, len(file.label_names), file.label_names): value
            for name, value in evidence.items()
        }
        posterior = posterior.given(numbers)
    answers = {"labels": _labels, "proba": _proba, "joint": _joint, "top": _top}[form](posterior, file, loss, k)
    exact = "exact" if posterior.exact.all() else f"exact in {int(posterior.exact.sum())} of {len(posterior)} rows"
    return Predictions(*answers, f"{len(posterior)} rows by {posterior.method}, {exact}")


def _labels(posterior: Posterior, file: ModelFile, loss: str | None, k: int) -> tuple[Any, list[list[Any]]]:
    return file.label_names, posterior.decide(loss).tolist()


def _proba(posterior: Posterior, file: ModelFile, loss: str | None, k: int) -> tuple[Any, list[list[Any]]]:
    return file.label_names, posterior.marginals().round(6).tolist()


def _joint(posterior: Posterior, file: ModelFile, loss: str | None, k: int) -> tuple[Any, list[list[Any]]]:
    entropy = posterior.entropy()
    best = posterior.top(1)
    lines = [
        [*vector.tolist(), round(float(probability), 6), round(float(nats), 6), int(proved)]
        for vector, probability, nats, proved in zip(
            best.vectors[:, 0], best.probabilities[:, 0], entropy, posterior.exact, strict=True
        )
    ]
    return (*file.label_names, "probability", "entropy", "proved"), lines


def _top(posterior: Posterior, file: ModelFile, loss: str | None, k: int) -> tuple[Any, list[list[Any]]]:
    best = posterior.top(k)
    lines = [
        [row, rank + 1, round(float(best.probabilities[row, rank]), 6), *best.vectors[row, rank].tolist()]
        for row in range(len(posterior))
        for rank in np.flatnonzero(best.probabilities[row] > 0)
    ]
    return ("row", "rank", "probability", *file.label_names), lines


def parsed_evidence(words: Sequence[str]) -> dict[str, int]:
    """Return LABEL=0 or LABEL=1 words as a dict.

    Examples
    --------
    >>> parsed_evidence(["sea=1", "sun=0"])
    {'sea': 1, 'sun': 0}
    """
    known: dict[str, int] = {}
    for word in words:
        name, _, value = word.rpartition("=")
        if not name or value not in ("0", "1"):
            raise ParameterError(
                f"plait predict needs --given to be LABEL=0 or LABEL=1, but it is {shown(word)}. "
                "Pass for example sea=1."
            )
        known[name] = int(value)
    return known


def answers_text(answers: Predictions) -> str:
    """Return the table as CSV text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(answers.columns)
    writer.writerows(answers.lines)
    return out.getvalue()


def write_answers(answers: Predictions, path: str | os.PathLike[str]) -> None:
    """Write the table as CSV, or as JSON lines for a name that ends in .json or .jsonl; whole or not at all."""
    text = answers_text(answers)
    if str(path).endswith((".json", ".jsonl")):
        text = "".join(json.dumps(dict(zip(answers.columns, line, strict=True))) + "\n" for line in answers.lines)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf8")
