import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.stats import ortho_group
from sklearn.neighbors import NearestNeighbors

from plait.baselines.foundations import _kernels, neighbourhoods
from plait.baselines.foundations.neighbourhoods import Neighbourhoods, neighbour_label_counts
from plait.core.kernel_policy import using_kernels

METRICS = ["euclidean", "manhattan", "cosine"]
both_paths = pytest.mark.parametrize("policy", ["never", "always"])
both_forms = pytest.mark.parametrize(
    "nearest_rows", [neighbourhoods.nearest_rows, _kernels.nearest_rows], ids=["plain", "kernel"]
)


def exact_distance(metric, x, y):
    """Return a number that grows with the distance of rows of whole numbers, without rounding."""
    x, y = [int(v) for v in x], [int(v) for v in y]
    if metric == "manhattan":
        return sum(abs(a - b) for a, b in zip(x, y, strict=True))
    if metric == "euclidean":
        return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    dot, lengths = sum(a * b for a, b in zip(x, y, strict=True)), sum(a * a for a in x) * sum(b * b for b in y)
    return -Fraction(dot * abs(dot), lengths) if lengths else Fraction(0)


def naive(metric, rows, training, k, leave_one_out):
    found = []
    for i, x in enumerate(rows):
        others = [j for j in range(len(training)) if not (leave_one_out and i == j)]
        others.sort(key=lambda j: (exact_distance(metric, x, training[j]), j))
        found.append(sorted(others[:k]))
    return np.array(found).reshape(len(rows), k)


def whole_rows(low, high):
    """Return training rows, and a few rows to ask about, of whole numbers: ties abound."""
    numbers = st.integers(-2, 2)
    return st.tuples(st.integers(1, 4), st.integers(low, high)).flatmap(
        lambda size: st.tuples(
            arrays(np.int64, (size[1], size[0]), elements=numbers), arrays(np.int64, (5, size[0]), elements=numbers)
        )
    )


@both_paths
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.float32)])
@settings(max_examples=60)
@given(whole_rows(2, 12), st.integers(1, 5))
def test_neighbours_are_those_of_a_plain_sort_with_ties_by_row(metric, form, policy, rows, n_neighbors):
    X, asked = rows
    # Columns of zeros make the matrix sparse enough to be kept sparse.
    X, asked = (np.hstack([part, np.zeros((len(part), 6), dtype=int)]).astype(float) for part in (X, asked))
    found = Neighbourhoods(form(X), n_neighbors, metric)
    k = min(n_neighbors, len(X) - 1)
    assert found.k == k
    with using_kernels(policy):
        np.testing.assert_array_equal(found.of_training_rows(), naive(metric, X, X, k, leave_one_out=True))
        np.testing.assert_array_equal(found.of(form(asked)), naive(metric, asked, X, k, leave_one_out=False))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@settings(max_examples=60)
@given(rows=whole_rows(12, 30), n_neighbors=st.integers(1, 4))
def test_a_tree_finds_the_same(metric, rows, n_neighbors):
    X, asked = (part.astype(float) for part in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbourhoods, "TREE_ROWS", 0)
        found = Neighbourhoods(X, n_neighbors, metric)
    assert found._tree is not None
    np.testing.assert_array_equal(found.of_training_rows(), naive(metric, X, X, found.k, leave_one_out=True))
    np.testing.assert_array_equal(found.of(asked), naive(metric, asked, X, found.k, leave_one_out=False))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_columns", [3, 30])
def test_without_ties_they_are_those_of_scikit_learn(metric, n_columns):
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(2100, n_columns)), rng.normal(size=(50, n_columns))
    found = Neighbourhoods(X, 7, metric)
    assert (found._tree is not None) == (n_columns == 3 and metric != "cosine")
    theirs = NearestNeighbors(n_neighbors=7, metric=metric).fit(X)
    np.testing.assert_array_equal(found.of_training_rows(), np.sort(theirs.kneighbors()[1], axis=1))
    np.testing.assert_array_equal(found.of(asked), np.sort(theirs.kneighbors(asked)[1], axis=1))


def test_a_row_is_never_its_own_neighbour_but_its_copies_are():
    X = np.array([[5.0, 1.0]] * 4 + [[0.0, 0.0]])
    for form in (X, sparse.csr_matrix(np.hstack([X, np.zeros((5, 4))]))):
        expected = [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]
        assert Neighbourhoods(form, 2).of_training_rows().tolist() == expected


def test_as_many_neighbours_as_there_are_other_rows():
    X = np.array([[0.0], [4.0], [1.0]])
    found = Neighbourhoods(X, 10)
    assert found.k == 2
    assert found.of_training_rows().tolist() == [[1, 2], [0, 2], [0, 1]]
    assert found.of(np.array([[0.0]])).tolist() == [[0, 2]]
    assert Neighbourhoods(X[:1], 10).of(X).shape == (3, 0)
    assert Neighbourhoods(X[:1], 10).of_training_rows().shape == (1, 0)


@both_paths
def test_moving_and_turning_all_rows_changes_nothing_not_even_ties(policy):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 5)).astype(float)  # squared distances are whole: nearly all places are tied
    expected = naive("euclidean", X, X, 4, leave_one_out=True)
    turned = X @ ortho_group.rvs(5, random_state=0)
    for same in (turned, turned * 1e-6, turned + 1000.0, sparse.csr_matrix(turned)):
        with using_kernels(policy):
            np.testing.assert_array_equal(Neighbourhoods(same, 4).of_training_rows(), expected)


def test_rows_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 20))
    np.testing.assert_array_equal(
        Neighbourhoods(X + 1e7, 5).of_training_rows(), Neighbourhoods((X + 1e7) - 1e7, 5).of_training_rows()
    )


@both_paths
def test_blocks_and_threads_change_nothing(policy, monkeypatch):
    X = np.random.default_rng(0).integers(0, 3, size=(200, 20)).astype(float)
    for form in (X, sparse.csr_matrix(X * (X == 2))):
        whole = Neighbourhoods(form, 5).of_training_rows()
        with monkeypatch.context() as patch, using_kernels(policy):
            patch.setattr(neighbourhoods, "_BLOCK_BYTES", 1)
            np.testing.assert_array_equal(Neighbourhoods(form, 5).of_training_rows(n_jobs=2), whole)


def test_unsorted_and_repeated_entries_of_a_sparse_matrix_are_read_as_their_sum():
    columns, data = np.array([3, 0, 3, 1, 9]), np.array([1.0, 2.0, 1.0, 1.0, 1.0])
    odd = sparse.csr_matrix((data, columns, np.array([0, 3, 4, 5])), shape=(3, 10))
    plain = Neighbourhoods(odd.toarray(), 1).of_training_rows()
    np.testing.assert_array_equal(Neighbourhoods(odd, 1).of_training_rows(), plain)
    assert odd.nnz == 5


@both_paths
def test_sparse_rows_are_not_made_dense(policy):
    rng = np.random.default_rng(0)
    X = sparse.random(300, 100_000, density=1e-4, format="csr", random_state=rng)
    tracemalloc.start()
    with using_kernels(policy):
        Neighbourhoods(X, 5).of_training_rows()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * 100_000 * 8 / 20


def test_a_matrix_that_stores_nearly_everything_is_kept_dense():
    X = np.random.default_rng(0).normal(size=(40, 5))
    found = Neighbourhoods(sparse.csr_matrix(X), 3)
    assert not sparse.issparse(found._rows)
    np.testing.assert_array_equal(found.of(sparse.csr_matrix(X[:4])), Neighbourhoods(X, 3).of(X[:4]))


def test_pickled_neighbourhoods_find_the_same():
    X = np.random.default_rng(0).normal(size=(2100, 3))
    found = Neighbourhoods(X, 3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).of(X[:20] + 0.1), found.of(X[:20] + 0.1))


def test_label_counts():
    rng = np.random.default_rng(0)
    neighbours, Y = rng.integers(0, 6, size=(5, 3)), rng.integers(0, 2, size=(6, 4), dtype=np.uint8)
    expected = [[sum(int(Y[j, label]) for j in row) for label in range(4)] for row in neighbours]
    np.testing.assert_array_equal(neighbour_label_counts(neighbours, Y), expected)


def test_products_of_sparse_rows():
    rng = np.random.default_rng(0)
    left = sparse.random(7, 20, density=0.2, format="csr", random_state=rng)
    right = sparse.random(9, 20, density=0.3, format="csr", random_state=rng)
    lists = right.T.tocsr()
    products = np.full((7, 9), np.nan)
    _kernels.sparse_products(left.indptr, left.indices, left.data, lists.indptr, lists.indices, lists.data, products)
    np.testing.assert_allclose(products, left.toarray() @ right.toarray().T, rtol=1e-12, atol=1e-15)


def test_squared_distances_are_never_negative():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    Z[0] = X[0]
    products = X @ Z.T
    _kernels.squared_distances(products, (X**2).sum(axis=1), (Z**2).sum(axis=1))
    np.testing.assert_allclose(products, ((X[:, None] - Z) ** 2).sum(axis=2), rtol=1e-12, atol=1e-14)
    assert (products >= 0).all()


@both_forms
@given(st.lists(st.integers(0, 4), min_size=2, max_size=30), st.data())
def test_nearest_rows_of_whole_distances(nearest_rows, distances, data):
    excluded = data.draw(st.integers(-1, len(distances) - 1))
    k = data.draw(st.integers(1, len(distances) - 1))
    found = np.empty((1, k), dtype=np.int64)
    nearest_rows(np.array([distances], dtype=float), np.array([excluded]), np.zeros(1), 1e-12, found)
    others = [j for j in range(len(distances)) if j != excluded]
    assert found[0].tolist() == sorted(sorted(others, key=lambda j: (distances[j], j))[:k])


@both_forms
def test_distances_that_differ_by_rounding_are_ties(nearest_rows):
    distances = np.array([[1.0 + 1e-14, 3.0, 1.0, 0.5, 1.0 - 1e-14]])
    found = np.empty((1, 2), dtype=np.int64)
    nearest_rows(distances, np.array([-1]), np.zeros(1), 1e-12, found)
    assert found.tolist() == [[0, 3]]
    nearest_rows(distances, np.array([-1]), np.zeros(1), 0.0, found)
    assert found.tolist() == [[3, 4]]
