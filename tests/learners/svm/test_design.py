"""The shared design: columns of each label, rows cut from it, and coefficients taken apart and joined."""

import numpy as np
import pytest
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.features import FeatureMask
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.svm.rows import Design, SparseRows
from plait.learners.training.problem import checked_problem
from plait.structure import LabelGraph

GRAPH = LabelGraph([[], [0, 3], [1], []])
MASK = FeatureMask.by_label([[0, 2], [1], [], [0, 1, 2]], [[0, 0], [0], [], [0, 0, 0]], 3)


def problem(form, mask, n=20):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n, 3)), rng.integers(0, 2, size=(n, 4))
    Y[:2] = [0] * 4, [1] * 4
    Y[:, 3] = 1
    return checked_problem("Test", form(X), Y, GRAPH, mask, None), X, Y


def dense(rows):
    if isinstance(rows, SparseRows):
        return rows.matrix.toarray()
    return rows.array


both = pytest.mark.parametrize("policy", ["never", "always"])


def rows_of(design):
    return {label: rows for rows, labels in design.groups(range(4)) for label in labels}


@both
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
@pytest.mark.parametrize("bias", [None, 2.5])
def test_rows_hold_what_a_label_may_use(form, mask, bias, policy):
    given, X, Y = problem(form, mask)
    with using_kernels(policy):
        rows = rows_of(Design(given, bias))
    for label, parents in enumerate([[], [0], [1], []]):  # label 3 is constant and no column
        features = X if mask is None else X[:, MASK.support[label]]
        one = np.empty((20, 0)) if bias is None else np.full((20, 1), bias)
        np.testing.assert_array_equal(dense(rows[label]), np.hstack([features, one, Y[:, parents]]))
    assert (rows[0] is rows[3]) == (mask is None)
    assert rows[0] is not rows[1]


@both
@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
@pytest.mark.parametrize("bias", [None, 2.5])
def test_parts_give_the_scores_of_the_whole(mask, bias, policy):
    given, X, Y = problem(np.asarray, mask)
    with using_kernels(policy):
        design = Design(given, bias)
    rng = np.random.default_rng(1)
    for label, rows in rows_of(design).items():
        w = rng.normal(size=rows.shape[1])
        coef, intercept, parent_coef = design.split(label, w)
        np.testing.assert_allclose(X @ coef + intercept + Y @ parent_coef, rows.scores(w), rtol=1e-12, atol=1e-14)
        whole = [np.zeros((4, 3)), np.zeros((4, 4)), np.zeros(4)]
        whole[0][label], whole[1][label], whole[2][label] = coef, parent_coef, intercept
        np.testing.assert_allclose(design.joined(label, LinearConditionals(GRAPH, *whole)), w, rtol=1e-12)


def test_features_that_no_label_uses_are_no_columns():
    mask = FeatureMask.shared([2], [0.0], 4, 3)
    given, X, _ = problem(np.asarray, mask)
    design = Design(given, None)
    assert design.rows.shape == (20, 3)  # one feature and two parents
    np.testing.assert_array_equal(dense(rows_of(design)[0]), X[:, [2]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_few_entries_are_worked_on_as_sparse_rows_however_x_is_stored(form):
    few = np.zeros((20, 30))
    few[:, 0] = np.arange(20)
    for X, is_sparse in ((few, True), (few + 1, False)):
        given = checked_problem("Test", form(X), np.arange(20) % 2, None, None, None)
        with using_kernels("always"):
            design = Design(given, 1.0)
        assert isinstance(design.rows, SparseRows) == is_sparse
        np.testing.assert_array_equal(dense(design.rows), np.hstack([X, np.ones((20, 1))]))
        assert not isinstance(Design(given, 1.0).rows, SparseRows)  # so small that kernels do not pay
