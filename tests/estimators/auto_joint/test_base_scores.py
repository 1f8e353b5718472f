"""Base learners: rows are scored by models that have not seen them, and new rows as the parts say."""

import itertools

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_predict
from sklearn.tree import ExtraTreeRegressor
from threadpoolctl import threadpool_limits

from plait.estimators.auto_joint import (
    ClassifierScores,
    ForestScores,
    KernelScores,
    LassoScores,
    LogisticScores,
    NeighbourScores,
    TextScores,
    lasso_scores,
)
from plait.estimators.auto_joint.base_scores import held_rows
from plait.estimators.auto_joint.forest_scores import _grown

N = 120
DRAWS = np.random.default_rng(0)
X = DRAWS.normal(size=(N, 6))
Y = (X @ DRAWS.normal(size=(6, 3)) + DRAWS.normal(size=(N, 3)) > 0).astype(np.uint8)
FOLDS = list(KFold(3, shuffle=True, random_state=0).split(X))
ONCE = list(ShuffleSplit(1, test_size=30, random_state=0).split(X))
LEARNERS = [
    LogisticScores(),
    ForestScores(20),
    NeighbourScores(),
    KernelScores(20),
    TextScores(),
    TextScores(5),
    LassoScores(),
    ClassifierScores(LogisticRegression(), "LogisticRegression"),
]
every = pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: each.name)


@every
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_the_label_of_a_row_does_not_move_its_own_score(learner, form):
    """The definition of out of fold: change one row's labels, and its score stays (base rates move a little)."""
    row = int(ONCE[0][1][4])
    before = learner.out_of_fold(form(X), Y, ONCE, seed=3)
    changed = Y.copy()
    changed[row] ^= 1
    after = learner.out_of_fold(form(X), changed, ONCE, seed=3)
    place = np.searchsorted(held_rows(ONCE), row)
    assert before.shape == (30, 3)
    if not isinstance(learner, ForestScores):  # its trees see other rows' splits move
        np.testing.assert_allclose(after[place], before[place], atol=0.2)


def test_memorable_noise_is_not_remembered():
    """Every learner can tell all rows apart; scores of its own training rows would be right on random labels."""
    noise = np.random.default_rng(5).integers(0, 2, (N, 3)).astype(np.uint8)
    for learner in LEARNERS:
        scores = learner.out_of_fold(X, noise, FOLDS, seed=0)
        assert ((scores > 0) == noise).mean() < 0.62, learner.name


@every
def test_new_rows_are_scored_like_held_out_ones_and_the_signal_is_found(learner):
    scores = learner.out_of_fold(X, Y, FOLDS, seed=0)
    assert scores.shape == Y.shape
    assert ((scores > 0) == Y).mean() > 0.7
    assert ((learner.log_odds(X) > 0) == Y).mean() > 0.75
    np.testing.assert_allclose(learner.log_odds(X[:3]), learner.log_odds(X)[:3], rtol=1e-7, atol=1e-9)


def test_the_lasso_meets_the_conditions_of_its_minimum():
    """C sum log-loss + ||w||_1: a column's slope is its sign where it has a coefficient, else at most 1."""
    words = sparse.csr_matrix(np.random.default_rng(2).random((N, 200)) < 0.05, dtype=np.float64)
    labels = (words[:, :3].toarray() > 0).astype(np.uint8) | (DRAWS.random((N, 3)) < 0.05)
    learner = LassoScores()
    learner.out_of_fold(words, labels.astype(np.uint8), FOLDS)
    coef, odds = learner.coef_.toarray(), learner.log_odds(words)
    slopes = learner.C_ * words.T @ (labels - 1 / (1 + np.exp(-odds)))
    np.testing.assert_allclose(slopes[coef != 0], np.sign(coef[coef != 0]), atol=0.05)
    assert np.abs(slopes[coef == 0]).max() < 1.05
    assert (np.argmax(coef, axis=0) == [0, 1, 2]).all()
    assert (coef != 0).sum() < 150


def test_any_classifier_agrees_with_scikit_learns_cross_validation():
    scores = LEARNERS[-1].out_of_fold(X, Y, FOLDS)
    odds = cross_val_predict(LogisticRegression(), X, Y[:, 0], cv=FOLDS, method="decision_function")
    np.testing.assert_allclose(scores[:, 0], odds, rtol=1e-6, atol=1e-6)


def test_the_forest_is_as_good_as_scikit_learns_out_of_bag():
    ours = ForestScores(100).out_of_fold(X, Y, FOLDS, seed=0)
    theirs = ExtraTreesClassifier(100, bootstrap=True, oob_score=True, random_state=0).fit(X, Y)
    shares = np.clip(theirs.oob_decision_function_[:, 1, :], 0.02, 0.98)
    loss = np.logaddexp(0, np.where(Y == 1, -ours, ours)).mean()
    assert loss < 1.05 * -np.log(np.where(Y == 1, shares, 1 - shares)).mean()


def test_leaves_answer_with_the_mean_labels_of_their_bag():
    forest = ForestScores(5)
    forest.out_of_fold(X, Y, FOLDS, seed=0)
    leaves = forest._leaves(np.ascontiguousarray(X[:4], dtype=np.float32))
    shares = np.mean([forest.leaf_labels_[leaves[:, t]].toarray() for t in range(5)], axis=0)
    size = forest._size
    expected = (shares * size + forest.prior_) / (size + 1)
    np.testing.assert_allclose(1 / (1 + np.exp(-forest.log_odds(X[:4]))), np.clip(expected, 1e-3, 1 - 1e-3), rtol=1e-6)


def test_many_labels_are_summed_for_the_trees_and_rows_are_sampled():
    many = (X @ np.random.default_rng(1).normal(size=(6, 40)) > 0).astype(np.uint8)
    scores = ForestScores(30, max_samples=60).out_of_fold(X, many, FOLDS, seed=0)
    assert ((scores > 0) == many).mean() > 0.75
    near = NeighbourScores(5, max_samples=50)
    assert ((near.out_of_fold(X, many, FOLDS, seed=0) > 0) == many).mean() > 0.7
    assert near.labels_.shape == (50, 40)


def test_topics_are_the_leading_singular_directions_of_tf_idf():
    words = np.random.default_rng(3).poisson(0.7, size=(N, 8)).astype(float)
    text = TextScores(3)
    text.out_of_fold(sparse.csr_matrix(words), Y, FOLDS, seed=1)
    occurs = (words > 0).sum(axis=0)
    weighed = words * (np.log((1 + N) / (1 + occurs)) + 1)
    weighed /= np.maximum(np.linalg.norm(weighed, axis=1, keepdims=True), 1e-12)
    directions = np.linalg.svd(weighed)[2][:3]
    placed = weighed @ directions.T
    placed /= np.maximum(np.linalg.norm(placed, axis=1, keepdims=True), 1e-12)
    mine = text._placed(sparse.csr_matrix(words))
    np.testing.assert_allclose(mine @ mine.T, placed @ placed.T, atol=1e-6)  # signs of directions are free


def test_topics_know_words_that_the_rows_of_a_label_do_not_have():
    """Two themes of 100 words, six a row, four rows with a label: many new rows have none of the words of these."""
    draws = np.random.default_rng(4)
    theme = np.arange(800) % 2
    words = np.zeros((800, 200))
    for row, start in enumerate(100 * theme):
        words[row, start + draws.choice(100, 6, replace=False)] = 1
    hidden = np.full((800, 1), -1, dtype=np.int8)
    hidden[:4, 0] = theme[:4]
    folds = [(np.arange(790), np.arange(790, 800))]
    losses = []
    for learner in (TextScores(4), TextScores()):
        learner.out_of_fold(sparse.csr_matrix(words), hidden, folds, seed=0)
        scores = learner.log_odds(sparse.csr_matrix(words[100:]))
        losses.append(((scores[:, 0] > 0) != theme[100:]).mean())
    assert losses[0] < 0.01 < 0.1 < losses[1]


def test_neighbours_are_those_of_the_definition():
    learner = NeighbourScores(3)
    scores = learner.out_of_fold(X, Y, FOLDS)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    distances = ((scaled[7] - scaled) ** 2).sum(axis=1)
    distances[7] = np.inf
    near = np.argsort(distances)[:3]
    votes = 1 / np.sqrt([1, 2, 3])
    shares = votes @ Y[near] / votes.sum()
    expected = (10 * shares + (Y.sum(axis=0) + 1) / (N + 2)) / 11
    np.testing.assert_allclose(1 / (1 + np.exp(-scores[7])), expected, rtol=1e-9)


@every
def test_the_same_bits_for_any_number_of_jobs(learner):
    one = learner.out_of_fold(X, Y, FOLDS, seed=1, n_jobs=1)
    np.testing.assert_array_equal(learner.out_of_fold(X, Y, FOLDS, seed=1, n_jobs=2), one)


def test_equally_near_rows_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(300, 2)).astype(float)
    Y = (rng.random((300, 2)) < 0.4).astype(np.uint8)
    folds = list(KFold(5).split(X))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            scores = NeighbourScores()
            found.append((scores.out_of_fold(X, Y, folds), scores.log_odds(X[:20])))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


GAPS = np.where(np.random.default_rng(8).random(Y.shape) < 0.4, -1, Y.astype(np.int8)).astype(np.int8)


@pytest.mark.parametrize(
    "learner",
    [LogisticScores(C=2.0, standardize=False), ClassifierScores(LogisticRegression(), "x"), LassoScores()],
    ids=lambda each: type(each).__name__,
)
def test_a_label_is_trained_on_the_rows_that_know_it(learner):
    known = np.flatnonzero(GAPS[:, 1] >= 0)
    found = learner.out_of_fold(X, GAPS, FOLDS, seed=0)
    assert ((found > 0) == Y).mean() > 0.7
    odds = learner.log_odds(X)[:, 1]
    rows = [(np.flatnonzero(np.isin(known, train)), np.flatnonzero(np.isin(known, held))) for train, held in FOLDS]
    if isinstance(learner, LassoScores):  # one strength serves all labels
        model = LogisticRegression(C=learner.C_, **lasso_scores._ABSOLUTE, solver="liblinear", tol=1e-6, random_state=0)
        scaled = learner.scaler_.transform(X)
        expected = model.fit(scaled[known], Y[known, 1]).decision_function(scaled)
    else:
        learner.out_of_fold(X[known], Y[known, 1:2], rows, seed=0)
        expected = learner.log_odds(X)[:, 0]
    np.testing.assert_allclose(odds, expected, rtol=1e-2 if isinstance(learner, LassoScores) else 1e-4, atol=1e-2)


def test_neighbours_that_do_not_know_a_label_have_no_vote():
    learner = NeighbourScores(12)
    scores = learner.out_of_fold(X, GAPS, FOLDS)
    n = round(12 / (GAPS >= 0).mean())
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    distances = ((scaled[7] - scaled) ** 2).sum(axis=1)
    distances[7] = np.inf
    near = np.argsort(distances)[:n]
    votes = 1 / np.sqrt(np.arange(1, n + 1))
    votes /= votes.sum()
    known = GAPS[near] >= 0
    prior = ((GAPS == 1).sum(axis=0) + 1) / ((GAPS >= 0).sum(axis=0) + 2)
    expected = (10 * votes @ (known * Y[near]) + prior) / (10 * votes @ known + 1)
    np.testing.assert_allclose(1 / (1 + np.exp(-scores[7])), expected, rtol=1e-9)


def test_leaves_answer_with_what_their_rows_know():
    forest = ForestScores(5)
    found = forest.out_of_fold(X, GAPS, FOLDS, seed=0)
    assert found.shape == Y.shape
    leaves = forest._leaves(np.ascontiguousarray(X, dtype=np.float32))
    means, known = forest.leaf_labels_.toarray()[leaves[:4]], forest.leaf_known_[leaves[:4]]
    for row, tree in itertools.product(range(4), range(5)):
        inside = np.flatnonzero(leaves[:, tree] == leaves[row, tree])
        for k in range(3):
            values = GAPS[inside, k][GAPS[inside, k] >= 0]
            # A bag leaves rows out: what a leaf says lies between what its rows say.
            assert not known[row, tree, k] or values.min() <= means[row, tree, k] <= values.max()
            assert known[row, tree, k] or means[row, tree, k] == 0
    size = forest._size
    expected = (means.mean(axis=1) * size + forest.prior_) / (known.mean(axis=1) * size + 1)
    np.testing.assert_allclose(1 / (1 + np.exp(-forest.log_odds(X[:4]))), np.clip(expected, 1e-3, 1 - 1e-3), rtol=1e-6)


@every
def test_the_type_of_known_labels_does_not_matter(learner):
    whole = learner.out_of_fold(X, Y, FOLDS, seed=2)
    np.testing.assert_allclose(learner.out_of_fold(X, Y.astype(np.int8), FOLDS, seed=2), whole, rtol=1e-5, atol=1e-6)


def test_bags_are_drawn_from_all_rows_alike():
    bags = np.array(
        [
            _grown(X[:9].astype(np.float32), Y[:9], np.ones(9), seed, ExtraTreeRegressor, 1.0, 5)[1]
            for seed in range(360)
        ]
    )
    assert bags.shape == (360, 9)
    assert (bags.sum(axis=1) == 5).all()
    # 1800 draws, 200 of each row.
    assert stats.chisquare(bags.sum(axis=0)).pvalue > 1e-4


@pytest.mark.parametrize("seed", [2**31, 2**40 + 1, 2**63])
def test_topics_take_any_seed(seed):
    words = np.random.default_rng(3).poisson(0.7, size=(N, 8)).astype(float)
    assert np.isfinite(TextScores(3).out_of_fold(words, Y, FOLDS, seed=seed)).all()
