import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.stats import ortho_group
from sklearn.preprocessing import MinMaxScaler

from plait.baselines import MLkNN
from plait.baselines.mlknn import tally
from plait.data import load_dataset
from plait.metrics import exact_match


def naive_posteriors(X, Y, asked, n_neighbors, s):
    """Return the posteriors of the definition as fractions, by loops over rows of whole numbers."""
    n, q, s = len(X), Y.shape[1], Fraction(s)
    k = min(n_neighbors, n - 1)

    def neighbours(x, without):
        others = [i for i in range(n) if i != without]
        return sorted(others, key=lambda i: (sum((int(a) - int(b)) ** 2 for a, b in zip(x, X[i], strict=True)), i))[:k]

    near = [neighbours(X[i], i) for i in range(n)]
    posteriors = []
    for x in asked:
        around = neighbours(x, None)
        row = []
        for label in range(q):
            y = [int(v) for v in Y[:, label]]
            prior = (s + sum(y)) / (2 * s + n)
            c = [sum(y[i] for i in around_i) for around_i in near]
            kappa = {b: [sum(y[i] == b and c[i] == r for i in range(n)) for r in range(k + 1)] for b in (0, 1)}
            r = sum(y[i] for i in around)
            like = {b: (s + kappa[b][r]) / (s * (k + 1) + sum(kappa[b])) for b in (0, 1)}
            with_label, without = prior * like[1], (1 - prior) * like[0]
            row.append(with_label / (with_label + without))
        posteriors.append(row)
    return posteriors


def test_four_points_by_hand():
    # Neighbours: 0 -> 1, 1 -> 0, 3 -> 1, 7 -> 3. Prior (1 + 2) / (2 + 4) = 1/2.
    # With the label, both rows have a neighbour with it; without, the row at 3 has one and the row at 7 has none.
    model = MLkNN(n_neighbors=1).fit([[0.0], [1.0], [3.0], [7.0]], np.array([[1], [1], [0], [0]]))
    np.testing.assert_allclose(model.prior_, [1 / 2], rtol=1e-15)
    np.testing.assert_allclose(model.likelihood_, [[[2 / 4, 2 / 4], [1 / 4, 3 / 4]]], rtol=1e-15)
    # (1/2)(3/4) against (1/2)(2/4) near 0, (1/2)(1/4) against (1/2)(2/4) near 7.
    np.testing.assert_allclose(model.predict_proba([[0.4], [6.0]]), [[3 / 5], [1 / 3]], rtol=1e-15)
    assert model.predict([[0.4], [6.0]]).tolist() == [[1], [0]]


def test_a_label_as_likely_as_not_is_not_given():
    # Rows with the label at 0 and -2, without at 1 and 3: in both pairs one row has a neighbour with it, one has none.
    model = MLkNN(n_neighbors=1).fit([[0.0], [-2.0], [1.0], [3.0]], np.array([[1], [1], [0], [0]]))
    assert model.predict_proba([[0.0], [3.0]]).tolist() == [[0.5], [0.5]]
    assert model.predict([[0.0], [3.0]]).tolist() == [[0], [0]]


problems = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 14)).flatmap(
    lambda size: st.tuples(
        arrays(np.int64, (size[2], size[0]), elements=st.integers(-3, 3)),
        arrays(np.uint8, (size[2], size[1]), elements=st.integers(0, 1)),
        arrays(np.int64, (4, size[0]), elements=st.integers(-3, 3)),
    )
)


@settings(max_examples=80)
@given(problems, st.integers(1, 5), st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from([np.asarray, sparse.csr_matrix]))
def test_the_definition_by_loops_ties_constant_labels_and_few_rows_included(problem, n_neighbors, s, form):
    X, Y, asked = problem
    model = MLkNN(n_neighbors, s, "euclidean", scale=False).fit(form(X.astype(float)), Y)
    expected = naive_posteriors(X, Y, asked, n_neighbors, s)
    chances = np.array([[float(p) for p in row] for row in expected])
    np.testing.assert_allclose(model.predict_proba(form(asked.astype(float))), chances, rtol=1e-12)
    decisions = [[int(p > Fraction(1, 2)) for p in row] for row in expected]
    assert model.predict(form(asked.astype(float))).tolist() == decisions


def test_the_definition_on_random_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(-(10**6), 10**6, size=(60, 4))
    Y = (X[:, :3] + rng.normal(scale=3e5, size=(60, 3)) > 2e5).astype(np.uint8)
    asked = rng.integers(-(10**6), 10**6, size=(20, 4))
    expected = np.array(naive_posteriors(X, Y, asked, 10, 1), dtype=float)
    found = MLkNN(scale=False).fit(X.astype(float), Y).predict_proba(asked.astype(float))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert len(np.unique(expected)) > 10


def fitted(n=150, **parameters):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 5))
    Y = (X @ rng.normal(size=(5, 3)) + rng.normal(size=(n, 3)) > 0.5).astype(int)
    return MLkNN(**parameters).fit(X, Y), X, Y


def test_probabilities_of_counts_sum_to_one():
    model, _, _ = fitted(s=0.3)
    assert model.likelihood_.shape == (3, 2, 11)
    np.testing.assert_allclose(model.likelihood_.sum(axis=2), 1.0, rtol=1e-12)
    products = model.prior_[:, None] * model.likelihood_[:, 1]
    others = (1 - model.prior_)[:, None] * model.likelihood_[:, 0]
    np.testing.assert_allclose(model.posterior_, products / (products + others), rtol=1e-12)


def test_scores_do_not_change_when_rows_are_turned():
    model, X, Y = fitted(scale=False)
    turn = ortho_group.rvs(5, random_state=0)
    np.testing.assert_array_equal(MLkNN(scale=False).fit(X @ turn, Y).predict_proba(X @ turn), model.predict_proba(X))


def test_a_training_row_is_left_out_of_its_own_neighbours():
    # Labels at random: were rows their own neighbours, the count of one neighbour would tell the label.
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(400, 3)), rng.integers(0, 2, size=(400, 1))
    assert abs(MLkNN(n_neighbors=1).fit(X, Y).posterior_ - 0.5).max() < 0.15


@pytest.mark.parametrize("metric", ["manhattan", "cosine"])
def test_other_metrics(metric):
    model, X, _ = fitted(metric=metric)
    assert model.neighbourhoods_.metric == metric
    other = MLkNN().fit(X, model._labels)
    assert (model.predict_proba(X) != other.predict_proba(X)).any()


def test_columns_are_scaled_to_their_range_and_mostly_empty_rows_compared_by_cosine():
    _, X, Y = fitted()
    odd = X * [1.0, 1e3, 1e-3, 5.0, 1e6] + 7.0
    plain = MLkNN(metric="euclidean", scale=False).fit(MinMaxScaler().fit_transform(odd), Y)
    expected = plain.predict_proba(MinMaxScaler().fit_transform(odd))
    for form in (np.asarray, sparse.csr_matrix):
        np.testing.assert_array_equal(MLkNN().fit(form(odd), Y).predict_proba(form(odd)), expected)
    assert (MLkNN(scale=False).fit(odd, Y).predict_proba(odd) != expected).any()
    thin = X * (X > 0.5)
    for form in (np.asarray, sparse.csr_matrix):
        found = MLkNN().fit(form(thin), Y)
        assert found.neighbourhoods_.metric == "cosine"
        np.testing.assert_array_equal(
            found.predict_proba(form(thin)), MLkNN(metric="cosine", scale=False).fit(thin, Y).predict_proba(thin)
        )


def test_emotions_as_mulan_has_them(benchmark_data):
    train, test = load_dataset("emotions", split="train"), load_dataset("emotions", split="test")
    found = exact_match(test.Y, MLkNN().fit(train.X, train.Y).predict(test.X))
    assert round(found, 3) == 0.262  # 0.084 on columns as they are


def test_sparse_text_is_not_made_dense():
    rng = np.random.default_rng(0)
    X = sparse.random(300, 100_000, density=1e-4, format="csr", random_state=rng)
    Y = rng.integers(0, 2, size=(300, 4))
    tracemalloc.start()
    MLkNN().fit(X, Y).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * 100_000 * 8 / 20


def test_tallies():
    rng = np.random.default_rng(0)
    counts, labels = rng.integers(0, 4, size=(50, 3), dtype=np.int32), rng.integers(0, 2, size=(50, 3), dtype=np.uint8)
    table = tally(counts, labels, 3)
    for label in range(3):
        for value in range(2):
            for r in range(4):
                assert table[label, value, r] == ((counts[:, label] == r) & (labels[:, label] == value)).sum()
