"""Losses of thresholds: what they weigh, whose thresholds they take, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.losses import Hamming, MacroF1, MicroF1, macro_f1_thresholds, micro_f1_threshold
from plait.losses.expected_f1 import f1_thresholds
from plait.metrics import micro_f1


def support_of(vectors, weights):
    table = np.broadcast_to(np.asarray(vectors, dtype=np.uint8), (len(weights), *np.shape(vectors)))
    return LabelSupport(table, np.log(weights), "distribution", "by hand", np.ones(len(weights), dtype=bool))


def test_at_one_half_it_is_half_of_the_hamming_loss():
    Y, H = np.random.default_rng(0).integers(0, 2, (2, 20, 5))
    np.testing.assert_allclose(MicroF1(0.5).value(Y, H), Hamming().value(Y, H) / 2, rtol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_decisions_of_all_rows_have_the_largest_micro_f1_of_certain_labels(seed):
    Y = np.random.default_rng(seed).integers(0, 2, (6, 3))
    decided = np.vstack(
        [MicroF1(micro_f1_threshold(Y.astype(float))).decide(support_of([row], np.ones((1, 1)))) for row in Y]
    )
    assert micro_f1(Y, decided) == pytest.approx(float(Y.any()))


def test_a_loss_takes_its_own_thresholds_before_those_of_a_model():
    found = {"micro_f1": 0.2, "macro_f1": np.array([0.1, 0.6])}
    assert MicroF1().with_thresholds(found).thresholds == 0.2
    assert MicroF1(0.4).with_thresholds(found).thresholds == 0.4
    assert MacroF1().with_thresholds(found).thresholds is found["macro_f1"]
    support = support_of([[1, 0], [0, 1]], np.array([[0.5, 0.5]]))
    assert MacroF1([0.1, 0.6]).decide(support).tolist() == [[1, 0]]
    assert MacroF1(0.4).decide(support).tolist() == [[1, 1]]


@pytest.mark.parametrize("kind", [MicroF1, MacroF1])
def test_wrong_thresholds_are_refused(kind):
    for wrong in wrong_values(kind.parameter_rules["thresholds"]):
        with pytest.raises(ParameterError, match=f"{kind.__name__} needs thresholds to be"):
            kind(wrong).value([[1, 0]], [[1, 0]])
    with pytest.raises(ParameterError, match="finds at fit"):
        kind().value([[1, 0]], [[1, 0]])


def test_thresholds_of_another_number_of_labels_are_refused():
    with pytest.raises(ParameterError, match="each of 2 labels, but there are 3"):
        MacroF1([0.1, 0.2, 0.3]).value([[1, 0]], [[1, 0]])


def test_thresholds_of_a_model_are_those_of_both_kinds_and_absent_labels_have_one():
    draws = np.random.default_rng(0)
    marginals, weights = draws.random((30, 3)), draws.random(30)
    Y = (draws.random((30, 3)) < marginals).astype(np.uint8)
    Y[:, 1] = 0
    found = f1_thresholds(marginals, Y, weights)
    assert found["micro_f1"] == micro_f1_threshold(marginals, weights)
    expected = macro_f1_thresholds(marginals, weights)
    expected[1] = 1.0
    np.testing.assert_array_equal(found["macro_f1"], expected)


@pytest.mark.parametrize("beyond", [1.5, 1.0 + 1e-9, -0.5, -1e-9])
def test_thresholds_are_shares(beyond):
    Y = np.array([[0, 1]])
    for thresholds in ([0.0, 1.0], [1, 0]):
        MacroF1(thresholds).value(Y, Y)
    with pytest.raises(ParameterError, match="MacroF1 needs thresholds to be"):
        MacroF1([0.5, beyond]).value(Y, Y)
    with pytest.raises(ParameterError, match="MicroF1 needs thresholds to be"):
        MicroF1(beyond).value(Y, Y)
