import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.inference._lane_kernels import LANES, fill_lanes, limited, odds, set_odds
from plait.inference.message_plan import families_of
from plait.inference.polytree_scores import scores_in_blocks
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.testing import random_linear, random_polytree, random_tables


@given(st.floats(-700, 700))
def test_odds_are_exponentials(score):
    np.testing.assert_allclose(odds(score), np.exp(score), rtol=1e-15)


def test_odds_are_exponentials_everywhere():
    for score in np.concatenate([np.linspace(-30, 30, 4001), [0.0, 1e-300, -1e-17, np.log(2) / 2]]):
        np.testing.assert_allclose(odds(score), np.exp(score), rtol=1e-15)


def test_odds_are_limited():
    most = np.exp(SCORE_LIMIT)
    assert limited(np.inf) == most
    assert limited(0.0) == np.exp(-SCORE_LIMIT)
    assert limited(3.0) == 3.0


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1.0, 30.0, 1000.0]))
def test_tables_hold_the_odds_of_every_setting(seed, linear, scale):
    draws = np.random.default_rng(seed)
    graph = random_polytree(8, draws)
    model = (random_linear if linear else random_tables)(graph, LANES + 3, draws, scale)
    plan = families_of(graph)
    ((_, scores),) = scores_in_blocks(model, plan)
    lanes = np.empty((scores.values.shape[1], LANES))
    fill_lanes(scores, LANES, lanes)
    # Rows past the end repeat the last one.
    rows = np.minimum(LANES + np.arange(LANES), LANES + 2)
    for j, label in enumerate(plan.label):
        begin, end = plan.entry[j], plan.entry[j + 1]
        table = np.empty((end - begin, LANES))
        set_odds(j, begin, end, linear, scores.simple[j], scores.shifts, scores.gains, lanes, table)
        expected = np.exp(np.clip(model.table(label), -SCORE_LIMIT, SCORE_LIMIT))[rows].T
        np.testing.assert_allclose(table, expected, rtol=1e-11)
