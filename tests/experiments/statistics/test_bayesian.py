import numpy as np
import pytest
from scipy import stats

from plait.core.randomness import generator
from plait.core.sentences import ParameterError
from plait.experiments.statistics.bayesian import bayesian_signed_ranks, correlated_t_posterior


def naive_signed_ranks(d, rope, strength, n_samples, random_state):
    z = [0.0, *d]
    weights = generator(random_state).dirichlet([strength] + [1.0] * len(d), n_samples)
    wins = np.zeros(3)
    for w in weights:
        masses = np.zeros(3)
        for i, a in enumerate(z):
            for j, b in enumerate(z):
                mean = (a + b) / 2
                masses[0 if mean > rope else 2 if mean < -rope else 1] += w[i] * w[j]
        wins[masses.argmax()] += 1
    return wins / n_samples


def test_signed_ranks_equal_naive_loops_on_the_same_draws():
    d = np.random.default_rng(9).normal(0.01, 0.03, 6)
    found = bayesian_signed_ranks(d, np.zeros(6), rope=0.01, prior_strength=0.7, n_samples=400, random_state=3)
    expected = naive_signed_ranks(d, 0.01, 0.7, 400, 3)
    np.testing.assert_allclose(
        [found.first_larger, found.equivalent, found.second_larger], expected, rtol=0, atol=1e-12
    )


def test_signed_ranks_turn_round_with_the_methods_and_add_up_to_one():
    a, b = np.random.default_rng(10).normal(0.5, 0.1, (2, 15))
    there, back = bayesian_signed_ranks(a, b), bayesian_signed_ranks(b, a)
    assert (there.first_larger, there.equivalent) == (back.second_larger, back.equivalent)
    np.testing.assert_allclose(there.first_larger + there.equivalent + there.second_larger, 1.0, rtol=1e-12)


def test_clear_cases():
    ones = np.full(20, 0.2)
    assert bayesian_signed_ranks(ones, np.zeros(20)).first_larger > 0.999
    assert bayesian_signed_ranks(ones, ones + 0.001).equivalent == 1.0
    even = bayesian_signed_ranks(np.r_[ones, -ones], np.zeros(40), rope=0.0)
    np.testing.assert_allclose(even.first_larger, even.second_larger, rtol=0, atol=0.03)


def test_draws_in_chunks_are_all_counted(monkeypatch):
    monkeypatch.setattr("plait.experiments.statistics.bayesian._CHUNK", 70)
    found = bayesian_signed_ranks(np.arange(6.0), np.zeros(6), n_samples=33)
    np.testing.assert_allclose(found.first_larger + found.equivalent + found.second_larger, 1.0, rtol=1e-12)


def test_independent_folds_without_a_region_are_the_t_test():
    rng = np.random.default_rng(11)
    a, b = rng.normal(size=(2, 10))
    found = correlated_t_posterior(a, b, rope=0.0, test_share=0.0)
    np.testing.assert_allclose(found.second_larger, stats.ttest_rel(a, b, alternative="greater").pvalue, rtol=1e-9)
    np.testing.assert_allclose(found.equivalent, 0.0, rtol=0, atol=1e-12)


def test_correlation_of_folds_widens_the_posterior():
    rng = np.random.default_rng(12)
    a, b = rng.normal(0.7, 0.02, 10), rng.normal(0.68, 0.02, 10)
    found, d = correlated_t_posterior(a, b, rope=0.005), a - b
    draws = d.mean() + stats.t.rvs(9, size=200000, random_state=0) * np.sqrt((1 / 10 + 0.1 / 0.9) * d.var(ddof=1))
    expected = [(draws > 0.005).mean(), (abs(draws) <= 0.005).mean(), (draws < -0.005).mean()]
    np.testing.assert_allclose(
        [found.first_larger, found.equivalent, found.second_larger], expected, rtol=0, atol=0.005
    )


def test_equal_differences_are_certain():
    a = np.array([0.1, 0.2, 0.3])
    assert correlated_t_posterior(a, a).equivalent == 1.0
    assert correlated_t_posterior(a + 0.1, a).first_larger == 1.0
    assert correlated_t_posterior(a - 0.1, a).second_larger == 1.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: bayesian_signed_ranks([], []),
        lambda: bayesian_signed_ranks([1.0], [np.nan]),
        lambda: bayesian_signed_ranks([1.0], [1.0], rope=-1.0),
        lambda: bayesian_signed_ranks([1.0], [1.0], n_samples=0),
        lambda: bayesian_signed_ranks([1.0], [1.0], prior_strength=0.0),
        lambda: correlated_t_posterior([1.0], [1.0]),
        lambda: correlated_t_posterior([1.0, 2.0], [1.0, 2.5], test_share=1.0),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(ParameterError, match="needs"):
        call()
