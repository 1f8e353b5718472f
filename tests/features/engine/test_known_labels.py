"""Counts of features and labels where some labels are unknown, against the measures of the rows that know them."""

import numpy as np
import pytest

from plait.counts import encode
from plait.features import AMI, D2F, JMI, MDMR, MLFS, MLIG, MRMR, PMU, SCLS, CorrelationSubset, GainRatio, PearsonSubset
from plait.features.engine.criterion import GeneralCriterion
from plait.features.engine.criterion_search import search
from plait.features.engine.known_labels import KnownLabels, search_known
from plait.information import conditional_mutual_information, entropy, mutual_information, symmetric_uncertainty
from plait.structure import LabelGraph

GRAPH = LabelGraph([[], [0], [0, 1], []])


def problem(n_rows=150, hidden=0.4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, 6))
    X[:, 3] = rng.integers(-1, 1, n_rows)
    noise = rng.integers(0, 4, (n_rows, 4)) == 0
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 1, (X[:, 0] + X[:, 2]) % 2, X[:, 3] == 0]) ^ noise
    return X, np.where(rng.random(Y.shape) < hidden, -1, Y).astype(np.int8)


@pytest.fixture(params=["packed", "sparse"])
def tables(request):
    X, Y = problem()
    codes = encode(X)
    return X, Y, KnownLabels(Y).tables(codes.packed() if request.param == "packed" else codes.sparse())


def test_every_term_is_that_of_the_rows_that_know_its_labels(tables):
    X, Y, found = tables
    for k in range(4):
        rows = Y[:, k] >= 0
        y = Y[rows, k]
        np.testing.assert_allclose(found.label_entropies[k], entropy(y), rtol=0, atol=1e-9)
        for f in range(6):
            x = X[rows, f]
            np.testing.assert_allclose(found.relevance[f, k], mutual_information(x, y), rtol=0, atol=1e-9)
            np.testing.assert_allclose(found.feature_entropies[f, k], entropy(x), rtol=0, atol=1e-9)
            np.testing.assert_allclose(found.uncertainty[f, k], symmetric_uncertainty(x, y), rtol=0, atol=1e-9)
            for s in range(6):
                given = conditional_mutual_information(x, y, X[rows, s])
                np.testing.assert_allclose(found.relevance_given(s, [k])[f, 0], given, rtol=0, atol=1e-9)


def test_terms_of_two_labels_count_rows_that_know_both(tables):
    X, Y, found = tables
    interactions = np.zeros(6)
    for j in range(4):
        for k in range(j + 1, 4):
            rows = (Y[:, [j, k]] >= 0).all(axis=1)
            x, a, b = X[rows], Y[rows, j], Y[rows, k]
            for f in range(6):
                between = conditional_mutual_information(a, b, x[:, f])
                np.testing.assert_allclose(found.between_labels(j, k)[f], between, rtol=0, atol=1e-9)
                interactions[f] += mutual_information(x[:, f], b) - conditional_mutual_information(x[:, f], b, a)
            found_uncertainty = KnownLabels(Y).uncertainty[j, k]
            np.testing.assert_allclose(found_uncertainty, symmetric_uncertainty(a, b), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.pair_interactions(), interactions, rtol=0, atol=1e-9)


CRITERIA = {
    "MIM": GeneralCriterion(beta=0.0, gamma=0.0),
    "JMI": GeneralCriterion(beta=0.0),
    "MRMR": GeneralCriterion(beta=0.0, marginal=True),
    "MLFS": GeneralCriterion(),
    "weights": GeneralCriterion(beta=0.3, gamma=0.2, first_by_relevance=True, max_candidates=5),
}


@pytest.mark.parametrize("by_label", [True, False])
@pytest.mark.parametrize("name", CRITERIA)
def test_with_nothing_unknown_the_same_features_are_chosen(name, by_label):
    X, Y = problem(hidden=0.0)
    codes = encode(X)
    wanted = search(CRITERIA[name], codes, encode(Y.astype(np.uint8)), GRAPH.parents, 4, by_label)
    found = search_known(CRITERIA[name], codes, KnownLabels(Y), GRAPH.parents, 4, by_label)
    for (ranking, scores), (true_ranking, true_scores) in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ranking, true_ranking)
        np.testing.assert_allclose(scores, true_scores, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["MIM", "JMI"])
def test_a_label_by_itself_chooses_what_its_rows_choose(name):
    X, Y = problem()
    found = search_known(CRITERIA[name], encode(X), KnownLabels(Y), [[]] * 4, 4, by_label=True)
    for k, (ranking, scores) in enumerate(found):
        rows = Y[:, k] >= 0
        alone = search(CRITERIA[name], encode(X[rows]), encode(Y[rows, k : k + 1].astype(np.uint8)), [[]], 4, True)
        np.testing.assert_array_equal(ranking, alone[0][0])
        np.testing.assert_allclose(scores, alone[0][1], rtol=0, atol=1e-9)


SELECTORS = [
    *(kind(n_features=3, discretizer="passthrough") for kind in (AMI, D2F, MDMR, PMU, SCLS, JMI, MRMR, MLFS)),
    MLFS(n_features=3, scope="label", discretizer="passthrough"),
    MLIG(discretizer="passthrough"),
    *(kind(n_features=3, discretizer="passthrough") for kind in (GainRatio, CorrelationSubset)),
    PearsonSubset(n_features=3),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_one_unknown_label_of_many_rows_moves_scores_little(selector):
    """The other way through the counts gives the scores of all labels but for what one label of 2,000 rows adds."""
    X, Y = problem(2000, hidden=0.0)
    gaps = Y.astype(np.float64)
    gaps[0, 0] = np.nan
    whole, found = (selector.select(X.astype(float), labels, GRAPH) for labels in (Y.astype(np.uint8), gaps))
    for mine, theirs in zip(found.scores, whole.scores, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=0.02)


def test_few_rows_tell_nothing():
    Y = np.full((50, 1), -1, dtype=np.int8)
    Y[:4, 0] = [0, 1, 0, 1]
    X = np.tile([[0], [1]], (25, 1))
    assert KnownLabels(Y).tables(encode(X)).relevance.tolist() == [[0.0]]
    Y[4, 0] = 0
    assert KnownLabels(Y).tables(encode(X)).relevance[0, 0] > 0.9
