"""F1 by rows, labels and entries against naive loops and scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plait.core.sentences import ParameterError
from plait.metrics import macro_f1, micro_f1, sample_f1


@st.composite
def label_pairs(draw, least_labels=1):
    shape = (draw(st.integers(1, 8)), draw(st.integers(least_labels, 7)))
    return tuple(draw(arrays(np.uint8, shape, elements=st.integers(0, 1))) for _ in range(2))


def naive_f1(y, h, empty):
    hit = miss = false_alarm = 0
    for a, b in zip(y, h, strict=True):
        hit += a == 1 and b == 1
        miss += a == 1 and b == 0
        false_alarm += a == 0 and b == 1
    size = 2 * hit + miss + false_alarm
    return 2 * hit / size if size else empty


def naive_mean(rows, other_rows, empty):
    values = [naive_f1(y, h, empty) for y, h in zip(rows.tolist(), other_rows.tolist(), strict=True)]
    return sum(values) / len(values)


@given(label_pairs(), st.sampled_from([0, 1]))
def test_f1_equals_naive_loops(pair, zero_division):
    Y, H = pair
    assert sample_f1(Y, H) == pytest.approx(naive_mean(Y, H, 1), rel=1e-12, abs=0)
    expected = naive_mean(Y.T, H.T, zero_division)
    assert macro_f1(Y, H, zero_division=zero_division) == pytest.approx(expected, rel=1e-12, abs=0)
    assert micro_f1(Y, H) == pytest.approx(naive_f1(Y.ravel(), H.ravel(), 0), rel=1e-12, abs=0)


@given(label_pairs(least_labels=2), st.sampled_from([0, 1]))
def test_f1_equals_scikit_learn(pair, zero_division):
    Y, H = pair
    f1_score = sklearn.metrics.f1_score
    samples = f1_score(Y, H, average="samples", zero_division=1)
    macro = f1_score(Y, H, average="macro", zero_division=zero_division)
    micro = f1_score(Y, H, average="micro", zero_division=0)
    assert sample_f1(Y, H) == pytest.approx(samples, rel=1e-12, abs=0)
    assert macro_f1(Y, H, zero_division=zero_division) == pytest.approx(macro, rel=1e-12, abs=0)
    assert micro_f1(Y, H) == pytest.approx(micro, rel=1e-12, abs=0)


@given(label_pairs(least_labels=2), st.sampled_from([0, 1]))
def test_f1_of_mean_precision_and_mean_recall_equals_scikit_learn(pair, zero_division):
    Y, H = pair
    precision, recall = (
        score(Y, H, average="macro", zero_division=zero_division)
        for score in (sklearn.metrics.precision_score, sklearn.metrics.recall_score)
    )
    expected = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    found = macro_f1(Y, H, zero_division=zero_division, averaged="precision_recall")
    assert found == pytest.approx(expected, rel=1e-12, abs=0)


@given(label_pairs())
def test_one_label_has_equal_micro_and_macro(pair):
    Y, H = pair
    assert micro_f1(Y[:, :1], H[:, :1]) == pytest.approx(macro_f1(Y[:, :1], H[:, :1]), rel=1e-12, abs=0)


@given(label_pairs())
def test_a_perfect_prediction(pair):
    Y, _ = pair
    assert sample_f1(Y, Y) == 1.0
    assert macro_f1(Y, Y, zero_division=1) == 1.0
    assert macro_f1(Y, Y) == pytest.approx(Y.any(axis=0).mean(), rel=1e-12, abs=0)
    assert micro_f1(Y, Y) == (1.0 if Y.any() else 0.0)


@given(label_pairs())
def test_the_two_choices_differ_by_the_share_of_labels_nobody_names(pair):
    Y, H = pair
    share = np.mean(~(Y.any(axis=0) | H.any(axis=0)))
    gap = macro_f1(Y, H, zero_division=1) - macro_f1(Y, H, zero_division=0)
    assert gap == pytest.approx(share, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("wrong", [2, None, "warn", True, float("nan")])
def test_zero_division_is_0_or_1(wrong):
    with pytest.raises(ParameterError, match="macro_f1 needs zero_division to be 0 or 1, but it is"):
        macro_f1([[1]], [[1]], zero_division=wrong)
