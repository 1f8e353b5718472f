from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.information import (
    conditional_mutual_information,
    logs,
    mutual_information,
    normalized_mutual_information,
    symmetric_uncertainty,
)
from plait.structure.label_information import KnownLabelInformation, LabelInformation

pytestmark = pytest.mark.usefixtures("kernels")


def labels(seed, n, q, share):
    return (np.random.default_rng(seed).random((n, q)) < share).astype(np.uint8)


@settings(deadline=None)
@given(st.integers(0, 999), st.integers(1, 40), st.integers(1, 5), st.sampled_from([0.0, 0.03, 0.4, 1.0]))
def test_against_single_columns(seed, n, q, share):
    Y = labels(seed, n, q, share)
    information = LabelInformation(Y)
    for j in range(q):
        tables = information.tables_of(j)
        for k in range(q):
            assert information.mutual[j, k] == mutual_information(Y[:, j], Y[:, k])
            assert information.normalized[j, k] == normalized_mutual_information(Y[:, j], Y[:, k])
            sums = np.full(q, 2.0)
            tables.add_information(k, np.arange(q), sums)
            expected = [2.0 + conditional_mutual_information(Y[:, j], Y[:, k], Y[:, c]) for c in range(q)]
            np.testing.assert_allclose(sums, expected, rtol=1e-14, atol=0)


def test_sparse_and_packed_counts_agree():
    Y = labels(3, 400, 12, 0.04)
    assert type(LabelInformation(Y).codes) is not type(LabelInformation(1 - Y).codes)
    out = [np.zeros(12), np.zeros(12)]
    for sums, matrix in zip(out, (Y, 1 - Y), strict=True):
        LabelInformation(matrix).tables_of(5).add_information(2, np.arange(12), sums)
    # Information does not depend on which value is called 1.
    assert out[0].tolist() == out[1].tolist()


def test_only_the_labels_asked_for():
    Y = labels(0, 50, 6, 0.5)
    sums, all_sums = np.zeros(2), np.zeros(6)
    tables = LabelInformation(Y).tables_of(1)
    tables.add_information(3, np.array([4, 0]), sums)
    tables.add_information(3, np.arange(6), all_sums)
    assert sums.tolist() == all_sums[[4, 0]].tolist()
    assert all_sums[3] == 0.0
    assert all_sums[4] > 0.0
    assert all_sums[1] == pytest.approx(0.0, abs=0.0)


def test_of_unknown_labels_each_pair_counts_where_both_are_known():
    draws = np.random.default_rng(1)
    Y = labels(1, 60, 4, 0.4).astype(np.int8)
    Y[:, 1] = np.where(draws.random(60) < 0.7, Y[:, 0], Y[:, 1])
    Y[draws.random(Y.shape) < 0.4] = -1
    found = KnownLabelInformation(Y)
    for j, k in product(range(4), repeat=2):
        both = (Y[:, j] >= 0) & (Y[:, k] >= 0)
        pair = Y[both, j], Y[both, k]
        assert found.rows_of_pairs[j, k] == both.sum()
        np.testing.assert_allclose(found.mutual[j, k], mutual_information(*pair), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.normalized[j, k], normalized_mutual_information(*pair), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.symmetric[j, k], symmetric_uncertainty(*pair), rtol=1e-9, atol=1e-12)


def test_rows_beyond_the_longest_table_of_logarithms(monkeypatch):
    Y = labels(5, 200, 4, 0.4)

    def sums():
        logs._count_logs.cache_clear()
        found = np.zeros((4, 4))
        for j, k in product(range(4), repeat=2):
            LabelInformation(Y).tables_of(j).add_information(k, np.arange(4), found[j])
        return found

    whole = sums()
    monkeypatch.setattr(logs, "_LONGEST_TABLE", 20)
    np.testing.assert_array_equal(sums(), whole)
    logs._count_logs.cache_clear()
