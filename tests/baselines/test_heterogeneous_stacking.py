import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from plait.baselines import HeterogeneousStacking
from plait.core.sentences import ParameterError
from plait.data.folds import MultilabelStratifiedKFold
from plait.learners import LinearSVMLearner, LogisticLearner

TIGHT = LogisticLearner(standardize=False, tol=1e-12)


def problem(n=150, d=4, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + 0.7 * rng.normal(size=(n, q)) > 0.2).astype(np.uint8)
    return X, Y, rng.normal(size=(20, d))


def theirs(X, Y, asked, outputs, in_sample, n_folds):
    """Return the two layers made of scikit-learn's parts."""
    method = "predict_proba" if outputs == "probabilities" else "predict"

    def answer(model, rows):
        found = getattr(model, method)(rows)
        return found[:, 1] if found.ndim == 2 else found

    folds = list(MultilabelStratifiedKFold(n_folds, random_state=5).split(X, Y))
    held_out, new = [], []
    for y in Y.T:
        base = LogisticRegression(tol=1e-10, max_iter=10_000)
        fitted = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
        held = cross_val_predict(base, X, y, cv=folds, method=method)
        held_out.append(answer(fitted, X) if in_sample else held[:, 1] if held.ndim == 2 else held)
        new.append(answer(fitted, asked))
    training, asked = np.column_stack([X, *held_out]), np.column_stack([asked, *new])
    layers = [LogisticRegression(tol=1e-10, max_iter=10_000).fit(training, y) for y in Y.T]
    return np.column_stack([layer.predict_proba(asked)[:, 1] for layer in layers])


@pytest.mark.parametrize("outputs", ["probabilities", "labels"])
@pytest.mark.parametrize("in_sample", [False, True])
@pytest.mark.parametrize("n_folds", [2, 5])
@pytest.mark.parametrize("parts", [{"learner": TIGHT}, {"estimator": LogisticRegression(tol=1e-10, max_iter=10_000)}])
def test_it_is_two_layers_of_binary_relevance(outputs, in_sample, n_folds, parts):
    X, Y, asked = problem()
    model = HeterogeneousStacking(n_folds=n_folds, in_sample=in_sample, outputs=outputs, random_state=5, **parts).fit(
        X, Y
    )
    expected = theirs(X, Y, asked, outputs, in_sample, n_folds)
    np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(model.predict(asked), expected > 0.5)


def test_the_second_layer_sees_x_and_then_every_label():
    X, Y, _ = problem()
    assert HeterogeneousStacking().fit(X, Y).conditionals_.coef_.shape == (3, 4 + 3)
    assert HeterogeneousStacking().fit(X, Y).first_.coef_.shape == (3, 4)


@pytest.mark.parametrize("in_sample", [False, True])
def test_first_layer_outputs_of_the_training_come_from_rows_that_were_left_out(in_sample, monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 2)), rng.integers(0, 2, size=(60, 2))
    seen = []
    whole = HeterogeneousStacking._held_out_outputs
    monkeypatch.setattr(HeterogeneousStacking, "_held_out_outputs", lambda *a: seen.append(whole(*a)) or seen[-1])
    # The nearest row of a training row is itself: in sample the first layer knows every label.
    nearest = KNeighborsClassifier(n_neighbors=1)
    model = HeterogeneousStacking(estimator=nearest, in_sample=in_sample, random_state=0).fit(X, Y)
    assert (model._outputs(model.first_, X).round() == Y).all()
    assert len(seen) == (not in_sample)
    if not in_sample:
        assert 0.3 < (seen[0].round() == Y).mean() < 0.7  # labels at random


def test_labels_that_a_fold_lacks_are_constant_there():
    X, Y, asked = problem()
    Y[:, 1] = 0
    Y[7, 1] = 1
    Y[:, 2] = 1
    chances = HeterogeneousStacking(random_state=0).fit(X, Y).predict_proba(asked)
    assert (chances[:, 1] < 0.5).all()
    np.testing.assert_allclose(chances[:, 2], 151 / 152, rtol=1e-12)


def test_sparse_rows_stay_sparse_and_give_the_same():
    X, Y, asked = problem()
    X, asked = X * (X > 0.3), asked * (asked > 0.3)
    dense = HeterogeneousStacking(learner=TIGHT, random_state=0).fit(X, Y)
    model = HeterogeneousStacking(learner=TIGHT, random_state=0).fit(sparse.csr_matrix(X), Y)
    assert sparse.issparse(model._columns(sparse.csr_matrix(asked)))
    np.testing.assert_allclose(
        model.predict_proba(sparse.csr_matrix(asked)), dense.predict_proba(asked), rtol=1e-5, atol=1e-6
    )


def test_learners_without_probabilities_need_labels_as_outputs():
    X, Y, _ = problem()
    for parts in ({"learner": LinearSVMLearner()}, {"estimator": Perceptron()}):
        model = HeterogeneousStacking(outputs="labels", random_state=0, **parts)
        assert not hasattr(model, "predict_proba")
        assert (model.fit(X, Y).predict(X) == Y).mean() > 0.7
        assert not hasattr(model, "predict_proba")
        with pytest.raises(
            ParameterError, match=r"^HeterogeneousStacking with outputs='probabilities' needs a learner"
        ):
            HeterogeneousStacking(**parts).fit(X, Y)


def test_a_learner_and_an_estimator_are_one_too_many():
    X, Y, _ = problem()
    with pytest.raises(ParameterError, match=r"needs a learner or an estimator, but both are given"):
        HeterogeneousStacking(LogisticLearner(), LogisticRegression()).fit(X, Y)


def test_missing_values_go_to_estimators_that_take_them():
    X, Y, asked = problem()
    X[::7, 1] = np.nan
    booster = HistGradientBoostingClassifier(max_iter=5)
    assert HeterogeneousStacking(estimator=booster, n_folds=2).fit(X, Y).predict(asked).shape == (20, 3)
    with pytest.raises(ValueError, match="NaN"):
        HeterogeneousStacking().fit(X, Y)


def test_more_folds_than_rows():
    X, Y, asked = problem(n=3)
    assert HeterogeneousStacking(n_folds=10).fit(X, Y).predict(asked).shape == (20, 3)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_x_is_scaled_and_outputs_are_not(form):
    X, Y, asked = problem()
    X, asked = X * [1.0, 100.0, 0.01, 1.0] + 0.5, asked * [1.0, 100.0, 0.01, 1.0] + 0.5
    scales = X.std(axis=0)
    # In sample, because a fold would have scales of its own.
    model = HeterogeneousStacking(LogisticLearner(tol=1e-12), in_sample=True).fit(form(X), Y)
    expected = theirs(X / scales, Y, asked / scales, "probabilities", True, 5)
    np.testing.assert_allclose(model.predict_proba(form(asked)), expected, rtol=1e-4, atol=1e-5)


def test_absent_and_rare_labels_do_no_harm_to_the_others():
    # Out of fold an absent label has 1 / (N_fold + 2), for new rows 1 / (N + 2): many deviations away.
    X, Y, asked = problem(n=151)
    plain = HeterogeneousStacking(random_state=0).fit(X, Y).predict_proba(asked)
    crowd = np.zeros((151, 20), dtype=np.uint8)
    crowd[np.arange(10), np.arange(10)] = 1
    found = HeterogeneousStacking(random_state=0).fit(X, np.hstack([Y, crowd])).predict_proba(asked)
    assert abs(found[:, :3] - plain).max() < 0.1
    assert (found[:, 3:] < 0.5).mean() > 0.95
