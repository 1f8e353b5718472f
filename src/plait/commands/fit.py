"""`plait fit DATA --method NAME -o MODEL`: train a model and write it to a file."""

from collections.abc import Sequence
from typing import Any

from plait.commands.feature_files import with_features
from plait.commands.methods import make_method, parsed_settings
from plait.commands.sources import Source
from plait.core.extras import optional
from plait.core.sentences import ParameterError
from plait.estimators import save_model

__all__ = ["fit_model"]


def fit_model(
    data: str,
    out: str,
    *,
    method: str = "auto",
    settings: Sequence[str] = (),
    features: str | None = None,
    seed: int = 0,
    **columns: Any,
) -> None:
    """Train a method on a data set, write the model to a file and print what it is.

    A table is read by a `TableEncoder` in front of the method, which the file keeps.

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
    **columns
        What is said of labels and columns, as `Source` takes it.
    """
    optional("skops.io", extra="models", purpose="model files")  # missing, it is to be said before hours of work
    source = Source(data, **columns)
    model = make_method(method, parsed_settings(settings), random_state=seed)
    dataset = source.load()
    if not dataset.n_features:
        raise ParameterError(f"plait fit needs columns to learn from, but {dataset.name} has labels only. Add some.")
    source.tell_gaps(dataset, model)
    fitted = source.with_encoder(model, dataset)
    if features is not None:
        fitted = with_features(fitted, features, dataset)
    fitted.fit(dataset.X, dataset.Y)
    names = {"id_column": source.id_column or "", "tags_column": source.tags or ""}
    save_model(fitted, out, data=dataset, method=method, **names, tags_sep=source.sep if source.tags else "")
    print(f"{out}: {method} of {dataset.n_labels} labels, fitted on {dataset.n_samples} rows of {dataset.name}")
