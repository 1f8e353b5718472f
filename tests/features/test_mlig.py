import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.metrics import mutual_info_score

from plait.counts import QuantileDiscretizer, encode
from plait.data.readers.mulan import read_mulan
from plait.features import MLIG, SelectionWarning
from plait.features.mlig import label_shares

pytestmark = pytest.mark.usefixtures("kernels")

codes = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        arrays(np.int64, (n, 6), elements=st.integers(0, 2)), arrays(np.uint8, (n, 3), elements=st.integers(0, 1))
    )
)


def gain(x, y):
    return mutual_info_score(x, y) / np.log(2)


@given(data=codes, r=st.floats(0.05, 1.0))
def test_each_label_keeps_its_best(data, r):
    X, Y = data
    found = MLIG(r=r, discretizer="passthrough").fit(X, Y)
    shares = label_shares(Y.sum(axis=0), r)
    varying = [m for m in range(6) if np.ptp(X[:, m]) > 0]
    for label in range(3):
        size = max(1, int(shares[label] * 6 * (1 + 1e-12)))
        gains = {m: gain(X[:, m], Y[:, label]) for m in varying}
        order = sorted(varying, key=lambda m: (-round(gains[m], 9), m))[:size]
        assert found.ranking_[label].tolist() == order
        np.testing.assert_allclose(found.scores_[label], [gains[m] for m in order], rtol=0, atol=1e-12)


@given(data=codes)
def test_dense_sparse_packed_and_threads(data):
    X, Y = data
    expected = MLIG(r=0.5, discretizer="passthrough").select(X, Y)
    packed = encode(X)
    for other, labels in ((sparse.csr_matrix(X), sparse.csr_matrix(Y)), (packed, Y), (packed.sparse(), Y)):
        for n_jobs in (None, 2):
            assert MLIG(r=0.5, discretizer="passthrough", n_jobs=n_jobs).select(other, labels) == expected


def test_one_size_for_all():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, size=(50, 8)), rng.integers(0, 2, size=(50, 3))
    assert {len(ranking) for ranking in MLIG(n_features=0.5).fit(X, Y).ranking_} == {4}
    X[:, :6] = 1
    with pytest.warns(SelectionWarning, match="asked for 4 features, but there are only 2 features that vary"):
        found = MLIG(n_features=4).fit(X, Y)
    assert sorted(found.ranking_[0]) == [6, 7]


def test_numbers_are_discretised():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    Y = (np.abs(X[:, [3]]) > 1).astype(np.uint8)
    assert MLIG(n_features=1).fit(X, Y).ranking_[0].tolist() == [3]
    other = MLIG(n_features=1, discretizer=QuantileDiscretizer()).fit(X, Y)
    assert other.scores_[0] != MLIG(n_features=1).fit(X, Y).scores_[0]


def test_sizes_on_medical(benchmark_data):
    """On average 10.4 % of the features [PACC, figure 12]."""
    data = read_mulan(benchmark_data / "medical" / "medical.arff.gz")
    mask = MLIG(r=0.05).select(data.X, data.Y)
    assert mask.support.mean() == pytest.approx(0.1043, abs=5e-4)  # sizes are rounded down to whole features


def shares_by_loops(positives, r):
    on = [n for n in positives if n > 0]
    ratios = [max(on) / n for n in on]
    mean = sum(ratios) / len(ratios) if ratios else 0.0
    spread = math.sqrt(sum((ratio - mean) ** 2 for ratio in ratios) / (len(ratios) - 1)) if len(ratios) > 1 else 0.0
    shares = []
    for n in positives:
        beta = mean / ((max(on) / n) * (spread / mean + 1)) if n > 0 else 0.0
        shares.append(min(2 * r * (math.exp(beta) - 1) / (math.exp(beta) + 1) + r, 1.0))
    return shares


@given(st.lists(st.integers(0, 500), min_size=1, max_size=8), st.floats(0.01, 1.0))
def test_by_the_printed_formula(positives, r):
    found = label_shares(positives, r)
    np.testing.assert_allclose(found, shares_by_loops(positives, r), rtol=1e-12)
    assert ((found >= min(r, 1.0) * (1 - 1e-12)) & (found <= min(3 * r, 1.0))).all()


def test_emotions_from_its_counts():
    """The 27.3 % under figure 12 of PACC."""
    assert label_shares([173, 166, 264, 148, 168, 189], 0.15).mean() == pytest.approx(0.2728, abs=5e-5)


def test_medical_from_its_file(benchmark_data):
    """The 10.4 % under figure 12 of PACC, with the r for large data."""
    data = read_mulan(benchmark_data / "medical" / "medical.arff.gz")
    positives = np.asarray(data.Y.sum(axis=0)).ravel()
    assert label_shares(positives, 0.05).mean() == pytest.approx(0.1043, abs=5e-5)


def test_ends():
    np.testing.assert_allclose(label_shares([7, 7, 7], 0.1), 0.1 * (1 + 2 * math.tanh(0.5)), rtol=1e-12)
    assert label_shares([0, 0], 0.3).tolist() == [0.3, 0.3]
    assert label_shares([5], 0.9).tolist() == [1.0]
    assert label_shares([], 0.9).tolist() == []
    steep = label_shares([10**9] * 99 + [1], 0.1)
    assert steep[0] == pytest.approx(0.3, rel=1e-6)
    assert steep[99] == pytest.approx(0.1, rel=1e-2)
