from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import count_pairs, count_triples, encode


def samples(seed, n=80):
    rng = np.random.default_rng(seed)
    X = rng.choice([0, 1, -2, 0.5], (n, 3))
    return X, rng.integers(0, 2, (n, 2)), rng.choice([0.0, 3.0, -1.0, np.nan], n)


@given(st.integers(0, 10**6), st.integers(1, 80))
@settings(max_examples=30)
def test_every_cell_is_right(seed, n):
    X, Y, z = samples(seed, n)
    triples = count_triples(X, Y, z)
    for i in range(3):
        for j in range(2):
            cells = triples.table(i, j)
            x, y = triples.pairs.x.symbols(i), triples.pairs.y.symbols(j)
            for c, level in enumerate(triples.levels):
                inside = np.isnan(z) if np.isnan(level) else z == level
                for a, value in enumerate(x):
                    for b, label in enumerate(y):
                        assert cells[c, a, b] == np.sum(inside & (X[:, i] == value) & (Y[:, j] == label))
            assert cells.sum() == n


@given(st.integers(0, 10**6), st.lists(st.integers(0, 80), max_size=3))
@settings(max_examples=30)
def test_parts_add_up_and_forms_agree(seed, cuts):
    X, Y, z = samples(seed)
    whole = count_triples(X, Y, z)
    parts = [slice(a, b) for a, b in pairwise([0, *sorted(cuts), 80])]
    assert sum(count_triples(X[p], Y[p], z[p]) for p in parts) == whole
    assert count_triples((X[p], Y[p], z[p]) for p in parts) == whole
    assert count_triples(sparse.csr_matrix(X), encode(Y), z[:, None]) == whole
    assert whole.pairs == count_pairs(X, Y)
    assert whole.total == 80
    assert count_triples(X, None, z) == count_triples(X, X.copy(), z)


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_weights(seed):
    X, Y, z = samples(seed)
    weights = np.random.default_rng(seed).integers(0, 3, 80)
    rows = np.repeat(np.arange(80), weights)
    assert count_triples(X, Y, z, weights=weights) == count_triples(X[rows], Y[rows], z[rows])
    assert count_triples(X, Y, z, weights=np.minimum(weights, 1)) == count_triples(
        X[weights > 0], Y[weights > 0], z[weights > 0]
    )
    halves = count_triples(X, Y, z, weights=np.full(80, 0.5))
    np.testing.assert_array_equal(halves.table(0, 1), count_triples(X, Y, z).table(0, 1) / 2)


@pytest.mark.parametrize("z", [np.zeros(3), np.zeros((4, 2))])
def test_a_third_column_that_does_not_fit_is_refused(z):
    with pytest.raises(ParameterError, match="one column of 4 rows"):
        count_triples(np.zeros((4, 1)), None, z)
