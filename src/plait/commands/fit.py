"""`plait fit DATA --method NAME -o MODEL`: train a model and write it to a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plait.commands.feature_files import with_features
from plait.commands.methods import make_method, parsed_settings
from plait.commands.sources import Source
from plait.commands.streaming import connected, source_chunks
from plait.core.extras import optional
from plait.core.sentences import ParameterError
from plait.data import FileChunks
from plait.estimators import JointClassifier, save_model

__all__ = ["fit_model"]


def fit_model(
    data: str,
    out: str,
    *,
    method: str = "auto",
    settings: Sequence[str] = (),
    features: str | None = None,
    seed: int = 0,
    dask: str | None = None,
    **columns: Any,
) -> None:
    """Train a method on a data set, write the model to a file and print what it is.

    A table is read by a `TableEncoder` in front of the method, which the file keeps. Where a method can be trained in
    parts, a folder or a large file of numbers is read in chunks and needs no encoder.

    Parameters
    ----------
    data : str
        A file, the name of a data set, or "-" for CSV from standard input.
    out : str
        The file to write.
    method : str, default="auto"
        Name of a recipe or a baseline.
    settings : sequence of str
        Words NAME=VALUE.
    features : str, optional
        A file that `plait select -o` wrote: each label learns from those features only.
    seed : int, default=0
        Of all random choices.
    dask : str, optional
        Address of a Dask scheduler, whose workers share the labels of a large problem.
    **columns
        What is said of labels and columns, as `Source` takes it.

    Examples
    --------
    >>> from plait.data import Dataset, save_dataset
    >>> X, Y = [[float(k % 7)] for k in range(70)], [[int(k % 7 > 3)] for k in range(70)]
    >>> save_dataset(Dataset(X, Y, ["blue"], ["sea"]), "photos.csv")
    >>> fit_model("photos.csv", "model.plait", method="br", labels=["sea"])
    model.plait: br of 1 labels, fitted on 70 rows of photos
    """
    optional("skops.io", extra="models", purpose="model files")  # missing, it is to be said before hours of work
    source = Source(data, **columns)
    model = make_method(method, parsed_settings(settings), random_state=seed)
    with connected(dask):
        parts = None if features is not None else _parts(source, model)
        if parts is not None:
            model.fit(parts)
            save_model(model, out, data=parts.no_rows, method=method)
            print(f"{out}: {method} of {model.n_labels_} labels, fitted on {parts.name} in chunks")
        else:
            _fit_whole(source, model, out, method, features)


def _parts(source: Source, model: Any) -> FileChunks | None:
    """Return the data in chunks, where they hold numbers and are a folder, or large and the method takes chunks.

    Of a large folder other methods see a sample of the rows, and say so; a file they read whole.
    """
    able = isinstance(model, JointClassifier) and model.part("learner").fits_parts
    parts = source_chunks(source) if able or Path(source.data).is_dir() else None
    return None if parts is None or parts.no_rows.is_table else parts


def _fit_whole(source: Source, model: Any, out: str, method: str, features: str | None) -> None:
    dataset = source.load()
    if not dataset.n_features:
        raise ParameterError(f"plait fit needs columns to learn from, but {dataset.name} has labels only. Add some.")
    source.tell_gaps(dataset, model)
    fitted = source.with_encoder(model, dataset)
    if features is not None:
        fitted = with_features(fitted, features, dataset)
    fitted.fit(dataset.X, dataset.Y)
    names = {"id_column": source.id_column or "", "tags_column": source.tags or ""}
    save_model(fitted, out, data=dataset, method=method, **names, tags_sep=dataset.tags_sep)
    print(f"{out}: {method} of {dataset.n_labels} labels, fitted on {dataset.n_samples} rows of {dataset.name}")
