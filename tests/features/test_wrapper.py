import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from plait.core.sentences import ParameterError
from plait.counts import encode
from plait.features import SelectionWarning, Wrapper
from plait.features.backward_elimination import stratified_folds


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
