"""How many rows a split has, exactly as scikit-learn counts them."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.sentences import ParameterError, complaint

__all__ = ["DEFAULT_TEST_SIZE", "fold_sizes", "train_and_test_size"]

DEFAULT_TEST_SIZE = 0.1


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
