"""Ranking metrics against naive pair counts, scikit-learn on scores without ties, and their laws."""

from itertools import permutations

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plait import metrics
from plait.metrics import normalized_coverage, ranking_loss

INFINITE = float("inf")


@st.composite
def labels_and_scores(draw, ties=True, least_labels=1):
    n_samples, n_labels = draw(st.integers(1, 8)), draw(st.integers(least_labels, 7))
    Y = draw(arrays(np.uint8, (n_samples, n_labels), elements=st.integers(0, 1)))
    if ties:
        values = st.sampled_from([-INFINITE, -1.0, -0.0, 0.0, 0.25, 0.5, 1.0, INFINITE])
        return Y, draw(arrays(np.float64, (n_samples, n_labels), elements=values))
    orders = [draw(st.permutations(range(n_labels))) for _ in range(n_samples)]
    return Y, np.array(orders, dtype=float)


def naive_ranking_loss(Y, scores):
    total, n_labels = 0.0, Y.shape[1]
    for y, f in zip(Y, scores, strict=True):
        pairs = [(a, b) for a in range(n_labels) for b in range(n_labels) if y[a] == 1 and y[b] == 0]
        total += sum(f[a] <= f[b] for a, b in pairs) / len(pairs) if pairs else 0.0
    return total / len(Y)


def naive_coverage(Y, scores):
    total, n_labels = 0.0, Y.shape[1]
    for y, f in zip(Y, scores, strict=True):
        ranks = [sum(f[other] >= f[label] for other in range(n_labels)) for label in range(n_labels) if y[label] == 1]
        total += max(ranks) - 1 if ranks else 0
    return total / len(Y) / n_labels


@given(labels_and_scores())
def test_metrics_equal_naive_loops(case):
    Y, scores = case
    assert ranking_loss(Y, scores) == pytest.approx(naive_ranking_loss(Y, scores), rel=1e-12, abs=0)
    assert normalized_coverage(Y, scores) == pytest.approx(naive_coverage(Y, scores), rel=1e-12, abs=0)


@given(labels_and_scores(), st.sampled_from([np.float32, np.float16, np.int64, np.int8]))
def test_other_types_of_scores(case, kind):
    Y, scores = case
    ranks = np.clip(scores * 4, -9, 9).astype(kind)
    assert ranking_loss(Y, ranks) == pytest.approx(naive_ranking_loss(Y, ranks), rel=1e-12, abs=0)
    assert normalized_coverage(Y, ranks) == pytest.approx(naive_coverage(Y, ranks), rel=1e-12, abs=0)


@given(labels_and_scores(ties=False, least_labels=2))
def test_metrics_equal_scikit_learn_without_ties(case):
    Y, scores = case
    theirs = sklearn.metrics.label_ranking_loss(Y, scores)
    assert ranking_loss(Y, scores) == pytest.approx(theirs, rel=1e-12, abs=1e-15)
    # scikit-learn's coverage of a row without relevant labels is 0, ours is rank 1 minus 1.
    n_empty = (Y.sum(axis=1) == 0).sum()
    depth = (sklearn.metrics.coverage_error(Y, scores) * len(Y) + n_empty) / len(Y)
    assert normalized_coverage(Y, scores) == pytest.approx((depth - 1) / Y.shape[1], rel=1e-12, abs=1e-12)


@given(labels_and_scores())
def test_a_perfect_ranking(case):
    Y, _ = case
    sizes = Y.sum(axis=1).astype(int)
    # Scores equal to the labels tie all relevant labels with each other, which costs nothing.
    for scores in (Y.astype(float), Y + np.arange(Y.shape[1]) / 100):
        assert ranking_loss(Y, scores) == 0.0
        expected = np.mean(np.maximum(sizes - 1, 0)) / Y.shape[1]
        assert normalized_coverage(Y, scores) == pytest.approx(expected, rel=1e-12, abs=0)


@given(labels_and_scores(), st.sampled_from([0.0, -3.5, INFINITE]))
def test_equal_scores_are_all_wrong(case, value):
    Y, scores = case
    sizes = Y.sum(axis=1).astype(int)
    constant = np.full_like(scores, value)
    has_pairs = (sizes > 0) & (sizes < Y.shape[1])
    assert ranking_loss(Y, constant) == pytest.approx(has_pairs.mean(), rel=1e-12, abs=0)
    expected = np.mean(sizes > 0) * (Y.shape[1] - 1) / Y.shape[1]
    assert normalized_coverage(Y, constant) == pytest.approx(expected, rel=1e-12, abs=0)


@given(labels_and_scores())
def test_only_the_order_of_the_scores_matters(case):
    Y, scores = case
    finite = np.clip(scores, -5, 5)
    for changed in (np.exp(finite), 3 * finite - 7, finite**3, np.arctan(scores)):
        assert ranking_loss(Y, changed) == ranking_loss(Y, scores)
        assert normalized_coverage(Y, changed) == normalized_coverage(Y, scores)


@given(labels_and_scores(ties=False))
def test_the_opposite_ranking_has_the_other_pairs_wrong(case):
    Y, scores = case
    sizes = Y.sum(axis=1)
    has_pairs = (sizes > 0) & (sizes < Y.shape[1])
    assert ranking_loss(Y, scores) + ranking_loss(Y, -scores) == pytest.approx(has_pairs.mean(), rel=1e-12, abs=1e-15)


def test_rows_without_pairs_stay_in_the_mean():
    Y, scores = [[1, 0], [0, 0], [1, 1]], [[0.0, 1.0]] * 3
    assert ranking_loss(Y, scores) == pytest.approx(1 / 3, rel=1e-15)


def test_many_labels():
    rng = np.random.default_rng(0)
    Y = (rng.random((5, 300)) < [[0.01], [0.2], [0.5], [0.9], [0.99]]).astype(np.uint8)
    scores = rng.integers(0, 50, Y.shape).astype(float)
    assert ranking_loss(Y, scores) == pytest.approx(naive_ranking_loss(Y, scores), rel=1e-12, abs=0)
    assert normalized_coverage(Y, scores) == pytest.approx(naive_coverage(Y, scores), rel=1e-12, abs=0)


@st.composite
def scored(draw, n_scores=(0.0, 0.1, 0.5, 0.9)):
    shape = (draw(st.integers(1, 3)), draw(st.integers(2, 5)))
    labels = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    return labels, draw(arrays(np.float64, shape, elements=st.sampled_from(n_scores)))


@given(scored(), st.integers(1, 8))
def test_gains_at_k_are_means_over_all_orders_of_ties(case, k):
    Y, scores = case
    precisions, gains = [], []
    for labels, row in zip(Y, scores, strict=True):
        ways = [order for order in permutations(range(row.size)) if (np.diff(row[list(order)]) <= 0).all()]
        hits = np.array([labels[list(order)][:k] for order in ways], dtype=float)
        worth = 1 / np.log2(np.arange(2, 2 + hits.shape[1]))
        best = worth[: min(k, labels.sum())].sum()
        precisions.append(hits.sum(axis=1).mean() / k)
        gains.append((hits @ worth).mean() / best if best else 0.0)
    assert metrics.precision_at_k(Y, scores, k=k) == pytest.approx(np.mean(precisions), rel=1e-9, abs=1e-12)
    assert metrics.ndcg_at_k(Y, scores, k=k) == pytest.approx(np.mean(gains), rel=1e-9, abs=1e-12)
    assert metrics.ndcg_at_k(Y, scores, k=k) == pytest.approx(
        sklearn.metrics.ndcg_score(Y, scores, k=k), rel=1e-9, abs=1e-12
    )
    if k == 1:
        assert metrics.one_error(Y, scores) == pytest.approx(1 - np.mean(precisions), rel=1e-9, abs=1e-12)


@given(scored())
def test_average_precision_by_row_is_scikit_learns(case):
    expected = sklearn.metrics.label_ranking_average_precision_score(*case)
    assert metrics.sample_average_precision(*case) == pytest.approx(expected, rel=1e-12)


def test_k_is_a_number_of_labels():
    for name in ("precision_at_k", "ndcg_at_k"):
        with pytest.raises(ValueError, match=f"{name} needs k to be an integer of at least 1, but it is 0"):
            getattr(metrics, name)([[1, 0]], [[0.1, 0.2]], k=0)


def test_the_top_label_of_an_empty_row_is_wrong():
    assert metrics.one_error([[0, 0], [0, 1]], [[0.9, 0.1], [0.1, 0.9]]) == 0.5
