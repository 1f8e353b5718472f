"""Exactly one label a row, in the order of a hidden number: easy for a chain of labels, hopeless label by label.

Stands in for the data set synth2 of [PCC, section 5; FinleyJoachims2008], whose generator is not published: sizes and
character are the same, the data are not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from plait.core.randomness import generator
from plait.data.dataset import Dataset
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["OrdinalBands", "synth2_like"]

_N_FEATURES, _N_LABELS = 40, 10


@dataclass(frozen=True, eq=False)
class OrdinalBands:
    """What `synth2_like` made: two data sets, and the hidden number `x @ direction` with the `cuts` between bands."""

    train: Dataset
    test: Dataset
    direction: npt.NDArray[np.float64]
    cuts: npt.NDArray[np.float64]


def synth2_like(random_state: Any = None, *, n_train: int = 1000, n_test: int = 10_000) -> OrdinalBands:
    """Make 40 normal features and ten labels: label t is on where `x @ direction` falls in its t-th tenth.

    A label in the middle is on between two parallel planes, which no linear classifier finds. Given the labels before
    it, one plane is enough.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same data every time.
    n_train, n_test : int, default=1000 and 10000
        Rows of the two parts; the defaults are those of [PCC, table 1].

    Returns
    -------
    OrdinalBands

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait.data.synthetic import synth2_like
    >>> synth2_like(0).train
    Dataset 'synth2_like': 1000 rows, 40 features (dense), 10 labels (dense), cardinality 1.000
    """
    check_sizes("synth2_like", random_state, n_train=n_train, n_test=n_test)
    random = generator(random_state)
    direction = random.normal(size=_N_FEATURES)
    direction /= np.linalg.norm(direction)
    # The hidden number is standard normal because the direction has length one; ndtri gives its deciles.
    cuts = ndtri(np.arange(1, _N_LABELS) / _N_LABELS)
    X = random.normal(size=(n_train + n_test, _N_FEATURES))
    band = np.searchsorted(cuts, X @ direction)
    dataset = Dataset(X, band[:, None] == np.arange(_N_LABELS), name="synth2_like")
    return OrdinalBands(dataset.rows(np.arange(n_train)), dataset.rows(np.arange(n_train, len(X))), direction, cuts)
