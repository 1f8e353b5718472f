"""The shared design: columns of each label, rows cut from it, and coefficients taken apart and joined."""

import numpy as np
import pytest
from scipy import sparse

from plait.features import FeatureMask
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.margins.margin_design import MarginDesign
from plait.learners.margins.margin_rows import SparseRows
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
        return sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=rows.shape).toarray()
    return rows.array


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
@pytest.mark.parametrize("bias", [None, 2.5])
def test_rows_hold_what_a_label_may_use(form, mask, bias):
    given, X, Y = problem(form, mask)
    design = MarginDesign(given, bias)
    for label, parents in enumerate([[], [0], [1], []]):  # label 3 is constant and no column
        features = X if mask is None else X[:, MASK.support[label]]
        one = np.empty((20, 0)) if bias is None else np.full((20, 1), bias)
        np.testing.assert_array_equal(dense(design.rows(label)), np.hstack([features, one, Y[:, parents]]))
    assert design.shares_rows(0) == (mask is None)
    assert not design.shares_rows(1)
    if mask is None:
        assert design.rows(0) is design.rows(3)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
@pytest.mark.parametrize("bias", [None, 2.5])
def test_parts_give_the_scores_of_the_whole(mask, bias):
    given, X, Y = problem(np.asarray, mask)
    design = MarginDesign(given, bias)
    rng = np.random.default_rng(1)
    for label in range(4):
        w = rng.normal(size=design.rows(label).shape[1])
        coef, intercept, parent_coef = design.split(label, w)
        np.testing.assert_allclose(X @ coef + intercept + Y @ parent_coef, design.rows(label).scores(w), rtol=1e-12)
        whole = [np.zeros((4, 3)), np.zeros((4, 4)), np.zeros(4)]
        whole[0][label], whole[1][label], whole[2][label] = coef, parent_coef, intercept
        np.testing.assert_allclose(design.joined(label, LinearConditionals(GRAPH, *whole)), w, rtol=1e-12)


def test_a_dense_matrix_of_few_entries_is_worked_on_as_sparse():
    few = np.zeros((20, 30))
    few[:, 0] = np.arange(20)
    for X, is_sparse in ((few, True), (few + 1, False)):
        given = checked_problem("Test", X, np.arange(20) % 2, None, None, None)
        design = MarginDesign(given, 1.0)
        assert isinstance(design.rows(0), SparseRows) == is_sparse
        np.testing.assert_array_equal(dense(design.rows(0)), np.hstack([X, np.ones((20, 1))]))
