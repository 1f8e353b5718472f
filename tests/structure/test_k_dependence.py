import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import MeanStdDiscretizer
from plait.data import load_dataset
from plait.structure import FullChain, Independent, InformationOrder, KDependence

pytestmark = pytest.mark.usefixtures("kernels")

NEAR = 1e-10  # what ties, as in plait.core.ties


def entropy(*columns):
    counts = Counter(zip(*(column.tolist() for column in columns), strict=True))
    n = sum(counts.values())
    return -sum(c / n * math.log2(c / n) for c in counts.values())


def mutual(a, b):
    return entropy(a) + entropy(b) - entropy(a, b)


def conditional(a, b, c):
    return entropy(a, c) + entropy(b, c) - entropy(a, b, c) - entropy(c)


def naive(Y, order, k, alpha=None, ties="index", max_candidates=None):
    """Choose parents working out every term of every candidate anew at every step."""
    q = Y.shape[1]
    varying = [j for j in range(q) if len(set(Y[:, j].tolist())) > 1]
    parents = [[] for _ in range(q)]
    for place, j in enumerate(order):
        before = [p for p in order[:place] if p in varying]
        if j not in varying:
            continue
        if len(before) <= k:
            parents[j] = before
            continue
        relevance = {p: mutual(Y[:, p], Y[:, j]) for p in before}
        ranked = sorted(before, key=lambda p: (-round(relevance[p], 10), before.index(p)))
        if max_candidates is not None and k >= max_candidates:
            parents[j] = ranked[:k]
            continue
        candidates = ranked[:max_candidates]
        if ties == "index":
            candidates = sorted(candidates)
        while len(parents[j]) < k:
            scores = {}
            for p in candidates:
                if p not in parents[j]:
                    terms = [conditional(Y[:, j], Y[:, c], Y[:, p]) for c in parents[j]]
                    weight = alpha if alpha is not None else 1 / max(len(terms), 1)
                    scores[p] = relevance[p] + weight * sum(terms)
            top = max(scores.values())
            parents[j].append(next(p for p in candidates if scores.get(p, -1.0) >= top - NEAR))
    return tuple(tuple(group) for group in parents)


@st.composite
def label_matrices(draw, most=6):
    """Draw labels that depend on each other; rows are few, so that ties, copies and constant labels come up."""
    n, q = draw(st.integers(1, 40)), draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hidden = rng.random((n, 2)) < 0.5
    Y = hidden[:, rng.integers(0, 2, q)] ^ (rng.random((n, q)) < rng.choice([0.0, 0.2, 0.5], q))
    Y[:, rng.random(q) < 0.1] = rng.random() < 0.5
    return Y.astype(np.uint8)


@settings(deadline=None, max_examples=150)
@given(label_matrices(), st.integers(0, 6), st.sampled_from([None, 0.0, 1.0, 0.3]), st.data())
def test_naive_recomputation(Y, k, alpha, data):
    order = data.draw(st.permutations(range(Y.shape[1])))
    ties = data.draw(st.sampled_from(["index", "dependence"]))
    most = data.draw(st.sampled_from([None, 1, 2, 3]))
    structure = KDependence(k, order, alpha, ties=ties, max_candidates=most)
    graph = structure.build(np.zeros((Y.shape[0], 1)), Y)
    assert graph.parents == naive(Y, order, k, alpha, ties, most)
    assert graph.order == tuple(order)


def dependent_labels(n=400, q=8, seed=0):
    rng = np.random.default_rng(seed)
    Y = rng.random((n, q)) < 0.4
    for j in range(1, q):
        other = Y[:, rng.integers(0, j)]
        Y[:, j] = np.where(rng.random(n) < 0.7, other, Y[:, j])
    return rng.normal(size=(n, 3)), Y.astype(np.uint8)


def test_the_limits_are_no_parents_and_all():
    X, Y = dependent_labels()
    order = [3, 1, 4, 0, 5, 7, 2, 6]
    assert KDependence(0, order).build(X, Y).parents == Independent().build(X, Y).parents
    assert KDependence(0.0, order).build(X, Y).parents == Independent().build(X, Y).parents
    for k in (7, 8, 99, 1.0):
        assert KDependence(k, order).build(X, Y) == FullChain(order).build(X, Y)


def test_the_first_parent_shares_most():
    X, Y = dependent_labels()
    graph = KDependence(2).build(X, Y)
    for j in range(3, 8):
        shares = [mutual(Y[:, p], Y[:, j]) for p in range(j)]
        assert graph.parents[j][0] == int(np.argmax(shares))


def test_scores_are_means_of_joint_information():
    """With alpha = 1/|Pa| the score of l is the mean of I({Y_l, Y_k}; Y_j) over chosen k, less a constant [OCC 26]."""
    X, Y = dependent_labels()
    for j, group in enumerate(KDependence(3).build(X, Y).parents):
        for step in range(1, len(group) if j > 3 else 0):
            chosen = group[:step]
            joint = {
                p: np.mean(
                    [entropy(Y[:, p], Y[:, c]) + entropy(Y[:, j]) - entropy(Y[:, p], Y[:, c], Y[:, j]) for c in chosen]
                )
                for p in range(j)
                if p not in chosen
            }
            assert joint[group[step]] == pytest.approx(max(joint.values()), rel=1e-12)


@pytest.mark.parametrize(
    ("k", "q", "up", "nearest"), [(0.8, 6, 5, 5), (0.07, 100, 7, 7), (0.8, 14, 12, 11), (0.5, 5, 3, 3), (0.1, 4, 1, 0)]
)
def test_shares_of_the_labels(k, q, up, nearest):
    rng = np.random.default_rng(q)
    Y = (rng.random((60, q)) < 0.5).astype(np.uint8)
    for rounding, most in (("up", up), ("nearest", nearest)):
        graph = KDependence(k, rounding=rounding).build(np.zeros((60, 1)), Y)
        assert max(len(group) for group in graph.parents) == most
        assert len(graph.parents[-1]) == most


def test_ties_of_the_released_program():
    """Labels 1 and 2 are copies: equal scores go to the smaller index, or to the earlier one in the chain."""
    rng = np.random.default_rng(0)
    a, c = rng.random((2, 100)) < 0.5
    Y = np.column_stack([c, a, a, a ^ (rng.random(100) < 0.1)]).astype(np.uint8)
    X = np.zeros((100, 1))
    order = [2, 1, 0, 3]
    assert KDependence(1, order).build(X, Y).parents[3] == (1,)
    assert KDependence(1, order, ties="dependence").build(X, Y).parents[3] == (2,)
    assert KDependence(3, order, ties="dependence").build(X, Y).parents[3] == (2, 1, 0)


def test_orders_by_information_work():
    X, Y = dependent_labels()
    order = FullChain("information").build(X, Y).order
    assert KDependence(2, InformationOrder()).build(X, Y).order == order


@pytest.mark.parametrize("k", [-1, 1.5, True, "all", None])
def test_wrong_k(k):
    with pytest.raises(ParameterError, match="KDependence needs k to be an integer of at least 0"):
        KDependence(k).build([[0.0]], [[0, 1]])


@pytest.mark.parametrize("name", ["emotions", "yeast", "medical"])
def test_the_released_options_on_real_labels(name, benchmark_data):
    """Labels of medical are rare, and many of their scores tie."""
    dataset = load_dataset(benchmark_data / name, split="train")
    Y = dataset.Y.toarray() if sparse.issparse(dataset.Y) else np.asarray(dataset.Y)
    Y = Y[:, :20]
    bins = MeanStdDiscretizer(0.5, decimals=3, closed="left")
    released = KDependence(
        0.5, InformationOrder(discretizer=bins), rounding="nearest", ties="dependence", max_candidates=100
    )
    graph = released.build(dataset.X, Y)
    most = math.floor(0.5 * Y.shape[1] + 0.5)
    assert graph.parents == naive(Y, graph.order, most, ties="dependence", max_candidates=100)
    absent = [k for k in range(Y.shape[1]) if not Y[:, k].any()]
    assert list(graph.order[len(graph.order) - len(absent) :]) == absent
