"""Average precision and ROC AUC against scikit-learn's, with ties, and where labels have one value only."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.metrics import average_precision_score, roc_auc_score

from plait import metrics


@st.composite
def cases(draw):
    shape = (draw(st.integers(2, 9)), draw(st.integers(2, 6)))
    labels = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    return labels, draw(arrays(np.float64, shape, elements=st.sampled_from([-2.0, 0.0, 0.1, 0.5, 0.9])))


@settings(max_examples=30)
@given(cases())
def test_average_precision_is_scikit_learns(case):
    Y, scores = case
    assume(Y.any())
    expected = average_precision_score(Y, scores, average="micro")
    assert metrics.micro_average_precision(Y, scores) == pytest.approx(expected, rel=1e-12)
    there = Y.any(axis=0)
    each = [average_precision_score(y, s) for y, s in zip(Y[:, there].T, scores[:, there].T, strict=True)]
    assert metrics.macro_average_precision(Y, scores) == pytest.approx(np.mean(each), rel=1e-12)


@settings(max_examples=30)
@given(cases())
def test_areas_are_scikit_learns(case):
    Y, scores = case
    assume(Y.any())
    assume(not Y.all())
    assert metrics.micro_roc_auc(Y, scores) == pytest.approx(roc_auc_score(Y.ravel(), scores.ravel()), rel=1e-12)
    for name, tables in (("macro_roc_auc", (Y.T, scores.T)), ("sample_roc_auc", (Y, scores))):
        each = [roc_auc_score(y, s) for y, s in zip(*tables, strict=True) if 0 < y.sum() < y.size]
        expected = np.mean(each) if each else 0.5
        assert getattr(metrics, name)(Y, scores) == pytest.approx(expected, rel=1e-12)


def test_labels_of_one_value_say_nothing():
    Y, scores = np.array([[0, 1], [0, 1]]), np.array([[0.2, 0.3], [0.4, 0.1]])
    assert metrics.macro_average_precision(Y, scores) == 1.0  # of the second label alone
    assert metrics.macro_average_precision(0 * Y, scores) == 0.0
    assert metrics.micro_average_precision(0 * Y, scores) == 0.0
    assert metrics.macro_roc_auc(Y, scores) == 0.5
    assert metrics.micro_roc_auc(0 * Y, scores) == 0.5
    assert metrics.sample_roc_auc(0 * Y, scores) == 0.5


def test_infinite_scores_and_wide_sparse_tables():
    scores = [[np.inf, -np.inf], [0.0, 1.0]]
    assert metrics.macro_roc_auc([[1, 0], [0, 1]], scores) == 1.0
    wide = sparse.csr_matrix((np.ones(3), ([0, 1, 1], [5, 0, 19_999])), shape=(2, 20_000))
    assert metrics.macro_average_precision(wide, wide) == 1.0
