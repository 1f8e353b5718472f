import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.decomposition import PCA

from plait.core.sentences import ParameterError
from plait.counts import MeanStdDiscretizer
from plait.structure import FullChain, InformationOrder
from plait.structure.orders import _filled, component_scores
from plait.structure.structure_input import StructureInput

NEAR = 1e-10  # what ties, as in plait.core.ties


def entropy(*columns):
    counts = Counter(zip(*(column.tolist() for column in columns), strict=True))
    n = sum(counts.values())
    return -sum(c / n * math.log2(c / n) for c in counts.values())


def conditional(a, b, c):
    return entropy(a, c) + entropy(b, c) - entropy(a, b, c) - entropy(c)


def first_of_the_best(scores):
    top = max(scores.values())
    return min(c for c, score in scores.items() if score >= top - NEAR * max(1.0, abs(top)))


def naive(Z, Y, second_term):
    """Equation 47 with its loops written out; what is known is Z."""
    q = Y.shape[1]
    varying = [c for c in range(q) if len(set(Y[:, c].tolist())) > 1]

    def shared(c, k):
        return sum(conditional(Y[:, c], Y[:, k], Z[:, m]) for m in range(Z.shape[1])) / Z.shape[1]

    order = []
    while len(order) < len(varying):
        scores = {}
        for c in varying:
            if c in order:
                continue
            if not order:
                scores[c] = sum(shared(c, other) for other in varying if other != c)
                continue
            scores[c] = 0.0
            for k in range(len(order)):
                scores[c] += shared(c, order[k])
                for l in range(k if second_term else 0):  # noqa: E741
                    scores[c] += conditional(Y[:, order[k]], Y[:, order[l]], Y[:, c]) / k
        order.append(first_of_the_best(scores))
    return tuple(order + [c for c in range(q) if c not in varying])


@st.composite
def problems(draw):
    n, d, q = draw(st.integers(1, 40)), draw(st.integers(1, 3)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hidden = rng.random(n) < 0.5
    Y = hidden[:, None] ^ (rng.random((n, q)) < rng.choice([0.0, 0.2, 0.5], q))
    Y[:, rng.random(q) < 0.15] = True
    return rng.normal(size=(n, d)) + hidden[:, None], Y.astype(np.uint8)


@settings(deadline=None, max_examples=60)
@given(problems(), st.booleans())
def test_naive_loops_with_all_features(problem, second_term):
    X, Y = problem
    Z = MeanStdDiscretizer().fit_transform(X)
    order = FullChain(InformationOrder("all", second_term=second_term)).build(X, Y).order
    assert order == naive(Z, Y, second_term)


@settings(deadline=None, max_examples=60)
@given(problems(), st.booleans(), st.integers(1, 2))
def test_naive_loops_with_principal_components(problem, second_term, n_components):
    X, Y = problem
    found = min(n_components, *X.shape)
    scores = PCA(found).fit_transform(X) if X.shape[0] > 1 else np.zeros((1, found))
    real = scores[:, np.abs(scores).max(axis=0) > 1e-9]
    Z = MeanStdDiscretizer().fit_transform(real) if real.shape[1] else np.zeros((len(Y), 1))
    order = FullChain(InformationOrder(n_components=n_components, second_term=second_term)).build(X, Y).order
    assert order == naive(Z, Y, second_term)


def network(n=600, q=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8)) * np.arange(1, 9)
    Y = rng.random((n, q)) < 0.4
    for j in range(1, q):
        Y[:, j] = np.where(rng.random(n) < 0.6, Y[:, j - 1], Y[:, j])
    return X, Y.astype(np.uint8)


def test_the_released_program():
    """Bins at mean +- 0.5 std rounded to 3 decimals; the root has the largest column sum."""
    X, Y = network()
    centred = X - X.mean(axis=0)
    score = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1]
    low, high = (round(float(score.mean() + s * 0.5 * score.std(ddof=1)), 3) for s in (-1, 1))
    z = np.where(score < low, -1, np.where(score >= high, 1, 0))
    shared = np.array([[0.0 if a == b else conditional(Y[:, a], Y[:, b], z) for a in range(6)] for b in range(6)])
    expected = [int(shared.sum(axis=0).argmax())]
    while len(expected) < 6:
        sums = shared[expected].sum(axis=0)
        sums[expected] = -1.0
        expected.append(int(sums.argmax()))
    released = InformationOrder(discretizer=MeanStdDiscretizer(0.5, decimals=3, closed="left"))
    assert list(FullChain(released).build(X, Y).order) == expected


@pytest.mark.parametrize("features", ["pca", "all"])
def test_sparse_is_dense(features):
    X, Y = network()
    X[np.abs(X) < 2.0] = 0.0
    structure = FullChain(InformationOrder(features, n_components=2, second_term=True))
    assert structure.build(sparse.csr_matrix(X), Y) == structure.build(X, Y)


def test_a_label_apart_from_all_others_comes_last_and_constants_after_it():
    rng = np.random.default_rng(0)
    hidden = rng.random(2000) < 0.5
    Y = hidden[:, None] ^ (rng.random((2000, 5)) < 0.1)
    Y[:, 1] = rng.random(2000) < 0.5
    Y[:, 0] = True
    for order in (InformationOrder(), InformationOrder("all", second_term=True)):
        assert FullChain(order).build(rng.normal(size=(2000, 2)), Y).order[-2:] == (1, 0)


@pytest.mark.parametrize("value", [0.0, 1.0, 1e200])
def test_features_that_do_not_vary_leave_plain_information(value):
    Y = network()[1]
    nothing = np.full((600, 3), value)
    assert FullChain("information").build(nothing, Y).order == naive(nothing[:, :1], Y, False)


def test_missing_values():
    X, Y = network()
    X[0, 0], X[:, 2] = np.nan, np.nan
    filled = np.where(np.isnan(X), [X[1:, 0].mean() if j == 0 else 0.0 for j in range(X.shape[1])], X)
    assert FullChain("information").build(X, Y).order == FullChain("information").build(filled, Y).order
    for wrong in (np.where(np.isnan(X), np.inf, X), sparse.csr_matrix(X)):
        with pytest.raises(ParameterError, match="for principal components"):
            FullChain("information").build(wrong, Y)
    assert sorted(FullChain(InformationOrder("all")).build(X, Y).order) == list(range(6))


def test_wrong_parameters():
    with pytest.raises(ParameterError, match="InformationOrder needs features to be 'pca' or 'all'"):
        FullChain(InformationOrder("most")).build([[0.0]], [[1]])


def data(n, d, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < share) * np.linspace(1.0, 3.0, d) + rng.normal(size=(n, 1))
    X[rng.random((n, d)) < 0.5] = 0.0
    return X


# Below and above the size at which the whole matrix is decomposed; wide and tall.
@pytest.mark.parametrize("shape", [(30, 5), (5, 30), (900, 400), (300, 1200), (200_000, 2)])
def test_against_scikit_learn(shape):
    X = data(*shape)
    scores = component_scores(X, 2)
    expected = PCA(2, svd_solver="full").fit_transform(X)
    signs = np.sign((scores * expected).sum(axis=0))
    np.testing.assert_allclose(scores, expected * signs, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("shape", [(30, 5), (900, 400)])
def test_sparse_is_dense_and_repeats(shape):
    X = data(*shape)
    rows = sparse.csr_array(X)
    dense, thin = component_scores(X, 2), component_scores(rows, 2)
    np.testing.assert_allclose(thin, dense, rtol=0, atol=1e-9 * np.abs(dense).max())
    assert component_scores(rows, 2).tolist() == thin.tolist()


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4), st.integers(0, 99))
def test_small_ones_capture_the_most_variance(n, d, k, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    scores = component_scores(X, k)
    sizes = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:k]
    real = sizes[sizes > 1e-9]
    np.testing.assert_allclose(np.linalg.norm(scores, axis=0), real, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(10, 3), (700, 700), (0, 3), (3, 0)])
def test_nothing_varies(shape):
    assert component_scores(np.full(shape, 0.1), 1).shape == (shape[0], 0)
    assert component_scores(sparse.csr_array(np.full(shape, 0.1)), 1).shape == (shape[0], 0)


def test_whole_numbers_and_a_large_mean():
    X = np.random.default_rng(0).integers(0, 5, size=(600, 600))
    scores, moved = component_scores(X, 1), component_scores(X + 10_000, 1)
    np.testing.assert_allclose(moved, scores, rtol=0, atol=1e-6)


def test_gaps_are_filled_by_the_mean_of_what_is_there():
    X = np.array([[np.nan, 1.0, np.nan], [np.nan, 2.0, np.nan], [4.0, np.nan, np.nan]])
    filled = _filled(StructureInput("Owner", X, np.eye(3, dtype=np.uint8), None))
    np.testing.assert_array_equal(filled, [[4.0, 1.0, 0.0], [4.0, 2.0, 0.0], [4.0, 1.5, 0.0]])
