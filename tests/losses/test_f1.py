"""The general F-measure maximiser against brute force, plain loops and SPEC's tie rules."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plait.core.kernel_policy import using_kernels
from plait.inference import LabelSupport
from plait.inference.search.label_tables import all_label_vectors
from plait.losses import F1, Loss, f1
from plait.losses import _kernels as kernels
from plait.losses.f1 import _joint_with_sizes

pytestmark = pytest.mark.usefixtures("path")


def support(vectors, weights):
    with np.errstate(divide="ignore"):
        return LabelSupport(vectors, np.log(weights), "distribution", "by hand", np.ones(len(weights), bool))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.floats(0.0, 0.9))
def test_equals_brute_force_over_all_sets(n_labels, seed, zeros):
    rng = np.random.default_rng(seed)
    weights = rng.random((3, 2**n_labels)) ** 3 * (rng.random((3, 2**n_labels)) >= zeros)
    weights[:, rng.integers(2**n_labels)] += 0.1
    given_ = support(np.broadcast_to(all_label_vectors(n_labels), (3, 2**n_labels, n_labels)), weights)
    best = (given_.weights() @ F1().pairwise(given_.vectors[0], all_label_vectors(n_labels))).min(axis=1)
    np.testing.assert_allclose(F1().expected(given_, F1().decide(given_)), best, rtol=0, atol=1e-12)


def plain_gfm(vectors, weights):
    """Follow the three steps in SPEC's words, with full matrices."""
    q = vectors.shape[1]
    sizes = vectors.sum(axis=1)
    Q = np.array([[weights[(vectors[:, i] == 1) & (sizes == s)].sum() for s in range(1, q + 1)] for i in range(q)])
    delta = Q @ np.array([[1 / (s + k) for k in range(1, q + 1)] for s in range(1, q + 1)])
    best, chosen = weights[sizes == 0].sum(), []
    for k in range(1, q + 1):
        order = np.argsort(-delta[:, k - 1], kind="stable")[:k]
        value = 2 * delta[order, k - 1].sum()
        if value > best + 1e-13:
            best, chosen = value, order
    return [int(i in chosen) for i in range(q)]


@pytest.mark.parametrize("n_labels", [1, 4, 20])
def test_equals_the_steps_with_full_matrices(n_labels):
    rng = np.random.default_rng(n_labels)
    vectors = (rng.random((8, 30, n_labels)) < 0.3).astype(np.uint8)
    vectors[:, :, n_labels // 2] = 0
    weights = rng.random((8, 30))
    given_ = support(vectors, weights / weights.sum(axis=1, keepdims=True))
    expected = [plain_gfm(v, w) for v, w in zip(vectors, given_.weights(), strict=True)]
    np.testing.assert_array_equal(F1().decide(given_), expected)


def test_the_matrix_of_sizes_by_plain_loops():
    rng = np.random.default_rng(0)
    vectors, weights = (rng.random((40, 5)) < 0.4).astype(np.uint8), rng.random(40)
    weights[:5] = 0.0
    joint = np.zeros((5, 6))
    empty, largest = kernels.joint_with_sizes(vectors, weights, joint)
    sizes = vectors.sum(axis=1)
    assert empty == pytest.approx(weights[sizes == 0].sum(), rel=1e-13)
    assert largest == sizes[weights > 0].max()
    plain = _joint_with_sizes(vectors[None], weights[None])[0]
    assert plain[0, 0] == pytest.approx(empty, rel=1e-13)
    plain[0, 0] = 0.0
    np.testing.assert_array_equal(plain, joint)
    for i in range(5):
        for s in range(6):
            assert joint[i, s] == pytest.approx(weights[(vectors[:, i] == 1) & (sizes == s)].sum(), rel=1e-13)


@pytest.mark.parametrize("shape", [(5, 64, 6), (5, 30, 20), (0, 4, 3)])
@pytest.mark.parametrize("shared", [True, False])
def test_both_ways_decide_the_same_to_the_last_bit(shape, shared):
    rng = np.random.default_rng(shape[2])
    vectors = (rng.random(shape) < 0.3).astype(np.uint8)
    vectors = np.broadcast_to(vectors[:1], shape) if shared and shape[0] else vectors
    weights = rng.random(shape[:2]).round(1) + 0.1  # many ties
    given_ = support(vectors, weights)
    with using_kernels("never"):
        plain = F1().decide(given_)
    with using_kernels("always"):
        np.testing.assert_array_equal(F1().decide(given_), plain)


def test_blocks_of_rows_are_decided_as_the_whole(monkeypatch):
    rng = np.random.default_rng(5)
    given_ = support((rng.random((11, 20, 5)) < 0.4).astype(np.uint8), rng.random((11, 20)))
    whole = F1().decide(given_)
    monkeypatch.setattr(f1, "_ENTRIES", 300)
    np.testing.assert_array_equal(F1().decide(given_), whole)


def test_the_empty_set_wins_a_tie():
    # Half empty, half {0}: the empty set and {0} both have an expected F1 of one half.
    two = np.array([[[0, 0], [1, 0]]], dtype=np.uint8)
    assert F1().decide(support(two, np.array([[0.5, 0.5]]))).tolist() == [[0, 0]]
    assert F1().decide(support(two, np.array([[0.49, 0.51]]))).tolist() == [[1, 0]]


def test_the_smaller_number_wins_a_tie_of_labels():
    singles = np.eye(3, dtype=np.uint8)[None]
    decided = F1().decide(support(singles, np.full((1, 3), 1 / 3)))
    # {0}: 1/3; {0, 1}: 4/9; {0, 1, 2}: 1/2.
    assert decided.tolist() == [[1, 1, 1]]
    two = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]], dtype=np.uint8)
    assert F1().decide(support(two, np.array([[0.45, 0.45, 0.1]]))).tolist() == [[0, 1, 1]]
    # {0, 1}: 0.54; with 2 or 3: 0.54 * 4/5 + 0.23 * 2/4 = 0.547; with both: 0.54 * 4/6 + 0.46 * 2/5 = 0.544.
    three = np.array([[[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]], dtype=np.uint8)
    assert F1().decide(support(three, np.array([[0.54, 0.23, 0.23]]))).tolist() == [[1, 1, 1, 0]]


def test_rows_do_not_see_each_other():
    rng = np.random.default_rng(3)
    vectors = (rng.random((10, 25, 6)) < 0.3).astype(np.uint8)
    weights = rng.random((10, 25))
    whole = F1().decide(support(vectors, weights))
    alone = [F1().decide(support(vectors[i : i + 1], weights[i : i + 1]))[0] for i in range(10)]
    np.testing.assert_array_equal(whole, alone)
    np.testing.assert_array_equal(F1().decide(support(vectors[::-1], weights[::-1])), whole[::-1])


def test_the_base_class_agrees_where_both_have_one_best_set():
    rng = np.random.default_rng(4)
    vectors = (rng.random((20, 25, 6)) < 0.5).astype(np.uint8)
    given_ = support(vectors, rng.random((20, 25)))
    np.testing.assert_array_equal(F1().decide(given_), Loss.decide(F1(), given_))
