"""Exactly one label a row, told by how many features are 1: easy for a chain of labels, hopeless label by label.

This is the data set synth2 of [PCC, section 5], whose generator [FinleyJoachims2008] describes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.randomness import generator
from plait.data.dataset import Dataset
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["CountedOnes", "synth2"]

_N_FEATURES, _N_LABELS = 40, 10


@dataclass(frozen=True, eq=False)
class CountedOnes:
    """What `synth2` made: a training and a test part.

    Attributes
    ----------
    train, test : Dataset
        The two parts.

    Examples
    --------
    >>> from plait.data.synthetic import synth2
    >>> made = synth2(random_state=0)
    >>> made.train.n_labels, made.test.n_labels
    (10, 10)
    """

    train: Dataset
    test: Dataset


def synth2(random_state: Any = None, *, n_train: int = 1000, n_test: int = 10_000) -> CountedOnes:
    """Make 40 features of 0 and 1 and ten labels: where label i of 1 to 10 is on, 4 i random features are 1.

    One label of a row is on, each as often as chance has it. A label in the middle is on between two parallel planes,
    which no linear classifier finds; given the labels before it, one plane is enough, and a chain makes no error.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same data every time.
    n_train, n_test : int, default=1000 and 10000
        Rows of the two parts; the defaults are those of [PCC, table 1].

    Returns
    -------
    CountedOnes

    References
    ----------
    [FinleyJoachims2008] Finley and Joachims: Training structural SVMs when exact inference is intractable, 2008.
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait.data.synthetic import synth2
    >>> made = synth2(0)
    >>> made.train
    Dataset 'synth2': 1000 rows, 40 features (dense), 10 labels (dense), cardinality 1.000
    >>> [int(made.train.X[made.train.Y[:, i] == 1].sum(axis=1).mean()) for i in range(3)]
    [4, 8, 12]
    """
    check_sizes("synth2", random_state, n_train=n_train, n_test=n_test)
    random = generator(random_state)
    label = random.integers(_N_LABELS, size=n_train + n_test)
    # The ranks of random numbers are a random permutation of each row's places.
    places = random.random((n_train + n_test, _N_FEATURES)).argsort(axis=1).argsort(axis=1)
    X = (places < (_N_FEATURES // _N_LABELS) * (label[:, None] + 1)).astype(np.float64)
    made = Dataset(X, label[:, None] == np.arange(_N_LABELS), name="synth2")
    return CountedOnes(made.rows(np.arange(n_train)), made.rows(np.arange(n_train, len(X))))
