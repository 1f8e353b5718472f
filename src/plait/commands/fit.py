"""`plait fit DATA --method NAME -o MODEL`: train a model and write it to a file."""

from collections.abc import Sequence
from typing import Any

from plait.commands.methods import make_method, parsed_settings
from plait.core.extras import optional
from plait.data import load_dataset
from plait.estimators import save_model

__all__ = ["fit_model"]


def fit_model(
    data: str,
    out: str,
    *,
    labels: Any = None,
    split: str | None = None,
    method: str = "pcc",
    settings: Sequence[str] = (),
    seed: int = 0,
) -> None:
    """Train a method on a data set, write the model to a file and print what it is.

    Parameters
    ----------
    data : str
        A file, or the name of a data set.
    out : str
        The file to write.
    labels, split : optional
        As `load_dataset` takes them.
    method : str, default="pcc"
        Name of a recipe.
    settings : sequence of str
        Words NAME=VALUE.
    seed : int, default=0
        Of all random choices.
    """
    optional("skops.io", extra="models", purpose="model files")  # missing, it is to be said before hours of work
    model = make_method(method, parsed_settings(settings), random_state=seed)
    dataset = load_dataset(data, labels=labels, split=split)
    model.fit(dataset.X, dataset.Y)
    save_model(model, out, data=dataset, method=method)
    print(f"{out}: {method} of {dataset.n_labels} labels, fitted on {dataset.n_samples} rows of {dataset.name}")
