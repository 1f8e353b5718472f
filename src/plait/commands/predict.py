"""Predictions of a saved model for the rows of a data set, as a table to write or print."""

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.labels import label_number
from plait.core.sentences import ParameterError, shown
from plait.data import DataError, Dataset, load_dataset
from plait.data.conversion.files import plain_suffix, replacing
from plait.estimators import ModelFile, Posterior, read_model_file

__all__ = [
    "Predictions",
    "answer_rows",
    "answers_text",
    "matching_features",
    "parsed_evidence",
    "predict_rows",
    "write_answers",
]

_TABLES = (".csv", ".tsv", ".parquet")
_MOST_NAMES = 5


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
    out : str, optional
        The file to write: CSV, or JSON lines for a name that ends in .jsonl.
    """
    if top is not None and top < 1:
        raise ParameterError(f"plait predict needs --top to be at least 1, but it is {top}. Pass 1 or more.")
    file = read_model_file(model, trusted=trust)
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
        labels = np.asarray(file.model.predict(X, **({} if loss is None else {"loss": loss}))).reshape(X.shape[0], -1)
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


def matching_features(file: ModelFile, data: Dataset) -> Any:
    """Return the columns of X that the model was fitted on, in its order; a difference is an error that names it.

    Columns that are the model's labels are left aside. Features named by number (`x0`, `x1`, ..., as in LIBSVM files)
    that a sparse file does not mention are zero.
    """
    names = list(data.feature_names or ())
    place = {name: j for j, name in enumerate(names)}
    missing = [name for name in file.feature_names if name not in place]
    extra = [name for name in names if name not in set(file.feature_names) | set(file.label_names)]
    X = data.X
    if missing and sparse.issparse(X) and not extra and all(_is_number_name(name) for name in (*names, *missing)):
        X = sparse.hstack([X, sparse.csr_matrix((X.shape[0], len(missing)))], format="csr")
        place.update({name: len(names) + j for j, name in enumerate(missing)})
        missing = []
    if missing or extra:
        raise DataError(
            f"the model of method {shown(file.method)} needs the {len(file.feature_names)} features it was fitted on, "
            f"but {data.name} {_difference(missing, extra)}. Pass data with the same columns."
        )
    order = [place[name] for name in file.feature_names]
    return X if order == list(range(X.shape[1])) else X[:, np.array(order, dtype=np.int64)]


def _is_number_name(name: str) -> bool:
    return name[:1] == "x" and name[1:].isdigit()


def _difference(missing: list[str], extra: list[str]) -> str:
    words = []
    for verb, names in (("lacks", missing), ("has besides", extra)):
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            words.append(f"{verb} {', '.join(map(repr, names[:_MOST_NAMES]))}{more}")
    return " and ".join(words)


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
