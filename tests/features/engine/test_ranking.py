import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plait.core.ties import TIE_TOLERANCE, first_best
from plait.features.engine.ranking import ranked_by_label, stable_ranking


@given(
    scores=arrays(float, (5, 3), elements=st.sampled_from([0.0, 0.25, 0.5])),
    sizes=st.lists(st.integers(0, 7), min_size=3, max_size=3),
)
def test_by_sorting(scores, sizes):
    columns = np.array([1, 2, 4, 5, 8])
    mask = ranked_by_label(scores, columns, sizes, 9)
    assert mask.support.shape == (3, 9)
    for label, size in enumerate(sizes):
        order = sorted(range(5), key=lambda m: (-scores[m, label], m))[:size]
        assert mask.rankings[label].tolist() == columns[order].tolist()
        assert mask.scores[label].tolist() == scores[order, label].tolist()


def test_no_columns():
    mask = ranked_by_label(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), [1, 1], 3)
    assert not mask.support.any()


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
