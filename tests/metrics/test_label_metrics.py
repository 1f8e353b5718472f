"""Set metrics against naive double loops and scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plait.metrics import exact_match, hamming_loss, hamming_score, jaccard_accuracy, subset_loss


@st.composite
def label_pairs(draw, least_labels=1):
    shape = (draw(st.integers(1, 8)), draw(st.integers(least_labels, 7)))
    return tuple(draw(arrays(np.uint8, shape, elements=st.integers(0, 1))) for _ in range(2))


def naive_exact_match(Y, H):
    right = 0
    for y, h in zip(Y.tolist(), H.tolist(), strict=True):
        right += y == h
    return right / len(Y)


def naive_hamming_score(Y, H):
    right = 0
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            right += Y[i, j] == H[i, j]
    return right / (Y.shape[0] * Y.shape[1])


def naive_jaccard(Y, H):
    total = 0.0
    for y, h in zip(Y.tolist(), H.tolist(), strict=True):
        true, predicted = ({j for j, v in enumerate(row) if v} for row in (y, h))
        total += len(true & predicted) / len(true | predicted) if true | predicted else 1.0
    return total / len(Y)


@given(label_pairs())
def test_metrics_equal_naive_loops(pair):
    Y, H = pair
    assert exact_match(Y, H) == pytest.approx(naive_exact_match(Y, H), rel=1e-12, abs=0)
    assert subset_loss(Y, H) == pytest.approx(1 - naive_exact_match(Y, H), rel=1e-12, abs=1e-15)
    assert hamming_score(Y, H) == pytest.approx(naive_hamming_score(Y, H), rel=1e-12, abs=0)
    assert hamming_loss(Y, H) == pytest.approx(1 - naive_hamming_score(Y, H), rel=1e-12, abs=1e-15)
    assert jaccard_accuracy(Y, H) == pytest.approx(naive_jaccard(Y, H), rel=1e-12, abs=0)


# A single column is a binary problem to scikit-learn, not a multi-label one.
@given(label_pairs(least_labels=2))
def test_metrics_equal_scikit_learn(pair):
    Y, H = pair
    assert subset_loss(Y, H) == pytest.approx(sklearn.metrics.zero_one_loss(Y, H), rel=1e-12, abs=1e-15)
    assert exact_match(Y, H) == pytest.approx(sklearn.metrics.accuracy_score(Y, H), rel=1e-12, abs=0)
    assert hamming_loss(Y, H) == pytest.approx(sklearn.metrics.hamming_loss(Y, H), rel=1e-12, abs=0)
    theirs = sklearn.metrics.jaccard_score(Y, H, average="samples", zero_division=1)
    assert jaccard_accuracy(Y, H) == pytest.approx(theirs, rel=1e-12, abs=0)


@given(label_pairs())
def test_order_of_the_metrics(pair):
    Y, H = pair
    assert hamming_score(Y, H) + hamming_loss(Y, H) == pytest.approx(1.0, rel=1e-15)
    assert exact_match(Y, H) + subset_loss(Y, H) == pytest.approx(1.0, rel=1e-15)
    assert exact_match(Y, H) <= jaccard_accuracy(Y, H) + 1e-12
    assert exact_match(Y, H) <= hamming_score(Y, H) + 1e-12
    assert jaccard_accuracy(Y, H) <= 1.0


@given(label_pairs())
def test_a_perfect_and_an_opposite_prediction(pair):
    Y, _ = pair
    assert [m(Y, Y) for m in (exact_match, hamming_score, jaccard_accuracy)] == [1.0, 1.0, 1.0]
    assert [m(Y, Y) for m in (subset_loss, hamming_loss)] == [0.0, 0.0]
    opposite = 1 - Y
    assert [m(Y, opposite) for m in (exact_match, hamming_score, jaccard_accuracy)] == [0.0, 0.0, 0.0]
    assert [m(Y, opposite) for m in (subset_loss, hamming_loss)] == [1.0, 1.0]


def test_two_empty_sets_agree():
    assert jaccard_accuracy([[0, 0]], [[0, 0]]) == 1.0
    assert jaccard_accuracy([[0, 0]], [[0, 1]]) == 0.0
