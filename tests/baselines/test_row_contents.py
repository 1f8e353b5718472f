"""Seeds of rows depend on what is in a row and on nothing else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import sparse

from plait.baselines.row_contents import content_seeds, mixed_bits

MATRICES = npst.arrays(
    np.float64,
    npst.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0.0, -0.0, 1.0, 2.5, -1]),
)


def naive_mixed(state):
    mask = 2**64 - 1
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & mask
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & mask
    return state ^ (state >> 31)


def test_bits_are_those_of_the_reference():
    states = [0, 1, 2**63, 2**64 - 1, 123456789123456789]
    assert mixed_bits(np.array(states, dtype=np.uint64)).tolist() == [naive_mixed(state) for state in states]


@given(MATRICES, st.integers(0, 2**63 - 1))
def test_dense_sparse_and_any_order_of_rows(X, seed):
    seeds = content_seeds(X, seed)
    assert seeds.dtype == np.uint64
    np.testing.assert_array_equal(content_seeds(sparse.csr_matrix(X), seed), seeds)
    np.testing.assert_array_equal(content_seeds(X.astype(np.float32), seed), seeds)
    np.testing.assert_array_equal(content_seeds(X[::-1], seed), seeds[::-1])
    # Equal rows have equal seeds, and others differ.
    assert len(np.unique(seeds)) == len(np.unique(X + 0.0, axis=0))
    assert (content_seeds(X, seed + 1) != seeds).all()


def test_stored_zeros_and_entries_in_parts_make_no_difference():
    X = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    odd = sparse.csr_matrix((np.array([1.0, 0.0, 2.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 3))
    np.testing.assert_array_equal(content_seeds(odd, 5), content_seeds(X, 5))
    assert odd.nnz == 3


def test_swapped_columns_and_many_rows():
    one, two = content_seeds(np.array([[1.0, 2.0], [2.0, 1.0]]), 0)
    assert one != two
    X = np.random.default_rng(0).integers(0, 2, size=(3000, 700)).astype(float)
    np.testing.assert_array_equal(content_seeds(X, 1), content_seeds(sparse.csr_matrix(X), 1))
    assert content_seeds(np.zeros((0, 3)), 1).shape == (0,)
