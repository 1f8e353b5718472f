"""The five greedy selectors against plain loops over counted tuples."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import LAIMDiscretizer, encode
from plait.features import AMI, D2F, MDMR, PMU, SCLS, SelectionWarning
from plait.features.engine.greedy_selector import Criterion, forward_search

TOLERANCE = 1e-9


def entropy(*columns, log=math.log2):
    counts = Counter(zip(*columns, strict=True)).values()
    total = sum(counts)
    return -sum(n / total * log(n / total) for n in counts)


def mutual(a, b, log=math.log2):
    return entropy(a, log=log) + entropy(b, log=log) - entropy(a, b, log=log)


def conditional(a, b, c, log=math.log2):
    return entropy(a, c, log=log) + entropy(b, c, log=log) - entropy(a, b, c, log=log) - entropy(c, log=log)


def interaction(*columns, log=math.log2):
    """I(V) = - sum over non-empty U of (-1)^|U| H(U)."""
    return -sum(
        (-1) ** size * entropy(*part, log=log)
        for size in range(1, len(columns) + 1)
        for part in itertools.combinations(columns, size)
    )


def relevance(f, Y, log):
    return sum(mutual(f, label, log) for label in Y)


def scls(f, S, Y, log=math.log2):
    return relevance(f, Y, log) * (1 - sum(mutual(f, s, log) / entropy(f, log=log) for s in S))


def ami(f, S, Y, log=math.log2):
    return relevance(f, Y, log) - sum(mutual(f, s, log) for s in S)


def d2f(f, S, Y, log=math.log2):
    return relevance(f, Y, log) - sum(interaction(f, s, label, log=log) for s in S for label in Y)


def pmu(f, S, Y, log=math.log2):
    return d2f(f, S, Y, log) - sum(interaction(f, *pair, log=log) for pair in itertools.combinations(Y, 2))


def mdmr(f, S, Y, log=math.log2):
    if not S:
        return relevance(f, Y, log)
    terms = (mutual(f, s, log) - sum(conditional(f, label, s, log) for label in Y) for s in S)
    return relevance(f, Y, log) - sum(terms) / len(S)


CRITERIA = {SCLS: scls, AMI: ami, D2F: d2f, PMU: pmu, MDMR: mdmr}
every_criterion = pytest.mark.parametrize("kind", CRITERIA, ids=lambda kind: kind.__name__)


def naive(criterion, X, Y, log=math.log2):
    """Return all features with an entropy in greedy order, every score computed anew at every step."""
    features = {j: tuple(column) for j, column in enumerate(X.T.tolist()) if len(set(column)) > 1}
    labels = [tuple(column) for column in Y.T.tolist()]
    ranking, scores = [], []
    while len(ranking) < len(features):
        chosen = [features[s] for s in ranking]
        values = {j: criterion(f, chosen, labels, log) for j, f in features.items() if j not in ranking}
        top = max(values.values())
        ranking.append(min(j for j, value in values.items() if value >= top - TOLERANCE))
        scores.append(values[ranking[-1]])
    return ranking, scores


@st.composite
def problems(draw):
    """Return codes with two to four symbols a column (0 need not be one of them), and labels."""
    n, d, q = draw(st.integers(1, 24)), draw(st.integers(1, 8)), draw(st.integers(1, 4))
    symbols = draw(st.sampled_from([(0, 1), (-1, 0, 1), (0, 1, 2, 5), (3, 4)]))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.sampled_from(symbols)))
    Y = draw(hnp.arrays(np.uint8, (n, q), elements=st.integers(0, 1)))
    return X, Y


def every(kind, **parameters):
    return kind(n_features=1.0, discretizer="passthrough", **parameters)


@every_criterion
@given(problem=problems())
@pytest.mark.filterwarnings("ignore::plait.features.SelectionWarning")
def test_naive_recomputation(kind, problem):
    X, Y = problem
    mask = every(kind).select(encode(X), Y)
    ranking, scores = naive(CRITERIA[kind], X, Y)
    assert mask.rankings[0].tolist() == ranking
    np.testing.assert_allclose(mask.scores[0], scores, rtol=0, atol=TOLERANCE)
    assert mask.support.shape == (Y.shape[1], X.shape[1])
    assert mask.support.all(axis=0).nonzero()[0].tolist() == sorted(ranking)


@every_criterion
@given(problem=problems())
@pytest.mark.filterwarnings("ignore::plait.features.SelectionWarning")
def test_all_paths_give_the_same_bits(kind, problem):
    X, Y = problem
    mask = every(kind).select(encode(X), Y)
    assert every(kind).select(encode(X).sparse(), sparse.csr_matrix(Y)) == mask
    assert every(kind).select(encode(X).packed(), sparse.csr_matrix(Y)) == mask
    assert every(kind).select(encode(sparse.csr_matrix(X)), Y) == mask
    assert every(kind, n_jobs=2).select(encode(X), Y) == mask


@every_criterion
def test_larger_data_on_all_paths(kind):
    """Sizes at which the choice between rows and bits, and between one block of features and several, is made."""
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 4, size=(400, 30))
    thin = dense * (rng.random(dense.shape) < 0.05)
    for X in (dense, thin):
        Y = ((X[:, :12] == 1) ^ (rng.random((400, 12)) < 0.2)).astype(np.uint8)
        X = np.column_stack([X, X[:, 3], X[:, 7] == 0])
        mask = kind(n_features=12, discretizer="passthrough").fit(X, Y).mask_
        for other in (sparse.csr_matrix(X.astype(float)), encode(X).packed(), encode(X).sparse()):
            for n_jobs in (1, 2):
                again = kind(n_features=12, discretizer="passthrough", n_jobs=n_jobs)
                assert again.select(other, sparse.csr_matrix(Y)) == mask


@every_criterion
@given(problem=problems())
@pytest.mark.filterwarnings("ignore::plait.features.SelectionWarning")
def test_ranking_does_not_depend_on_the_base(kind, problem):
    X, Y = problem
    mask = every(kind).select(encode(X), Y)
    ranking, scores = naive(CRITERIA[kind], X, Y, log=math.log)
    assert mask.rankings[0].tolist() == ranking
    np.testing.assert_allclose(mask.scores[0] * math.log(2), scores, rtol=0, atol=TOLERANCE)


@given(problem=problems())
@pytest.mark.filterwarnings("ignore::plait.features.SelectionWarning")
def test_all_coincide_at_the_first_step(problem):
    X, Y = problem
    starts = {kind: kind(n_features=1, discretizer="passthrough").select(encode(X), Y) for kind in CRITERIA}
    one_label = PMU(n_features=1, discretizer="passthrough").select(encode(X), Y[:, :1])
    assert starts[SCLS] == starts[AMI] == starts[D2F] == starts[MDMR]
    assert one_label == SCLS(n_features=1, discretizer="passthrough").select(encode(X), Y[:, :1])
    if Y.shape[1] > 1:  # labels that do not vary have nothing in common with others
        still = np.column_stack([Y[:, :1], np.zeros((len(Y), 2), dtype=np.uint8)])
        scores = PMU(n_features=1, discretizer="passthrough").select(encode(X), still).scores[0]
        np.testing.assert_array_equal(scores, one_label.scores[0])


@given(problem=problems())
def test_interaction_form_and_entropies_agree(problem):
    X, Y = problem
    f, s, label = X[:, 0].tolist(), X[:, -1].tolist(), Y[:, 0].tolist()
    assert math.isclose(interaction(f, s), mutual(f, s), abs_tol=TOLERANCE)
    assert math.isclose(interaction(f, s, label), mutual(f, label) - conditional(f, label, s), abs_tol=TOLERANCE)
    # The selectors' own second scores, in the form they do not use: AMI by H(f,s), D2F by the alternating sum.
    if X.shape[1] == 2 and len(set(f)) > 1 and len(set(s)) > 1:
        columns, labels = X.T.tolist(), Y.T.tolist()
        for kind in (AMI, D2F):
            mask = every(kind).select(encode(X), Y)
            first, second = (columns[j] for j in mask.rankings[0])
            own = sum(mutual(second, y) for y in labels)
            shared = [interaction(second, first)] if kind is AMI else [interaction(second, first, y) for y in labels]
            assert math.isclose(mask.scores[0][1], own - sum(shared), abs_tol=TOLERANCE)


@every_criterion
def test_fewer_than_asked(kind):
    X = np.array([[0, 1, 1], [0, 1, 0], [0, 1, 1], [0, 1, 0]])
    Y = np.array([[1], [0], [1], [0]])
    with pytest.warns(SelectionWarning, match=f"{kind.__name__} was asked for 3 features, but there are only 1"):
        fitted = kind(n_features=3, discretizer="passthrough").fit(X, Y)
    assert fitted.ranking_.tolist() == [2]
    with pytest.warns(SelectionWarning, match="only 0"):
        nothing = kind(n_features=2, discretizer="passthrough").select(X[:, :2], Y)
    assert not nothing.support.any()


@every_criterion
def test_one_row(kind):
    with pytest.warns(SelectionWarning, match="only 0"):
        assert not kind().fit(np.array([[1.0, 2.0]]), np.array([[1, 0]])).mask_.support.any()


@every_criterion
def test_default_size_and_missing_values(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 12))
    Y = (X[:, [2, 5]] > 0).astype(np.uint8)
    X[rng.random(50) < 0.2, 2] = np.nan
    fitted = kind().fit(X, Y)
    assert fitted.ranking_.size == 8  # the square root of 50, rounded up
    assert set(fitted.ranking_[:2]) == {2, 5}


@every_criterion
def test_rows_of_codes_must_match(kind):
    with pytest.raises(ParameterError, match=f"{kind.__name__} needs X and Y to have the same number of rows"):
        kind().select(encode([[0, 1], [1, 0]]), np.array([[1], [0], [1]]))


@every_criterion
def test_zeros_and_ones_need_no_discretizer(kind):
    rng = np.random.default_rng(2)
    X = (rng.random((80, 9)) < 0.3).astype(float)
    Y = (X[:, [1, 4, 6]] > 0).astype(np.uint8)
    for data in (X, sparse.csr_matrix(X)):
        mask = kind(n_features=6).select(data, Y)
        assert mask == kind(n_features=6, discretizer="passthrough").select(data, Y)
        assert mask == kind(n_features=6, discretizer=LAIMDiscretizer()).select(data, Y)
    # One number among them, behind the first rows, is discretised like all numbers.
    X[70, 0] = 7.5
    for data in (X, sparse.csr_matrix(X)):
        mask = kind(n_features=6).select(data, Y)
        assert mask == kind(n_features=6, discretizer=LAIMDiscretizer()).select(data, Y)
        assert encode(LAIMDiscretizer().fit(data, Y).transform(data)).vocabulary.symbols(0).size == 2


class Falling(Criterion):
    """Scores that fall by 1 at the neighbours of what was chosen."""

    def __init__(self, start):
        self.values, self.added = np.array(start, dtype=float), []

    def scores(self):
        return self.values.copy()

    def add(self, feature):
        self.added.append(feature)
        self.values[[j for j in (feature - 1, feature + 1) if 0 <= j < self.values.size]] -= 1


def test_search_scores_and_ties():
    criterion = Falling([1.0, 3.0, 2.5, 2.5])
    ranking, scores = forward_search(criterion, 4)
    assert ranking.tolist() == [1, 3, 2, 0]
    assert scores.tolist() == [3.0, 2.5, 0.5, 0.0]
    assert criterion.added == [1, 3, 2]  # the last is not needed


def test_nothing_wanted():
    ranking, scores = forward_search(Falling([1.0]), 0)
    assert ranking.size == scores.size == 0
