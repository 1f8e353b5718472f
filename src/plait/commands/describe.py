"""`plait describe DATA`: what is in a data set, and which label pairs say most about each other [PACC 25]."""

import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.commands.sources import Source
from plait.core.labels import label_matrix
from plait.core.unknown_labels import has_unknown, unknown_as_absent
from plait.data import Dataset, statistics
from plait.data.description import LONGEST_PAIR, describe_text, pair_name
from plait.information import normalized_mutual_information_matrix
from plait.pictures.text_bars import bar_lines
from plait.structure.label_information import information_of

__all__ = ["DependentPair", "dependence_text", "describe_data", "strongest_pairs"]

# The matrix of all pairs of so many labels takes 32 MiB; of more labels the most frequent are looked at.
_MOST_LABELS = 2048
_MOST_PAIRS = 8
_BAR = 30


def describe_data(data: str, *, as_json: bool = False, **columns: Any) -> None:
    r"""Print sizes, label imbalance and label pairs of a data set, as text or as JSON.

    Parameters
    ----------
    data : str
        A file, or the name of a data set.
    as_json : bool, default=False
        Print JSON instead of a table.
    **columns
        What is said of labels and columns, as `Source` takes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("photos.csv").write_text("blue,sea,sun\n0.5,1,0\n0.1,0,1\n")
    >>> describe_data("photos.csv", labels=["sea", "sun"])
    photos
      rows                        2
      features                    1  (1 numeric, dense)
      labels                      2
    ...
    """
    dataset = Source(data, **columns).load()
    if as_json:
        pairs = [pair._asdict() for pair in strongest_pairs(dataset)]
        print(json.dumps({"name": dataset.name, **statistics(dataset).as_dict(), "strongest_pairs": pairs}, indent=2))
    else:
        print(describe_text(dataset))
        print(dependence_text(dataset))


class DependentPair(NamedTuple):
    """Two labels, their normalised mutual information, and the number of rows that have both.

    Attributes
    ----------
    first, second : str
        The labels.
    information : float
        Their normalised mutual information.
    n_samples : int
        How many rows have both.

    Examples
    --------
    >>> data = Dataset([[0.0]] * 4, [[1, 1], [1, 1], [0, 0], [0, 0]], label_names=["sea", "sun"])
    >>> pair = strongest_pairs(data)[0]
    >>> pair.first, pair.second, pair.information
    ('sea', 'sun', 1.0)
    """

    first: str
    second: str
    information: float
    n_samples: int


def strongest_pairs(dataset: Dataset, n: int = 10) -> list[DependentPair]:
    """Return the label pairs with the largest normalised mutual information above 0, at most `n`; ties in label order.

    Of more than 2048 labels the most frequent ones are compared.

    Parameters
    ----------
    dataset : Dataset
        Labels are looked at only.
    n : int, default=10
        How many.

    Returns
    -------
    list of DependentPair

    Examples
    --------
    >>> data = Dataset([[0.0]] * 4, [[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]], label_names=["sea", "sun", "snow"])
    >>> strongest_pairs(data)
    [DependentPair(first='sea', second='sun', information=1.0, n_samples=2)]
    """
    labels = _compared(dataset)
    table = label_matrix("describe", "Y", dataset.Y, unknown=True)[:, labels]
    Y = sparse.csr_matrix(unknown_as_absent(table))
    found = information_of(table).normalized if has_unknown(table) else normalized_mutual_information_matrix(Y)
    information = np.triu(found, k=1)
    first, second = np.nonzero(information)
    order = np.argsort(-information[first, second], kind="stable")[:n]
    columns = Y.tocsc().astype(np.int64)
    names = [str(dataset.label_names[label]) for label in labels]  # type: ignore[index]
    return [
        DependentPair(names[i], names[j], float(information[i, j]), int((columns[:, [i]].T @ columns[:, [j]]).sum()))
        for i, j in zip(first[order].tolist(), second[order].tolist(), strict=True)
    ]


def _compared(dataset: Dataset) -> npt.NDArray[np.int64]:
    """Return the labels that are compared, in their order."""
    positives = np.asarray((dataset.Y == 1).sum(axis=0)).ravel()
    return np.sort(np.argsort(-positives.astype(np.int64), kind="stable")[:_MOST_LABELS])


def dependence_text(dataset: Dataset, width: int = _BAR) -> str:
    """Return the strongest pairs as text of several lines, below what `describe_text` returns."""
    pairs = strongest_pairs(dataset, _MOST_PAIRS)
    if not pairs:
        return "\nNo label says anything about another."
    title = "Label pairs, by normalised mutual information"
    if dataset.n_labels > _MOST_LABELS:
        title += f" of the {_MOST_LABELS} most frequent labels"
    names = [pair_name(pair.first, pair.second) for pair in pairs]
    numbers = [f"{pair.information:.3f}" for pair in pairs]
    notes = [_together(pair.n_samples) for pair in pairs]
    shares = [pair.information for pair in pairs]
    return "\n".join(["", title, *bar_lines(names, shares, numbers, notes, width, LONGEST_PAIR)])


def _together(n_samples: int) -> str:
    if n_samples == 0:
        return "never both"
    return f"both in {n_samples} row{'s' if n_samples > 1 else ''}"
