import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.readers.mulan import read_mulan
from plait.features.imbalance_shares import label_shares


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
