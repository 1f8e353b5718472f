"""`plait explore MODEL DATA`: a local page on which a label is clicked and the others move; or the same as a file."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.pipeline import Pipeline

from plait.commands.answer_tables import Predictions, with_ids
from plait.commands.predict import labels_as_trained, matching_features, rows_for
from plait.commands.sources import Source, aligned_labels
from plait.core.extras import optional
from plait.core.sentences import ParameterError
from plait.data import Dataset
from plait.estimators import JointPipeline, ModelFile, read_model_file
from plait.explore import CorrectionLog, Explorer, serve, write_static_page

__all__ = ["explore_rows"]


def explore_rows(
    model: str,
    data: str,
    *,
    corrections: str | None = None,
    port: int = 0,
    browser: bool = True,
    static: str | None = None,
    most: int = 50,
    trust: Sequence[str] = (),
    **columns: Any,
) -> None:
    """Show a saved model and data, one row at a time, until it is stopped; or write a page that needs no server.

    Parameters
    ----------
    model : str
        A file that `plait fit` wrote.
    data : str
        A file, the name of a data set, or "-" for CSV from standard input.
    corrections : str, optional
        The CSV file that decisions about records go to; named after the data if nothing is given.
    port : int, default=0
        Where on this machine; 0 for any that is free.
    browser : bool, default=True
        Whether to open it.
    static : str, optional
        Write this page instead, of the first rows.
    most : int, default=50
        How many rows such a page holds.
    trust : sequence of str
        Types that the model may hold besides plait's own.
    **columns
        What is said of labels and columns, as `Source` takes it; a table that has the model's labels needs no word.

    Examples
    --------
    >>> from plait.commands import fit_model
    >>> from plait.data import Dataset, save_dataset
    >>> X, Y = [[float(k % 7)] for k in range(70)], [[int(k % 7 > 3)] for k in range(70)]
    >>> save_dataset(Dataset(X, Y, ["blue"], ["sea"]), "photos.csv")
    >>> fit_model("photos.csv", "model.plait", method="br", labels=["sea"])
    model.plait: br of 1 labels, fitted on 70 rows of photos
    >>> explore_rows("model.plait", "photos.csv", static="page.html", most=2)
    page.html: 2 of 70 rows of photos, no server needed
    """
    if not 0 <= port < 2**16:
        raise ParameterError(f"plait explore needs --port to be from 0 to 65535, but it is {port}. Pass 0 for any.")
    if most < 1:
        raise ParameterError(f"plait explore needs --rows to be at least 1, but it is {most}. Pass 1 or more.")
    if static is None:
        optional("waitress", extra="explore", purpose="the page of plait explore")
    file = read_model_file(model, trusted=trust)
    source, rows = _with_records(file, data, columns)
    fitted = JointPipeline(file.model.steps) if type(file.model) is Pipeline else file.model
    explorer = Explorer(
        fitted,
        rows,
        label_names=file.label_names,
        X=matching_features(file, rows),
        feature_names=file.feature_names,
        row_names=_names(rows, source.id_column or file.id_column),
        corrections=None if static is not None else CorrectionLog(corrections or f"{rows.name}-corrections.csv"),
    )
    if static is not None:
        write_static_page(explorer, static, range(min(most, rows.n_samples)))
        print(f"{static}: {min(most, rows.n_samples)} of {rows.n_samples} rows of {rows.name}, no server needed")
        return
    serve(explorer, port=port, open_browser=browser, ready=lambda address: _tell(explorer, address))


def _tell(explorer: Explorer, address: str) -> None:
    assert explorer.corrections is not None
    print(f"plait explore: {address}")
    print(f"Corrections go to {explorer.corrections.path}. Stop with Ctrl-C.", file=sys.stderr)
    sys.stdout.flush()


def _with_records(file: ModelFile, data: str, columns: Mapping[str, Any]) -> tuple[Source, Dataset]:
    """Return the data with their labels, where a table has them as the training table had or it is said where."""
    source, rows = rows_for(file, data, columns)
    wanted = {file.tags_column} if file.tags_column else set(file.label_names)
    there = wanted <= set(rows.feature_names or ())
    if source.is_table and data != "-" and there and columns.get("labels") is None and columns.get("tags") is None:
        source, rows = rows_for(file, data, {**columns, **labels_as_trained(file)})
        return source, aligned_labels(rows, file.label_names)
    return source, rows


def _names(rows: Dataset, id_column: str) -> list[str]:
    numbers = Predictions((), [[row] for row in range(rows.n_samples)], "")
    return [str(line[0]) for line in with_ids(numbers, rows, id_column).lines]
