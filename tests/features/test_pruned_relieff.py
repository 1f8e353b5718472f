from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.metrics import pairwise_distances

from plait.core.sentences import ParameterError
from plait.features import PrunedReliefF, SelectionWarning
from plait.features.pruned_relieff import WholeDifferences, label_set_classes, relieff_weights

pytestmark = pytest.mark.usefixtures("kernels")


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


matrices = st.integers(1, 6).flatmap(lambda n: arrays(float, (n, 4), elements=st.integers(-4, 5).map(float)))


def difference(X, nominal, a, b, f):
    """Return diff of rows a and b in column f as a fraction."""
    if nominal[f]:
        return Fraction(int(X[a, f] != X[b, f]))
    width = int(np.ptp(X[:, f]))
    return Fraction(abs(int(X[a, f]) - int(X[b, f])), width) if width else Fraction(0)


@given(X=matrices, nominal=st.lists(st.booleans(), min_size=4, max_size=4))
def test_differences_are_exact_and_dense_is_sparse(X, nominal):
    nominal = np.array(nominal)
    dense = WholeDifferences.of(X, nominal)
    thin = WholeDifferences.of(sparse.csr_matrix(X), nominal)
    np.testing.assert_array_equal(thin.values.toarray(), dense.values)
    np.testing.assert_array_equal(thin.owner, dense.owner)
    for a in range(len(X)):
        for b in range(len(X)):
            parts = np.abs(dense.values[a] - dense.values[b])
            found = np.bincount(dense.owner, weights=parts, minlength=4)
            expected = [difference(X, nominal, a, b, f) * dense.unit for f in range(4)]
            assert found.tolist() == expected


def test_distances_are_whole_numbers_below_the_exact_range():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 300)) * (rng.random((20, 300)) < 0.5)
    dense, thin = (WholeDifferences.of(form(X), np.zeros(300, bool)) for form in (np.asarray, sparse.csr_matrix))
    a, b = (pairwise_distances(each.values, metric="manhattan") for each in (dense, thin))
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(a, np.rint(a))
    assert 0 < a.max() < 2**53
    width = np.ptp(X, axis=0)
    np.testing.assert_allclose(a[0, 1] / dense.unit, np.sum(np.abs(X[0] - X[1]) / width), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_far_from_zero(form):
    X = 1e9 + np.array([[0.0], [1.0], [4.0]])
    made = WholeDifferences.of(form(X), np.array([False]))
    values = made.values.toarray() if sparse.issparse(made.values) else made.values
    assert values.ravel().tolist() == [0, made.unit / 4, made.unit]


labels = st.tuples(st.integers(0, 12), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 1))
)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@given(Y=labels, pruning=st.integers(0, 5))
def test_by_counting_sets(form, Y, pruning):
    sets = [tuple(row) for row in Y.tolist()]
    counts = Counter(sets)
    lowered = pruning
    while counts and max(counts.values()) <= lowered:
        lowered -= 1
    kept = [s for s in dict.fromkeys(sets) if counts[s] > lowered]
    expected = [kept.index(s) if s in kept else -1 for s in sets]
    assert label_set_classes(form(Y), pruning).tolist() == expected
