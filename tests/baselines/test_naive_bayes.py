import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline

from plait.baselines import MultilabelNaiveBayes
from plait.baselines import naive_bayes as class_sums
from plait.baselines.naive_bayes import ClassSums, GaussianColumns, NominalColumns, nominal_mask
from plait.core.sentences import ParameterError
from plait.data import load_dataset
from plait.features import SCLS
from plait.metrics import scorers

FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])


def numbers(n=120, d=5, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > [0.0, 1.5, -1.5, 0.5]).astype(np.uint8)
    return X, Y


def priors(y, weights=None):
    ones, total = (y.sum(), len(y)) if weights is None else (weights @ y, weights.sum())
    chance = (1 + ones) / (2 + total)
    return [1 - chance, chance]


def test_four_rows_by_hand():
    # Means 1 and 5, variances 1, prior 3/6: the log-odds are ((x - 5)^2 - (x - 1)^2) / 2 = 12 - 4 x.
    model = MultilabelNaiveBayes().fit([[0.0], [2.0], [4.0], [6.0]], np.array([[1], [1], [0], [0]]))
    asked = np.array([[2.0], [2.9], [3.1], [5.0]])
    np.testing.assert_allclose(model.predict_proba(asked), expit(12 - 4 * asked), rtol=1e-12)
    assert model.predict(asked).ravel().tolist() == [1, 1, 0, 0]


def test_four_rows_of_names_by_hand():
    # Three values. With the label 0 has (2 + 1) / (2 + 3), 1 and 2 have 1/5; without it 0 has 1/5, 1 and 2 have 2/5.
    model = MultilabelNaiveBayes(nominal=[0]).fit([[0.0], [0.0], [1.0], [2.0]], np.array([[1], [1], [0], [0]]))
    np.testing.assert_allclose(model.predict_proba([[0.0], [2.0], [7.0]]), [[3 / 4], [1 / 3], [1 / 2]], rtol=1e-14)


@FORMS
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_those_of_scikit_learns_gaussian_naive_bayes(form, weighted):
    X, Y = numbers()
    weights = np.random.default_rng(1).random(len(X)) if weighted else None
    model = MultilabelNaiveBayes().fit(form(X), Y, sample_weight=weights)
    asked = np.random.default_rng(2).normal(size=(30, 5))
    for label, y in enumerate(Y.T):
        theirs = GaussianNB(priors=priors(y, weights), var_smoothing=0.0).fit(X, y, weights)
        np.testing.assert_allclose(
            model.predict_proba(form(asked))[:, label], theirs.predict_proba(asked)[:, 1], rtol=1e-8, atol=1e-14
        )
        np.testing.assert_array_equal(model.predict(form(asked))[:, label], theirs.predict(asked))
        np.testing.assert_allclose(model.means_[label], theirs.theta_, rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(model.variances_[label], theirs.var_, rtol=1e-9)
        np.testing.assert_allclose(model.class_prior_[label], theirs.class_prior_, rtol=1e-12)


@FORMS
def test_zeros_and_ones_are_those_of_scikit_learns_bernoulli_naive_bayes(form):
    rng = np.random.default_rng(0)
    X = (rng.random((80, 30)) < 0.15).astype(float)
    X[:2] = [[0], [1]]  # every column has both values
    Y = (X[:, :3] + (rng.random((80, 3)) < 0.3) > 0).astype(np.uint8)
    model = MultilabelNaiveBayes(nominal="auto").fit(form(X), Y)
    assert model.nominal_.all()
    assert model.means_.shape == (3, 2, 0)
    for label, y in enumerate(Y.T):
        theirs = BernoulliNB(alpha=1.0, class_prior=priors(y)).fit(X, y)
        np.testing.assert_allclose(
            model.predict_proba(form(X))[:, label], theirs.predict_proba(X)[:, 1], rtol=1e-9, atol=1e-15
        )


@FORMS
def test_names_are_those_of_scikit_learns_categorical_naive_bayes(form):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 4, size=(60, 5)), rng.integers(0, 2, size=(60, 2), dtype=np.uint8)
    X[:4] = np.arange(4)[:, None]  # every column has all values
    model = MultilabelNaiveBayes(nominal=np.ones(5, dtype=bool)).fit(form(X.astype(float)), Y)
    for label, y in enumerate(Y.T):
        theirs = CategoricalNB(alpha=1.0, class_prior=priors(y)).fit(X, y)
        np.testing.assert_allclose(
            model.predict_proba(form(X.astype(float)))[:, label], theirs.predict_proba(X)[:, 1], rtol=1e-10
        )


@FORMS
def test_evidence_of_numbers_and_names_adds_up(form):
    X, Y = numbers()
    X[:, [1, 3]] = np.random.default_rng(3).integers(0, 2, size=(len(X), 2))
    model = MultilabelNaiveBayes(nominal="auto").fit(form(X), Y)
    assert model.nominal_.tolist() == [False, True, False, True, False]

    def odds(part, **parameters):
        fitted = MultilabelNaiveBayes(**parameters).fit(form(X[:, part]), Y)
        p = fitted.predict_proba(form(X[:, part]))
        return np.log(p / (1 - p)) - np.log(fitted.class_prior_[:, 1] / fitted.class_prior_[:, 0])

    chance = model.predict_proba(form(X))
    prior = np.log(model.class_prior_[:, 1] / model.class_prior_[:, 0])
    np.testing.assert_allclose(
        np.log(chance / (1 - chance)),
        prior + odds([0, 2, 4]) + odds([1, 3], nominal="auto"),
        rtol=1e-6,
        atol=1e-8,
    )


@FORMS
@pytest.mark.parametrize("nominal", [None, "auto"])
def test_a_row_of_weight_two_is_two_rows_and_one_of_weight_nothing_is_none(form, nominal):
    X, Y = numbers()
    X[:, 0] = np.random.default_rng(3).integers(0, 2, size=len(X))
    X[7, 0] = 5.0  # with weight 0: must not turn the column into numbers
    weights = np.random.default_rng(0).integers(0, 3, size=len(X))
    weights[7] = 0
    weighted = MultilabelNaiveBayes(nominal).fit(form(X), Y, sample_weight=weights)
    repeated = MultilabelNaiveBayes(nominal).fit(form(np.repeat(X, weights, axis=0)), np.repeat(Y, weights, axis=0))
    np.testing.assert_array_equal(weighted.nominal_, repeated.nominal_)
    np.testing.assert_allclose(weighted.predict_proba(form(X)), repeated.predict_proba(form(X)), rtol=1e-8, atol=1e-14)


def test_weights_that_are_all_zero_are_refused():
    X, Y = numbers()
    # Newer versions of scikit-learn refuse them on their own.
    with pytest.raises(ValueError, match=r"needs sample_weight to be above 0 somewhere|at least one non-zero"):
        MultilabelNaiveBayes().fit(X, Y, sample_weight=np.zeros(len(X)))


@FORMS
@pytest.mark.parametrize("nominal", [None, "auto"])
def test_labels_with_one_value_have_their_laplace_estimate(form, nominal):
    X, Y = numbers()
    X[:, 0] = X[:, 0] > 0
    Y[:, 0], Y[:, 1] = 0, 1
    chances = MultilabelNaiveBayes(nominal).fit(form(X), Y).predict_proba(form(X))
    np.testing.assert_allclose(chances[:, 0], 1 / (len(X) + 2), rtol=1e-12)
    np.testing.assert_allclose(chances[:, 1], (len(X) + 1) / (len(X) + 2), rtol=1e-12)


def test_nominal_columns_by_name():
    X, Y = numbers()
    X[:, 2] = np.random.default_rng(0).integers(0, 5, size=len(X))
    frame = pd.DataFrame(X, columns=list("abcde"))
    named = MultilabelNaiveBayes(nominal=["c"]).fit(frame, Y)
    numbered = MultilabelNaiveBayes(nominal=[2]).fit(X, Y)
    np.testing.assert_array_equal(named.predict_proba(frame), numbered.predict_proba(X))
    with pytest.raises(ParameterError, match=r"^MultilabelNaiveBayes needs nominal to be"):
        MultilabelNaiveBayes(nominal=["z"]).fit(frame, Y)


def test_selector_and_classifier_are_one_line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20))
    Y = (X[:, [3, 8]] + 0.3 * rng.normal(size=(400, 2)) > 0).astype(int)
    model = make_pipeline(SCLS(n_features="sqrt"), MultilabelNaiveBayes()).fit(X, Y)
    assert set(model[0].ranking_[:2]) == {3, 8}
    assert (model.predict(X) == Y).mean() > 0.85
    assert model.predict_proba(X).shape == (400, 2)


def test_selector_and_classifier_on_sparse_text(benchmark_data):
    data = load_dataset("medical")
    assert sparse.issparse(data.X)
    for nominal in (None, "auto"):
        model = make_pipeline(SCLS(n_features="sqrt"), MultilabelNaiveBayes(nominal)).fit(data.X, data.Y)
        assert model.predict(data.X).shape == data.Y.shape
        assert np.isfinite(model.predict_proba(data.X)).all()
    wrong = abs(model.predict(data.X) - data.Y.toarray()).mean()
    assert wrong < data.Y.toarray().mean()  # better than giving no label at all


@pytest.mark.parametrize("nominal", [None, "auto"])
def test_sparse_text_is_not_made_dense(nominal):
    rng = np.random.default_rng(0)
    X = sparse.random(2000, 50_000, density=1e-4, format="csr", random_state=rng, data_rvs=np.ones)
    Y = rng.integers(0, 2, size=(2000, 2))
    tracemalloc.start()
    MultilabelNaiveBayes(nominal).fit(X, Y).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000 * 50_000 * 8 / 10


def binary_words(n=300, seed=0):
    """Return words of a text as 0 and 1, of which three carry the labels."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 30)) < 0.3).astype(float)
    Y = (X[:, [4, 11, 20]].astype(int) ^ (rng.random((n, 3)) < 0.05)).astype(int)
    return X, Y


def test_selector_and_classifier_in_every_form_of_data():
    X, Y = binary_words()
    columns, names = [f"word{i}" for i in range(30)], ["sea", "sky", "sun"]
    line = make_pipeline(SCLS(n_features=3), MultilabelNaiveBayes(nominal="auto"))
    plain = clone(line).fit(X, Y)
    assert set(plain[0].ranking_) == {4, 11, 20}
    assert (plain.predict(X) == Y).mean() > 0.9
    frames = (
        (pd.DataFrame(X, columns=columns), pd.DataFrame(Y, columns=names)),
        (pl.DataFrame(X, schema=columns), pl.DataFrame(Y, schema=names)),
        (sparse.csr_matrix(X), sparse.csr_matrix(Y)),
        (sparse.csc_array(X), Y),
    )
    for same_X, same_Y in frames:
        model = clone(line).fit(same_X, same_Y)
        np.testing.assert_array_equal(model[0].ranking_, plain[0].ranking_)
        np.testing.assert_array_equal(model.predict(same_X), plain.predict(X))
        np.testing.assert_allclose(model.predict_proba(same_X), plain.predict_proba(X), rtol=1e-9)
    assert list(clone(line).fit(*frames[0])[-1].label_names_) == names
    assert sparse.issparse(model[0].transform(sparse.csr_matrix(X)))


def test_selector_and_classifier_in_a_search():
    X, Y = binary_words()
    line = make_pipeline(SCLS(), MultilabelNaiveBayes(nominal="auto"))
    search = GridSearchCV(line, {"scls__n_features": [1, 3]}, scoring=scorers["exact_match"], cv=3).fit(X, Y)
    assert search.best_params_ == {"scls__n_features": 3}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_sums_by_class(weighted, form, monkeypatch):
    monkeypatch.setattr(class_sums, "_LABELS", 3)  # several blocks of labels
    rng = np.random.default_rng(0)
    Y = (rng.random((30, 7)) < [0.5, 0.1, 0.9, 0.3, 0.7, 0.0, 1.0]).astype(np.uint8)
    Y[:, 5:] = [0, 1]
    X = rng.normal(size=(30, 4))
    weights = rng.random(30) if weighted else None
    classes = ClassSums.of(Y, weights)
    found = classes.sums(form(X))
    w = np.ones(30) if weights is None else weights
    for label in range(7):
        for value in (0, 1):
            rows = Y[:, label] == value
            np.testing.assert_allclose(classes.mass[label, value], w[rows].sum(), rtol=1e-13)
            np.testing.assert_allclose(found[label, value], w[rows] @ X[rows], rtol=1e-12, atol=1e-14)


def test_a_class_without_rows_weighs_nothing_at_all():
    classes = ClassSums.of(np.array([[1], [1], [1]], dtype=np.uint8), np.array([0.1, 0.2, 0.3]))
    assert classes.mass[0, 0] == 0
    assert classes.sums(np.array([[0.1], [0.2], [0.3]]))[0, 0] == 0


def floored(rows, column):
    return max(rows.var(), 1e-9 * column.var() + 1e-12)


def naive_log_odds(X, y, asked):
    """Return the sum of log-ratios of normal densities, column by column."""
    total = np.zeros(len(asked))
    for j, column in enumerate(X.T):
        for value, sign in ((1, 1), (0, -1)):
            rows = column[y == value]
            spread = np.sqrt(floored(rows, column))
            total += sign * norm.logpdf(asked[:, j], rows.mean(), spread)
    return total


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_log_odds_are_those_of_normal_densities(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.5) * [1.0, 100.0, 1e-4, 1.0, 7.0]
    Y = (rng.random((80, 3)) < [0.5, 0.1, 0.9]).astype(np.uint8)
    asked = rng.normal(size=(10, 5)) * [1.0, 100.0, 1e-4, 1.0, 7.0]
    found = GaussianColumns.fitted(form(X), ClassSums.of(Y)).log_odds(form(asked))
    expected = np.column_stack([naive_log_odds(X, y, asked) for y in Y.T])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def test_means_and_variances_are_in_units_of_the_columns():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 2)) * [1.0, 50.0] + [3.0, 1000.0], rng.integers(0, 2, size=(40, 1), dtype=np.uint8)
    fitted = GaussianColumns.fitted(X, ClassSums.of(Y))
    for value in (0, 1):
        np.testing.assert_allclose(fitted.means[0, value], X[Y[:, 0] == value].mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(fitted.variances[0, value], X[Y[:, 0] == value].var(axis=0), rtol=1e-10)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_column_that_is_constant_in_a_class_has_the_least_variance(form):
    X = np.array([[2.0], [2.0], [0.0], [1.0], [3.0]])
    y = np.array([1, 1, 0, 0, 0])
    asked = np.array([[2.0], [2.0 + 1e-5], [0.0]])
    fitted = GaussianColumns.fitted(form(X), ClassSums.of(y.reshape(-1, 1).astype(np.uint8)))
    np.testing.assert_allclose(fitted.variances[0, 1], 1e-9 * X.var() + 1e-12, rtol=1e-9)
    np.testing.assert_allclose(fitted.log_odds(form(asked))[:, 0], naive_log_odds(X, y, asked), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_constant_column_says_nothing(form):
    X = np.column_stack([np.full(6, 0.1), np.zeros(6), np.full(6, 1e9)])
    Y = np.array([[1], [0], [0], [1], [1], [1]], dtype=np.uint8)
    fitted = GaussianColumns.fitted(form(X), ClassSums.of(Y))
    np.testing.assert_array_equal(fitted.log_odds(form(X + 1.0)), np.zeros((6, 1)))


def test_columns_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)) + 1e6, rng.integers(0, 2, size=50)
    moved = X - 1e6
    fitted = GaussianColumns.fitted(X, ClassSums.of(y.reshape(-1, 1).astype(np.uint8)))
    np.testing.assert_allclose(fitted.log_odds(X)[:, 0], naive_log_odds(moved, y, moved), rtol=1e-6, atol=1e-7)


def test_no_columns_say_nothing():
    Y = np.array([[1], [0]], dtype=np.uint8)
    for empty in (np.empty((2, 0)), sparse.csr_matrix((2, 0))):
        assert GaussianColumns.fitted(empty, ClassSums.of(Y)).log_odds(empty).tolist() == [[0.0], [0.0]]


def naive_nominal_log_odds(X, y, asked, s):
    total = np.zeros(len(asked))
    for j in range(X.shape[1]):
        n_values = len(set(X[:, j]))
        for value, sign in ((1, 1), (0, -1)):
            rows = X[y == value, j]
            seen = Counter(rows.tolist())
            total += [sign * np.log((seen[v] + s) / (len(rows) + s * n_values)) for v in asked[:, j].tolist()]
    return total


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("s", [1.0, 0.25])
def test_log_odds_are_those_of_smoothed_frequencies(form, s):
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.integers(0, 2, 40),  # 0 and 1
            rng.integers(1, 4, 40),  # never 0
            rng.choice([-1.5, 0.0, 7.0], 40),
            np.zeros(40),
            np.full(40, 2.0),
        ]
    ).astype(float)
    Y = (rng.random((40, 2)) < [0.5, 0.1]).astype(np.uint8)
    asked = np.vstack([X[:10], [[0, 0, 0, 0, 0], [5, 5, 5, 5, 5], [1, 9, -1.5, 1, 2], [2, 1, -1, 7, 0]]])
    found = NominalColumns.fitted(form(X), ClassSums.of(Y), s).log_odds(form(asked))
    expected = np.column_stack([naive_nominal_log_odds(X, y, asked, s) for y in Y.T])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_zeros_that_a_sparse_matrix_stores_are_zeros():
    X = sparse.csr_matrix((np.array([0.0, 1.0, 0.0]), np.array([0, 0, 0]), np.array([0, 1, 2, 3])), shape=(3, 1))
    classes = ClassSums.of(np.array([[1], [0], [0]], dtype=np.uint8))
    found = NominalColumns.fitted(X, classes, 1.0).log_odds(X)
    np.testing.assert_allclose(
        found, NominalColumns.fitted(X.toarray(), classes, 1.0).log_odds(X.toarray()), rtol=1e-15
    )
    assert X.nnz == 3


def test_which_columns_are_nominal():
    X = np.array([[0.0, 2.0, 1.0, 0.0], [1.0, 0.0, 1.0, -1.0]])
    for form in (X, sparse.csr_matrix(X)):
        assert nominal_mask("MLNB", None, form).tolist() == [False] * 4
        assert nominal_mask("MLNB", "auto", form).tolist() == [True, False, True, False]
        assert nominal_mask("MLNB", [True, False, False, True], form).tolist() == [True, False, False, True]
        assert nominal_mask("MLNB", np.array([3]), form).tolist() == [False, False, False, True]
        assert nominal_mask("MLNB", ("b", "a"), form, ["a", "b", "c", "d"]).tolist() == [True, True, False, False]
        assert nominal_mask("MLNB", [], form).tolist() == [False] * 4


@pytest.mark.parametrize("wrong", [["e"], [4], [-1], [True, False], [0.5]])
def test_columns_that_do_not_exist(wrong):
    with pytest.raises(ParameterError, match=r"^MLNB needs nominal to be None, 'auto', a mask of 4 columns"):
        nominal_mask("MLNB", wrong, np.zeros((2, 4)), ["a", "b", "c", "d"])
