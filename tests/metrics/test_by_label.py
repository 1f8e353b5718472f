"""Scores label by label against scikit-learn's."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, precision_recall_fscore_support, roc_auc_score

from plait.data.errors import DataError
from plait.metrics import label_report

RNG = np.random.default_rng(0)
Y, H = RNG.integers(0, 2, (2, 20, 3))
SCORES = RNG.random((20, 3))


def test_it_is_scikit_learns_label_by_label():
    frame = label_report(Y, H, SCORES, label_names=["sea", "sand", "sun"])
    precision, recall, f1, rows = precision_recall_fscore_support(Y, H)
    assert frame["label"].tolist() == ["sea", "sand", "sun"]
    np.testing.assert_allclose(frame["precision"], precision, rtol=1e-12)
    np.testing.assert_allclose(frame["recall"], recall, rtol=1e-12)
    np.testing.assert_allclose(frame["f1"], f1, rtol=1e-12)
    np.testing.assert_array_equal(frame["rows"], rows)
    np.testing.assert_array_equal(frame["predicted"], H.sum(axis=0))
    np.testing.assert_allclose(frame["average_precision"], average_precision_score(Y, SCORES, average=None), rtol=1e-12)
    np.testing.assert_allclose(frame["roc_auc"], roc_auc_score(Y, SCORES, average=None), rtol=1e-12)


def test_names_come_from_what_was_given():
    assert label_report(Y, H)["label"].tolist() == ["y0", "y1", "y2"]
    named = pd.DataFrame(Y, columns=["sea", "sand", "sun"], index=np.arange(100, 120))
    assert label_report(named, H)["label"].tolist() == ["sea", "sand", "sun"]
    rows = label_report([{"sun", "moon"}, {"sea"}], [{"sea"}, {"sea"}])
    assert rows.set_index("label")["rows"].to_dict() == {"sea": 1, "moon": 1, "sun": 1}
    assert rows.set_index("label")["predicted"].to_dict() == {"sea": 2, "moon": 0, "sun": 0}
    assert isinstance(label_report(pl.DataFrame(Y, schema=["sea", "sand", "sun"]), H), pl.DataFrame)
    with pytest.raises(DataError, match="label_report needs label_names to hold 3 names, but it holds 1"):
        label_report(Y, H, label_names=["sea"])


def test_what_cannot_be_said_is_nan():
    frame = label_report([[0, 1]], [[0, 0]], [[0.1, 0.2]])
    assert np.isnan(frame["recall"][0])
    assert np.isnan(frame["precision"]).all()
    assert np.isnan(frame["roc_auc"]).all()
    assert np.isnan(frame["average_precision"][0])
