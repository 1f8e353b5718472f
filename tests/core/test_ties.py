import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.core.ties import TIE_TOLERANCE, first_best


@given(st.lists(st.integers(0, 4), min_size=1), st.integers(0, 2**32 - 1))
def test_rounding_does_not_decide(values, seed):
    scores = np.array(values, dtype=float)
    noise = np.random.default_rng(seed).uniform(-0.4, 0.4, size=scores.size) * TIE_TOLERANCE
    assert first_best(scores + noise) == values.index(max(values))


def test_what_is_out_stays_out_and_real_differences_decide():
    assert first_best(np.array([-np.inf, -5.0, -5.0 + 1e-8])) == 2


def test_rounding_grows_with_the_scores():
    assert first_best(np.array([-2e6, 1e6, 1e6 + 1e-5])) == 1
    assert first_best(np.array([1e6, 1e6 + 1e-3])) == 1
    assert first_best(np.array([1e-3, 1e-3 + 0.5 * TIE_TOLERANCE])) == 0
    assert first_best(np.array([1e-3, 1e-3 + 2.0 * TIE_TOLERANCE])) == 1
