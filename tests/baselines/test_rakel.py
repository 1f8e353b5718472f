from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.baselines.label_powerset import LabelPowerset
from plait.baselines.rakel import RAkEL, disjoint_subsets, overlapping_subsets
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.data import load_dataset
from plait.metrics import exact_match


def problem(n=100, d=4, q=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.4).astype(np.uint8)
    return X, Y


@pytest.mark.parametrize("estimator", [None, GaussianNB()])
@pytest.mark.parametrize("options", [{"overlapping": True}, {"overlapping": False}, {"n_models": 1}])
def test_one_labelset_of_all_labels_is_the_label_powerset(estimator, options):
    X, Y = problem(q=4)
    Y[:, 3] = 0
    whole = LabelPowerset(estimator).fit(X, Y)
    hard = RAkEL(estimator, labelset_size=4, **options).fit(X, Y)
    assert len(hard.models_) == 1
    np.testing.assert_array_equal(hard.predict(X), whole.predict(X))
    np.testing.assert_array_equal(hard.votes(X), whole.predict(X))
    np.testing.assert_allclose(hard.predict_proba(X), whole.predict_proba(X), rtol=1e-12)
    soft = RAkEL(estimator, labelset_size=9, voting="soft", **options).fit(X, Y)
    np.testing.assert_allclose(soft.predict_proba(X), whole.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("overlapping", [True, False])
def test_scores_are_means_over_the_models_of_a_label(voting, overlapping):
    X, Y = problem(seed=1)
    Z = problem(n=40, seed=2)[0]
    model = RAkEL(GaussianNB(), overlapping=overlapping, voting=voting, random_state=0).fit(X, Y)
    answers = [[] for _ in range(6)]
    for subset in model.labelsets_:
        powerset = LabelPowerset(GaussianNB()).fit(X, Y[:, subset])
        found = powerset.predict(Z) if voting == "hard" else powerset.predict_proba(Z)
        for place, label in enumerate(subset):
            answers[label].append(found[:, place])
    expected = np.column_stack([np.mean(each, axis=0) for each in answers])
    scores = model.votes(Z) if voting == "hard" else model.predict_proba(Z)
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(model.predict(Z), scores >= 0.5)


# Of scikit-learn 1.7, which takes the list of all classes for targets.
@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
def test_the_rule_of_two_models_for_each_label():
    X, Y = problem(q=6)
    assert len(RAkEL(GaussianNB()).fit(X, Y).models_) == 12
    assert len(RAkEL(GaussianNB(), labelset_size=5).fit(X, Y).models_) == 6  # there are no more
    assert len(RAkEL(GaussianNB(), overlapping=False).fit(X, Y).models_) == 2


def test_a_score_at_the_threshold_is_enough():
    X, Y = problem(seed=3)
    model = RAkEL(GaussianNB(), random_state=0).fit(X, Y)
    scores = model.votes(X)
    for threshold in (0.0, 0.25, 0.5, 1.0):
        np.testing.assert_array_equal(model.set_params(threshold=threshold).predict(X), scores >= threshold)
    assert (scores == 0.5).any()


def test_birds_are_learned_without_a_warning(benchmark_data):
    # Columns of very different scales: scikit-learn's multinomial regression does not converge in 1000 steps. Warnings
    # are errors here.
    train, test = load_dataset("birds", split="train"), load_dataset("birds", split="test")
    model = RAkEL(n_models=6, random_state=0).fit(train.X, train.Y)
    assert exact_match(test.Y, model.predict(test.X)) > 0.44  # 0.437 with those regressions


def test_labels_without_a_labelset():
    X, Y = problem(n=98)
    Y[:, :3], Y[:, 3:] = 0, 1
    Y[:5] = 1 - Y[:5]
    model = RAkEL(GaussianNB(), n_models=1, cover=False, threshold=0.0, random_state=0).fit(X, Y)
    left = np.setdiff1d(np.arange(6), model.labelsets_[0])
    assert len(left) == 3
    np.testing.assert_array_equal(model.predict(X)[:, left], np.tile(left >= 3, (98, 1)))
    shares = np.where(left >= 3, 94 / 100, 6 / 100)
    np.testing.assert_allclose(model.predict_proba(X)[:, left], np.tile(shares, (98, 1)), rtol=1e-12)
    covered = RAkEL(GaussianNB(), n_models=1, random_state=0).fit(X, Y)
    assert set(np.concatenate(covered.labelsets_).tolist()) == set(range(6))


def test_the_same_bits_for_any_number_of_jobs():
    X, Y = problem(q=4)
    one = RAkEL(random_state=3, labelset_size=2).fit(X, Y)
    with parallel_config("threading"):
        two = RAkEL(random_state=3, labelset_size=2, n_jobs=2).fit(X, Y)
    for a, b in zip(one.labelsets_, two.labelsets_, strict=True):
        np.testing.assert_array_equal(a, b)
    Z = problem(seed=9)[0]
    np.testing.assert_array_equal(one.predict_proba(Z), two.predict_proba(Z))


def test_seeds_differ_between_models_and_follow_random_state():
    X, Y = problem()
    seeds = [m.classifier.random_state for m in RAkEL(DecisionTreeClassifier(), random_state=0).fit(X, Y).models_]
    again = [m.classifier.random_state for m in RAkEL(DecisionTreeClassifier(), random_state=0).fit(X, Y).models_]
    assert seeds == again
    assert len(set(seeds)) == len(seeds)
    kept = RAkEL(DecisionTreeClassifier(random_state=5), random_state=0).fit(X, Y)
    assert {m.classifier.random_state for m in kept.models_} == {5}


def test_sparse_rows_stay_sparse():
    X, Y = problem(q=4)
    X[np.abs(X) < 1] = 0
    model = RAkEL(random_state=0).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(model.predict_proba(sparse.csr_array(X)), model.predict_proba(X), rtol=1e-12)


def test_one_label_one_row_and_constant_labels():
    X, Y = problem(q=1)
    np.testing.assert_array_equal(
        RAkEL(GaussianNB()).fit(X, Y).predict(X)[:, 0], GaussianNB().fit(X, Y[:, 0]).predict(X)
    )
    X, Y = problem(n=1)
    np.testing.assert_array_equal(RAkEL().fit(X, Y).predict(X), Y)
    X, Y = problem()
    Y[:, 0], Y[:, 5] = 0, 1
    np.testing.assert_array_equal(RAkEL(GaussianNB()).fit(X, Y).predict(X)[:, [0, 5]], [[0, 1]] * 100)


def test_a_weight_is_a_repetition():
    X, Y = problem(n=60, seed=5)
    weights = np.random.default_rng(1).integers(0, 4, size=60)
    weighted = RAkEL(GaussianNB(), voting="soft", random_state=0).fit(X, Y, sample_weight=weights)
    repeated = RAkEL(GaussianNB(), voting="soft", random_state=0).fit(X.repeat(weights, 0), Y.repeat(weights, 0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_what_an_estimator_cannot_do_is_said():
    X, Y = problem()
    with pytest.raises(ParameterError, match="RAkEL needs an estimator whose fit takes sample_weight"):
        RAkEL(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(100))
    with pytest.raises(ParameterError, match="RAkEL needs an estimator with predict_proba for voting='soft'"):
        RAkEL(LinearSVC(), voting="soft").fit(X, Y)
    margins_only = RAkEL(LinearSVC(), random_state=0).fit(X, Y)
    np.testing.assert_array_equal(margins_only.predict_proba(X), margins_only.votes(X))


def test_wrong_parameters_are_refused():
    X, Y = problem()
    for name, rules in RAkEL.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"^RAkEL needs {name} to be"):
                RAkEL(**{name: value}).fit(X, Y)


@settings(max_examples=200, deadline=None)
@given(q=st.integers(1, 12), k=st.integers(1, 14), m=st.integers(1, 40), cover=st.booleans(), seed=st.integers(0, 99))
def test_overlapping_subsets_are_distinct_and_as_many_as_asked(q, k, m, cover, seed):
    found = overlapping_subsets(q, k, m, cover, np.random.default_rng(seed))
    keys = [tuple(subset.tolist()) for subset in found]
    assert len(set(keys)) == len(keys)
    assert all(len(set(key)) == min(k, q) and sorted(key) == list(key) for key in keys)
    wanted = min(m, comb(q, min(k, q)))
    plain = overlapping_subsets(q, k, m, False, np.random.default_rng(seed))
    missing = set(range(q)) - {label for subset in plain for label in subset.tolist()}
    assert len(plain) == wanted
    assert len(found) == wanted + (-(-len(missing) // min(k, q)) if cover else 0)
    if cover:
        assert {label for key in keys for label in key} == set(range(q))


def test_all_subsets_are_equally_likely():
    for m in (1, 5):  # drawn one by one, and chosen from all ten
        counts = dict.fromkeys(combinations(range(5), 3), 0)
        for seed in range(3000):
            for subset in overlapping_subsets(5, 3, m, False, np.random.default_rng(seed)):
                counts[tuple(subset.tolist())] += 1
        share = m / 10
        deviation = np.sqrt(share * (1 - share) / 3000)
        np.testing.assert_allclose(np.array(list(counts.values())) / 3000, share, rtol=0, atol=5 * deviation)


@given(q=st.integers(1, 30), k=st.integers(1, 35), seed=st.integers(0, 99))
def test_disjoint_subsets_part_the_labels(q, k, seed):
    found = disjoint_subsets(q, k, np.random.default_rng(seed))
    assert sorted(np.concatenate(found).tolist()) == list(range(q))
    assert [len(subset) for subset in found[:-1]] == [k] * (len(found) - 1)
    assert len(found) == -(-q // k)
