from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from plait.baselines.label_powerset import LabelPowerset
from plait.baselines.pruned_sets import PrunedSets
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError


def problem(n=80, d=3, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (rng.random((n, q)) < [0.6, 0.4, 0.25, 0.1][:q]).astype(np.uint8)
    return X, Y


def naive_training(Y, p, n_subsets):
    """Return (row, label set) pairs to train on, with sets of label numbers instead of vectors."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in Y]
    counts = Counter(sets)
    while not any(count > p for count in counts.values()):
        p -= 1
    frequent = [s for s, count in counts.items() if count > p]
    pairs = [(row, s) for row, s in enumerate(sets) if counts[s] > p]
    vector = lambda s: tuple(int(k in s) for k in range(Y.shape[1]))  # noqa: E731
    for row, whole in enumerate(sets):
        if counts[whole] <= p:
            inside = [s for s in frequent if s and s < whole]
            inside.sort(key=lambda s: (-len(s), -counts[s], vector(s)))
            pairs += [(row, s) for s in inside[:n_subsets]]
    return [(row, vector(s)) for row, s in pairs]


class Recorder(GaussianNB):
    """A classifier that remembers what it was trained on."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = X.copy(), y.copy(), sample_weight
        return super().fit(X, y, sample_weight)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60),
    q=st.integers(1, 4),
    p=st.integers(0, 12),
    n_subsets=st.integers(0, 4),
    seed=st.integers(0, 9999),
)
def test_trains_on_what_the_definition_says(n, q, p, n_subsets, seed):
    X, Y = problem(n, q=q, seed=seed)
    model = PrunedSets(Recorder(), p=p, n_subsets=n_subsets).fit(X, Y)
    pairs = naive_training(Y, p, n_subsets)
    assert {vector for _, vector in pairs} == {tuple(row) for row in model.label_sets_.tolist()}
    if model.estimator_ is not None:
        rows, codes, _ = model.estimator_.seen_
        np.testing.assert_array_equal(rows, X[[row for row, _ in pairs]])
        np.testing.assert_array_equal(model.label_sets_[codes], [vector for _, vector in pairs])


@pytest.mark.parametrize("estimator", [None, GaussianNB(), DecisionTreeClassifier(random_state=0)])
def test_nothing_pruned_is_the_label_powerset(estimator):
    X, Y = problem()
    pruned, whole = PrunedSets(estimator, p=0).fit(X, Y), LabelPowerset(estimator).fit(X, Y)
    np.testing.assert_array_equal(pruned.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(pruned.predict(X), whole.predict(X))


def test_p_is_lowered_until_a_set_survives():
    X = np.arange(6.0).reshape(-1, 1)
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [0, 0]])
    model = PrunedSets(p=100, n_subsets=0).fit(X, Y)
    assert model.p_ == 1
    np.testing.assert_array_equal(model.label_sets_, [[0, 1], [1, 0]])
    alone = PrunedSets(p=5).fit(X[:1], Y[:1])
    assert alone.p_ == 0
    np.testing.assert_array_equal(alone.predict(X), [[1, 0]] * 6)


def test_a_weight_is_a_repetition():
    X, Y = problem(n=50, seed=3)
    weights = np.random.default_rng(1).integers(0, 4, size=50)
    weighted = PrunedSets(GaussianNB()).fit(X, Y, sample_weight=weights)
    repeated = PrunedSets(GaussianNB()).fit(X.repeat(weights, axis=0), Y.repeat(weights, axis=0))
    np.testing.assert_array_equal(weighted.label_sets_, repeated.label_sets_)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_small_weights_keep_a_set():
    X, Y = problem(n=20)
    model = PrunedSets(GaussianNB()).fit(X, Y, sample_weight=np.full(20, 0.01))
    assert model.p_ == 0
    assert len(model.label_sets_) == len(np.unique(Y, axis=0))


def test_a_label_of_rare_sets_only_is_never_predicted():
    X, Y = problem(n=60)
    Y[:, 3] = 0
    Y[0] = [1, 0, 0, 1]
    model = PrunedSets().fit(X, Y)
    assert not model.predict(X)[:, 3].any()
    np.testing.assert_array_equal(model.predict_proba(X)[:, 3], 0.0)


def test_wrong_parameters_are_refused():
    X, Y = problem()
    for name, rules in PrunedSets.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"^PrunedSets needs {name} to be"):
                PrunedSets(**{name: value}).fit(X, Y)
