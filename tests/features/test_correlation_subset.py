import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import encode
from plait.features import MLIG, CorrelationSubset, FeatureMask, SelectionWarning
from plait.features.correlation_subset import UncertaintyRows
from plait.information import symmetric_uncertainty_matrix
from plait.structure import LabelGraph

pytestmark = pytest.mark.usefixtures("kernels")

GRAPH = LabelGraph([[], [0], [0, 1]])


def entropy(*columns):
    """Return the joint entropy of columns in bits, by counting tuples."""
    counts = Counter(zip(*(column.tolist() for column in columns), strict=True)).values()
    return -sum(n / sum(counts) * math.log2(n / sum(counts)) for n in counts)


def su(a, b):
    """Return 2 I / (H + H), 0 for constants."""
    both = entropy(a) + entropy(b)
    return 2 * (both - entropy(a, b)) / both if both else 0.0


class Merits:
    """Hall's merit of some features beside a label's parents, by double loops over uncertainties counted once."""

    def __init__(self, X, Y, label):
        self.parents = [("y", k) for k in GRAPH.parents[label]]
        self.target = ("y", label)
        columns = {**{("x", m): X[:, m] for m in range(X.shape[1])}, **{("y", k): Y[:, k] for k in range(3)}}
        self.su = {(a, b): su(columns[a], columns[b]) for a in columns for b in columns}

    def of(self, features):
        members = [*self.parents, *(("x", m) for m in features)]
        n = len(members)
        if n == 0:
            return 0.0
        to_target = sum(self.su[t, self.target] for t in members) / n
        pairs = [self.su[members[i], members[k]] for i in range(n) for k in range(i)]
        mean = sum(pairs) / len(pairs) if pairs else 0.0
        return n * to_target / math.sqrt(n + n * (n - 1) * mean)

    def largest(self, candidates):
        sizes = range(len(candidates) + 1)
        return max(self.of(members) for size in sizes for members in combinations(candidates, size))


def problem(n=80, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, d))
    noise = rng.random((n, 3)) < 0.15
    Y = np.column_stack([X[:, 0] > 1, (X[:, 0] > 1) | (X[:, 1] > 1), X[:, 2] + X[:, 3] > 2]) ^ noise
    return X, Y.astype(np.uint8)


small = st.tuples(
    arrays(np.int64, (10, 5), elements=st.integers(0, 2)), arrays(np.uint8, (10, 3), elements=st.integers(0, 1))
)


@given(data=small)
def test_merits_by_double_loops_with_parents_kept(data):
    X, Y = data
    found = CorrelationSubset(discretizer="passthrough").fit(X, Y, graph=GRAPH)
    varying = [m for m in range(5) if np.ptp(X[:, m]) > 0]
    for label in range(3):
        merits, chosen = Merits(X, Y, label), found.ranking_[label].tolist()
        largest = merits.largest(varying)
        if largest <= merits.of([]) + 1e-10:  # nothing helps: the candidates stay
            assert sorted(chosen) == varying
            expected = [su(X[:, m], Y[:, label]) for m in chosen]
            np.testing.assert_allclose(found.scores_[label], expected, rtol=0, atol=1e-12)
            continue
        steps = [merits.of(chosen[: k + 1]) for k in range(len(chosen))]
        np.testing.assert_allclose(found.scores_[label], steps, rtol=0, atol=1e-12)
        assert merits.of([]) < steps[-1] <= largest + 1e-12


def test_it_mostly_finds_the_best_set():
    reached = 0
    for seed in range(20):
        X, Y = problem(seed=seed)
        found = CorrelationSubset(discretizer="passthrough").fit(X, Y, graph=GRAPH)
        for label in range(3):
            largest = Merits(X, Y, label).largest(range(6))
            assert found.scores_[label][-1] <= largest + 1e-12
            reached += found.scores_[label][-1] >= largest - 1e-9
    assert reached >= 57  # of 60


def test_without_parents_labels_do_not_matter_to_each_other():
    X, Y = problem()
    together = CorrelationSubset().fit(X, Y)
    for label in range(3):
        alone = CorrelationSubset().fit(X, Y[:, [label]])
        assert alone.ranking_[0].tolist() == together.ranking_[label].tolist()
        np.testing.assert_array_equal(alone.scores_[0], together.scores_[label])


def test_a_feature_that_says_what_a_parent_says_is_left_out():
    rng = np.random.default_rng(0)
    parent = rng.integers(0, 2, 400)
    other = rng.integers(0, 2, 400)
    Y = np.column_stack([parent, parent & other])
    X = np.column_stack([parent, other])
    assert sorted(CorrelationSubset().fit(X, Y).ranking_[1]) == [0, 1]
    assert CorrelationSubset().fit(X, Y, graph=LabelGraph([[], [0]])).ranking_[1].tolist() == [1]


def test_nothing_added_keeps_the_candidates():
    X, Y = problem()
    Y = np.column_stack([Y[:, 0], Y[:, 0]])  # the parent says it all
    mask = MLIG(n_features=3).select(X, Y)
    found = CorrelationSubset(candidates=mask).fit(X, Y, graph=LabelGraph([[], [0]]))
    assert sorted(found.ranking_[1]) == sorted(mask.rankings[1])
    assert (np.diff(found.scores_[1]) <= 0).all()
    assert len(found.ranking_[0]) < 3


def test_dense_sparse_packed_and_threads_agree_to_the_last_bit():
    X, Y = problem(seed=3)
    X = np.column_stack([X, X[:, 0], np.ones(len(X), dtype=int)])
    expected = CorrelationSubset(discretizer="passthrough").select(X, Y, GRAPH)
    packed = encode(X)
    for other in (sparse.csr_matrix(X), packed, packed.sparse()):
        for n_jobs in (None, 2):
            made = CorrelationSubset(discretizer="passthrough", n_jobs=n_jobs)
            assert made.select(other, Y, GRAPH) == expected


@pytest.mark.parametrize("size", [1, 3, 6])
def test_a_size(size):
    X, Y = problem()
    own, fixed = CorrelationSubset().fit(X, Y), CorrelationSubset(n_features=size).fit(X, Y)
    for label in range(3):
        ranking = fixed.ranking_[label]
        shared = min(size, len(own.ranking_[label]))
        assert len(ranking) == size
        assert ranking[:shared].tolist() == own.ranking_[label][:shared].tolist()
    with pytest.warns(SelectionWarning, match="asked for 2 features, but there are only 1"):
        CorrelationSubset(n_features=2, candidates=MLIG(n_features=1).select(X, Y)).fit(X, Y)


def test_candidates_must_fit():
    X, Y = problem()
    mask = FeatureMask.shared([0], [1.0], n_labels=2, n_features=6)
    with pytest.raises(ParameterError, match="needs candidates for 3 labels and 6 features, but they are for 2 and 6"):
        CorrelationSubset(candidates=mask).fit(X, Y)


def test_constant_features_are_never_chosen():
    X, Y = problem()
    X = np.column_stack([np.ones(len(X)), X])
    Y = np.column_stack([Y, np.ones(len(Y), dtype=np.uint8)])
    assert not CorrelationSubset().fit(X, Y).mask_.support[:, 0].any()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("n_symbols", [2, 4])
def test_rows_are_those_of_the_matrix(form, n_symbols, monkeypatch):
    X = np.random.default_rng(0).integers(0, n_symbols, size=(40, 6))
    expected = symmetric_uncertainty_matrix(X)
    monkeypatch.setattr("plait.features.correlation_subset._MOST_BYTES", 2 * 6 * 8)  # two rows are kept
    rows = UncertaintyRows(encode(form(X)))
    for column in (0, 1, 0, 2, 3, 0, 1, 5):
        np.testing.assert_allclose(rows.of(column), expected[column], rtol=1e-13, atol=0)
        assert len(rows._rows) <= 2
    assert list(rows._rows) == [1, 5]
    assert rows.of(5) is rows.of(5)
