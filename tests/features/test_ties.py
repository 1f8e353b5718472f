import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.features.ties import TIE_TOLERANCE, first_best, stable_ranking

jitter = st.sampled_from([0.0, TIE_TOLERANCE / 3, -TIE_TOLERANCE / 3])
scores = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 3.0, -np.inf]), jitter), min_size=1, max_size=8)


@given(scores)
def test_ranking_is_first_best_again_and_again(pairs):
    values = np.array([value + noise for value, noise in pairs])
    left, expected = values.copy(), []
    while (left > -np.inf).any():
        expected.append(first_best(left))
        left[expected[-1]] = -np.inf
    assert stable_ranking(values).tolist() == expected


@given(scores)
def test_rounding_does_not_change_the_winner_of_a_tie(pairs):
    values = np.array([value for value, _ in pairs])
    if (values == -np.inf).all():
        return
    assert first_best(values) == int(np.flatnonzero(values == values.max())[0])
    noisy = values + np.array([noise for _, noise in pairs])
    assert first_best(noisy) == first_best(values)


@given(st.lists(st.integers(0, 40), max_size=12))
def test_long_runs_that_touch_link_by_link(steps):
    values = np.array(steps) * TIE_TOLERANCE / 2
    left, expected = values.copy(), []
    while (left > -np.inf).any():
        expected.append(first_best(left))
        left[expected[-1]] = -np.inf
    assert stable_ranking(values).tolist() == expected
