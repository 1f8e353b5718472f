from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.features import PrunedReliefF
from plait.features.pruned_relieff import WholeDifferences, relieff_weights

pytestmark = pytest.mark.usefixtures("kernels")


def difference(X, nominal, a, b, f):
    if nominal[f]:
        return Fraction(int(X[a, f] != X[b, f]))
    width = int(np.ptp(X[:, f]))
    return Fraction(abs(int(X[a, f]) - int(X[b, f])), width) if width else Fraction(0)


def relieff_by_loops(X, nominal, classes, rows, k):
    """Return the weights by loops over rows, classes, neighbours and columns, in exact fractions."""
    n, d = X.shape
    prior = {c: Fraction(int(np.sum(classes == c)), n) for c in set(classes.tolist())}
    weights = [Fraction(0)] * d
    for i in rows:
        far = {j: sum(difference(X, nominal, i, j, f) for f in range(d)) for j in range(n) if j != i}
        for c in prior:
            near = sorted((j for j in far if classes[j] == c), key=lambda j: (far[j], j))[:k]
            for j in near:
                for f in range(d):
                    diff = difference(X, nominal, i, j, f) / len(near)
                    weights[f] += -diff if c == classes[i] else diff * prior[c] / (1 - prior[classes[i]])
    return np.array([float(w / len(rows)) for w in weights])


@given(
    X=st.integers(2, 8).flatmap(lambda n: arrays(float, (n, 3), elements=st.integers(-2, 3).map(float))),
    nominal=st.lists(st.booleans(), min_size=3, max_size=3),
    k=st.integers(1, 3),
    seed=st.integers(0, 999),
)
def test_against_loops_in_fractions(X, nominal, k, seed):
    rng = np.random.default_rng(seed)
    classes = np.unique(rng.integers(0, 3, len(X)), return_inverse=True)[1]
    rows = np.flatnonzero(rng.random(len(X)) < 0.7)
    if not rows.size:
        rows = np.array([0])
    nominal = np.array(nominal)
    expected = relieff_by_loops(X, nominal, classes, rows, k)
    dense = relieff_weights(WholeDifferences.of(X, nominal), classes, rows, k)
    thin = relieff_weights(WholeDifferences.of(sparse.csr_matrix(X), nominal), classes, rows, k)
    np.testing.assert_allclose(dense, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(thin, dense)


def test_blocks_and_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(200, 5)).astype(float)
    classes = rng.integers(0, 4, 200)
    made = WholeDifferences.of(X, np.zeros(5, bool))
    whole = relieff_weights(made, classes, np.arange(200), 5)
    monkeypatch.setattr("plait.features.pruned_relieff._WORKING_MEMORY", 0.01)
    for n_jobs in (None, 2):
        np.testing.assert_array_equal(relieff_weights(made, classes, np.arange(200), 5, n_jobs), whole)


def test_one_class_has_only_hits():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    found = relieff_weights(WholeDifferences.of(X, np.zeros(2, bool)), np.zeros(3, int), np.arange(3), 1)
    expected = relieff_by_loops(X, [False, False], np.zeros(3, int), range(3), 1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    assert (found <= 0).all()


@pytest.mark.parametrize("copies", [1, 3])
def test_a_copy_of_a_column_has_the_same_weight(copies):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    X = np.column_stack([X] + [X[:, 2]] * copies)
    found = relieff_weights(WholeDifferences.of(X, np.zeros(4 + copies, bool)), (X[:, 2] > 0) * 1, np.arange(60), 4)
    assert set(found[4:]) == {found[2]}
    assert found.argmax() == 2


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 999), pruning=st.integers(0, 2))
def test_rows_with_unknown_labels_are_compared_by_those_they_know(seed, pruning):
    """Row by row: rare sets, priors and neighbours are those of the rows that know all labels that the row knows."""
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 4, size=(16, 3)).astype(float), rng.integers(0, 2, size=(16, 2)).astype(float)
    Y[rng.random(Y.shape) < 0.3] = np.nan
    known = ~np.isnan(Y)
    weights, n_rows = np.zeros(3), 0
    for i in np.flatnonzero(known.any(axis=1)):
        able = [j for j in range(16) if known[j, known[i]].all()]
        sets = [tuple(Y[j, known[i]]) for j in able]
        kept = [(j, own) for j, own in zip(able, sets, strict=True) if sets.count(own) > pruning]
        if i not in (numbers := [j for j, _ in kept]):
            continue
        classes = np.unique([own for _, own in kept], axis=0, return_inverse=True)[1].ravel()
        weights += relieff_by_loops(X[numbers], [False] * 3, classes, [numbers.index(i)], 2)
        n_rows += 1
    found = PrunedReliefF(n_features=1, pruning=pruning, n_neighbors=2).fit(X, Y)
    np.testing.assert_allclose(found.weights_, weights / n_rows, rtol=0, atol=1e-12)
