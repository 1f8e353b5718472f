"""`Greedy` against a walk in plain Python, scikit-learn's chain, and the theorem on its regret."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

from plait.core.sentences import ParameterError
from plait.inference import Greedy
from plait.inference.search.chain_walks import greedy_walk, level_walk
from plait.joint import GraphJoint, LabelDistribution
from plait.learners import LinearConditionals
from plait.structure import LabelGraph
from plait.testing import TableDistribution, enumerated, random_evidence, random_graph, random_linear, random_tables

pytestmark = pytest.mark.usefixtures("path")


def walk(model):
    """Return greedy labels by one question at a time."""
    labels = np.zeros((model.n_rows, model.n_labels), dtype=np.uint8)
    for row in range(model.n_rows):
        for label in model.graph.order:
            values = labels[row : row + 1, list(model.graph.parents[label])]
            labels[row, label] = model.scores(label, np.array([row]), values)[0] > 0
            if model.evidence is not None and model.evidence[row, label] >= 0:
                labels[row, label] = model.evidence[row, label]
    return labels


def clamped(model, draws, share=0.3):
    return model.clamp(random_evidence((model.n_rows, model.n_labels), draws, share))


@pytest.mark.parametrize("make", [random_linear, random_tables])
@pytest.mark.parametrize("n_labels", [1, 2, 5, 9])
@pytest.mark.parametrize("density", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("known", [False, True])
def test_labels_probabilities_and_proofs_against_enumeration(make, n_labels, density, known):
    draws = np.random.default_rng(n_labels)
    model = make(random_graph(n_labels, draws, density), 70, draws, scale=2.5)
    model = clamped(model, draws) if known else model
    support = Greedy().infer(model)
    np.testing.assert_array_equal(support.vectors[:, 0], walk(model))
    np.testing.assert_allclose(support.log_weights[:, 0], model.log_prob(support.vectors[:, 0]), rtol=1e-12, atol=1e-13)
    _, probabilities = enumerated(model)
    best = np.log(probabilities.max(axis=1))
    # What is said to be proved is the mode; above one half, or without edges, it always is said.
    np.testing.assert_allclose(support.log_weights[support.exact, 0], best[support.exact], rtol=1e-12, atol=1e-13)
    assert support.exact[best > math.log(0.5) + 1e-12].all()
    assert support.exact.all() or density > 0
    assert support.kind == "modes"
    assert (support.n_evaluations == n_labels).all()


@pytest.mark.parametrize("n_labels", [3, 32, 33, 60, 400])
@pytest.mark.parametrize("density", [0.05, 1.0])
def test_kernels_are_the_walk_by_levels(n_labels, density):
    draws = np.random.default_rng(n_labels)
    model = random_linear(random_graph(n_labels, draws, density), 130, draws, scale=3 / math.sqrt(n_labels))
    for case in (model, clamped(model, draws), replace(model, probabilistic=False)):
        (labels, log_prob, proved), (labels_2, log_prob_2, proved_2) = greedy_walk(case), level_walk(case)
        np.testing.assert_array_equal(labels, labels_2)
        np.testing.assert_allclose(log_prob, log_prob_2, rtol=1e-12, atol=1e-13)
        np.testing.assert_array_equal(proved, proved_2)


@pytest.mark.parametrize("n_labels", [10, 40])
@pytest.mark.parametrize("known", [False, True])
def test_kernels_prove_what_the_walk_by_levels_proves(n_labels, known):
    draws = np.random.default_rng(n_labels)
    model = random_linear(random_graph(n_labels, draws, 0.3), 3000, draws, scale=1.0)
    model = replace(model, base=0.6 * n_labels * model.base)
    model = clamped(model, draws, share=0.05) if known else model
    proved = greedy_walk(model)[2]
    assert 100 < proved.sum() < 2900
    np.testing.assert_array_equal(proved, level_walk(model)[2])


def test_the_walk_finds_proofs_below_one_half_too():
    draws = np.random.default_rng(0)
    model = random_linear(random_graph(8, draws), 500, draws, scale=2.0)
    support = Greedy().infer(model)
    below = support.log_weights[:, 0] < math.log(0.5)
    assert support.exact[below].any()
    assert not support.exact[below].all()


def test_thousands_of_labels_do_not_overflow():
    n_labels = 3000
    graph = LabelGraph([[]] + [[k - 1] for k in range(1, n_labels)])
    coef = np.diag(np.full(n_labels - 1, 0.1), -1)
    model = random_linear(graph, 3, np.random.default_rng(0))
    model = replace(model, base=model.base / 10, parent_coef=coef, effects=None)
    support = Greedy().infer(model.clamp(random_evidence(model.base.shape, np.random.default_rng(1), 0.5)))
    assert (support.log_weights < -1000).all()
    np.testing.assert_allclose(support.log_weights[:, 0], model.log_prob(support.vectors[:, 0]), rtol=1e-12)


def test_scores_beyond_the_limit_count_as_the_limit():
    model = random_linear(random_graph(6, np.random.default_rng(0)), 20, np.random.default_rng(1), scale=40.0)
    support = Greedy().infer(model)
    np.testing.assert_allclose(support.log_weights[:, 0], model.log_prob(support.vectors[:, 0]), rtol=1e-9)
    assert (support.log_weights < 0).all()


@pytest.mark.parametrize("make", [random_linear, random_tables])
def test_margins_decide_and_have_no_probabilities(make):
    draws = np.random.default_rng(3)
    model = make(random_graph(7, draws), 30, draws, probabilistic=False)
    support = Greedy().infer(model)
    np.testing.assert_array_equal(support.mode(), walk(model))
    assert (support.log_weights == 0).all()
    assert not support.exact.any()


def test_a_score_of_exactly_zero_is_no():
    graph = LabelGraph([[], [0]])
    for model in (
        replace(random_linear(graph, 2, np.random.default_rng(0)), base=np.zeros((2, 2)), parent_coef=np.zeros((2, 2))),
        TableDistribution(graph, [np.zeros((2, 1)), np.zeros((2, 2))]),
    ):
        assert not Greedy().infer(model).mode().any()


def sklearn_chain(X, Y, estimator, order):
    chain = ClassifierChain(estimator, order=order).fit(X, Y)
    n_features, n_labels = X.shape[1], Y.shape[1]
    coef, intercept = np.zeros((n_labels, n_features)), np.zeros(n_labels)
    parents, parent_coef = [[] for _ in range(n_labels)], np.zeros((n_labels, n_labels))
    for place, (label, fitted) in enumerate(zip(chain.order_, chain.estimators_, strict=True)):
        earlier = chain.order_[:place]
        coef[label], intercept[label] = fitted.coef_[0, :n_features], fitted.intercept_[0]
        parents[label], parent_coef[label, earlier] = list(earlier), fitted.coef_[0, n_features:]
    graph = LabelGraph(parents, list(chain.order_))
    probabilistic = hasattr(chain.estimators_[0], "predict_proba")
    return chain, LinearConditionals(graph, coef, parent_coef, intercept, probabilistic)


@pytest.mark.parametrize("estimator", [LogisticRegression(max_iter=500), LinearSVC()], ids=["logistic", "margins"])
@pytest.mark.parametrize("n_labels", [2, 5, 40])
@pytest.mark.parametrize("shuffled", [False, True])
def test_labels_are_those_of_sklearns_classifier_chain(estimator, n_labels, shuffled):
    X, Y = make_multilabel_classification(400, 12, n_classes=n_labels, random_state=n_labels)
    X, Y = X / 10, Y[:, :]
    Y[0], Y[1] = 0, 1
    order = np.random.default_rng(0).permutation(n_labels) if shuffled else None
    chain, conditionals = sklearn_chain(X, Y, estimator, order)
    ours = Greedy().infer(GraphJoint(conditionals).condition(X)).mode()
    np.testing.assert_array_equal(ours, chain.predict(X).astype(np.uint8))


def worst_case(n_labels, gap=1e-9):
    """Leave the greedy path at every step with probability just below one half, and then disagree for ever."""
    graph = LabelGraph([range(k) for k in range(n_labels)])
    tables = []
    for k in range(n_labels):
        table = np.full((1, 2**k), 30.0)  # off the path: 1 with certainty
        table[0, 0] = -gap  # on the path of zeros: 0 by a hair
        tables.append(table)
    return TableDistribution(graph, tables)


@pytest.mark.parametrize(("n_labels", "regret"), [(2, 1 / 4), (3, 5 / 12), (4, 17 / 32), (5, 0.6125)])
def test_hamming_regret_reaches_the_bound_and_subset_regret_too(n_labels, regret):
    model = worst_case(n_labels)
    greedy = Greedy().infer(model).mode()[0]
    vectors, probabilities = enumerated(model)
    risks = [(probabilities[0] * (vectors != answer).mean(axis=1)).sum() for answer in (greedy, *vectors)]
    np.testing.assert_allclose(risks[0] - min(risks[1:]), regret, atol=1e-7, rtol=0)
    bound = 1 - sum(2.0 ** -(i - 1) for i in range(1, n_labels + 1)) / n_labels
    np.testing.assert_allclose(regret, bound, rtol=1e-12)
    place = (vectors == greedy).all(axis=1).argmax()
    np.testing.assert_allclose(probabilities.max() - probabilities[0, place], 0.5 - 2.0**-n_labels, atol=1e-7, rtol=0)


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_random_trees_never_exceed_the_bounds_on_regret(n_labels):
    draws = np.random.default_rng(n_labels)
    graph = LabelGraph([range(k) for k in range(n_labels)])
    model = random_tables(graph, 1500, draws, scale=1.0)
    greedy = Greedy().infer(model).mode()
    vectors, probabilities = enumerated(model)
    marginals = probabilities @ vectors
    loss = np.where(greedy == 1, 1 - marginals, marginals).mean(axis=1) - np.minimum(marginals, 1 - marginals).mean(
        axis=1
    )
    assert loss.max() <= 1 - sum(2.0 ** -(i - 1) for i in range(1, n_labels + 1)) / n_labels + 1e-12
    place = (vectors[None] == greedy[:, None]).all(axis=2).argmax(axis=1)
    subset = probabilities.max(axis=1) - probabilities[np.arange(1500), place]
    assert 0 < subset.max() <= 0.5 - 2.0**-n_labels + 1e-12


def test_no_rows_and_blocks_of_rows():
    draws = np.random.default_rng(0)
    model = random_linear(random_graph(5, draws), 200, draws)
    whole = Greedy().infer(model)
    for size in (1, 7, 64):
        parts = [Greedy().infer(model.take(slice(start, start + size))) for start in range(0, 200, size)]
        np.testing.assert_array_equal(np.concatenate([part.vectors for part in parts]), whole.vectors)
        np.testing.assert_array_equal(np.concatenate([part.log_weights for part in parts]), whole.log_weights)
    for empty in (model.take(slice(0, 0)), random_tables(model.graph, 0, draws)):
        assert Greedy().infer(empty).vectors.shape == (0, 1, 5)


def test_a_distribution_without_an_order_is_refused():
    class Bag(LabelDistribution):
        n_rows, n_labels = 1, 2
        log_prob = sample = clamp = take = None

    with pytest.raises(ParameterError, match=r"Greedy needs a distribution over a label graph, but it is a Bag"):
        Greedy().infer(Bag())
