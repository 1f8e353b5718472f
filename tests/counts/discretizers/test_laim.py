from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import LAIMDiscretizer


def laim(x, Y, cuts):
    """The criterion in exact fractions."""
    bins = np.searchsorted(cuts, x, side="right")
    total = Fraction(0)
    for r in range(len(cuts) + 1):
        quanta = [int(q) for q in Y[bins == r].sum(axis=0)]
        if sum(quanta):
            total += Fraction(max(quanta) ** 2, sum(quanta))
    return total / ((len(cuts) + 1) * int(Y.sum()))


def plain(x, Y):
    """The greedy search as it is written, one cut at a time, trying every middle."""
    distinct = np.unique(x)
    candidates = list((distinct[1:] + distinct[:-1]) / 2)
    cuts, best = [], Fraction(0)
    while candidates and Y.any():
        values = [laim(x, Y, sorted([*cuts, cut])) for cut in candidates]
        k = values.index(max(values))
        if values[k] <= best:
            break
        best = values[k]
        cuts.append(candidates.pop(k))
    return sorted(cuts)


@st.composite
def columns_with_labels(draw):
    n, n_labels = draw(st.integers(3, 24)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = rng.integers(-3, draw(st.integers(1, 9)), n).astype(float)
    Y = (rng.random((n, n_labels)) < draw(st.sampled_from([0.1, 0.5, 0.9]))).astype(np.uint8)
    if draw(st.booleans()):
        Y[:, 0] = x > np.median(x)
    return x, Y


@given(columns_with_labels())
def test_the_greedy_search(drawn):  # [Cano2016]
    x, Y = drawn
    assume(np.unique(x).size > 2)
    expected = plain(x, Y)
    for form in (x[:, None], sparse.csr_matrix(x[:, None])):
        for given_labels in (Y, sparse.csr_matrix(Y)):
            np.testing.assert_array_equal(LAIMDiscretizer().fit(form, given_labels).cuts_[0], expected)


@given(columns_with_labels())
def test_missing_values_are_as_if_their_rows_were_not_there(drawn):
    x, Y = drawn
    gaps = np.arange(x.size) % 4 == 1
    assume(np.unique(x[~gaps]).size > 2)
    expected = LAIMDiscretizer().fit(x[~gaps, None], Y[~gaps]).cuts_[0]
    x[gaps] = np.nan
    for form in (x[:, None], sparse.csr_matrix(x[:, None])):
        np.testing.assert_array_equal(LAIMDiscretizer().fit(form, Y).cuts_[0], expected)


@pytest.mark.parametrize("seed", range(0, 30, 3))
def test_several_cuts_are_found_where_they_help(seed):
    # Groups of neighbouring values with a label of their own: cutting off one after the other pays for itself, and
    # groups of different sizes are cut off from both sides in turn.
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(9), rng.integers(1, 9, 9))
    Y = np.eye(9, dtype=np.uint8)[groups]
    x = np.arange(float(groups.size)) - 11
    expected = plain(x, Y)
    assert len(expected) >= 2
    for form in (x[:, None], sparse.csr_matrix(x[:, None])):
        np.testing.assert_array_equal(LAIMDiscretizer().fit(form, Y).cuts_[0], expected)


def test_a_feature_that_is_a_label_splits_between_its_values():
    y = np.array([0, 1, 1, 0, 1])
    X = np.column_stack((3.0 + 2 * y, y * 1.0))
    codes = LAIMDiscretizer().fit_transform(X, y[:, None])
    np.testing.assert_array_equal(codes - codes.min(axis=0), np.column_stack((y, y)))
    wide = np.where(y == 1, [4.0, 4.0, 5.0, 4.0, 6.0], [1.0, 0.0, 0.0, 2.0, 0.0])
    assert LAIMDiscretizer().fit(wide[:, None], np.column_stack((y, 1 - y))).cuts_[0].tolist() == [3.0]


def test_classes_are_one_label_each():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    by_class = LAIMDiscretizer().fit(X, np.array(["a", "b", "c"])[y])
    by_labels = LAIMDiscretizer().fit(X, np.eye(3)[y])
    for a, b in zip(by_class.cuts_, by_labels.cuts_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_any_label_there_is_one_interval():
    codes = LAIMDiscretizer().fit_transform(np.arange(5.0)[:, None], np.zeros((5, 2)))
    np.testing.assert_array_equal(codes, 0)


def test_neighbouring_floats_can_be_told_apart():
    x = np.array([1.0, np.nextafter(1.0, 2.0), 2.0])[:, None]
    codes = LAIMDiscretizer().fit_transform(x, [[1, 0], [0, 1], [0, 1]])
    assert codes[0, 0] != codes[1, 0]


@pytest.mark.parametrize(
    ("y", "words"), [(None, "requires y"), (np.full((4, 1), 2), "0 and 1"), (np.zeros((3, 1)), "inconsistent")]
)
def test_bad_labels_are_refused(y, words):
    with pytest.raises((ParameterError, ValueError), match=words):
        LAIMDiscretizer().fit(np.arange(4.0)[:, None], y)
