"""Random subsets of the labels: distinct ones that overlap, or a partition."""

from itertools import combinations
from math import comb

import numpy as np

from plait.core.arrays import Ints

__all__ = ["disjoint_subsets", "overlapping_subsets"]


def overlapping_subsets(
    n_labels: int, size: int, n_subsets: int, cover: bool, draws: np.random.Generator
) -> list[Ints]:
    """Draw distinct subsets of `size` labels, all equally likely; as many as there are, at most.

    Parameters
    ----------
    n_labels, size, n_subsets : int
        How many labels there are, how many a subset holds, and how many subsets to draw.
    cover : bool
        Whether labels in none of them get further subsets, filled up with other labels.
    draws : Generator
        Source of randomness.

    Examples
    --------
    >>> found = overlapping_subsets(5, 2, 3, True, np.random.default_rng(0))
    >>> sorted(set(np.concatenate(found).tolist()))
    [0, 1, 2, 3, 4]
    """
    size = min(size, n_labels)
    wanted = min(n_subsets, comb(n_labels, size))
    if comb(n_labels, size) <= 2 * wanted:
        everything = list(combinations(range(n_labels), size))
        chosen = {everything[place] for place in draws.choice(len(everything), wanted, replace=False)}
    else:
        chosen = set()
        while len(chosen) < wanted:
            chosen.add(_drawn(n_labels, size, draws))
    subsets = [np.array(subset, dtype=np.int64) for subset in sorted(chosen)]
    return subsets + (_covering(subsets, n_labels, size, draws) if cover else [])


def _drawn(n_labels: int, size: int, draws: np.random.Generator) -> tuple[int, ...]:
    return tuple(sorted(draws.choice(n_labels, size, replace=False).tolist()))


def _covering(subsets: list[Ints], n_labels: int, size: int, draws: np.random.Generator) -> list[Ints]:
    """Return subsets that hold all labels which the given ones leave out: new ones, since each holds such a label."""
    missing = draws.permutation(np.setdiff1d(np.arange(n_labels), np.concatenate(subsets)))
    parts = [missing[start : start + size] for start in range(0, len(missing), size)]
    return [np.sort(_filled(part, n_labels, size, draws)) for part in parts]


def _filled(part: Ints, n_labels: int, size: int, draws: np.random.Generator) -> Ints:
    others = np.setdiff1d(np.arange(n_labels), part)
    return np.concatenate([part, draws.choice(others, size - len(part), replace=False)])


def disjoint_subsets(n_labels: int, size: int, draws: np.random.Generator) -> list[Ints]:
    """Return a random partition of the labels into subsets of `size`, the last one smaller where it does not work out.

    Examples
    --------
    >>> [len(subset) for subset in disjoint_subsets(7, 3, np.random.default_rng(0))]
    [3, 3, 1]
    """
    order = draws.permutation(n_labels)
    return [np.sort(order[start : start + size]) for start in range(0, n_labels, size)]
