"""Labels with one simple relation each, as touchstones for measures of dependence."""

from typing import Any

import numpy as np

from plait.core.checks import Interval, check_value
from plait.core.randomness import generator
from plait.data.dataset import Dataset
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["make_copied_labels", "make_independent_labels", "make_xor_labels"]


def make_copied_labels(
    n_samples: int, n_features: int, n_labels: int, *, strength: float = 2.0, random_state: Any = None
) -> Dataset:
    """Make labels that are all the same: label 0 depends on x by a logistic function, the others copy it.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        Sizes.
    strength : float, default=2.0
        Length of the weight vector of label 0; 0 makes the labels independent of the features.
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same data every time.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> make_copied_labels(4, 2, 3, random_state=0).Y.tolist()
    [[1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0]]
    """
    owner = "make_copied_labels"
    check_sizes(owner, random_state, n_samples=n_samples, n_features=n_features, n_labels=n_labels)
    check_value(owner, "strength", strength, (Interval(float, 0, 1e6),))
    random = generator(random_state)
    weights = random.normal(size=n_features)
    weights *= strength / np.linalg.norm(weights)
    X = random.normal(size=(n_samples, n_features))
    first = X @ weights + random.logistic(size=n_samples) > 0
    return Dataset(X, np.repeat(first[:, None], n_labels, axis=1), name="copied labels")


def make_xor_labels(n_samples: int, n_features: int = 2, *, random_state: Any = None) -> Dataset:
    """Make three labels of which any two are independent while the third is their exclusive or.

    The four label sets are equally frequent (up to the remainder of `n_samples` by 4), so for a multiple of four the
    mutual information of two labels is exactly 0, and that of a label with the other two together exactly 1 bit.
    The features are normal and say nothing.

    Parameters
    ----------
    n_samples, n_features : int
        How many rows and features.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plait.data.synthetic import make_xor_labels
    >>> Y = make_xor_labels(8, random_state=0).Y
    >>> bool((Y[:, 2] == Y[:, 0] ^ Y[:, 1]).all())
    True
    """
    check_sizes("make_xor_labels", random_state, n_samples=n_samples, n_features=n_features)
    random = generator(random_state)
    which = random.permutation(np.arange(n_samples) % 4)
    first, second = which // 2, which % 2
    Y = np.column_stack((first, second, first ^ second))
    return Dataset(random.normal(size=(n_samples, n_features)), Y, name="xor labels")


def make_independent_labels(n_samples: int, n_features: int, n_labels: int, *, random_state: Any = None) -> Dataset:
    """Make labels that depend neither on each other nor on the features.

    Label j is on with a probability of its own, drawn between 0.2 and 0.8; the features are normal.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        How many.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> make_independent_labels(100, 2, 3, random_state=0).Y.mean(axis=0)
    array([0.51, 0.23, 0.27])
    """
    owner = "make_independent_labels"
    check_sizes(owner, random_state, n_samples=n_samples, n_features=n_features, n_labels=n_labels)
    random = generator(random_state)
    share = random.uniform(0.2, 0.8, n_labels)
    Y = random.random((n_samples, n_labels)) < share
    return Dataset(random.normal(size=(n_samples, n_features)), Y, name="independent labels")
