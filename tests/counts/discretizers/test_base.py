"""What holds for every discretiser."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.counts import LAIMDiscretizer, MeanStdDiscretizer, QuantileDiscretizer
from plait.counts.discretizers.base import CutTable
from plait.information import mutual_information_matrix

ALL = [
    MeanStdDiscretizer(),
    MeanStdDiscretizer(0.5, n_bins=5, decimals=3, closed="left"),
    LAIMDiscretizer(),
    QuantileDiscretizer(),
]
NAMES = [repr(one) for one in ALL]

every = pytest.mark.parametrize("one", ALL, ids=NAMES)


def labels(n, seed=0):
    return (np.random.default_rng(seed).random((n, 3)) < 0.4).astype(np.uint8)


@st.composite
def matrices(draw, nan=True):
    shape = (draw(st.integers(2, 25)), draw(st.integers(1, 5)))
    values = [0.0, 0.0, 1.0, 2.0, 0.1, 0.30000000000000004, -1.5, 7.25, 1e-300]
    return draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([*values, np.nan] if nan else values)))


@every
def test_scikit_learn_rules(one):
    results = check_estimator(one, on_skip=None)
    # Only a setting of SciPy, made before it is imported, lets this one run: see the next test.
    assert {result["check_name"] for result in results if result["status"] == "skipped"} <= {"check_array_api_input"}


@pytest.mark.slow
def test_scikit_learn_rules_with_none_left_out():
    program = (
        "from sklearn.utils.estimator_checks import check_estimator\n"
        "from plait.counts import *\n"
        "for one in (MeanStdDiscretizer(), LAIMDiscretizer(), QuantileDiscretizer()):\n"
        "    assert all(r['status'] == 'passed' for r in check_estimator(one, on_skip=None))\n"
    )
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


@every
@given(X=matrices())
def test_sparse_codes_are_dense_codes_less_the_code_of_zero(one, X):
    Y = labels(X.shape[0])
    rows = sparse.csr_matrix(X)
    dense, by_rows = clone(one).fit(X, Y), clone(one).fit(rows, Y)
    codes, sparse_codes = dense.transform(X), by_rows.transform(rows)
    for a, b in zip(dense.cuts_, by_rows.cuts_, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(sparse_codes.toarray() + dense.zero_codes_, codes)
    np.testing.assert_array_equal(dense.n_symbols_, by_rows.n_symbols_)
    np.testing.assert_array_equal(dense.n_symbols_, [np.unique(column).size for column in codes.T])
    assert sparse_codes.dtype == codes.dtype
    assert (sparse_codes.data != 0).all()
    np.testing.assert_array_equal(mutual_information_matrix(codes, Y), mutual_information_matrix(sparse_codes, Y))


@every
@given(X=matrices())
def test_codes_ascend_with_values_and_missing_is_a_symbol(one, X):
    codes = clone(one).fit(X, labels(X.shape[0])).transform(X)
    for values, found in zip(X.T, codes.T, strict=True):
        missing = np.isnan(values)
        assert not set(found[missing]) & set(found[~missing])
        assert np.unique(found[missing]).size == min(1, missing.sum())
        order = np.argsort(values[~missing], kind="stable")
        assert (np.diff(found[~missing][order]) >= 0).all()


@every
def test_two_valued_and_nominal_columns_keep_their_values(one):
    X = np.column_stack((np.tile([0.0, 1.0], 6), np.tile([0, 1, 2, 3], 3), np.tile([-1, 1], 6), np.tile([2.5, 9.0], 6)))
    for nominal in ([1], [False, True, False, False], np.array([1])):
        fitted = clone(one).set_params(nominal=nominal).fit(X, labels(12))
        codes = fitted.transform(X)
        np.testing.assert_array_equal(codes[:, :3], X[:, :3])
        np.testing.assert_array_equal(np.unique(codes[:, 3]), [1, 2])
        np.testing.assert_array_equal(fitted.n_symbols_, [2, 4, 2, 2])
    unseen = fitted.transform([[0.5, 9.0, 0.0, 3.0], [np.nan, np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(unseen, [[3, 5, 0, 4], [2, 4, 2, 3]])


@every
def test_a_constant_column_has_one_code(one):
    for value in (0.0, 5.0, -0.1):
        X = np.full((10, 1), value)
        fitted = clone(one).fit(X, labels(10))
        np.testing.assert_array_equal(fitted.transform(X), 0)
        assert (
            np.unique(fitted.fit(sparse.csr_matrix(X), labels(10)).transform(sparse.csr_matrix(X)).toarray()).size == 1
        )
        assert fitted.n_symbols_ == [1]


@every
def test_missing_columns_and_one_row(one):
    X = np.column_stack((np.full(6, np.nan), np.arange(6.0)))
    codes = clone(one).fit(X, labels(6)).transform(X)
    assert np.unique(codes[:, 0]).size == 1
    assert clone(one).fit([[3.0, 0.0]], [[1]]).transform([[3.0, 0.0]]).tolist() == [[0, 0]]


@every
def test_only_training_rows_are_learnt_from(one):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), labels(60)
    fitted = clone(one).fit(X[:40], Y[:40])
    before = [cuts.copy() for cuts in fitted.cuts_]
    fitted.transform(1000 * X)
    for a, b in zip(before, fitted.cuts_, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(fitted.transform(X)[40:], fitted.transform(X[40:]))


@every
def test_frames_names_and_pipelines(one):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["wide", "long"])
    frame["kind"] = rng.integers(0, 4, 30)
    chosen = clone(one).set_params(nominal=["kind"])
    out = chosen.set_output(transform="pandas").fit(frame, labels(30)).transform(frame)
    assert out.columns.tolist() == chosen.get_feature_names_out().tolist() == ["wide", "long", "kind"]
    np.testing.assert_array_equal(out["kind"], frame["kind"])
    scaled = make_pipeline(MinMaxScaler(), clone(one)).fit(frame, labels(30)).transform(frame)
    assert scaled.shape == (30, 3)


@every
def test_float32_and_float64_hold_the_same_values(one):
    X = np.random.default_rng(2).normal(size=(50, 2)).astype(np.float32)
    wide = clone(one).fit_transform(X.astype(np.float64), labels(50))
    np.testing.assert_array_equal(clone(one).fit_transform(X, labels(50)), wide)


@every
def test_wrong_parameters_are_refused(one):
    for name, rules in one.parameter_rules.items():
        for wrong in wrong_values(rules):
            with pytest.raises(ParameterError, match=name):
                clone(one).set_params(**{name: wrong}).fit(np.eye(4), labels(4))


@pytest.mark.parametrize("nominal", [[7], [True], ["height"], [0.5]])
def test_columns_that_are_not_there_are_refused(nominal):
    with pytest.raises(ParameterError, match="nominal"):
        MeanStdDiscretizer(nominal=nominal).fit(np.eye(4))


def table(n_cuts=3):
    cuts = np.arange(n_cuts, dtype=float)
    columns = np.repeat([1, 0], [n_cuts, 2])
    return CutTable.build(columns, np.concatenate((cuts, [7.0, 0.0])), np.array([0, 1]), np.array([True, False]))


@pytest.mark.parametrize("n_cuts", [3, 8, 9, 40])
def test_codes_count_the_cuts_at_or_below(n_cuts):
    coded = table(n_cuts)
    values = np.array([-0.5, 0.0, 0.5, 1.0, n_cuts - 1.0, 99.0, np.nan])
    X = np.column_stack((np.array([0, 7, 3, np.nan, 7, 0, -1.0]), values))
    expected = [int(np.sum(np.arange(n_cuts) <= v)) - 1 for v in values[:-1]]
    found = coded.dense(X)
    assert found[:, 1].tolist() == [*expected, n_cuts]
    # An exact column: 0, its only value 7, then missing, then never seen.
    assert found[:, 0].tolist() == [0, 1, 3, 2, 1, 0, 3]
    assert coded.zero_codes.tolist() == [0, 0]
    np.testing.assert_array_equal(coded.sparse(sparse.csr_matrix(X)).toarray(), found)


def test_the_type_is_the_smallest_that_holds_all_codes():
    assert table(3).dtype == np.int8
    assert table(100).dtype == np.int8
    assert table(200).dtype == np.int16
    X = np.array([[0.0, 500.0]])
    assert table(200).dense(X)[0, 1] == 199


def test_sparse_kinds_are_kept():
    X = np.array([[7.0, 2.0], [0.0, 0.0]])
    assert isinstance(table().sparse(sparse.csr_array(X)), sparse.csr_array)
    assert isinstance(table().sparse(sparse.csr_matrix(X)), sparse.csr_matrix)


@every
def test_every_column_has_its_cuts(one):
    X = np.random.default_rng(0).normal(size=(40, 5))
    X[:, 1] = 3.0  # nothing to cut
    together = clone(one).fit(X, labels(40))
    assert len(together.cuts_) == 5
    for j, cuts in enumerate(together.cuts_):
        np.testing.assert_array_equal(cuts, clone(one).fit(X[:, [j]], labels(40)).cuts_[0])


@pytest.mark.parametrize("exact", [False, True])
def test_the_type_of_codes_holds_all_of_them(exact):
    for n_cuts in [*range(120, 132), *range(32_760, 32_770)]:
        cuts = np.arange(n_cuts, dtype=float)
        coded = CutTable.build(np.zeros(n_cuts, dtype=int), cuts, np.array([0]), np.array([exact]))
        values = np.array([[0.0], [n_cuts - 1.0], [np.nan], [-1.0]])
        # Exact codes start at the value 0, and end with that of what was never seen.
        expected = [0, n_cuts - 1, n_cuts, n_cuts + 1] if exact else [1, n_cuts, n_cuts + 1, 0]
        assert coded.dense(values)[:, 0].tolist() == expected


def test_the_type_of_codes_holds_those_below_0_too():
    for n_cuts in range(120, 132):
        cuts = np.arange(-n_cuts, 0, dtype=float)
        coded = CutTable.build(np.zeros(n_cuts, dtype=int), cuts, np.array([0]), np.array([False]))
        values = np.array([[-n_cuts - 1.0], [-1.0], [0.0], [np.nan]])
        assert coded.dense(values)[:, 0].tolist() == [0, n_cuts, n_cuts, n_cuts + 1]
        # Less the code of 0.
        assert coded.sparse(sparse.csr_matrix(values)).toarray()[:, 0].tolist() == [-n_cuts, 0, 0, 1]
