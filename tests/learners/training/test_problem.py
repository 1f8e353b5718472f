"""The checked input of learners: every form accepted, every defect one clear sentence."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.features import FeatureMask
from plait.learners.training.problem import (
    LEAST_MASS,
    Problem,
    checked_problem,
    class_weighted,
    constant_labels,
    constant_scores,
)
from plait.structure import LabelGraph

X = np.array([[0.5, 0.0, 2.0], [0.0, 1.0, -1.0], [3.0, 0.0, 0.0], [0.0, 0.0, 1.5]])
Y = np.array([[0, 1], [1, 1], [0, 0], [1, 0]], dtype=np.uint8)


def checked(X=X, Y=Y, graph=None, mask=None, sample_weight=None, **options):
    return checked_problem("Owner", X, Y, graph, mask, sample_weight, **options)


def refused(sentence, **parts):
    with pytest.raises(ParameterError, match=f"^{re.escape(sentence)}"):
        checked(**parts)


@pytest.mark.parametrize(
    "form",
    [
        list,
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.coo_array,
        lambda A: pd.DataFrame(A, columns=[f"c{j}" for j in range(A.shape[1])]),
        lambda A: pl.DataFrame(A, schema=[f"c{j}" for j in range(A.shape[1])]),
    ],
    ids=["list", "csr", "csc", "coo array", "pandas", "polars"],
)
def test_forms_of_x_and_y(form):
    problem = checked(form(X), form(Y))
    dense = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    np.testing.assert_array_equal(dense, X)
    assert problem.X.dtype == np.float64
    assert not sparse.issparse(problem.X) or problem.X.format == "csr"
    np.testing.assert_array_equal(problem.Y, Y)
    assert problem.Y.dtype == np.uint8
    assert problem.Y.flags.c_contiguous


def test_dtypes():
    assert checked(X.astype(np.float32)).X.dtype == np.float32
    assert checked(X.astype(int)).X.dtype == np.float64
    for kind in (bool, int, float):
        np.testing.assert_array_equal(checked(Y=Y.astype(kind)).Y, Y)
    kept = np.ascontiguousarray(X)
    assert checked(kept).X is kept


def test_one_column_of_labels():
    assert checked(Y=Y[:, 0]).Y.tolist() == [[0], [1], [0], [1]]
    assert checked(Y=Y[:, [0]]).n_labels == 1


def test_graph_and_mask_defaults():
    problem = checked()
    assert problem.graph == LabelGraph([[], []])
    assert problem.support is None
    everything = FeatureMask.shared([0, 1, 2], [1, 1, 1], n_labels=2, n_features=3)
    assert checked(mask=everything).support is None
    some = FeatureMask.shared([1], [1], n_labels=2, n_features=3)
    np.testing.assert_array_equal(checked(mask=some).support, [[False, True, False]] * 2)


def test_wrong_shapes():
    refused("Owner needs X and Y to have the same number of rows, but X has 4 and Y has 3.", Y=Y[:3])
    refused("Owner needs graph to be a LabelGraph over 2 labels, but it is LabelGraph(1 labels", graph=LabelGraph([[]]))
    refused("Owner needs graph to be a LabelGraph over 2 labels, but it is [[], [0]].", graph=[[], [0]])
    wide = FeatureMask.shared([0], [1], n_labels=2, n_features=4)
    refused("Owner needs mask to be a FeatureMask of 2 labels and 3 features, but it is FeatureMask(2", mask=wide)
    refused("Owner needs mask to be a FeatureMask of 2 labels and 3 features, but it is [0, 1].", mask=[0, 1])
    refused("Owner needs y to hold only 0 and 1, but it holds 2.", Y=2 * Y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_nan_and_infinity(form):
    broken = X.copy()
    broken[1, 1] = np.nan
    refused("Owner needs X to hold finite numbers, but it holds NaN. Impute", X=form(broken))
    assert np.isnan(checked(form(broken), allow_nan=True).X[1, 1])
    broken[1, 1] = -np.inf
    refused("Owner needs X to hold finite numbers, but it holds infinite ones. Clip them.", X=form(broken))
    refused("Owner needs X to hold finite numbers, but it holds infinite", X=form(broken), allow_nan=True)


def test_values_that_are_large_but_finite_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert checked(np.full((4, 3), 1e308)).X.max() == 1e308


def test_weights():
    assert checked().weights_of(1) is None
    one = checked(sample_weight=[1, 2, 0, 0.5])
    assert one.weights_of(0).tolist() == one.weights_of(1).tolist() == [1, 2, 0, 0.5]
    each = np.arange(8.0).reshape(4, 2)
    assert checked(sample_weight=each).weights_of(1).tolist() == [1, 3, 5, 7]


def test_wrong_weights():
    both = "Owner needs sample_weight to have shape (4,) or (4, 2), but it has"
    refused(f"{both} (3,).", sample_weight=np.ones(3))
    refused(f"{both} (2, 4).", sample_weight=np.ones((2, 4)))
    refused(f"{both} ().", sample_weight=1.0)
    numbers = "Owner needs sample_weight to hold finite numbers of at least 0, but it holds"
    refused(f"{numbers} -1.0.", sample_weight=[1, -1, 1, 1])
    refused(f"{numbers} nan.", sample_weight=[1, 1, np.nan, 1])
    refused(f"{numbers} inf.", sample_weight=np.full((4, 2), np.inf))


@pytest.mark.parametrize("shape", [None, (4,), (4, 2)])
def test_class_mass_against_loops(shape):
    weights = None if shape is None else np.random.default_rng(0).random(shape)
    mass = Problem(X, Y, LabelGraph([[], []]), None, weights).class_mass()
    for label in range(2):
        for value in (0, 1):
            expected = sum(
                1.0 if weights is None else weights[i] if weights.ndim == 1 else weights[i, label]
                for i in range(4)
                if Y[i, label] == value
            )
            np.testing.assert_allclose(mass[label, value], expected, rtol=1e-12)


def test_which_labels_are_constant():
    mass = np.array([[5.0, 0.0], [0.0, 5.0], [4.0, 1.0], [0.0, 0.0], [3.0, LEAST_MASS / 2], [3.0, LEAST_MASS * 2]])
    assert constant_labels(mass).tolist() == [True, True, False, True, True, False]


@pytest.mark.parametrize(("zeros", "ones"), [(8, 0), (0, 8), (0, 0), (0.25, 0), (0, 1e6)])
def test_scores_are_the_log_odds_of_the_laplace_estimate(zeros, ones):
    score = constant_scores(np.array([[zeros, ones]], dtype=np.float64))
    chance = (ones + 1) / (zeros + ones + 2)
    np.testing.assert_allclose(1 / (1 + np.exp(-score)), [chance], rtol=1e-12)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5])])
def test_a_soft_target_counts_as_a_share_of_a_row_of_each_class(weights):
    Y = np.array([[0.0, 0.25], [0.5, 1.0], [0.8, 0.3]])
    given = Problem(np.zeros((3, 1)), Y, LabelGraph([[], []]), None, weights)
    found = class_weighted(given, {0: 3.0, 1: 7.0})
    rows = 1.0 if weights is None else weights[:, None]
    np.testing.assert_allclose(found.weights * found.Y, 7.0 * Y * rows, rtol=1e-12)
    np.testing.assert_allclose(found.weights * (1.0 - found.Y), 3.0 * (1.0 - Y) * rows, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_part_holds_its_rows_and_no_others(n):
    whole, rows = Problem(X, Y, LabelGraph([[], []]), None, np.arange(4.0)), np.arange(n)
    part = whole.part(rows)
    np.testing.assert_array_equal(part.X, X[:n])
    np.testing.assert_array_equal(part.Y, Y[:n])
    np.testing.assert_array_equal(part.weights, rows)
