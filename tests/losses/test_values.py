"""Values of the losses are the metrics of plait and of scikit-learn, row by row."""

import numpy as np
import pytest
from sklearn import metrics as sk

from plait import metrics
from plait.losses import F1, Hamming, Jaccard, Rank, Subset
from plait.losses.rank import wrong_pairs


@pytest.fixture(params=[1, 2, 6], ids=lambda q: f"q={q}")
def labels(request):
    rng = np.random.default_rng(request.param)
    Y, Y_pred = rng.integers(0, 2, (2, 60, request.param)).astype(np.uint8)
    Y[:3], Y_pred[:2], Y[3:6] = 0, 0, 1
    return Y, Y_pred


PLAIT = [
    (Subset(), metrics.subset_loss),
    (Hamming(), metrics.hamming_loss),
    (F1(), lambda Y, H: 1 - metrics.sample_f1(Y, H)),
    (Jaccard(), lambda Y, H: 1 - metrics.jaccard_accuracy(Y, H)),
]
SKLEARN = [
    (Subset(), sk.zero_one_loss),
    (Hamming(), sk.hamming_loss),
    (F1(), lambda Y, H: 1 - sk.f1_score(Y, H, average="samples", zero_division=1)),
    (Jaccard(), lambda Y, H: 1 - sk.jaccard_score(Y, H, average="samples", zero_division=1)),
]


def assert_same(loss, metric, Y, Y_pred):
    values = loss.value(Y, Y_pred)
    assert values.dtype == np.float64
    assert values.shape == (len(Y),)
    assert values.mean() == pytest.approx(metric(Y, Y_pred), rel=1e-12)
    for row in range(8):
        assert values[row] == pytest.approx(metric(Y[row : row + 1], Y_pred[row : row + 1]), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("loss", "metric"), PLAIT, ids=lambda part: repr(part)[:9])
def test_the_mean_and_every_row_is_the_metric(loss, metric, labels):
    assert_same(loss, metric, *labels)


@pytest.mark.parametrize(("loss", "metric"), SKLEARN, ids=lambda part: repr(part)[:9])
@pytest.mark.parametrize("labels", [2, 6], indirect=True)
def test_the_mean_and_every_row_is_the_metric_of_scikit_learn(loss, metric, labels):
    assert_same(loss, metric, *labels)


def naive_rank(y, scores, normalized):
    wrong, pairs = 0.0, 0
    for i, relevant in enumerate(y):
        for j, other in enumerate(y):
            if relevant == 1 and other == 0:
                pairs += 1
                wrong += 1.0 if scores[i] < scores[j] else 0.5 if scores[i] == scores[j] else 0.0
    return wrong / pairs if normalized and pairs else wrong


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.usefixtures("path")
def test_rank_by_plain_loops_with_ties_and_infinities(labels, normalized):
    Y, _ = labels
    scores = np.random.default_rng(1).integers(0, 4, Y.shape).astype(float)
    scores[:, 0] = -np.inf
    expected = [naive_rank(y, row, normalized) for y, row in zip(Y, scores, strict=True)]
    np.testing.assert_allclose(Rank(normalized=normalized).value(Y, scores), expected, rtol=1e-13)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int8, np.bool_])
@pytest.mark.parametrize("tie", [0.0, 0.5, 1.0])
def test_wrong_pairs_by_plain_loops(labels, kind, tie):
    Y, _ = labels
    scores = np.random.default_rng(2).integers(-2, 3, Y.shape).astype(kind)
    wrong, pairs = wrong_pairs(Y == 1, scores, tie)
    for y, row, found, n_pairs in zip(Y, scores.tolist(), wrong, pairs, strict=True):
        both = [(a, b) for a, i in zip(row, y, strict=True) for b, j in zip(row, y, strict=True) if i == 1 and j == 0]
        assert n_pairs == len(both)
        assert found == sum(1.0 if a < b else tie if a == b else 0.0 for a, b in both)


def test_rank_without_ties_is_the_ranking_loss(labels):
    Y, _ = labels
    scores = np.random.default_rng(1).normal(size=Y.shape)
    mean = Rank().value(Y, scores).mean()
    assert mean == pytest.approx(metrics.ranking_loss(Y, scores), rel=1e-12)
    if Y.shape[1] > 1:
        assert mean == pytest.approx(sk.label_ranking_loss(Y, scores), rel=1e-12)
