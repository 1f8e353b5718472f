"""Answers of a saved model for the rows of a data set, as a table to write or print."""

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.labels import label_number
from plait.core.sentences import ParameterError, shown
from plait.data import Dataset
from plait.data.conversion.files import replacing
from plait.estimators import Posterior
from plait.experiments.model_file import ModelFile, matching_features

__all__ = ["Answers", "answer_rows", "answers_text", "parsed_evidence", "write_answers"]


@dataclass(frozen=True, eq=False)
class Answers:
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
) -> Answers:
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
        return Answers(file.label_names, labels.tolist(), f"{len(labels)} rows")
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
    return Answers(*answers, f"{len(posterior)} rows by {posterior.method}, {exact}")


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


def parsed_evidence(words: list[str]) -> dict[str, int]:
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


def answers_text(answers: Answers) -> str:
    """Return the table as CSV text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(answers.columns)
    writer.writerows(answers.lines)
    return out.getvalue()


def write_answers(answers: Answers, path: str | os.PathLike[str]) -> None:
    """Write the table as CSV, or as JSON lines for a name that ends in .json or .jsonl; whole or not at all."""
    text = answers_text(answers)
    if str(path).endswith((".json", ".jsonl")):
        text = "".join(json.dumps(dict(zip(answers.columns, line, strict=True))) + "\n" for line in answers.lines)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf8")
