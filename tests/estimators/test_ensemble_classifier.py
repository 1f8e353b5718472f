import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from plait import recipes
from plait.core.callbacks import HAS_CALLBACKS
from plait.core.sentences import ParameterError
from plait.estimators import EnsembleClassifier, JointClassifier
from plait.estimators.ensemble_classifier import likeliest_weights
from plait.inference import Greedy
from plait.learners import LinearSVMLearner
from plait.structure import FullChain


def problem(n=120, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, :q] + rng.normal(size=(n, q)) > 0).astype(np.uint8)


def test_one_member_with_all_rows_and_features_is_the_model_itself():
    X, Y = problem()
    base = JointClassifier(FullChain(), inference=Greedy())
    ensemble = EnsembleClassifier(base, 1, 1.0, 1.0, "votes", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(ensemble.predict(X), base.fit(X, Y).predict(X))
    mixed = EnsembleClassifier(JointClassifier(), 1, 1.0, 1.0, combine="mixture", random_state=0).fit(X, Y)
    np.testing.assert_allclose(mixed.predict_proba(X), JointClassifier().fit(X, Y).predict_proba(X), rtol=1e-9)


def test_sizes_votes_and_seeds():
    X, Y = problem()
    model = recipes.ecc(max_features=0.5, combine="votes", random_state=5).fit(X, Y)
    assert len(model.members_) == 10
    for member in model.members_:
        assert len(set(member.rows)) == round(0.75 * 120)
        assert len(set(member.columns)) == round(0.5 * 7)
    assert len({member.estimator.graph_.order for member in model.members_}) > 1
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares * 10, (shares * 10).round(), atol=1e-12)
    votes = np.mean([member.estimator.predict(X[:, member.columns]) for member in model.members_], axis=0)
    np.testing.assert_array_equal(shares, votes)
    np.testing.assert_array_equal(model.predict(X), votes >= 0.5)
    again = recipes.ecc(max_features=0.5, combine="votes", random_state=5, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(again.predict_proba(X), shares)


def test_at_least_one_row_and_feature():
    X, Y = problem(4, 3)
    model = EnsembleClassifier(n_estimators=3, max_samples=0.01, max_features=0.01, random_state=0).fit(X, Y)
    assert {len(member.rows) for member in model.members_} == {1}
    assert {len(member.columns) for member in model.members_} == {1}


def test_integers_are_numbers_of_rows_and_features_not_shares():
    X, Y = problem(20, 3)
    model = EnsembleClassifier(n_estimators=2, max_samples=15, max_features=1, random_state=0).fit(X, Y)
    assert {len(member.rows) for member in model.members_} == {15}
    assert {len(member.columns) for member in model.members_} == {1}
    for name, size in {"max_samples": 21, "max_features": X.shape[1] + 1}.items():
        with pytest.raises(ParameterError, match=f"EnsembleClassifier needs {name} to be at most {size - 1}"):
            EnsembleClassifier(n_estimators=2, random_state=0, **{name: size}).fit(X, Y)


def test_mean_marginals_and_matched_cardinality():
    X, Y = problem()
    model = EnsembleClassifier(combine="marginals", threshold="cardinality", random_state=0).fit(X, Y)
    mean = np.mean([member.estimator.predict_proba(X[:, member.columns]) for member in model.members_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean, rtol=1e-12)
    assert abs(int(model.predict(X).sum()) - int(Y.sum())) <= 1
    # The threshold is one of the scores of these rows, which may have other last digits another time.
    assert np.abs(model.predict_proba(X) - model.threshold_).min() > 1e-12


@pytest.mark.parametrize("weights", ["equal", "likelihood"])
def test_a_mixture_is_a_joint_distribution(weights):
    X, Y = problem()
    model = recipes.epcc(n_estimators=4, combine="mixture", random_state=0).set_params(member_weights=weights).fit(X, Y)
    answer = model.joint(X[:5])
    vectors = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    logs = np.column_stack([answer.log_prob(np.tile(y, (5, 1))) for y in vectors])
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X[:5]), np.exp(logs) @ vectors, rtol=1e-9)
    parts = [np.exp(m.estimator.joint(X[:5][:, m.columns]).log_prob(Y[:5])) for m in model.members_]
    np.testing.assert_allclose(np.exp(answer.log_prob(Y[:5])), model.weights_ @ parts, rtol=1e-9)
    assert model.weights_.sum() == pytest.approx(1.0, rel=1e-12)
    if weights == "equal":
        np.testing.assert_allclose(model.weights_, 0.25, rtol=1e-12)


def test_likeliest_weights_are_no_worse_than_any_others():
    rng = np.random.default_rng(0)
    logs = np.log(rng.random((200, 3)) ** 2)
    found = likeliest_weights(logs)
    best = np.log(np.exp(logs) @ found).mean()
    others = rng.dirichlet(np.ones(3), size=500)
    assert best >= max(np.log(np.exp(logs) @ weights).mean() for weights in others) - 1e-9


def test_any_classifier_votes_but_only_joints_mix():
    X, Y = problem()
    forest = RandomForestClassifier(5)
    first = EnsembleClassifier(forest, 3, random_state=0).fit(sparse.csr_matrix(X), Y)
    again = EnsembleClassifier(forest, 3, random_state=0).fit(sparse.csr_matrix(X), Y)
    np.testing.assert_array_equal(first.predict(sparse.csr_matrix(X)), again.predict(sparse.csr_matrix(X)))
    with pytest.raises(ParameterError, match="needs members with a joint distribution"):
        EnsembleClassifier(forest, 3, combine="mixture").fit(X, Y)
    with pytest.raises(ParameterError, match="JointClassifier has none"):
        EnsembleClassifier(JointClassifier(learner=LinearSVMLearner()), 3, combine="mixture").fit(X, Y)
    assert not hasattr(first, "joint")
    assert not hasattr(first, "decision_function")


@pytest.mark.skipif(not HAS_CALLBACKS, reason="needs scikit-learn 1.9 or later, which has callbacks")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_callbacks_see_every_member(n_jobs):
    seen = []

    class Watch:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **_):
            seen.append(context.task_name)

        def on_fit_task_end(self, estimator, context, **_):
            pass

    X, Y = problem()
    model = EnsembleClassifier(n_estimators=3, random_state=0, n_jobs=n_jobs).set_callbacks(Watch()).fit(X, Y)
    assert seen == ["fit", *["EnsembleClassifier, members"] * 3]
    plain = EnsembleClassifier(n_estimators=3, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


def test_members_with_a_joint_are_one_mixture_and_others_vote():
    X, Y = problem()
    chains, machines = recipes.ecc(n_estimators=3), recipes.ecc(n_estimators=3, learner="linear_svm")
    assert hasattr(chains, "joint")
    assert not hasattr(machines, "joint")
    likely = chains.set_params(random_state=0).fit(X, Y)
    parts = [m.estimator.joint(X[:, m.columns]).log_prob(Y) for m in likely.members_]
    np.testing.assert_allclose(np.exp(likely.joint(X).log_prob(Y)), np.exp(parts).mean(axis=0), rtol=1e-9)
    assert {len(m.columns) for m in likely.members_} == {X.shape[1]}
    shares = machines.fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(shares * 3, (shares * 3).round(), atol=1e-12)


def test_the_mixture_of_epcc_sees_all_rows_and_features():
    X, Y = problem()
    model = recipes.epcc(n_estimators=3, random_state=0).fit(X, Y)
    assert all(len(m.rows) == len(Y) and len(m.columns) == X.shape[1] for m in model.members_)
    assert len({m.estimator.graph_.order for m in model.members_}) > 1
