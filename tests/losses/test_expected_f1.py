"""Thresholds of largest expected F1: against all sets by enumeration, and laws."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plait.core.sentences import ParameterError
from plait.losses import macro_f1_thresholds, micro_f1_threshold

TABLES = arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 3)), elements=st.floats(0, 1))


def ratio(table, chosen, weights):
    """Return 2 E[true positives] / E[given + true], 0 where it is 0 / 0."""
    below = (weights[:, None] * (chosen + table)).sum()
    return 2 * (weights[:, None] * table * chosen).sum() / below if below > 0 else 0.0


@given(TABLES, st.integers(0, 2**32 - 1))
def test_no_set_has_a_larger_expected_micro_f1(table, seed):
    weights = np.random.default_rng(seed).integers(0, 4, len(table)).astype(float)
    threshold = micro_f1_threshold(table, weights)
    sets = [np.reshape(bits, table.shape) for bits in product((0, 1), repeat=table.size)]
    best = max(ratio(table, chosen, weights) for chosen in sets)
    np.testing.assert_allclose(ratio(table, table > threshold, weights), best, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(2 * threshold, best, rtol=1e-12, atol=1e-15)


@given(TABLES)
def test_macro_thresholds_are_those_of_the_labels_by_themselves(table):
    alone = [micro_f1_threshold(column[:, None]) for column in table.T]
    np.testing.assert_allclose(macro_f1_thresholds(table), alone, rtol=1e-12, atol=1e-15)


@given(TABLES, st.integers(1, 3))
def test_a_weight_is_a_number_of_copies_and_rows_have_no_order(table, copies):
    weights = np.arange(len(table)) % (copies + 1)
    repeated = np.repeat(table, weights, axis=0)[::-1]
    if len(repeated):
        np.testing.assert_allclose(
            micro_f1_threshold(table, weights), micro_f1_threshold(repeated), rtol=1e-12, atol=1e-15
        )


def test_certain_labels_have_one_half_and_impossible_ones_zero():
    assert macro_f1_thresholds([[1.0, 0.0], [0.0, 0.0]]).tolist() == [0.5, 0.0]


def test_many_rows_agree_with_a_sort():
    table = np.random.default_rng(0).beta(0.3, 2.0, (3000, 4))
    for column, threshold in zip(table.T, macro_f1_thresholds(table), strict=True):
        falling = np.sort(column)[::-1]
        ratios = 2 * np.cumsum(falling) / (np.arange(1, 3001) + column.sum())
        np.testing.assert_allclose(2 * threshold, ratios.max(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("wrong", [[0.5], [[1.5]], [[np.nan]], np.empty((0, 3))])
def test_wrong_marginals_are_refused(wrong):
    with pytest.raises(ParameterError, match="marginals"):
        micro_f1_threshold(wrong)


def test_wrong_weights_are_refused():
    with pytest.raises(ParameterError, match="sample_weight"):
        macro_f1_thresholds([[0.5]], [-1.0])
