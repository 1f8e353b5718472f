import math
from fractions import Fraction

import numpy as np
import pytest

from plait.information import CountLogs, WeightLogs, logs_of, mutual_information_matrix
from plait.information.logs import _count_logs, bits_to


@pytest.fixture(autouse=True)
def fresh_tables():
    _count_logs.cache_clear()
    yield
    _count_logs.cache_clear()


@pytest.mark.parametrize("total", [0, 1, 2, 3, 1000, 12345])
def test_the_table_holds_n_log_n(total):
    logs = logs_of(total)
    counts = np.arange(total + 1)
    exact = counts * np.log2(np.maximum(counts, 1))
    np.testing.assert_allclose(logs.of(counts) / logs.scale, exact, rtol=1e-15, atol=1 / logs.scale)
    assert logs.whole == logs.of([total])[0]


@pytest.mark.parametrize("total", [10**3, 10**6, 10**12, 2**53])
def test_sums_cannot_overflow(total):
    assert 4 * logs_of(total).whole < 2**63
    assert logs_of(total).whole > 2**57


def test_counts_beyond_the_table_have_the_same_contents(monkeypatch):
    counts = np.arange(5001)
    expected = logs_of(5000).of(counts)
    monkeypatch.setattr("plait.information.logs._LONGEST_TABLE", 100)
    _count_logs.cache_clear()
    assert logs_of(5000).table.size == 101
    np.testing.assert_array_equal(logs_of(5000).of(counts), expected)


def test_matrices_of_more_rows_than_the_table_has_places_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    for symbols in (2, 4):
        X, Y = rng.integers(0, symbols, (500, 4)), rng.integers(0, 2, (500, 3))
        expected = mutual_information_matrix(X, Y)
        with monkeypatch.context() as patch:
            patch.setattr("plait.information.logs._LONGEST_TABLE", 60)
            _count_logs.cache_clear()
            np.testing.assert_array_equal(mutual_information_matrix(X, Y), expected)
        _count_logs.cache_clear()


def test_powers_of_two_are_exact():
    logs = logs_of(2**20)
    for power in range(21):
        assert Fraction(int(logs.of([2**power])[0]), int(logs.scale)) == power * 2**power


def test_weights_get_floats_and_counts_get_integers():
    assert isinstance(logs_of(3), CountLogs)
    assert isinstance(logs_of(np.int64(3)), CountLogs)
    assert isinstance(logs_of(3.0), WeightLogs)
    np.testing.assert_array_equal(logs_of(1.0).of([-1e-17, 0.0, 0.5, 1.0]), [0.0, 0.0, -0.5, 0.0])


def test_bases():
    assert bits_to(2, "x") == bits_to(2.0, "x") == bits_to(np.int64(2), "x") == 1.0
    assert bits_to("e", "x") == pytest.approx(bits_to(math.e, "x"), rel=1e-15)
    assert bits_to(4, "x") == 0.5
