import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plait.counts import MeanStdDiscretizer

numbers = st.lists(st.integers(-50, 50), min_size=3, max_size=30)


def plain(values, c, n_bins):
    """The definition, entry by entry."""
    mean, deviation = np.mean(values), np.std(values, ddof=1)
    codes = []
    for v in values:
        code = 0
        for step in range(1, n_bins // 2 + 1):
            code += int(v > mean + step * c * deviation) - int(v < mean - step * c * deviation)
        codes.append(code)
    return codes


def away_from_cuts(values, c):
    """Keep clear of values that lie on a cut up to rounding, where mean and deviation decide."""
    mean, deviation = np.mean(values), np.std(values, ddof=1)
    steps = (np.asarray(values) - mean) / (deviation * c)
    return np.abs(steps[:, None] - [-2, -1, 1, 2]).min() > 1e-9


@given(numbers, st.floats(0.1, 3), st.sampled_from([3, 5]))
def test_the_definition(values, c, n_bins):  # [OCC 7.1]
    assume(len(set(values)) > 2)
    assume(away_from_cuts(values, c))
    X = np.array(values, dtype=float)[:, None]
    assert MeanStdDiscretizer(c, n_bins=n_bins).fit_transform(X).ravel().tolist() == plain(values, c, n_bins)


def test_worked_example():
    X = np.array([[0.0], [1.0], [0.0], [1.0], [10.0]])
    fitted = MeanStdDiscretizer().fit(X)
    np.testing.assert_allclose(fitted.cuts_[0], [-1.878, 6.678], rtol=0, atol=5e-4)
    assert fitted.transform(X).ravel().tolist() == [0, 0, 0, 0, 1]
    assert fitted.n_symbols_.tolist() == [2]


@given(numbers, st.sampled_from([0.5, 1.0, 4.0]), st.integers(-8, 8), st.sampled_from([3, 5]))
def test_shift_and_scale_do_not_matter_and_a_flip_swaps_the_sides(values, slope, shift, n_bins):
    assume(len(set(values)) > 2)
    assume(away_from_cuts(values, 1.0))
    X = np.array(values, dtype=float)[:, None]
    codes = MeanStdDiscretizer(n_bins=n_bins).fit_transform(X)
    np.testing.assert_array_equal(MeanStdDiscretizer(n_bins=n_bins).fit_transform(slope * X + shift), codes)
    np.testing.assert_array_equal(MeanStdDiscretizer(n_bins=n_bins).fit_transform(-slope * X - shift), -codes)


@pytest.mark.parametrize(("closed", "expected"), [("both", [-1, 0, 0, 0, 1]), ("left", [-1, 0, 0, 1, 1])])
def test_values_at_a_cut(closed, expected):
    # Training values -1, 0, 1 have the mean 0 and the deviation 1, so the cuts are -1 and 1 exactly.
    fitted = MeanStdDiscretizer(closed=closed).fit([[-1.0], [0.0], [1.0]])
    assert fitted.transform([[-1.5], [-1.0], [0.0], [1.0], [1.5]]).ravel().tolist() == expected


def test_cuts_can_be_rounded_as_the_released_program_does():
    X = np.random.default_rng(0).normal(size=(40, 1))
    fitted = MeanStdDiscretizer(0.5, decimals=3, closed="left").fit(X)
    expected = np.round([X.mean() - 0.5 * X.std(ddof=1), X.mean() + 0.5 * X.std(ddof=1)], 3)
    np.testing.assert_allclose(fitted.cuts_[0], expected, rtol=1e-15)
    codes = fitted.transform(X)
    np.testing.assert_array_equal(codes, (expected[0] <= X).astype(int) + (expected[1] <= X) - 1)


def test_missing_values_count_for_nothing():
    X = np.array([[0.0], [1.0], [np.nan], [2.0], [9.0]])
    with_gap, without = MeanStdDiscretizer().fit(X), MeanStdDiscretizer().fit(X[[0, 1, 3, 4]])
    np.testing.assert_array_equal(with_gap.cuts_[0], without.cuts_[0])
    assert with_gap.transform([[np.nan]]).item() == 2
