"""Rows to train on and rows to score, for what is learned from held-out rows."""

from typing import Any

import numpy as np

from plait.core.arrays import Ints
from plait.core.checks import Interval, Nothing, check_value
from plait.core.randomness import generator
from plait.core.sentences import ParameterError

__all__ = ["row_splits"]


def row_splits(owner: str, n_samples: int, folds: float | int | None, random_state: Any) -> list[tuple[Ints, Ints]]:
    """Return (training rows, scored rows) of every split, both in ascending order.

    Parameters
    ----------
    owner : str
        Who asks, for errors.
    n_samples : int
        Number of rows.
    folds : float, int or None
        A share of rows to hold out once; or a number of parts each of which is held out in turn; or None to train on
        all rows and score them again.
    random_state : None, int, RandomState or Generator
        Shuffles the rows.

    Examples
    --------
    >>> [held.tolist() for _, held in row_splits("row_splits", 5, 2, random_state=0)]
    [[2, 3, 4], [0, 1]]
    """
    check_value(owner, "folds", folds, (Interval(float, 0, 1, closed="neither"), Interval(int, 2, None), Nothing()))
    everything = np.arange(n_samples)
    if folds is None:
        return [(everything, everything)]
    least = 2 if folds < 1 else int(folds)
    if n_samples < least:
        raise ParameterError(
            f"{owner} needs at least {least} rows for folds={folds}, but X has {n_samples}. "
            "Pass more rows, fewer folds, or folds=None."
        )
    shuffled = generator(random_state).permutation(n_samples)
    if folds < 1:
        held_out = min(max(round(folds * n_samples), 1), n_samples - 1)
        parts = [shuffled[:held_out]]
    else:
        parts = np.array_split(shuffled, int(folds))
    return [(np.setdiff1d(everything, part), np.sort(part)) for part in parts]
