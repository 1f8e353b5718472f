"""Labels by name or number: the only look-up of a label."""

import numbers
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from plait.core.sentences import ParameterError, shown

__all__ = ["label_number", "label_numbers"]


def label_numbers(
    owner: str, what: str, labels: Iterable[Any], n_labels: int, names: Sequence[str] | None
) -> list[int]:
    """Return every label of a sequence as its number.

    Parameters
    ----------
    owner, what : str
        Who asks, and the word that a complaint uses for a label.
    labels : iterable of str or int
        Names or numbers.
    n_labels : int
        How many labels there are.
    names : sequence of str, or None
        Names of all labels.

    Returns
    -------
    list of int

    Examples
    --------
    >>> label_numbers("order", "label", ["sun", 0], 2, ["sea", "sun"])
    [1, 0]
    """
    return [label_number(owner, what, label, n_labels, names) for label in labels]


def label_number(owner: str, what: str, label: Any, n_labels: int, names: Sequence[str] | None) -> int:
    """Return a label as its number.

    Parameters
    ----------
    owner, what : str
        Whose parameter, and its name, for the error.
    label : int or str
        A number from 0 to n_labels - 1, or a name.
    n_labels : int
        Number of labels.
    names : sequence of str, or None
        The labels' names.

    Returns
    -------
    int

    Examples
    --------
    >>> label_number("UserGraph", "edges", "sun", 2, ["sea", "sun"])
    1
    >>> label_number("UserGraph", "edges", "sum", 2, ["sea", "sun"])
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: UserGraph needs edges to name labels, but 'sum' is not one of the ...
    """
    if isinstance(label, str):
        return _by_name(owner, what, label, names)
    if isinstance(label, bool) or not isinstance(label, numbers.Integral):
        raise ParameterError(
            f"{owner} needs {what} to hold label numbers or names, but it holds {shown(label)} "
            f"({type(label).__name__}). Pass integers from 0 to {n_labels - 1} or names."
        )
    if not 0 <= int(label) < n_labels:
        raise ParameterError(
            f"{owner} needs {what} to hold labels from 0 to {n_labels - 1}, but it holds {int(label)}. "
            "Number the labels from 0."
        )
    return int(label)


def _by_name(owner: str, what: str, label: str, names: Sequence[str] | None) -> int:
    if names is None:
        raise ParameterError(
            f"{owner} needs label names where {what} holds names, but there are none and it holds {shown(label)}. "
            "Pass label_names, fit on data with names, or number the labels from 0."
        )
    known = [str(name) for name in names]
    if known.count(label) == 1:
        return known.index(label)
    if label in known:
        raise ParameterError(
            f"{owner} needs {what} to name one label, but {known.count(label)} labels are called {shown(label)}. "
            "Use their numbers."
        )
    near = get_close_matches(label, known, n=3, cutoff=0.5) or known[:3]
    raise ParameterError(
        f"{owner} needs {what} to name labels, but {shown(label)} is not one of the {len(known)} labels. "
        f"Did you mean {' or '.join(shown(name) for name in near)}?"
    )
