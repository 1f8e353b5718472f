"""`plait convert IN OUT`: a data set from one format to another."""

from typing import Any

from plait.commands.sources import Source
from plait.data import save_dataset

__all__ = ["convert_data"]


def convert_data(data: str, out: str, **columns: Any) -> None:
    """Write a data set in the format of the suffix of `out`, and print its size."""
    dataset = Source(data, **columns).load()
    save_dataset(dataset, out)
    print(f"{out}: {dataset.n_samples} rows, {dataset.n_features} features, {dataset.n_labels} labels")
