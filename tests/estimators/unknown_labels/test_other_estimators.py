"""Unknown labels in mixtures, ensembles, AutoJoint, pipelines and selectors; zeros that were not recorded."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from plait import AutoJoint, EnsembleClassifier, JointClassifier, JointPipeline, TreeMixtureClassifier, recipes
from plait.baselines import MLkNN
from plait.core.logspace import log_sum_exp
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.estimators.unknown_labels import imputation
from plait.estimators.unknown_labels.imputation import imputed_labels
from plait.estimators.unknown_labels.mixture_em import MixtureSteps
from plait.estimators.unknown_labels.recording import RecordingRates
from plait.features import ReliefF
from plait.joint import GraphJoint
from plait.learners import LinearSVMLearner, LogisticLearner
from plait.learners.training.problem import Problem
from plait.structure import FullChain, LabelGraph, LabelTree

VECTORS = ((np.arange(16)[:, None] >> np.arange(4)) & 1).astype(np.uint8)


@pytest.fixture(scope="module")
def data():
    made = make_label_network(300, 3, 4, structure="tree", strength=2.0, random_state=1)
    X, Y = np.asarray(made.dataset.X), np.asarray(made.dataset.Y).astype(np.float64)
    return made, X, Y, np.where(np.random.default_rng(1).random(Y.shape) < 0.4, np.nan, Y)


MODELS = {
    "mixture": TreeMixtureClassifier(max_components=2, learner="logistic", n_starts=5, random_state=0),
    "growing mixture": TreeMixtureClassifier(max_components=2, learner="logistic", start="growth", random_state=0),
    "ensemble": EnsembleClassifier(JointClassifier(learner="logistic"), 3, random_state=0),
    "weighed ensemble": EnsembleClassifier(
        JointClassifier(learner="logistic"), 3, member_weights="likelihood", random_state=0
    ),
    "auto": AutoJoint(effort="fast", random_state=0),
    "pipeline": JointPipeline([("scale", StandardScaler()), ("labels", JointClassifier(learner="logistic"))]),
    "selected features": recipes.bcc(learner=LogisticLearner(), random_state=0),
    "selector": JointClassifier(selector="scls", learner="logistic", random_state=0).set_params(selector__n_features=2),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_joint_estimator_takes_unknown_labels(data, name):
    made, X, _, gaps = data
    true = made.marginals(X)
    found = MODELS[name].fit(X, gaps).predict_proba(X)
    zeros = MODELS[name].fit(X, np.nan_to_num(gaps)).predict_proba(X)
    assert np.abs(found - true).mean() < 0.7 * np.abs(zeros - true).mean()


@pytest.mark.parametrize("name", ["mixture", "growing mixture", "ensemble", "auto", "selected features", "selector"])
def test_a_row_of_gaps_changes_nothing_and_bits_repeat(data, name):
    _, X, _, gaps = data
    more, rows = np.vstack([X, [[50.0, -50.0, 50.0]]]), np.vstack([gaps, [[np.nan] * 4]])
    first = MODELS[name].fit(X, gaps).predict_proba(X)
    np.testing.assert_array_equal(first, MODELS[name].fit(more, rows).predict_proba(X))


def test_selectors_choose_in_a_model_what_they_choose_alone(data):
    _, X, _, gaps = data
    model = JointClassifier(selector=ReliefF(n_features=2), learner="logistic", random_state=0).fit(X, gaps)
    assert model.mask_ == ReliefF(n_features=2).fit(X, gaps).mask_


def test_votes_match_the_number_of_labels_that_are_known(data):
    _, X, _, gaps = data
    model = EnsembleClassifier(
        JointClassifier(learner="logistic"), 5, combine="votes", threshold="cardinality", random_state=0
    )
    wanted = sum(gaps[~np.isnan(gaps[:, k]), k].mean() for k in range(4))
    assert abs(model.fit(X, gaps).predict(X).sum(axis=1).mean() - wanted) < 0.5


def test_steps_of_a_mixture_never_lower_the_likelihood_and_say_it(data):
    _, X, _, gaps = data
    X, Y = X[:80], np.where(np.isnan(gaps[:80]), -1, gaps[:80]).astype(np.int8)
    learner = LogisticLearner(C=2.0, standardize=False)
    graphs = LabelGraph([[], [0], [0], [2]]), LabelGraph([[1], [], [1], [0]])
    parts = [learner.fit_checked(Problem(X, Y, graph)) for graph in graphs]
    steps = MixtureSteps(learner, X, Y, None, np.array([0.6, 0.4]), parts, 0)

    def objective(weights, conditionals):
        logs = [GraphJoint(part).condition(X).log_prob(np.repeat(VECTORS[None], 80, 0)) for part in conditionals]
        logs = log_sum_exp(np.stack(logs) + np.log(weights)[:, None, None], axis=0)
        agrees = ((Y[:, None] < 0) | (Y[:, None] == VECTORS)).all(axis=2)
        likelihood = log_sum_exp(np.where(agrees, logs, -np.inf), axis=1).sum()
        penalty = sum(np.square(part.coef_).sum() + np.square(part.parent_coef_).sum() for part in conditionals)
        return likelihood - penalty / 4.0, likelihood

    values = [objective(np.array([0.6, 0.4]), parts)]
    for (weights, conditionals), likelihood in steps.path(6):
        np.testing.assert_allclose(likelihood, values[-1][1], rtol=1e-9)
        values.append(objective(weights, conditionals))
        np.testing.assert_allclose(weights.sum(), 1.0, rtol=1e-12)
    assert np.diff([value for value, _ in values]).min() > -1e-8 * abs(values[-1][0])


def test_imputed_labels_keep_what_is_known_and_follow_the_rest(data):
    _, X, Y, gaps = data
    given = np.where(np.isnan(gaps), -1, gaps).astype(np.int8)
    found = imputed_labels(X, given, None, 0)
    assert (found[given >= 0] == given[given >= 0]).all()
    hidden = given < 0
    assert abs(found[hidden].mean() - Y[hidden].mean()) < 0.06
    np.testing.assert_allclose(np.corrcoef(found.T), np.corrcoef(Y.T), rtol=0, atol=0.15)
    whole = Y.astype(np.uint8)
    assert imputed_labels(X, whole, None, 0) is whole


OTHERS = ("mixture", "ensemble", "auto")


def recorded(Y, rate, seed=0):
    return Y * (np.random.default_rng(seed).random(Y.shape) < rate)


def test_with_every_positive_recorded_nothing_changes(data):
    _, X, Y, _ = data
    plain = JointClassifier(learner="logistic", random_state=0).fit(X, Y)
    for rate in (1.0, np.ones(4)):
        same = JointClassifier(learner="logistic", random_state=0, zeros="unrecorded", recording_rate=rate).fit(X, Y)
        np.testing.assert_array_equal(plain.conditionals_.coef_, same.conditionals_.coef_)
        np.testing.assert_array_equal(same.recording_rate_, 1.0)


@pytest.mark.parametrize("structure", [FullChain(), LabelTree()])
def test_with_the_rate_given_marginals_approach_the_true_ones(structure):
    errors = []
    for n in (300, 3000):
        made = make_label_network(n, 3, 4, structure="tree", strength=2.0, random_state=2)
        X, Y = np.asarray(made.dataset.X), np.asarray(made.dataset.Y)
        records, how = recorded(Y, 0.6), {"learner": LogisticLearner(C=10.0), "random_state": 0}
        true = made.marginals(X)
        certain = JointClassifier(structure, **how).fit(X, records)
        model = JointClassifier(structure, **how, zeros="unrecorded", recording_rate=0.6).fit(X, records)
        errors.append([np.abs(each.predict_proba(X) - true).mean() for each in (model, certain)])
    (few, _), (many, by_zeros) = errors
    assert many < few
    assert many < 0.5 * by_zeros


def test_an_estimated_rate_is_told():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 2)).astype(float)
    Y = X.astype(int)  # positives are certain, so that the share of them that is recorded can be seen
    model = JointClassifier(FullChain(), learner="logistic", zeros="unrecorded", random_state=0)
    with pytest.warns(UserWarning, match="estimates recording_rate from the records"):
        model.fit(X, recorded(Y, 0.7))
    np.testing.assert_allclose(model.recording_rate_, 0.7, rtol=0, atol=0.07)


def test_wrong_rates_are_one_sentence(data):
    _, X, Y, _ = data
    how = {"zeros": "unrecorded", "learner": "logistic"}
    with pytest.raises(ParameterError, match="recording_rate to have one number for each of 4 labels, but it has 2"):
        JointClassifier(**how, recording_rate=[0.5, 0.5]).fit(X, Y)
    with pytest.raises(ParameterError, match="needs recording_rate to be a number above 0 and at most 1"):
        JointClassifier(**how, recording_rate=0.0).fit(X, Y)
    with pytest.raises(ParameterError, match="needs a learner with soft targets for zeros='unrecorded'"):
        JointClassifier(zeros="unrecorded", recording_rate=0.5, learner=LinearSVMLearner()).fit(X, Y)
    assert not any(RecordingRates().accepts(value) for value in (*RecordingRates().wrong(), "half", True, [[0.5]]))


@pytest.mark.parametrize("name", [*OTHERS, "chain"])
def test_records_may_be_a_sparse_matrix(data, name):
    _, X, Y, _ = data
    records, chain = recorded(Y, 0.6), JointClassifier(learner="logistic", random_state=0)
    model = clone(MODELS.get(name, chain)).set_params(zeros="unrecorded", recording_rate=0.6)
    dense = model.fit(X, records).predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, sparse.csr_matrix(records)).predict_proba(X), dense)


def test_gaps_and_unrecorded_positives_together(data):
    made, X, Y, gaps = data
    records = np.where(np.isnan(gaps), np.nan, recorded(Y, 0.7))
    model = JointClassifier(learner="logistic", zeros="unrecorded", recording_rate=0.7, random_state=0).fit(X, records)
    certain = JointClassifier(learner="logistic", random_state=0).fit(X, records)
    true = made.marginals(X)
    assert np.abs(model.predict_proba(X) - true).mean() < np.abs(certain.predict_proba(X) - true).mean()


@pytest.mark.parametrize("name", OTHERS)
def test_every_joint_estimator_takes_the_rate_of_recording(data, name):
    made, X, Y, _ = data
    records, true = recorded(Y, 0.5), made.marginals(X)
    certain = clone(MODELS[name]).fit(X, records)
    model = clone(MODELS[name]).set_params(zeros="unrecorded", recording_rate=0.5).fit(X, records)
    errors = [np.abs(each.predict_proba(X) - true).mean() for each in (model, certain)]
    assert errors[0] < 0.5 * errors[1]
    np.testing.assert_array_equal(model.recording_rate_, 0.5)
    assert not hasattr(model.set_params(zeros="certain").fit(X, records), "recording_rate_")


@pytest.mark.parametrize("name", OTHERS)
def test_with_every_positive_recorded_other_estimators_are_the_same(data, name):
    _, X, Y, gaps = data
    for labels in (Y, gaps):
        plain = clone(MODELS[name]).fit(X, labels)
        same = clone(MODELS[name]).set_params(zeros="unrecorded", recording_rate=1.0).fit(X, labels)
        np.testing.assert_array_equal(plain.predict_proba(X), same.predict_proba(X))


def test_an_estimated_rate_serves_all_members_and_folds(data):
    _, X, Y, _ = data
    how = {"zeros": "unrecorded", "random_state": 0}
    ensemble = EnsembleClassifier(JointClassifier(learner="logistic"), 3, **how)
    mixture = TreeMixtureClassifier(max_components=1, learner="logistic", loss="micro_f1", **how)
    for model in (ensemble, mixture):
        with pytest.warns(UserWarning, match="estimates recording_rate") as told:
            model.fit(X, recorded(Y, 0.6))
        assert len([each for each in told if "estimates" in str(each.message)]) == 1
    for member in ensemble.members_:
        np.testing.assert_array_equal(member.estimator.recording_rate_, ensemble.recording_rate_)


def test_votes_match_the_number_of_labels_that_are_there(data):
    _, X, Y, _ = data
    member = JointClassifier(learner="logistic", inference="greedy")
    how = {"combine": "votes", "threshold": "cardinality", "zeros": "unrecorded", "recording_rate": 0.5}
    model = EnsembleClassifier(member, 7, random_state=0, **how).fit(X, recorded(Y, 0.5))
    assert abs(model.predict(X).sum(axis=1).mean() - Y.sum(axis=1).mean()) < 0.4


def test_what_cannot_take_a_rate_says_so(data):
    _, X, Y, _ = data
    how = {"zeros": "unrecorded", "recording_rate": 0.5}
    with pytest.raises(ParameterError, match=r"needs an estimator with recording_rate, .* but they are MLkNN"):
        EnsembleClassifier(MLkNN(), 2, **how).fit(X, Y)
    with pytest.raises(ParameterError, match="and member_weights='equal'"):
        EnsembleClassifier(n_estimators=2, member_weights="likelihood", **how).fit(X, Y)
    with pytest.raises(ParameterError, match="TreeMixtureClassifier needs a learner with soft targets"):
        TreeMixtureClassifier(1, learner=LinearSVMLearner(calibrate=True), **how).fit(X, Y)


@pytest.mark.parametrize("name", ["mixture", "growing mixture", "ensemble", "auto"])
def test_labels_of_one_known_value_keep_it_and_those_of_none_are_even(data, name):
    _, X, _, gaps = data
    odd = gaps.copy()
    odd[:, 1], odd[:, 2] = np.where(np.isnan(gaps[:, 1]), np.nan, 1.0), np.nan
    with pytest.warns(UserWarning, match=r"knows nothing of 1 label\(s\), which are unknown in every row: y2"):
        found = clone(MODELS[name]).fit(X, odd).predict_proba(X)
    np.testing.assert_allclose(found[:, 2], 0.5, rtol=1e-9)
    known = np.isfinite(odd[:, 1]).sum()
    if name != "ensemble":  # whose members see some of the rows
        np.testing.assert_allclose(found[:, 1], (known + 1) / (known + 2), rtol=1e-9)


def test_drawn_labels_of_one_known_value_are_that_value(data):
    _, X, _, gaps = data
    E = np.where(np.isnan(gaps), -1, gaps).astype(np.int8)
    E[E[:, 0] == 0, 0] = -1
    E[E[:, 1] == 1, 1] = -1
    found = imputed_labels(X, E, None, 0)
    assert found[:, 0].all()
    assert not found[:, 1].any()


def test_a_tree_takes_the_place_of_a_chain_that_would_be_too_long(data, monkeypatch):
    X, gaps = data[1], data[3]
    given = np.where(np.isnan(gaps), -1, gaps).astype(np.int8)
    trees = []
    monkeypatch.setattr(imputation, "LabelTree", lambda: trees.append(1) or LabelTree())
    for longest, n_trees in ((given.shape[1], 0), (given.shape[1] - 1, 1)):
        monkeypatch.setattr(imputation, "_LONGEST_CHAIN", longest)
        imputed_labels(X, given, None, 0)
        assert len(trees) == n_trees


def test_a_mixture_takes_more_steps_only_where_labels_are_unknown(data, monkeypatch):
    _, X, Y, gaps = data
    steps = []
    monkeypatch.setattr(TreeMixtureClassifier, "_on_known", lambda _, mixture, *rows: steps.append(1) or mixture)
    model = TreeMixtureClassifier(max_components=2, start="growth", max_iter=3, random_state=0)
    for labels, n_times in ((Y, 0), (gaps, 1)):
        model.fit(X, labels)
        assert len(steps) == n_times
