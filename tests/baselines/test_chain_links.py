"""Payoffs of orders against chains that are trained one by one."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from plait.baselines.chain_links import ChainPayoff, links_of
from plait.core.sentences import ParameterError
from plait.joint import GraphJoint
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner
from plait.structure import FullChain


def problem(n=80, d=4, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.2).astype(np.uint8)
    Y[:, 1] = Y[:, 0] ^ (rng.random(n) < 0.2)
    return X, Y


def chain_log_probs(learner, X, Y, order, weights=None, asked=None):
    """Return log P(y | x) of each row (asked for) under a chain that is trained from scratch."""
    conditionals = learner.fit(X, Y, FullChain(list(order)).build(X, Y), sample_weight=weights)
    rows, labels = (X, Y) if asked is None else asked
    return GraphJoint(conditionals).condition(rows).log_prob(labels)


LEARNER = LogisticLearner(standardize=False, tol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kind", ["log_likelihood", "probability"])
def test_payoffs_are_those_of_chains_trained_from_scratch(form, kind):
    X, Y = problem()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(Y))
    plain, weighted = (ChainPayoff(LEARNER, form(X), Y, w, kind) for w in (None, weights))
    of = np.exp if kind == "probability" else np.asarray
    for order in list(permutations(range(4)))[::5]:
        logs = chain_log_probs(LEARNER, X, Y, order)
        np.testing.assert_allclose(plain(order), of(logs).sum(), rtol=1e-7)
        logs = chain_log_probs(LEARNER, X, Y, order, weights)
        np.testing.assert_allclose(weighted(order), weights @ of(logs), rtol=1e-7)


def test_rows_held_out_train_nothing():
    X, Y = problem()
    out = np.arange(0, 80, 3)
    kept = np.setdiff1d(np.arange(80), out)
    payoff = ChainPayoff(LEARNER, X, Y, None, "log_likelihood", out)
    logs = chain_log_probs(LEARNER, X[kept], Y[kept], [2, 0, 3, 1], asked=(X[out], Y[out]))
    np.testing.assert_allclose(payoff([2, 0, 3, 1]), logs.sum(), rtol=1e-7)


def test_any_classifier_with_probabilities():
    X, Y = problem()
    learner = SklearnLearner(GaussianNB())
    logs = chain_log_probs(learner, X, Y, [3, 1, 0, 2])
    np.testing.assert_allclose(ChainPayoff(learner, X, Y, None, "log_likelihood")([3, 1, 0, 2]), logs.sum(), rtol=1e-9)
    theirs = SklearnLearner(LogisticRegression(C=1.0, tol=1e-10, max_iter=1000))
    ours = ChainPayoff(LEARNER, X, Y, None, "log_likelihood")([3, 1, 0, 2])
    np.testing.assert_allclose(ChainPayoff(theirs, X, Y, None, "log_likelihood")([3, 1, 0, 2]), ours, rtol=1e-5)


def test_margins_are_refused():
    X, Y = problem()
    with pytest.raises(ParameterError, match="needs a learner that gives probabilities, but LinearSVMLearner"):
        ChainPayoff(LinearSVMLearner(), X, Y, None, "log_likelihood")([0, 1, 2, 3])


@pytest.mark.parametrize("kind", ["log_likelihood", "probability"])
def test_only_new_links_are_trained(kind):
    X, Y = problem()
    payoff = ChainPayoff(LEARNER, X, Y, None, kind)
    first = payoff([0, 1, 2, 3])
    assert payoff.n_trained == 4
    payoff([0, 2, 1, 3])  # labels 2 and 1 have new labels before them, 0 and 3 have not
    assert payoff.n_trained == 6
    payoff([3, 2, 1, 0])
    assert payoff.n_trained == 10
    assert payoff([0, 1, 2, 3]) == first
    assert payoff.n_trained == 10
    assert links_of([0, 2, 1]) == [(0, frozenset()), (2, frozenset({0})), (1, frozenset({0, 2}))]


def test_few_numbers_for_each_row_are_kept():
    X, Y = problem(q=6)
    payoff = ChainPayoff(LEARNER, X, Y, None, "probability")
    values = {order: payoff(order) for order in list(permutations(range(6)))[::20]}
    assert len(payoff._terms) <= 4 * 6
    for order, value in list(values.items())[:3]:
        np.testing.assert_allclose(payoff(order), value, rtol=1e-6)  # trained again, in other company


def test_labels_with_one_value_have_the_same_share_in_every_order():
    X, Y = problem()
    Y[:, 2] = 0
    payoff = ChainPayoff(LEARNER, X, Y, None, "log_likelihood")
    np.testing.assert_allclose(payoff([2, 0, 1, 3]), payoff([0, 1, 3, 2]), rtol=1e-6)
    alone = ChainPayoff(LEARNER, X, Y[:, [0, 1, 3]], None, "log_likelihood")
    constant = len(Y) * np.log(81 / 82)
    np.testing.assert_allclose(payoff([2, 0, 1, 3]), alone([0, 1, 2]) + constant, rtol=1e-6)
