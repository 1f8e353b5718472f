import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.baselines.label_powerset import LabelPowerset
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.losses import F1, Hamming


def problem(n=120, d=5, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.4).astype(np.uint8)
    return X, Y


def naive_classes(Y):
    """Strings of the label sets: classes that no code of ours has touched."""
    return np.array(["".join(map(str, row)) for row in Y])


def naive_marginals(classifier, X, q):
    chances, total = classifier.predict_proba(X), np.zeros((len(X), q))
    for column, word in enumerate(classifier.classes_):
        for label, letter in enumerate(word):
            if letter == "1":
                total[:, label] += chances[:, column]
    return total


@pytest.mark.parametrize("seed", range(3))
def test_a_perfect_classifier_gives_the_training_labels_back(seed):
    X, Y = problem(seed=seed)
    model = LabelPowerset(DecisionTreeClassifier(random_state=0)).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    np.testing.assert_array_equal(model.predict_proba(X), Y)


@pytest.mark.parametrize("estimator", [GaussianNB(), LogisticRegression(max_iter=1000), KNeighborsClassifier(7)])
def test_agrees_with_a_naive_version_on_strings(estimator):
    X, Y = problem(seed=1)
    Z = problem(n=50, seed=2)[0]
    model = LabelPowerset(estimator).fit(X, Y)
    naive = estimator.fit(X, naive_classes(Y))
    expected = np.array([[int(letter) for letter in word] for word in naive.predict(Z)])
    np.testing.assert_array_equal(model.predict(Z), expected)
    np.testing.assert_allclose(model.predict_proba(Z), naive_marginals(naive, Z, 4), rtol=1e-10, atol=1e-12)


def test_by_default_logistic_regressions_of_all_label_sets_on_scaled_columns():
    X, Y = problem(seed=3)
    X = X * [1.0, 100.0, 0.01, 1.0, 7.0] + 5.0
    model = LabelPowerset().fit(X, Y)
    scaler = StandardScaler().fit(X)
    naive = OneVsRestClassifier(LogisticRegression(max_iter=5000, tol=1e-8))
    naive.fit(scaler.transform(X), naive_classes(Y))
    expected = naive_marginals(naive, scaler.transform(X), 4)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=2e-3)


def test_sparse_and_dense_agree():
    rng = np.random.default_rng(4)
    X = rng.poisson(0.4, size=(100, 20)).astype(float)
    Y = problem(n=100, seed=4)[1]
    dense, thin = LabelPowerset().fit(X, Y), LabelPowerset().fit(sparse.csr_array(X), sparse.csr_array(Y))
    np.testing.assert_allclose(dense.predict_proba(X), thin.predict_proba(sparse.csr_array(X)), rtol=0, atol=1e-3)


def test_only_seen_label_sets_are_predicted():
    X, Y = problem(seed=5)
    model = LabelPowerset(GaussianNB()).fit(X, Y)
    seen = {tuple(row) for row in Y}
    assert {tuple(row) for row in model.label_sets_} == seen
    assert {tuple(row) for row in model.predict(problem(n=500, seed=6)[0])} <= seen


def test_the_support_is_the_joint_and_losses_decide_on_it():
    X, Y = problem(seed=7)
    model = LabelPowerset(GaussianNB()).fit(X, Y)
    support = model.label_support(X)
    np.testing.assert_allclose(np.exp(support.log_weights).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(support.marginals, model.predict_proba(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(support.mode(), model.predict(X))
    np.testing.assert_array_equal(model.predict(X, loss="hamming"), Hamming().decide(support))
    risk = F1().expected(support, model.predict(X, loss="f1"))
    assert (risk <= F1().expected(support, model.predict(X)) + 1e-12).all()
    assert (model.set_params(loss="f1").predict(X) != model.predict(X, loss="subset")).any()


@pytest.mark.parametrize("only", [(0, 0), (1, 0), (1, 1)])
def test_one_label_set_needs_no_classifier(only):
    X = problem(n=8)[0]
    model = LabelPowerset().fit(X, np.array([only] * 8))
    assert model.estimator_ is None
    np.testing.assert_array_equal(model.predict(X), [only] * 8)
    np.testing.assert_allclose(model.predict_proba(X), [[0.9 if one else 0.1 for one in only]] * 8, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X, loss="f1"), [only] * 8)


def test_constant_labels_have_the_laplace_estimate():
    X, Y = problem(n=48, seed=8)
    Y[:, 1], Y[:, 2] = 0, 1
    chances = LabelPowerset().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(chances[:, 1], 1 / 50, rtol=1e-12)
    np.testing.assert_allclose(chances[:, 2], 49 / 50, rtol=1e-12)
    np.testing.assert_array_equal(LabelPowerset().fit(X, Y).predict(X)[:, 1:3], [[0, 1]] * 48)


def test_one_row_and_one_label():
    X, Y = problem(n=1)
    np.testing.assert_array_equal(LabelPowerset().fit(X, Y).predict(X), Y)
    X, Y = problem(q=1)
    model, plain = LabelPowerset(GaussianNB()).fit(X, Y), GaussianNB().fit(X, Y.ravel())
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], plain.predict_proba(X)[:, 1], rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X).ravel(), plain.predict(X))


def test_a_weight_is_a_repetition_and_no_weight_is_absence():
    X, Y = problem(n=60, seed=9)
    weights = np.random.default_rng(0).integers(0, 4, size=60)
    weighted = LabelPowerset(GaussianNB()).fit(X, Y, sample_weight=weights)
    repeated = LabelPowerset(GaussianNB()).fit(X.repeat(weights, axis=0), Y.repeat(weights, axis=0))
    np.testing.assert_array_equal(weighted.label_sets_, repeated.label_sets_)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_an_estimator_without_weights_says_so():
    X, Y = problem()
    with pytest.raises(ParameterError, match="LabelPowerset needs an estimator whose fit takes sample_weight, but KN"):
        LabelPowerset(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(len(X)))


def test_an_estimator_without_probabilities_predicts_only():
    X, Y = problem()
    model = LabelPowerset(LinearSVC()).fit(X, Y)
    assert not hasattr(model, "predict_proba")
    assert model.predict(X).shape == Y.shape
    with pytest.raises(ParameterError, match="LabelPowerset needs an estimator with predict_proba for a loss other"):
        model.predict(X, loss="f1")


def test_missing_values_go_to_an_estimator_that_takes_them():
    X, Y = problem()
    X[::7, 0] = np.nan
    assert LabelPowerset(RandomForestClassifier(5, random_state=0)).fit(X, Y).predict(X).shape == Y.shape
    with pytest.raises(ValueError, match="NaN"):
        LabelPowerset().fit(X, Y)


def test_wrong_parameters_are_refused():
    X, Y = problem()
    for name, rules in LabelPowerset.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"^LabelPowerset needs {name} to be"):
                LabelPowerset(**{name: value}).fit(X, Y)
    with pytest.raises(ParameterError, match="loss"):
        LabelPowerset(loss="zero_one").fit(X, Y)
    with pytest.raises(ParameterError, match="gives scores to rank by"):
        LabelPowerset().fit(X, Y).predict(X, loss="rank")
