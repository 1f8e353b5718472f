import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from plait import recipes
from plait.core.callbacks import HAS_CALLBACKS
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.estimators import JointClassifier, TreeMixtureClassifier
from plait.estimators.tree_mixture import em as mixture_fits
from plait.estimators.tree_mixture.em import Mixture, Steps, component_log_probs
from plait.joint import GraphJoint
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner
from plait.structure import ConditionalTree, FullChain, LabelGraph, UserGraph

VECTORS = np.array(list(itertools.product([0, 1], repeat=4)), dtype=np.uint8)
PLAIN = LogisticLearner(C=1.0, standardize=False, tol=1e-10)


def problem(n=150, seed=0):
    data = make_label_network(n, 3, 4, structure="tree", strength=3.0, random_state=seed).dataset
    return data.X, data.Y


def made_mixture(X, Y, seed=0, learner=PLAIN):
    rng = np.random.default_rng(seed)
    graphs = [LabelGraph([[], [0], [1], [2]]), LabelGraph([[1], [], [1], [0]]), LabelGraph([[]] * 4)]
    parts = [learner.fit(X, Y, graph, sample_weight=rng.random(Y.shape)) for graph in graphs]
    return Mixture(np.array([0.5, 0.3, 0.2]), tuple(parts))


def expectation_maximization(mixture, learner, X, Y, sample_weight=None, tol=1e-5, max_iter=50):
    return Steps(learner, X, Y, sample_weight).converged(mixture, tol, max_iter)


def penalty(mixture):
    return sum(0.5 * ((part.coef_**2).sum() + (part.parent_coef_**2).sum()) for part in mixture.conditionals)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.sampled_from([0.05, 1.0, 30.0]), st.booleans())
@example(3000, 0.05, True)  # a label comes to have one value in a component
def test_em_never_lowers_the_penalised_likelihood(seed, C, weighted):
    X, Y = problem(60, seed)
    learner = LogisticLearner(C, standardize=False)
    rows = np.random.default_rng(seed).integers(0, 3, len(X)).astype(float) if weighted else None
    mixture = made_mixture(X, Y, seed, learner)
    found = expectation_maximization(mixture, learner, X, Y, sample_weight=rows, tol=0.0, max_iter=12)
    values = np.array(found.objectives)
    assert len(values) == 13
    assert (np.diff(values) > -1e-7 * np.abs(values[:-1])).all()
    assert values[-1] > values[0]
    rows = np.ones(len(X)) if rows is None else rows
    logs = component_log_probs(found, X, Y)
    likelihood = rows @ np.logaddexp.reduce(logs, axis=1)
    assert found.log_likelihoods[-1] == pytest.approx(likelihood, rel=1e-12)
    assert values[-1] == pytest.approx(likelihood - penalty(found) / C, rel=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("entries", [1, 60, 1 << 22])
def test_log_probabilities_of_all_components_at_once_are_those_of_the_joint(form, entries, monkeypatch):
    X, Y = problem(40)
    mixture = made_mixture(100 * X, Y)  # scores beyond the limit at which the joint clips them
    monkeypatch.setattr(mixture_fits, "_ENTRIES", entries)
    columns = [GraphJoint(part).condition(form(100 * X)).log_prob(Y) for part in mixture.conditionals]
    expected = np.column_stack(columns) + np.log(mixture.weights)
    np.testing.assert_allclose(component_log_probs(mixture, form(100 * X), Y), expected, rtol=1e-12)


def test_the_penalty_is_that_of_the_scaled_columns():
    X, Y = problem()
    X = X * [1.0, 10.0, 0.1] + 3.0
    learner = LogisticLearner(2.0, standardize="balanced")
    part = learner.fit(X, Y, LabelGraph([[], [0], [1], [2]]))
    scales = X.std(axis=0) * np.sqrt(3)
    expected = ((part.coef_ * scales) ** 2).sum() + (part.parent_coef_**2).sum()
    assert learner.penalty_on(X, Y)([part]) == pytest.approx(expected / 4.0, rel=1e-9)
    assert SklearnLearner(LogisticRegression()).penalty_on(X, Y)([part]) == 0.0


def test_two_equal_components_keep_equal_shares():
    X, Y = problem()
    part = PLAIN.fit(X, Y, LabelGraph([[], [0], [1], [2]]))
    found = expectation_maximization(Mixture(np.full(2, 0.5), (part, part)), PLAIN, X, Y, max_iter=5)
    np.testing.assert_allclose(found.weights, 0.5, rtol=1e-9)
    logs = component_log_probs(found, X, Y)
    np.testing.assert_allclose(logs[:, 0], logs[:, 1], rtol=1e-9)


def test_a_component_without_rows_is_dropped():
    X, Y = problem()
    graph = LabelGraph([[], [0], [1], [2]])
    good, bad = PLAIN.fit(X, Y, graph), PLAIN.fit(X, 1 - Y, graph)
    found = expectation_maximization(Mixture(np.array([1 - 1e-9, 1e-9]), (good, bad)), PLAIN, X, Y, max_iter=3)
    assert len(found.weights) == 1


def test_other_learners_train_components_one_by_one(monkeypatch):
    monkeypatch.setattr(mixture_fits, "_LOOSE", 0.0)  # steps that maximise, as those of other learners do
    X, Y = problem(80)
    learner = SklearnLearner(LogisticRegression(tol=1e-10))
    graphs = [LabelGraph([[], [0], [1], [2]]), LabelGraph([[1], [], [1], [0]])]
    weights = np.random.default_rng(0).random((2, *Y.shape)) + 0.1
    parts = tuple(learner.fit(X, Y, graph, sample_weight=w) for graph, w in zip(graphs, weights, strict=True))
    slow = expectation_maximization(Mixture(np.full(2, 0.5), parts), learner, X, Y, tol=0.0, max_iter=4)
    fast = tuple(PLAIN.fit(X, Y, graph, sample_weight=w) for graph, w in zip(graphs, weights, strict=True))
    batch = expectation_maximization(Mixture(np.full(2, 0.5), fast), PLAIN, X, Y, tol=0.0, max_iter=4)
    np.testing.assert_allclose(slow.weights, batch.weights, rtol=1e-4)
    np.testing.assert_allclose(slow.log_likelihoods, batch.log_likelihoods, rtol=1e-5)


def test_responsibilities_and_weights_sum_to_one():
    X, Y = problem()
    mixture = expectation_maximization(made_mixture(X, Y), PLAIN, X, Y, max_iter=5)
    logs = component_log_probs(mixture, X, Y)
    shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert mixture.weights.sum() == pytest.approx(1.0, rel=1e-12)


def test_one_component_is_the_single_tree():
    X, Y = problem()
    graph = UserGraph([(0, 1), (1, 2), (1, 3)])
    mixture = TreeMixtureClassifier(1, structure=graph, learner=PLAIN, random_state=0).fit(X, Y)
    single = JointClassifier(graph, learner=PLAIN).fit(X, Y)
    assert mixture.n_components_ == 1
    np.testing.assert_allclose(mixture.predict_proba(X), single.predict_proba(X), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(mixture.predict(X), single.predict(X))


def test_one_conditional_tree_is_the_one_of_the_joint_classifier():
    X, Y = problem()
    learner = LogisticLearner(C="cv", standardize="balanced")
    mixture = TreeMixtureClassifier(1, structure=ConditionalTree(0.5), random_state=0).fit(X, Y)
    single = JointClassifier(UserGraph(mixture.graphs_[0]), learner=learner).fit(X, Y)
    np.testing.assert_allclose(mixture.predict_proba(X), single.predict_proba(X), rtol=1e-3, atol=1e-5)
    assert mixture.holdout_log_likelihood_.tolist() == [-np.inf]


def test_callbacks_see_every_tree():
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

    X, Y = problem(60)
    model = TreeMixtureClassifier(2, learner=PLAIN, random_state=0)
    if not HAS_CALLBACKS:
        pytest.skip("needs scikit-learn 1.9 or later, which has callbacks")
    model.set_callbacks(Watch()).fit(X, Y)
    assert seen == ["fit", "TreeMixtureClassifier, trees", "TreeMixtureClassifier, trees"]


def test_several_splits_keep_the_likeliest():
    X, Y = problem(120)
    one = TreeMixtureClassifier(2, learner=PLAIN, random_state=3).fit(X, Y)
    several = TreeMixtureClassifier(2, learner=PLAIN, n_init=3, random_state=3).fit(X, Y)
    assert several.holdout_log_likelihood_[-1] >= one.holdout_log_likelihood_[-1]


def test_several_mixtures_are_one_mixture_of_all_their_trees():
    X, Y = planted(400)
    model = TreeMixtureClassifier(5, learner=PLAIN, n_mixtures=2, random_state=1).fit(X, Y)
    assert model._sizes() == [3, 2]
    sizes = []
    whole = 0.0
    while sum(sizes) < model.n_components_:  # each mixture has half of the weight
        first = sum(sizes)
        size = int(np.searchsorted(np.cumsum(model.weights_[first:]), 0.5 - 1e-9)) + 1
        sizes.append(size)
        parts = tuple(model.conditionals_[first : first + size])
        whole = whole + 0.5 * np.exp(
            Mixture(2 * model.weights_[first : first + size], parts).joint().condition(X).log_prob(Y)
        )
    assert len(sizes) == 2
    assert all(size <= most for size, most in zip(sizes, [3, 2], strict=True))
    np.testing.assert_allclose(model.joint(X).log_prob(Y), np.log(whole), rtol=1e-9)
    assert (np.diff(model.penalized_log_likelihood_) >= -1e-7).all()
    assert model.n_iter_ == len(model.log_likelihood_) - 1
    np.testing.assert_allclose(model.weights_.sum(), 1.0, rtol=1e-12)


def test_more_mixtures_than_trees_are_as_many_as_trees():
    X, Y = problem(80)
    model = TreeMixtureClassifier(2, learner=PLAIN, n_mixtures=5, random_state=0).fit(X, Y)
    assert model.weights_.tolist() == [0.5, 0.5]
    assert len(model.graphs_) == 2
    assert model.holdout_log_likelihood_.tolist() == [-np.inf]  # single trees need no rows held out
    model = TreeMixtureClassifier(3, learner=PLAIN, n_mixtures=2, random_state=0).fit(X, Y)
    assert np.isfinite(model.holdout_log_likelihood_).all()


def test_strengths_of_the_first_tree_serve_all_and_follow_their_number():
    X, Y = planted(400)
    model = TreeMixtureClassifier(3, random_state=1).fit(X, Y)
    assert len(model.holdout_log_likelihood_) > 1
    strengths = np.array([part.C_ for part in model.conditionals_])
    np.testing.assert_allclose(strengths, np.broadcast_to(strengths[0], strengths.shape), rtol=1e-12)
    halves = 2 * np.log10(strengths[0] / (2 * np.sqrt(model.n_components_)) / 5.0)
    np.testing.assert_allclose(halves, halves.round(), atol=1e-9)
    assert {part.made_by for part in model.conditionals_} == {"LogisticLearner"}


@pytest.mark.parametrize("structure", [None, FullChain("random")])
def test_probabilities_marginals_and_evidence_against_enumeration(structure):
    X, Y = problem()
    model = TreeMixtureClassifier(3, structure=structure, learner=PLAIN, max_iter=5, random_state=1).fit(X, Y)
    answer = model.joint(X[:6])
    table = np.exp(np.column_stack([answer.log_prob(np.tile(y, (6, 1))) for y in VECTORS]))
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(answer.marginals(), table @ VECTORS, rtol=1e-9)
    np.testing.assert_array_equal(answer.mode(), VECTORS[table.argmax(axis=1)])
    known = np.where(VECTORS[:, 2] == 1, table, 0.0)
    known /= known.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(answer.given({2: 1}).marginals(), known @ VECTORS, rtol=1e-9)
    draws = answer.sample(4000, random_state=0)
    np.testing.assert_allclose(draws.mean(axis=1), table @ VECTORS, atol=5 * np.sqrt(0.25 / 4000))


def test_trees_are_added_while_rows_held_out_become_likelier():
    X, Y = problem(400)
    model = TreeMixtureClassifier(4, learner=PLAIN, random_state=0).fit(X, Y)
    assert len(model.graphs_) == model.n_components_ == len(model.weights_)
    assert (np.diff(model.holdout_log_likelihood_) > -1e-6).all()
    assert all(graph.is_forest for graph in model.graphs_)
    assert len(model.log_likelihood_) == len(model.penalized_log_likelihood_) == model.n_iter_ + 1
    assert (np.diff(model.penalized_log_likelihood_) > -1e-6).all()


def planted(n):
    """Return labels from two trees, one of which is drawn for every row, and features that say nothing."""
    rng = np.random.default_rng(0)
    first = rng.random(n) < 0.5
    Y = (rng.random((n, 4)) < 0.5).astype(np.uint8)
    Y[first, 1], Y[first, 3] = Y[first, 0], Y[first, 2]
    Y[~first, 3], Y[~first, 2] = 1 - Y[~first, 0], 1 - Y[~first, 1]
    return rng.normal(size=(n, 2)), Y


def test_two_planted_trees_are_told_apart():
    X, Y = planted(1500)
    one = JointClassifier(ConditionalTree(), learner=PLAIN, random_state=0).fit(X, Y)
    two = TreeMixtureClassifier(3, learner=PLAIN, random_state=0).fit(X, Y)
    assert two.n_components_ >= 2
    assert two.joint(X).log_prob(Y).mean() > one.joint(X).log_prob(Y).mean() + 0.1


def test_a_learner_without_probabilities_is_refused():
    X, Y = problem()
    with pytest.raises(ParameterError, match="needs a learner that gives probabilities, but LinearSVMLearner"):
        TreeMixtureClassifier(learner=LinearSVMLearner()).fit(X, Y)


def test_the_printed_algorithm_is_made_of_parameters():
    model = recipes.mc(printed=True, random_state=0)
    assert (model.start, model.n_mixtures, model.patience, model.slack, model.relaxation) == ("growth", 1, 1, 0.0, None)
    assert (model.steps_between, model.early_stopping, model.weighting) == (None, False, "normalized")
    assert (recipes.mc().start, recipes.mc().n_mixtures, recipes.mc(start="trees").start) == ("growth", 2, "trees")


@pytest.mark.parametrize("start", ["trees", "growth"])
@pytest.mark.parametrize("n_components", [2, 3])
def test_the_number_of_trees_can_be_given(start, n_components):
    X, Y = problem(n=80)
    numbers = {"max_components": n_components, "min_components": n_components, "max_iter": 3, "n_starts": 5}
    model = TreeMixtureClassifier(**numbers, learner=PLAIN, start=start, slack=0.0, patience=1, random_state=0)
    assert model.fit(X, Y).n_components_ == n_components
    given = recipes.mc(printed=True, min_components=n_components, max_components=n_components)
    assert (given.min_components, given.max_components) == (n_components, n_components)


def test_normalised_weights_give_every_component_the_weight_of_all_rows():
    """Then the fits of a component do not depend on how many rows it explains, and EM is on another objective."""
    X, Y = problem(n=60)
    tree = PLAIN.fit(X, Y, LabelGraph([[], [0], [1], [2]]))
    seen = []
    for normalized in (False, True):
        steps = Steps(PLAIN, X, Y, None, None, normalized)
        steps._fitted = lambda starts, shares, tightly: seen.append(shares) or list(starts)
        steps._maximized(Mixture(np.array([0.9, 0.1]), (tree, tree)), np.log([[0.9, 0.1]] * 60), tightly=True)
    np.testing.assert_allclose(seen[0].sum(axis=0), [54.0, 6.0], rtol=1e-9)
    np.testing.assert_allclose(seen[1].sum(axis=0), [60.0, 60.0], rtol=1e-9)


@pytest.mark.parametrize("start", ["trees", "growth"])
def test_sparse_rows_and_memory_order_make_the_same_mixture(start):
    X, Y = problem(n=150)
    models = [
        TreeMixtureClassifier(4, learner=PLAIN, start=start, n_starts=20, random_state=0).fit(form, Y)
        for form in (X, np.asfortranarray(X), sparse.csr_matrix(X))
    ]
    for other in models[1:]:
        assert other.graphs_ == models[0].graphs_
        np.testing.assert_array_equal(other.predict(X), models[0].predict(X))
        np.testing.assert_allclose(other.predict_proba(X), models[0].predict_proba(X), rtol=1e-4, atol=1e-6)


def test_small_problems_start_without_numba():
    code = (
        "import sys, numpy as np; from plait import TreeMixtureClassifier; rng = np.random.default_rng(0); "
        "X = rng.normal(size=(120, 5)); Y = (X[:, :4] + rng.normal(size=(120, 4)) > 0).astype(int); "
        "TreeMixtureClassifier(2, n_starts=5, random_state=0).fit(X, Y).predict_proba(X); "
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("error")
def test_weights_of_any_size_are_weights():
    data = make_label_network(60, 4, 3, random_state=0).dataset
    model = TreeMixtureClassifier(random_state=0).fit(data.X, data.Y, sample_weight=np.full(60, 1e300))
    assert np.isfinite(model.predict_proba(data.X)).all()
