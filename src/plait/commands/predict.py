"""Predictions of a saved model for the rows of a data set, as a table to write or print."""

import csv
import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from plait.commands.sources import Source
from plait.core.extras import optional
from plait.core.labels import label_number
from plait.core.sentences import ParameterError, shown
from plait.data import DataError, Dataset, DataWarning, TableEncoder
from plait.data.conversion.column_kinds import as_numbers, as_words
from plait.data.conversion.files import open_bytes, plain_suffix, replacing
from plait.data.conversion.frame_columns import columns_of_frame, frame_part
from plait.estimators import JointPipeline, ModelFile, Posterior, read_model_file
from plait.estimators.model_file import answers_of
from plait.metrics.scoring import label_probabilities

__all__ = [
    "Predictions",
    "answer_rows",
    "answers_text",
    "encoder_of",
    "labels_as_trained",
    "matching_features",
    "parsed_evidence",
    "predict_rows",
    "rows_for",
    "with_ids",
    "write_answers",
]

OUTPUTS = (".csv", ".tsv", ".jsonl", ".parquet")
_MOST_NAMES = 5


def predict_rows(
    model: str,
    data: str,
    *,
    form: str = "labels",
    loss: str | None = None,
    top: int | None = None,
    given: Sequence[str] = (),
    trust: Sequence[str] = (),
    out: str | None = None,
    **columns: Any,
) -> None:
    """Print or write what a saved model says of every row of a data set.

    Parameters
    ----------
    model : str
        A file that `plait fit` wrote.
    data : str
        A file, the name of a data set, or "-" for CSV from standard input.
    form : {"labels", "tags", "proba", "joint"}, default="labels"
        What is asked: 0/1 columns, the names of each row joined, marginals, or the most probable set.
    loss : str, optional
        Another loss than the model's own.
    top : int, optional
        This many most probable label sets.
    given : sequence of str
        Words LABEL=0 or LABEL=1, known for all rows.
    trust : sequence of str
        Types that the model may hold besides plait's own.
    out : str, optional
        The file to write, in the form of its suffix; "-" or None for CSV on standard output.
    **columns
        What is said of labels and columns, as `Source` takes it; a table needs no word about them.
    """
    if top is not None and top < 1:
        raise ParameterError(f"plait predict needs --top to be at least 1, but it is {top}. Pass 1 or more.")
    if out not in (None, "-") and plain_suffix(str(out)) not in OUTPUTS:
        raise ParameterError(
            f"plait predict needs -o to end in one of {', '.join(OUTPUTS)}, but it is {shown(out)}. Pass one of them."
        )
    file = read_model_file(model, trusted=trust)
    source, rows = rows_for(file, data, columns)
    if source.id_column and source.id_column not in (rows.feature_names or ()):
        raise DataError.at(data, None, f"a column {shown(source.id_column)}, which names rows", "none of this name")
    evidence = parsed_evidence(given)
    with answers_of(model):
        answers = answer_rows(file, rows, form=form, loss=loss, k=top, evidence=evidence, sep=source.sep)
    answers = with_ids(answers, rows, source.id_column or file.id_column)
    if out in (None, "-"):
        print(answers_text(answers), end="")
        if out == "-":
            print(f"plait: {answers.note}", file=sys.stderr)
    else:
        write_answers(answers, str(out))
        print(f"{out}: {answers.note}")


def encoder_of(model: Any) -> Any:
    """Return the encoder that a pipeline begins with, if it was fitted on a frame; else None."""
    first = model.steps[0][1] if isinstance(model, Pipeline) else None
    return first if isinstance(first, TableEncoder) and hasattr(first, "feature_names_in_") else None


def labels_as_trained(file: ModelFile) -> dict[str, Any]:
    """Return what is to be said of a table whose labels stand as in the one that the model was fitted on."""
    if file.tags_column:
        return {"tags": file.tags_column, "sep": file.tags_sep}
    return {"labels": list(file.label_names)}


def rows_for(file: ModelFile, data: str, columns: Mapping[str, Any]) -> tuple[Source, Dataset]:
    """Return what names the data, and the data, read as those that the model was fitted on."""
    source = Source(data, **columns)
    if source.labels is None and source.tags is None and source.is_table:
        source = Source(data, **{**columns, "labels": []})
    encoder = encoder_of(file.model)
    kinds = None if encoder is None else dict(encoder.kinds_)
    if kinds is not None and file.id_column:
        kinds[file.id_column] = "words"
    return source, source.load(kinds)


@dataclass(frozen=True, eq=False)
class Predictions:
    """A table: one line for each row of the data (several for `top`), with its column names.

    `note` says how the answers were found, `rows` which row of the data each line is of.
    """

    columns: tuple[str, ...]
    lines: list[list[Any]]
    note: str
    rows: list[int] | None = None


def with_ids(answers: Predictions, data: Dataset, name: str) -> Predictions:
    """Return the table with the column that names rows before all others."""
    if not name or name not in (data.feature_names or ()) or not data.is_table:
        return answers
    place = list(data.feature_names or ()).index(name)
    (column,) = columns_of_frame(frame_part(data.X, np.array([place])), data.name)
    ids = ["" if word is None else word for word in as_words(column)]
    rows = range(len(ids)) if answers.rows is None else answers.rows
    lines = [[ids[row], *line] for row, line in zip(rows, answers.lines, strict=True)]
    return Predictions((name, *answers.columns), lines, answers.note, answers.rows)


def answer_rows(
    file: ModelFile,
    data: Dataset,
    *,
    form: str = "labels",
    loss: str | None = None,
    k: int | None = None,
    evidence: Mapping[str, int] | None = None,
    sep: str = "|",
) -> Predictions:
    """Return what the model says of every row.

    Parameters
    ----------
    file : ModelFile
        The model.
    data : Dataset
        The rows; must have the features of the model.
    form : {"labels", "tags", "proba", "joint"}, default="labels"
        The label set of least expected loss, as 0/1 columns or as joined names; the marginals; the most probable set
        with its probability and the entropy of the row.
    loss : str, optional
        Another loss than the model's own.
    k : int, optional
        Instead: the `k` most probable sets with their probabilities.
    evidence : mapping, optional
        Label -> 0 or 1, known for all rows.
    sep : str, default="|"
        What joins names.
    """
    X, model = matching_features(file, data), file.model
    if type(model) is Pipeline:
        model = JointPipeline(model.steps)  # answers what its last step can answer
    has_joint = hasattr(model, "joint")
    if not evidence and k is None and (form in ("labels", "tags") or (form == "proba" and not has_joint)):
        if form == "proba" and hasattr(model, "predict_proba"):
            like = np.zeros((data.n_samples, len(file.label_names)))
            shares = _of_labels(file, label_probabilities("plait predict", model, X, like)).round(6)
            return Predictions(file.label_names, shares.tolist(), f"{len(shares)} rows")
        if form != "proba":
            labels = _of_labels(file, model.predict(X, **_said(model, loss)))
            return Predictions(*_decided(labels, file, form, sep), f"{len(labels)} rows")
    if not has_joint:
        raise ParameterError(
            f"plait predict needs a model with probabilities for this, but {shown(file.method)} gives decisions only. "
            "Fit another method, such as pcc."
        )
    posterior = model.joint(X)
    if evidence:
        numbers = {
            label_number("given", "evidence", name, len(file.label_names), file.label_names): value
            for name, value in evidence.items()
        }
        posterior = posterior.given(numbers)
    if k is not None:
        columns, lines, rows = _top(posterior, file, k, form, sep)
        return Predictions(columns, lines, _how(posterior), rows)
    if form == "joint":
        columns, lines = _joint(posterior, file)
    elif form == "proba":
        columns, lines = file.label_names, posterior.marginals().round(6).tolist()
    else:
        columns, lines = _decided(posterior.decide(loss), file, form, sep)
    return Predictions(columns, lines, _how(posterior))


def _said(model: Any, loss: str | None) -> dict[str, str]:
    """Return the words for `predict`; a loss only where the model decides by one."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if loss is not None and "loss" not in signature(last.predict).parameters:
        raise ParameterError(
            f"plait predict needs a model that decides by a loss for --loss, but {type(last).__name__} does not. "
            "Leave --loss out."
        )
    return {} if loss is None else {"loss": loss}


def _of_labels(file: ModelFile, answers: Any) -> Any:
    """Return answers (n_rows, n_labels); refuse those of a model that is of one target of several classes."""
    table = answers.toarray() if sparse.issparse(answers) else np.asarray(answers)
    table = table.reshape(len(table), -1)
    sound = table.shape[1] == len(file.label_names) and table.dtype.kind in "biuf"
    if not sound or not ((table >= 0) & (table <= 1)).all():
        raise DataError(f"plait predict needs a model of labels that are 0 or 1, but {shown(file.method)} is none.")
    return table


def _how(posterior: Posterior) -> str:
    """Say how answers were found, which is known once something was asked."""
    exact = "exact" if posterior.exact.all() else f"exact in {int(posterior.exact.sum())} of {len(posterior)} rows"
    return f"{len(posterior)} rows by {posterior.method}, {exact}"


def matching_features(file: ModelFile, data: Dataset) -> Any:
    """Return the features that the model was fitted on, in its order; what is missing is an error that names it.

    Columns that are the model's labels are left aside, others are ignored with a note. Features named by number (`x0`,
    `x1`, ..., as in LIBSVM files) that a sparse file does not mention are zero.
    """
    names = list(data.feature_names or ())
    labels = set(file.label_names) - set(file.feature_names)
    kept = [j for j, name in enumerate(names) if name not in labels]
    if encoder_of(file.model) is not None:
        frame = data.X if data.is_table else data.to_frame()
        return frame_part(frame, np.array(kept, dtype=np.int64))
    place = {name: j for j, name in enumerate(names)}
    missing = [name for name in file.feature_names if name not in place]
    extra = [names[j] for j in kept if names[j] not in set(file.feature_names)]
    X = _numbers(data, file.feature_names, place) if data.is_table and not missing else data.X
    if missing and sparse.issparse(X) and not extra and all(_is_number_name(name) for name in (*names, *missing)):
        X = sparse.hstack([X, sparse.csr_matrix((X.shape[0], len(missing)))], format="csr")
        place.update({name: len(names) + j for j, name in enumerate(missing)})
        missing = []
    if missing:
        raise DataError(
            f"the model of method {shown(file.method)} needs the {len(file.feature_names)} features it was fitted on, "
            f"but {data.name} lacks {_listed(missing)}. Pass data with the same columns."
        )
    if extra:
        warnings.warn(f"{data.name}: ignored {_listed(extra)}, not known to the model.", DataWarning, stacklevel=2)
    order = [place[name] for name in file.feature_names]
    return X if data.is_table or order == list(range(X.shape[1])) else X[:, np.array(order, dtype=np.int64)]


def _numbers(data: Dataset, names: Sequence[str], place: Mapping[str, int]) -> Any:
    """Return columns of a table as numbers, for a model that was fitted on numbers."""
    part = frame_part(data.X, np.array([place[name] for name in names], dtype=np.int64))
    return np.column_stack([as_numbers(column, data.name) for column in columns_of_frame(part, data.name)])


def _is_number_name(name: str) -> bool:
    return name[:1] == "x" and name[1:].isdigit()


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(repr, names[:_MOST_NAMES])) + more


def _joined(labels: Any, file: ModelFile, sep: str) -> str:
    return sep.join(file.label_names[j] for j in np.flatnonzero(labels))


def _decided(labels: Any, file: ModelFile, form: str, sep: str) -> tuple[tuple[str, ...], list[list[Any]]]:
    if form == "tags":
        return ("labels",), [[_joined(row, file, sep)] for row in labels]
    return file.label_names, labels.tolist()


def _joint(posterior: Posterior, file: ModelFile) -> tuple[tuple[str, ...], list[list[Any]]]:
    entropy = posterior.entropy()
    best = posterior.top(1)
    lines = [
        [*vector.tolist(), round(float(probability), 6), round(float(nats), 6), int(proved)]
        for vector, probability, nats, proved in zip(
            best.vectors[:, 0], best.probabilities[:, 0], entropy, posterior.exact, strict=True
        )
    ]
    return (*file.label_names, "probability", "entropy", "proved"), lines


def _top(
    posterior: Posterior, file: ModelFile, k: int, form: str, sep: str
) -> tuple[tuple[str, ...], list[list[Any]], list[int]]:
    best = posterior.top(k)
    joined = form == "tags"
    places = [(row, int(rank)) for row in range(len(posterior)) for rank in np.flatnonzero(best.probabilities[row] > 0)]
    lines = [
        [
            row,
            rank + 1,
            round(float(best.probabilities[row, rank]), 6),
            *([_joined(best.vectors[row, rank], file, sep)] if joined else best.vectors[row, rank].tolist()),
        ]
        for row, rank in places
    ]
    names = ("labels",) if joined else file.label_names
    return ("row", "rank", "probability", *names), lines, [row for row, _ in places]


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


def answers_text(answers: Predictions, separator: str = ",") -> str:
    """Return the table as CSV text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", delimiter=separator)
    writer.writerow(answers.columns)
    writer.writerows(answers.lines)
    return out.getvalue()


def _json_lines(answers: Predictions) -> str:
    return "".join(
        json.dumps(dict(zip(answers.columns, line, strict=True)), ensure_ascii=False) + "\n" for line in answers.lines
    )


def _parquet(answers: Predictions) -> bytes:
    pandas = optional("pandas", extra="parquet", purpose="Parquet files")
    optional("pyarrow", extra="parquet", purpose="Parquet files")
    buffer = io.BytesIO()
    pandas.DataFrame(answers.lines, columns=list(answers.columns)).to_parquet(buffer, index=False)
    return buffer.getvalue()


def write_answers(answers: Predictions, path: str | os.PathLike[str]) -> None:
    """Write the table as CSV, TSV, JSON lines or Parquet, by the suffix; whole or not at all."""
    writers: dict[str, Callable[[], str | bytes]] = {
        ".csv": lambda: answers_text(answers),
        ".tsv": lambda: answers_text(answers, "\t"),
        ".jsonl": lambda: _json_lines(answers),
        ".parquet": lambda: _parquet(answers),
    }
    content = writers[plain_suffix(path)]()
    with replacing(path) as draft, open_bytes(draft, "wb") as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
