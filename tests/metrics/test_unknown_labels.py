"""Metrics where true labels are unknown: cells that are unknown do not count, or rows that hold them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from plait import JointClassifier, metrics, recipes
from plait.data import Dataset, statistics
from plait.data.errors import DataError
from plait.data.folds import MultilabelStratifiedKFold
from plait.metrics import scorers

CELLS = ("micro_f1", "macro_f1", "micro_precision", "micro_recall", "macro_precision", "macro_recall")
ROWS = ("exact_match", "subset_loss", "jaccard_accuracy", "sample_f1", "sample_precision", "sample_recall")


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    true, predicted, scores = rng.integers(0, 2, (40, 5)), rng.integers(0, 2, (40, 5)), rng.random((40, 5))
    gaps = np.where(rng.random((40, 5)) < 0.15, np.nan, true)
    return true, predicted, scores, gaps, ~np.isnan(gaps)


@pytest.mark.parametrize("name", CELLS)
def test_metrics_that_count_labels_leave_out_cells(tables, name):
    true, predicted, _, gaps, known = tables
    metric = getattr(metrics, name)
    if name.startswith("micro"):
        wanted = metric(true[known].reshape(-1, 1), predicted[known].reshape(-1, 1))
    else:
        wanted = np.mean([metric(true[known[:, k], k], predicted[known[:, k], k]) for k in range(5)])
    assert metric(gaps, predicted) == pytest.approx(wanted, rel=1e-12)
    assert metric(pd.DataFrame(gaps).astype("Int64"), predicted) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("name", ROWS)
def test_metrics_of_rows_leave_out_rows(tables, name):
    true, predicted, _, gaps, known = tables
    rows = known.all(axis=1)
    metric = getattr(metrics, name)
    assert metric(gaps, predicted) == pytest.approx(metric(true[rows], predicted[rows]), rel=1e-12)
    with pytest.raises(DataError, match=f"{name} needs rows whose labels are all known"):
        metric(np.full((2, 2), np.nan), np.zeros((2, 2)))


def test_hamming_is_the_share_of_known_cells(tables):
    true, predicted, _, gaps, known = tables
    assert metrics.hamming_loss(gaps, predicted) == pytest.approx((true != predicted)[known].mean(), rel=1e-12)
    assert metrics.hamming_score(gaps, predicted) == pytest.approx((true == predicted)[known].mean(), rel=1e-12)


def test_scores_of_labels_and_of_rows(tables):
    true, _, scores, gaps, known = tables
    wanted = np.mean([metrics.macro_roc_auc(true[known[:, k], k], scores[known[:, k], k]) for k in range(5)])
    assert metrics.macro_roc_auc(gaps, scores) == pytest.approx(wanted, rel=1e-12)
    rows = known.all(axis=1)
    assert metrics.ranking_loss(gaps, scores) == pytest.approx(metrics.ranking_loss(true[rows], scores[rows]))
    logs = np.log(np.where(true == 1, scores, 1 - scores))
    assert metrics.cll_loss(gaps, scores) == pytest.approx(-logs[known].sum(), rel=1e-9)


def test_predictions_are_always_known(tables):
    true, _, _, gaps, _ = tables
    with pytest.raises(DataError, match="micro_f1 needs every label of Y_pred to be known"):
        metrics.micro_f1(true, gaps)


def test_a_report_and_a_score(tables):
    true, predicted, scores, gaps, known = tables
    report = metrics.label_report(gaps, predicted, scores)
    assert report["rows"].tolist() == (true * known).sum(axis=0).tolist()
    model = JointClassifier(learner="logistic").fit(scores, true)
    rows = known.all(axis=1)
    assert model.score(scores, gaps) == pytest.approx(model.score(scores[rows], true[rows]), rel=1e-12)


def test_statistics_and_folds_of_unknown_labels(tables):
    true, _, scores, gaps, known = tables
    data = Dataset(scores, gaps)
    found = statistics(data)
    np.testing.assert_allclose(found.unknown, (~known).mean(axis=0), rtol=1e-12)
    assert found.positives.tolist() == (true * known).sum(axis=0).tolist()
    assert found.as_dict()["labels"][0]["unknown"] == pytest.approx((~known[:, 0]).mean())
    assert "cardinality" in repr(data)
    splits = list(MultilabelStratifiedKFold(4, random_state=0).split(scores, gaps))
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(40))
    assert (JointClassifier(learner="logistic").fit(data).predict_proba(scores) >= 0).all()


def test_every_scorer_takes_unknown_labels_of_a_joint_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0, X[:, 1] > 0]).astype(float)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    model = recipes.pcc(learner="logistic").fit(X, Y)
    for name, scorer in scorers.items():
        assert np.isfinite(scorer(model, X, Y)), name
    sets = np.array(list(itertools.product([0, 1], repeat=3)), dtype=np.uint8)
    chances = np.exp([model.joint(X).log_prob(np.tile(each, (60, 1))) for each in sets]).T
    agrees = (np.isnan(Y[:, None]) | (Y[:, None] == sets)).all(axis=2)
    expected = np.log((chances * agrees).sum(axis=1)).sum()
    np.testing.assert_allclose(scorers["cll_loss"](model, X, Y), expected, rtol=1e-9)
