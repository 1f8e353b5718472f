import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_predict, cross_val_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier

from plait.core.sentences import ParameterError
from plait.counts import encode
from plait.features import SelectionWarning, Wrapper
from plait.features.wrapper import Elimination, eliminated, n_correct, stratified_folds


def problem(n=90, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = np.column_stack([X[:, 1] > 0, X[:, 2] + X[:, 4] > 0, rng.random(n) < 0.4]).astype(np.uint8)
    return X, Y


def test_accuracies_and_falls_are_those_of_scikit_learn():
    X, Y = problem()
    found = Wrapper(GaussianNB(), n_candidates=4, cv=3).fit(X, Y)
    for label in range(3):
        y = Y[:, label]
        folds = PredefinedSplit(stratified_folds(y, 3, np.arange(90)))

        def accuracy(columns, y=y, folds=folds):
            return cross_val_score(GaussianNB(), X[:, columns], y, cv=folds).mean()

        kept = found.ranking_[label].tolist()
        assert found.accuracies_[label] == pytest.approx(accuracy(kept), rel=1e-12)
        if len(kept) > 1:
            falls = [accuracy(kept) - accuracy([g for g in kept if g != f]) for f in kept]
            np.testing.assert_allclose(found.scores_[label], falls, rtol=0, atol=1e-12)
            assert min(falls) > 0
        assert (np.diff(found.scores_[label]) <= 0).all()
    assert 1 in found.ranking_[0]
    assert {2, 4} <= set(found.ranking_[1])


def test_any_number_of_jobs_gives_the_same_bits():
    X, Y = problem()
    for settings in ({}, {"estimator": RandomForestClassifier(3), "random_state": 5, "n_candidates": 3, "cv": 2}):
        assert Wrapper(**settings).select(X, Y) == Wrapper(**settings, n_jobs=2).select(X, Y)


def test_random_state_shuffles_and_seeds():
    X, Y = problem()
    tree = DecisionTreeClassifier(max_features=1)
    first, again, other = (
        Wrapper(tree, random_state=state, cv=3).fit(X, Y).accuracies_.tolist() for state in (1, 1, 2)
    )
    assert first == again != other
    assert tree.random_state is None
    fixed = Wrapper(DecisionTreeClassifier(max_features=1, random_state=9), random_state=1)._labels(
        Y, Wrapper()._filtered(X, Y)
    )
    assert {each.estimator.random_state for each in fixed} == {9}


def test_a_size_and_too_few_candidates():
    X, Y = problem()
    assert {len(r) for r in Wrapper(GaussianNB(), n_features=2, n_candidates=1.0).fit(X, Y).ranking_} == {2}
    with pytest.warns(SelectionWarning, match="asked for 3 features, but there are only 2 that vary among"):
        Wrapper(GaussianNB(), n_features=3, n_candidates=2).fit(X, Y)


def test_sparse_missing_and_codes():
    X, Y = problem()
    X[np.abs(X) < 0.5] = 0.0
    assert Wrapper().select(sparse.csr_matrix(X), Y) == Wrapper().select(X, Y)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Wrapper().fit(X, Y)
    takes_missing = HistGradientBoostingClassifier(max_iter=3)
    assert Wrapper(takes_missing, n_candidates=2, cv=2).fit(X, Y[:, :1]).mask_.support.any()
    with pytest.raises(ParameterError, match="Wrapper needs X to hold numbers"):
        Wrapper().select(encode(X > 0), Y)


def test_a_label_that_never_changes_keeps_one_feature():
    X, Y = problem()
    Y[:, 2] = 0
    found = Wrapper(GaussianNB(), cv=2).fit(X, Y)
    assert len(found.ranking_[2]) == 1
    assert found.accuracies_[2] == 1.0


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30), st.integers(2, 6), st.integers(0, 99))
def test_folds_share_rows_and_positives(labels, n_folds, seed):
    y = np.array(labels)
    folds = stratified_folds(y, n_folds, np.random.default_rng(seed).permutation(y.size))
    for part in (np.ones_like(y), y, 1 - y):
        sizes = np.bincount(folds[part == 1], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_correct_rows_as_scikit_learn_counts_them(form):
    rng = np.random.default_rng(0)
    X = (rng.random((50, 4)) < 0.5).astype(float)
    y = ((X[:, 0] + rng.random(50)) > 1).astype(np.uint8)
    folds = stratified_folds(y, 5, np.arange(50))
    predicted = cross_val_predict(BernoulliNB(), X[:, [2, 0]], y, cv=PredefinedSplit(folds))
    assert n_correct(BernoulliNB(), form(X), y, folds, [2, 0]) == np.sum(predicted == y)


def test_correct_rows_where_nothing_can_be_fitted():
    X = np.arange(6.0).reshape(-1, 1)
    one_class = np.array([1, 0, 0, 0, 0, 0], dtype=np.uint8)
    folds = np.array([0, 0, 0, 1, 1, 1])
    # The one row with the label sees zeros only, and the others see nothing but it.
    assert n_correct(DecisionTreeClassifier(), X, one_class, np.array([0, 1, 1, 1, 1, 1]), [0]) == 0
    assert n_correct(DecisionTreeClassifier(), X, 1 - one_class, np.array([0, 0, 0, 0, 0, 0]), [0]) == 1
    assert n_correct(BernoulliNB(), X, one_class, folds, []) == 5
    assert n_correct(BernoulliNB(), X[:1], one_class[:1], folds[:1], [0]) == 0


def eliminated_by_loops(X, y, folds, kept, wanted):
    estimator = DecisionTreeClassifier(random_state=0)
    kept = list(kept)
    correct = n_correct(estimator, X, y, folds, kept)
    while True:
        without = {f: n_correct(estimator, X, y, folds, [g for g in kept if g != f]) for f in kept}
        if len(kept) <= (wanted or 1) or (wanted is None and max(without.values()) < correct):
            return kept, correct, [correct - without[f] for f in kept]
        dropped = [f for f in kept if without[f] == max(without.values())][-1]
        kept.remove(dropped)
        correct = without[dropped]


@pytest.mark.parametrize("wanted", [None, 1, 2, 9])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_rounds_of_all_labels_are_those_of_each(wanted, n_jobs):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(60, 5)).astype(float)
    Y = np.column_stack([X[:, 1] > 1, X[:, 0] + X[:, 3] > 2, rng.random(60) < 0.5]).astype(np.uint8)
    folds = [stratified_folds(y, 4, rng.permutation(60)) for y in Y.T]
    starts = [[1, 0, 2], [4, 3, 0, 2, 1], [2]]
    labels = [
        Elimination(DecisionTreeClassifier(random_state=0), y, fold, list(start), 0, [])
        for y, fold, start in zip(Y.T, folds, starts, strict=True)
    ]
    with parallel_config("threading"):
        eliminated(X, labels, wanted, n_jobs)
    for made, y, fold, start in zip(labels, Y.T, folds, starts, strict=True):
        kept, correct, losses = eliminated_by_loops(X, y, fold, start, wanted)
        assert (made.kept, made.correct, made.losses, made.done) == (kept, correct, losses, True)


def test_no_labels_and_no_features():
    eliminated(np.zeros((3, 0)), [], None, None)
    empty = Elimination(BernoulliNB(), np.array([1, 0, 1], np.uint8), np.array([0, 1, 2]), [], 0, [])
    eliminated(np.zeros((3, 0)), [empty], None, None)
    assert empty.done
    assert empty.kept == []


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_label_is_judged_by_the_rows_that_know_it(form):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, size=(90, 5)).astype(float)
    Y = np.column_stack([X[:, 1] > 1, X[:, 0] + X[:, 3] > 2, X[:, 4] > 0]).astype(float)
    Y[rng.random(Y.shape) < 0.1] = 0.0
    Y[rng.random(Y.shape) < 0.3] = np.nan
    Y[2:, 2] = np.nan
    selector = Wrapper(BernoulliNB(binarize=1.0), cv=3, n_candidates=4, discretizer="passthrough")
    found = selector.fit(form(X), Y)
    rankings, scores, accuracies = found.ranking_, found.scores_, found.accuracies_
    for label in range(2):
        known = ~np.isnan(Y[:, label])
        alone = selector.fit(form(X[known]), Y[known, label : label + 1])
        assert accuracies[label] == alone.accuracies_[0]
        assert rankings[label].tolist() == alone.ranking_[0].tolist()
        np.testing.assert_array_equal(scores[label], alone.scores_[0])
        whole = scores[label] * known.sum()
        np.testing.assert_allclose(whole, np.rint(whole), rtol=0, atol=1e-9)
    assert len(rankings[2]) == 1
    Y[:, 2] = np.nan
    assert selector.fit(form(X), Y).accuracies_[2] == 0.0
