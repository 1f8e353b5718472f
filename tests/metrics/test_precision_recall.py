"""Precision and recall against scikit-learn's, and by rows that are empty against the rule in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import precision_score, recall_score

from plait import metrics
from plait.core.sentences import ParameterError

THEIRS = {"precision": precision_score, "recall": recall_score}


@st.composite
def label_tables(draw):
    shape = (draw(st.integers(1, 8)), draw(st.integers(2, 6)))
    return tuple(draw(arrays(np.uint8, shape, elements=st.integers(0, 1))) for _ in range(2))


@given(label_tables(), st.sampled_from(["precision", "recall"]), st.sampled_from([0, 1]))
def test_micro_and_macro_are_scikit_learns(tables, what, zero_division):
    Y, H = tables
    theirs = THEIRS[what]
    ours = getattr(metrics, f"macro_{what}")(Y, H, zero_division=zero_division)
    assert ours == pytest.approx(theirs(Y, H, average="macro", zero_division=zero_division), rel=1e-12, abs=1e-15)
    micro = getattr(metrics, f"micro_{what}")(Y, H)
    assert micro == pytest.approx(theirs(Y, H, average="micro", zero_division=0), rel=1e-12, abs=1e-15)


@given(label_tables())
def test_by_row(tables):
    Y, H = (table.astype(bool) for table in tables)
    precision, recall = [], []
    for true, predicted in zip(Y, H, strict=True):
        both = (true & predicted).sum()
        precision.append(both / predicted.sum() if predicted.any() else float(not true.any()))
        recall.append(both / true.sum() if true.any() else float(not predicted.any()))
    assert metrics.sample_precision(*tables) == pytest.approx(np.mean(precision), rel=1e-12, abs=1e-15)
    assert metrics.sample_recall(*tables) == pytest.approx(np.mean(recall), rel=1e-12, abs=1e-15)
    if Y.any(axis=1).all() and H.any(axis=1).all():
        assert metrics.sample_recall(Y, H) == pytest.approx(recall_score(Y, H, average="samples"), rel=1e-12)


@pytest.mark.parametrize("name", ["macro_precision", "macro_recall"])
def test_zero_division_is_0_or_1(name):
    with pytest.raises(ParameterError, match=f"{name} needs zero_division to be"):
        getattr(metrics, name)([[1]], [[1]], zero_division=2)
