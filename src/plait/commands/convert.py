"""`plait convert IN OUT`: a data set from one format to another."""

from typing import Any

from plait.commands.sources import Source
from plait.core.sentences import counted
from plait.data import save_dataset

__all__ = ["convert_data"]


def convert_data(data: str, out: str, **columns: Any) -> None:
    r"""Write a data set in the format of the suffix of `out`, and print its size.

    Parameters
    ----------
    data : str
        A file, or the name of a data set.
    out : str
        The file to write; its suffix says the format.
    **columns
        What is said of labels and columns, as `Source` takes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("photos.csv").write_text("blue,sea,sun\n0.5,1,0\n0.1,0,1\n")
    >>> convert_data("photos.csv", "photos.arff", labels=["sea", "sun"])
    photos.arff: 2 rows, 1 feature, 2 labels
    """
    dataset = Source(data, **columns).load()
    save_dataset(dataset, out)
    counts = ((dataset.n_samples, "row"), (dataset.n_features, "feature"), (dataset.n_labels, "label"))
    print(f"{out}: {', '.join(counted(*count) for count in counts)}")
