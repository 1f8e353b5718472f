"""Cross-validation that keeps label frequencies: iterative stratification as scikit-learn splitters.

Both splitters hand rows out to folds, rarest label first [Sechidis2011], or rarest label or label pair first
(`order=2`, [Szymanski2017]), and then swap rows between folds while that improves the spread. Unlike in the papers, the
folds have exactly the sizes that scikit-learn's `KFold` and `ShuffleSplit` give.
"""

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import BaseCrossValidator, BaseShuffleSplit

from plait.core.checks import Boolean, Interval, Nothing, OneOf, RandomState, check_parameters
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, complaint, warn_user
from plait.data.errors import DataError
from plait.data.folds.stratification import given_labels, stratified_folds

__all__ = ["MultilabelStratifiedKFold", "MultilabelStratifiedShuffleSplit", "train_and_test_size"]

DEFAULT_TEST_SIZE = 0.1


Splits = Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]

_SIZE = (Interval(float, 0, 1, closed="neither"), Interval(int, 1, None), Nothing())


class MultilabelStratifiedKFold(BaseCrossValidator, BaseEstimator):
    """K folds in which every label is about as frequent as in all rows.

    Every row is in exactly one test fold; the first `n_samples % n_splits` folds have one row more than the others,
    as with scikit-learn's `KFold`.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    order : {1, 2}, default=1
        1 spreads labels, 2 spreads labels and pairs of labels. Order 2 takes m (m + 1) / 2 entries for a row with m
        labels.
    shuffle : bool, default=True
        Whether chance decides which of equally good rows, labels and folds goes first. If not, the first one does,
        and the folds are the same on every call.
    random_state : int, RandomState, Generator or None, default=None
        Where the chance comes from. An integer gives the same folds on every call; None gives other folds on every
        call. Must be None with `shuffle=False`, where it has no effect.

    See Also
    --------
    MultilabelStratifiedShuffleSplit : Random splits of any size.
    split_errors : How evenly the labels are spread.

    Notes
    -----
    A label with fewer positives than folds has none in some of them. Memory and time grow with the ones in `y`, not
    with its shape; a sparse `y` stays sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.data.folds import MultilabelStratifiedKFold
    >>> Y = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 1]])
    >>> folds = MultilabelStratifiedKFold(n_splits=2, random_state=0)
    >>> [Y[test].sum(axis=0).tolist() for train, test in folds.split(Y, Y)]
    [[2, 2], [2, 2]]
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "n_splits": (Interval(int, 2, None),),
        "order": (OneOf((1, 2)),),
        "shuffle": (Boolean(),),
        "random_state": (RandomState(),),
    }

    def __init__(self, n_splits: int = 5, *, order: int = 1, shuffle: bool = True, random_state: Any = None) -> None:
        self.n_splits = n_splits
        self.order = order
        self.shuffle = shuffle
        self.random_state = random_state

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Return an iterator over (train, test) positions, both in ascending order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            Only its number of rows is looked at.
        y : array, sparse matrix or data frame of shape (n_samples, n_labels)
            Labels, 0 or 1. One column may come as a plain vector.
        groups : None
            Ignored, with a warning; here for scikit-learn's sake.
        """
        check_parameters(self)
        owner = type(self).__name__
        if not self.shuffle and self.random_state is not None:
            must, todo = "None when shuffle is False", "Pass shuffle=True, or no random_state."
            raise ParameterError(complaint(owner, "random_state", must, self.random_state, todo))
        pattern = _labels(owner, X, y, groups)
        sizes = fold_sizes(owner, pattern.shape[0], int(self.n_splits))
        return self._splits(pattern, sizes)

    def _splits(self, pattern: sparse.csr_matrix, sizes: npt.NDArray[np.int64]) -> Splits:
        random = generator(self.random_state) if self.shuffle else None
        folds = stratified_folds(pattern, sizes, self.order, random)
        for f in range(len(sizes)):
            yield np.flatnonzero(folds != f), np.flatnonzero(folds == f)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments are ignored.

        Parameters
        ----------
        X, y, groups : ignored
            For scikit-learn.
        """
        return int(self.n_splits)


class MultilabelStratifiedShuffleSplit(BaseShuffleSplit, BaseEstimator):
    """Random splits in which every label is about as frequent in both parts as in all rows.

    The parts have exactly the sizes that scikit-learn's `ShuffleSplit` gives.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits; test parts of different splits may share rows.
    test_size, train_size : float, int or None, default=None
        A share between 0 and 1 (test rounded up, train rounded down) or a number of rows. None takes the rows that
        the other one leaves; if both are None, the test part is 0.1.
    order : {1, 2}, default=1
        1 spreads labels, 2 spreads labels and pairs of labels.
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same splits on every call; None gives other splits on every call.

    See Also
    --------
    MultilabelStratifiedKFold : Test parts that share no row.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.data.folds import MultilabelStratifiedShuffleSplit
    >>> Y = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 1]])
    >>> splits = MultilabelStratifiedShuffleSplit(n_splits=2, test_size=0.5, random_state=0)
    >>> [Y[test].sum(axis=0).tolist() for train, test in splits.split(Y, Y)]
    [[2, 2], [2, 2]]
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "n_splits": (Interval(int, 1, None),),
        "test_size": _SIZE,
        "train_size": _SIZE,
        "order": (OneOf((1, 2)),),
        "random_state": (RandomState(),),
    }

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        order: int = 1,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_splits, test_size=test_size, train_size=train_size, random_state=random_state)
        self.order = order

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Return an iterator over (train, test) positions, both in ascending order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            Only its number of rows is looked at.
        y : array, sparse matrix or data frame of shape (n_samples, n_labels)
            Labels, 0 or 1. One column may come as a plain vector.
        groups : None
            Ignored, with a warning; here for scikit-learn's sake.
        """
        check_parameters(self)
        owner = type(self).__name__
        pattern = _labels(owner, X, y, groups)
        sizes = train_and_test_size(owner, pattern.shape[0], self.train_size, self.test_size)
        return self._splits(pattern, *sizes)

    def _splits(self, pattern: sparse.csr_matrix, n_train: int, n_test: int) -> Splits:
        random = generator(self.random_state)
        rest = pattern.shape[0] - n_train - n_test
        sizes = [n_train, n_test, rest] if rest else [n_train, n_test]
        for _ in range(self.n_splits):
            parts = stratified_folds(pattern, sizes, self.order, random)
            yield np.flatnonzero(parts == 0), np.flatnonzero(parts == 1)


def _labels(owner: str, X: Any, y: Any, groups: Any) -> sparse.csr_matrix:
    if groups is not None:
        warn_user(f"{owner} ignores groups. Pass none.", UserWarning)
    pattern = given_labels(owner, y)
    n_samples = pattern.shape[0] if X is None else X.shape[0] if hasattr(X, "shape") else len(X)
    if n_samples != pattern.shape[0]:
        raise DataError(
            f"{owner} needs X and y to have the same number of rows, but X has {n_samples} and y has "
            f"{pattern.shape[0]}. Pass rows of the same objects."
        )
    return pattern


def fold_sizes(owner: str, n_samples: int, n_splits: int) -> npt.NDArray[np.int64]:
    """Return the sizes of `KFold`: the first `n_samples % n_splits` folds have one row more.

    Examples
    --------
    >>> fold_sizes("KFold", 8, 3).tolist()
    [3, 3, 2]
    """
    if n_splits > n_samples:
        must = f"at most the number of rows ({n_samples})"
        raise ParameterError(complaint(owner, "n_splits", must, n_splits, "Pass fewer folds or more rows."))
    sizes = np.full(n_splits, n_samples // n_splits, dtype=np.int64)
    sizes[: n_samples % n_splits] += 1
    return sizes


def train_and_test_size(owner: str, n_samples: int, train_size: Any, test_size: Any) -> tuple[int, int]:
    """Return the sizes of `ShuffleSplit`: a share of test rows is rounded up, a share of training rows down.

    Examples
    --------
    >>> train_and_test_size("ShuffleSplit", 11, None, 0.25), train_and_test_size("ShuffleSplit", 11, 0.25, None)
    ((8, 3), (2, 9))
    """
    if test_size is None and train_size is None:
        test_size = DEFAULT_TEST_SIZE
    n_test = _size(owner, "test_size", test_size, n_samples, math.ceil)
    n_train = _size(owner, "train_size", train_size, n_samples, math.floor)
    if n_train is None:
        n_train = n_samples - (n_test or 0)
    if n_test is None:
        n_test = n_samples - n_train
    if _are_shares(train_size, test_size) and train_size + test_size > 1:
        raise ParameterError(_too_large(owner, "1", train_size + test_size))
    if n_train + n_test > n_samples:
        raise ParameterError(_too_large(owner, f"the number of rows ({n_samples})", n_train + n_test))
    if n_train == 0:
        raise ParameterError(
            f"{owner} needs at least one row to train on, but with {n_samples} rows, test_size={test_size} and "
            f"train_size={train_size} there is none. Pass a smaller test_size or a larger train_size."
        )
    return n_train, n_test


def _size(owner: str, name: str, size: Any, n_samples: int, rounded: Any) -> int | None:
    if size is None:
        return None
    if isinstance(size, int | np.integer):
        if not 0 < size < n_samples:
            raise ParameterError(complaint(owner, name, f"below the number of rows ({n_samples})", size))
        return int(size)
    return int(rounded(size * n_samples))


def _are_shares(*sizes: Any) -> bool:
    return all(isinstance(size, float | np.floating) for size in sizes)


def _too_large(owner: str, most: str, found: Any) -> str:
    must = f"at most {most}"
    return complaint(owner, "train_size + test_size", must, found, "Pass a smaller train_size or test_size.")
