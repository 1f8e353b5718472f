import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.features import PrunedReliefF, SelectionWarning
from plait.features.relief_weights import relieff_weights
from plait.features.whole_differences import WholeDifferences


def problem(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, 5)).astype(float)
    Y = np.column_stack([X[:, 0] > 1, (X[:, 1] > 1) ^ (X[:, 2] > 1)]).astype(np.uint8)
    Y[:3] = [[1, 1], [0, 0], [1, 0]]
    return X, Y


def test_rows_with_rare_sets_are_left_out():
    X, Y = problem()
    rare = np.zeros((80, 3), dtype=np.uint8)
    rare[:, :2] = Y
    rare[:3, 2] = 1  # three label sets seen once each
    found = PrunedReliefF(n_features=2).fit(X, rare)
    expected = PrunedReliefF(n_features=2).fit(X[3:], Y[3:])
    np.testing.assert_allclose(found.weights_, expected.weights_, rtol=1e-12)
    kept = PrunedReliefF(n_features=2, pruning=0).fit(X, rare).weights_
    assert np.abs(kept - expected.weights_).max() > 1e-6


def test_weights_are_relieff_of_label_sets():
    X, Y = problem()
    found = PrunedReliefF(n_features=3, pruning=0, nominal=[1]).fit(X, Y)
    nominal = np.array([False, True, False, False, False])
    classes = Y[:, 0] * 2 + Y[:, 1]
    expected = relieff_weights(WholeDifferences.of(X, nominal), classes.astype(np.int64), np.arange(80), 10)
    np.testing.assert_allclose(found.weights_, expected, rtol=0, atol=1e-12)
    assert found.ranking_.tolist() == np.argsort(-expected)[:3].tolist()
    np.testing.assert_array_equal(found.scores_, found.weights_[found.ranking_])
    assert set(found.ranking_) == {0, 1, 2}


def test_drawing_rows_repeats_with_the_same_state():
    X, Y = problem()
    first, again = (PrunedReliefF(n_samples=20, random_state=3).fit(X, Y).weights_ for _ in range(2))
    np.testing.assert_array_equal(first, again)
    other = PrunedReliefF(n_samples=20, random_state=4).fit(X, Y).weights_
    assert (first != other).any()
    whole = PrunedReliefF().fit(X, Y).weights_
    np.testing.assert_array_equal(PrunedReliefF(n_samples=80, random_state=3).fit(X, Y).weights_, whole)


def test_nominal_columns_by_number_and_by_truth_value():
    X, Y = problem()
    by_number = PrunedReliefF(nominal=(0, 3)).fit(X, Y)
    by_truth = PrunedReliefF(nominal=np.array([True, False, False, True, False])).fit(X, Y)
    assert by_number.mask_ == by_truth.mask_
    frame = pd.DataFrame(X, columns=list("abcde"))
    assert by_number.mask_ == PrunedReliefF(nominal=["a", "d"]).fit(frame, Y).mask_
    assert by_number.mask_ == PrunedReliefF(nominal=[0, 3]).fit(sparse.csr_matrix(X), Y).mask_
    assert (by_number.weights_ != PrunedReliefF().fit(X, Y).weights_).any()


@pytest.mark.parametrize("nominal", [[5], [-1], [0.5], [True, False], [(0,)], ["a"]])
def test_wrong_nominal_columns(nominal):
    X, Y = problem()
    with pytest.raises(ParameterError, match="PrunedReliefF needs nominal to be a mask of 5 columns"):
        PrunedReliefF(nominal=nominal).fit(X, Y)


def test_columns_that_do_not_vary_come_never():
    X, Y = problem()
    X = np.column_stack([np.full(80, 7.0), X, np.zeros(80)])
    with pytest.warns(SelectionWarning, match="asked for 7 features, but there are only 5 features that vary"):
        found = PrunedReliefF(n_features=7).fit(X, Y)
    assert sorted(found.ranking_) == [1, 2, 3, 4, 5]
