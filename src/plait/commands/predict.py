"""Predictions of a saved model for the rows of a data set, as a table to write or print."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from plait.commands.answer_tables import (
    OUTPUTS,
    REASON_COLUMNS,
    Predictions,
    answers_text,
    parsed_evidence,
    reason_lines,
    with_ids,
    write_answers,
)
from plait.commands.sources import Source
from plait.commands.streaming import connected, source_chunks, stream_answers
from plait.core.label_numbering import label_number
from plait.core.sentences import ParameterError, shown, warn_user
from plait.data import DataError, Dataset, DataWarning, TableEncoder
from plait.data.conversion.column_kinds import as_numbers
from plait.data.conversion.files import plain_suffix
from plait.data.conversion.frame_columns import columns_of_frame, frame_part
from plait.data.joined_tags import SEPARATOR
from plait.estimators import JointPipeline, ModelFile, Posterior, read_model_file
from plait.estimators.joint_pipeline import named_features
from plait.estimators.model_file import answers_of
from plait.metrics.scoring import label_probabilities

__all__ = [
    "answer_rows",
    "encoder_of",
    "labels_as_trained",
    "matching_features",
    "predict_rows",
    "rows_for",
]

_MOST_NAMES = 5


def predict_rows(
    model: str,
    data: str,
    *,
    form: str = "labels",
    loss: str | None = None,
    top: int | None = None,
    given: Sequence[str] = (),
    why: bool = False,
    why_of: Sequence[str] = (),
    trust: Sequence[str] = (),
    out: str | None = None,
    dask: str | None = None,
    **columns: Any,
) -> None:
    """Print or write what a saved model says of every row of a data set; a large file or a folder chunk by chunk.

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
    why : bool, default=False
        Instead: the strongest reasons of every predicted label; `top` is how many, 5 by default.
    why_of : sequence of str
        The same of these labels, predicted or not.
    trust : sequence of str
        Types that the model may hold besides plait's own.
    out : str, optional
        The file to write, in the form of its suffix; "-" or None for CSV on standard output.
    dask : str, optional
        Address of a Dask scheduler, whose workers answer about the chunks of a large file.
    **columns
        What is said of labels and columns, as `Source` takes it; a table needs no word about them.

    Examples
    --------
    >>> from plait.commands import fit_model
    >>> from plait.data import save_dataset
    >>> X, Y = [[float(k % 7)] for k in range(70)], [[int(k % 7 > 3)] for k in range(70)]
    >>> save_dataset(Dataset(X, Y, ["blue"], ["sea"]), "photos.csv")
    >>> fit_model("photos.csv", "model.plait", method="br", labels=["sea"])
    model.plait: br of 1 labels, fitted on 70 rows of photos
    >>> save_dataset(Dataset([[1.0], [6.0]], [[0], [0]], ["blue"], ["sea"]), "new.csv")
    >>> predict_rows("model.plait", "new.csv", form="labels")
    sea
    0
    1
    """
    if top is not None and top < 1:
        raise ParameterError(f"plait predict needs --top to be at least 1, but it is {top}. Pass 1 or more.")
    if out not in (None, "-") and plain_suffix(str(out)) not in OUTPUTS:
        raise ParameterError(
            f"plait predict needs -o to end in one of {', '.join(OUTPUTS)}, but it is {shown(out)}. Pass one of them."
        )
    file = read_model_file(model, trusted=trust)
    source, kinds = _source_for(file, data, columns)
    sep = source.sep or file.tags_sep or SEPARATOR
    form_of: dict[str, Any] = {"form": form, "loss": loss, "k": top, "evidence": parsed_evidence(given), "sep": sep}
    parts = None if why or why_of else source_chunks(source, kinds)
    if parts is not None:
        ask = partial(_answer_part, file, source, form_of)
        with answers_of(model), connected(dask):
            n_lines, note = stream_answers(parts, ask, out)
        print(
            f"{out or '-'}: {n_lines} lines, {note} in the last chunk", file=sys.stderr if out in (None, "-") else None
        )
        return
    rows = source.load(kinds)
    if source.id_column and source.id_column not in (rows.feature_names or ()):
        raise DataError.at(data, None, f"a column {shown(source.id_column)}, which names rows", "none of this name")
    with answers_of(model):
        if why or why_of:
            answers = _reasons(file, rows, why_of, loss, 5 if top is None else top, form_of["evidence"])
        else:
            answers = answer_rows(file, rows, **form_of)
    answers = with_ids(answers, rows, source.id_column or file.id_column)
    if out in (None, "-"):
        print(answers_text(answers), end="")
        if out == "-":
            print(f"plait: {answers.note}", file=sys.stderr)
    else:
        write_answers(answers, str(out))
        print(f"{out}: {answers.note}")


def _answer_part(file: ModelFile, source: Source, form_of: dict[str, Any], rows: Dataset) -> Predictions:
    answers = answer_rows(file, rows, **form_of)
    return with_ids(answers, rows, source.id_column or file.id_column)


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
    source, kinds = _source_for(file, data, columns)
    return source, source.load(kinds)


def _source_for(file: ModelFile, data: str, columns: Mapping[str, Any]) -> tuple[Source, dict[str, str] | None]:
    """Return what names the data, and the kinds of columns that the model knows."""
    source = Source(data, **columns)
    if source.labels is None and source.tags is None and source.is_table:
        source = Source(data, **{**columns, "labels": []})
    kinds = dict(encoder.kinds_) if (encoder := encoder_of(file.model)) is not None else None
    if kinds is not None and file.id_column:
        kinds[file.id_column] = "words"
    return source, kinds


def answer_rows(
    file: ModelFile,
    data: Dataset,
    *,
    form: str = "labels",
    loss: str | None = None,
    k: int | None = None,
    evidence: Mapping[str, int] | None = None,
    sep: str = SEPARATOR,
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

    Returns
    -------
    Predictions

    Examples
    --------
    >>> from plait import recipes
    >>> model = recipes.br().fit([[0.0], [1.0]] * 9, [["sea"], ["sun"]] * 9)
    >>> file = ModelFile(model, ("bright",), ("sea", "sun"), "br")
    >>> photos = Dataset([[0.1], [0.9]], [[0, 0]] * 2, ["bright"], ["sea", "sun"])
    >>> answer_rows(file, photos, form="tags").lines
    [['sea'], ['sun']]
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
    posterior = _posterior(file, model, X, evidence)
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


def _posterior(file: ModelFile, model: Any, X: Any, evidence: Mapping[str, int] | None) -> Posterior:
    """Return P(y | x) of the rows, given what is known."""
    if not hasattr(model, "joint"):
        raise ParameterError(
            f"plait predict needs a model with probabilities for this, but {shown(file.method)} gives decisions only. "
            "Fit another method, such as pcc."
        )
    numbers = {
        label_number("given", "evidence", name, len(file.label_names), file.label_names): value
        for name, value in (evidence or {}).items()
    }
    posterior: Posterior = model.joint(X)
    # Models of arrays know no names; the file does.
    if not hasattr(model, "feature_names_in_"):
        pipeline = model if isinstance(model, Pipeline) else Pipeline([("model", model)])
        posterior.features = named_features(pipeline, posterior.features, file.feature_names)
    return posterior.given(numbers) if numbers else posterior


def _reasons(file: ModelFile, data: Dataset, why_of: Sequence[str], loss: Any, k: int, evidence: Any) -> Predictions:
    X, model = matching_features(file, data), file.model
    model = JointPipeline(model.steps) if type(model) is Pipeline else model
    lines = reason_lines(_posterior(file, model, X, evidence), file.label_names, why_of, loss, k)
    return Predictions(REASON_COLUMNS, lines, f"{len(lines)} reasons", [line[0] for line in lines])


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
    labels = {*file.label_names, file.tags_column} - set(file.feature_names)
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
        warn_user(f"{data.name}: ignored {_listed(extra)}, not known to the model.", DataWarning)
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
