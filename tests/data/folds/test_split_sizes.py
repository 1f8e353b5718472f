import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, ShuffleSplit

from plait.core.sentences import ParameterError
from plait.data.folds.split_sizes import fold_sizes, train_and_test_size

SIZES = st.none() | st.floats(0.001, 0.999) | st.integers(1, 40)


@given(st.integers(2, 60), st.integers(2, 60))
def test_fold_sizes_are_those_of_kfold(n_samples, n_splits):
    if n_splits > n_samples:
        with pytest.raises(ValueError, match="n_splits"):
            next(KFold(n_splits).split(np.zeros(n_samples)))
        with pytest.raises(ParameterError, match=f"Mine needs n_splits to be at most the number of rows .{n_samples}."):
            fold_sizes("Mine", n_samples, n_splits)
    else:
        expected = [len(test) for _, test in KFold(n_splits).split(np.zeros(n_samples))]
        assert fold_sizes("Mine", n_samples, n_splits).tolist() == expected


@given(st.integers(1, 40), SIZES, SIZES)
def test_sizes_are_those_of_shuffle_split_and_so_are_the_refusals(n_samples, train_size, test_size):
    try:
        train, test = next(ShuffleSplit(1, train_size=train_size, test_size=test_size).split(np.zeros(n_samples)))
    except ValueError:
        with pytest.raises(ParameterError, match="Mine needs"):
            train_and_test_size("Mine", n_samples, train_size, test_size)
    else:
        assert train_and_test_size("Mine", n_samples, train_size, test_size) == (len(train), len(test))


@pytest.mark.parametrize(
    ("n_samples", "train_size", "test_size", "words"),
    [
        (5, None, 5, r"test_size to be below the number of rows \(5\), but it is 5"),
        (5, 7, None, r"train_size to be below the number of rows \(5\), but it is 7"),
        (9, 0.6, 0.7, r"train_size \+ test_size to be at most 1, but it is 1.29"),
        (9, 5, 5, r"train_size \+ test_size to be at most the number of rows \(9\), but it is 10"),
        (1, None, None, "at least one row to train on, but with 1 rows, test_size=0.1"),
        (9, 0.1, 0.5, "at least one row to train on, but with 9 rows, test_size=0.5 and train_size=0.1"),
    ],
)
def test_refusals_say_why(n_samples, train_size, test_size, words):
    with pytest.raises(ParameterError, match=words):
        train_and_test_size("Mine", n_samples, train_size, test_size)
