import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.baselines._neighbour_kernels import nearest_rows, sparse_products, squared_distances, tally_counts


def test_products_of_sparse_rows():
    rng = np.random.default_rng(0)
    left = sparse.random(7, 20, density=0.2, format="csr", random_state=rng)
    right = sparse.random(9, 20, density=0.3, format="csr", random_state=rng)
    lists = right.T.tocsr()
    products = np.full((7, 9), np.nan)
    sparse_products(left.indptr, left.indices, left.data, lists.indptr, lists.indices, lists.data, products)
    np.testing.assert_allclose(products, left.toarray() @ right.toarray().T, rtol=1e-12, atol=1e-15)


def test_squared_distances_are_never_negative():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    Z[0] = X[0]
    products = X @ Z.T
    squared_distances(products, (X**2).sum(axis=1), (Z**2).sum(axis=1))
    np.testing.assert_allclose(products, ((X[:, None] - Z) ** 2).sum(axis=2), rtol=1e-12, atol=1e-14)
    assert (products >= 0).all()


@given(st.lists(st.integers(0, 4), min_size=2, max_size=30), st.data())
def test_nearest_rows_of_whole_distances(distances, data):
    excluded = data.draw(st.integers(-1, len(distances) - 1))
    k = data.draw(st.integers(1, len(distances) - 1))
    found = np.empty((1, k), dtype=np.int64)
    nearest_rows(np.array([distances], dtype=float), np.array([excluded]), np.zeros(1), 1e-12, found)
    others = [j for j in range(len(distances)) if j != excluded]
    assert found[0].tolist() == sorted(sorted(others, key=lambda j: (distances[j], j))[:k])


def test_distances_that_differ_by_rounding_are_ties():
    distances = np.array([[1.0 + 1e-14, 3.0, 1.0, 0.5, 1.0 - 1e-14]])
    found = np.empty((1, 2), dtype=np.int64)
    nearest_rows(distances, np.array([-1]), np.zeros(1), 1e-12, found)
    assert found.tolist() == [[0, 3]]
    nearest_rows(distances, np.array([-1]), np.zeros(1), 0.0, found)
    assert found.tolist() == [[3, 4]]


def test_tallies():
    rng = np.random.default_rng(0)
    counts, labels = rng.integers(0, 4, size=(50, 3), dtype=np.int32), rng.integers(0, 2, size=(50, 3), dtype=np.uint8)
    table = np.zeros((3, 2, 4), dtype=np.int64)
    tally_counts(counts, labels, table)
    for label in range(3):
        for value in range(2):
            for r in range(4):
                assert table[label, value, r] == ((counts[:, label] == r) & (labels[:, label] == value)).sum()
