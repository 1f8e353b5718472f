"""MLFS step by step against sums of information counted row by row, its special cases, and its options."""

import math
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.core.ties import first_best
from plait.counts import MeanStdDiscretizer, encode
from plait.data import load_dataset
from plait.features import JMI, MIM, MLFS, MRMR, SelectionWarning
from plait.features.engine.ranking import stable_ranking
from plait.information import mutual_information, mutual_information_matrix
from plait.structure import LabelGraph

pytestmark = pytest.mark.usefixtures("kernels")

TOLERANCE = 1e-9  # of a score, in bits
NEAR = 1e-10  # what ties, as in plait.features.engine.ranking


def entropy(*columns):
    counts = Counter(zip(*(column.tolist() for column in columns), strict=True))
    n = sum(counts.values())
    return -sum(c / n * math.log2(c / n) for c in counts.values())


def mutual(a, b):
    return entropy(a) + entropy(b) - entropy(a, b)


def conditional(a, b, c):
    return entropy(a, c) + entropy(b, c) - entropy(a, b, c) - entropy(c)


def first_of_the_best(scores):
    top = max(scores.values())
    return min(m for m, score in scores.items() if score >= top - NEAR * max(1.0, abs(top)))


def naive(
    X, Y, parents, labels, n_wanted, beta=None, gamma=None, redundancy="difference", first="criterion", most=None
):
    """Choose for some labels together, working out every term of every candidate anew at every step."""

    def term(m, j, chosen, with_parents):
        x, y, group = X[:, m], Y[:, j], parents[j] if with_parents else ()
        score = mutual(x, y)
        score += sum((1 / len(group) if beta is None else beta) * conditional(y, Y[:, k], x) for k in group)
        for n in chosen:
            other = -mutual(x, X[:, n]) if redundancy == "marginal" else conditional(y, X[:, n], x)
            score += (1 / len(chosen) if gamma is None else gamma) * other
        return score

    candidates = [m for m in range(X.shape[1]) if len(set(X[:, m].tolist())) > 1]
    n_wanted = min(n_wanted, len(candidates))
    relevance = {m: sum(term(m, j, (), False) for j in labels) for m in candidates}
    if most is not None:
        left, ranked = dict(relevance), []
        while left:
            ranked.append(first_of_the_best(left))
            del left[ranked[-1]]
        if n_wanted >= most:
            return ranked[:n_wanted], [relevance[m] for m in ranked[:n_wanted]]
        candidates = ranked[:most]
    ranking, values = [], []
    while len(ranking) < n_wanted:
        by_relevance = first == "relevance" and not ranking
        scores = {m: sum(term(m, j, ranking, not by_relevance) for j in labels) for m in candidates if m not in ranking}
        ranking.append(first_of_the_best(scores))
        values.append(scores[ranking[-1]])
    return ranking, values


@st.composite
def problems(draw, max_features=8, max_labels=4):
    """Draw symbols, labels and parents; rows are few, so that ties, copies and constant columns come up."""
    n, d, q = draw(st.integers(1, 24)), draw(st.integers(1, max_features)), draw(st.integers(1, max_labels))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_symbols = rng.integers(2, 5, size=d)
    X = np.floor(rng.random((n, d)) ** draw(st.sampled_from([1, 3])) * n_symbols)
    X += draw(st.sampled_from([0, -1]))
    if draw(st.booleans()):
        X[:, rng.integers(d)] = X[:, rng.integers(d)]
    Y = (rng.random((n, q)) < rng.choice([0.2, 0.5, 0.8], size=q)).astype(np.uint8)
    return X, Y, [[k for k in range(j) if rng.random() < 0.6] for j in range(q)]


def chosen_by(selector, X, Y, parents):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        return selector.set_params(discretizer="passthrough").select(X, Y, LabelGraph(parents))


def assert_chosen(mask, expected):
    assert len(mask.rankings) == len(expected)
    for ranking, scores, (right, values) in zip(mask.rankings, mask.scores, expected, strict=True):
        assert ranking.tolist() == right
        np.testing.assert_allclose(scores, values, rtol=0, atol=TOLERANCE)


def check(X, Y, parents, n_wanted, max_candidates=None, **options):
    labels = range(Y.shape[1])
    selector = MLFS(n_features=n_wanted, max_candidates=max_candidates, **options)
    options = {**options, "most": max_candidates}
    together = naive(X, Y, parents, labels, n_wanted, **options)
    assert_chosen(chosen_by(selector, X, Y, parents), [together])
    each = [naive(X, Y, parents, [j], n_wanted, **options) for j in labels]
    assert_chosen(chosen_by(selector.set_params(scope="label"), X, Y, parents), each)


@given(problems(), st.integers(1, 8))
@settings(max_examples=60)
def test_naive_recomputation(problem, n_wanted):
    check(*problem, n_wanted)


@given(
    problems(max_features=6, max_labels=3),
    st.integers(1, 6),
    st.sampled_from([None, 0.0, 0.3, 2.0]),
    st.sampled_from([None, 0.0, 0.3, 2.0]),
    st.sampled_from(["difference", "marginal"]),
    st.sampled_from(["criterion", "relevance"]),
    st.sampled_from([None, 1, 2, 4, 100]),
)
@settings(max_examples=60)
def test_naive_recomputation_with_options(problem, n_wanted, beta, gamma, redundancy, first, max_candidates):
    check(*problem, n_wanted, max_candidates, beta=beta, gamma=gamma, redundancy=redundancy, first=first)


@given(problems(), st.sampled_from(["global", "label"]))
def test_special_cases_by_parameters(problem, scope):
    X, Y, parents = problem
    size = {"n_features": 1.0, "scope": scope}
    graph_free = [[] for _ in parents]
    for special, general in [
        (MIM(**size), MLFS(beta=0.0, gamma=0.0, **size)),
        (JMI(**size), MLFS(beta=0.0, **size)),
        (MRMR(**size), MLFS(beta=0.0, redundancy="marginal", **size)),
    ]:
        assert chosen_by(special, X, Y, parents) == chosen_by(general, X, Y, parents)
    assert chosen_by(JMI(**size), X, Y, parents) == chosen_by(MLFS(**size), X, Y, graph_free)


@given(problems(max_labels=1))
def test_global_with_one_label_is_local(problem):
    X, Y, parents = problem
    together = chosen_by(MLFS(n_features=1.0), X, Y, parents)
    alone = chosen_by(MLFS(n_features=1.0, scope="label"), X, Y, parents)
    assert_chosen(alone, list(zip(map(np.ndarray.tolist, together.rankings), together.scores, strict=True)))


@given(problems(), st.integers(1, 8))
def test_equivalent_forms(problem, n_wanted):
    """SPEC 7.2: by identity 3 up to terms free of m, and by joint information where Pa_j and S are not empty."""
    X, Y, parents = problem
    for j, (ranking, scores) in enumerate(
        zip(*(lambda m: (m.rankings, m.scores))(chosen_by(MLFS(n_wanted, "label"), X, Y, parents)), strict=True)
    ):
        y, group = Y[:, j], parents[j]
        for t, (m, score) in enumerate(zip(ranking, scores, strict=True)):
            x, chosen = X[:, m], ranking[:t]
            beta, gamma = 1 / max(len(group), 1), 1 / max(t, 1)
            free = beta * sum(mutual(y, Y[:, k]) for k in group) + gamma * sum(mutual(y, X[:, n]) for n in chosen)
            form = mutual(x, y)
            form += beta * sum(conditional(x, Y[:, k], y) - mutual(x, Y[:, k]) for k in group)
            form += gamma * sum(conditional(x, X[:, n], y) - mutual(x, X[:, n]) for n in chosen)
            assert score == pytest.approx(form + free, rel=0, abs=TOLERANCE)
            if group and t:
                joint = -mutual(x, y)
                joint += beta * sum(entropy(x, Y[:, k]) + entropy(y) - entropy(x, Y[:, k], y) for k in group)
                joint += gamma * sum(entropy(x, X[:, n]) + entropy(y) - entropy(x, X[:, n], y) for n in chosen)
                assert score == pytest.approx(joint, rel=0, abs=TOLERANCE)


@pytest.fixture
def larger():
    """Return data with copies and constants, in which bits and rows both are worth their while."""
    rng = np.random.default_rng(3)
    n, d, q = 400, 60, 9
    X = (rng.random((n, d)) < rng.uniform(0.02, 0.6, size=d)).astype(float)
    X[:, 20:40] *= rng.integers(1, 4, size=(n, 20))
    X[:, [7, 50, 33]] = X[:, [3, 22, 3]]
    X[:, [5, 44]] = [0.0, 2.0]
    Y = (rng.random((n, q)) < 0.7 * X[:, :q] + 0.1).astype(np.uint8)
    Y[:, 3], Y[:, 4] = 0, 1
    return X, Y, [[k for k in range(j) if rng.random() < 0.5] for j in range(q)]


@pytest.mark.parametrize("scope", ["global", "label"])
@pytest.mark.parametrize("redundancy", ["difference", "marginal"])
@pytest.mark.parametrize("columns", [slice(None), slice(0, 20)], ids=["mixed", "binary"])
def test_same_bits_on_every_path(larger, scope, redundancy, columns, monkeypatch):
    X, Y, parents = larger
    X = X[:, columns]

    def choose(X, n_jobs=None, Y=Y):
        return chosen_by(MLFS(0.6, scope, redundancy=redundancy, n_jobs=n_jobs), X, Y, parents)

    expected = choose(X)
    for form in (sparse.csr_matrix(X), encode(X).packed(), encode(X).sparse(), encode(sparse.csr_array(X))):
        assert choose(form) == expected
    assert choose(X, n_jobs=2) == expected
    assert choose(X, n_jobs=3) == expected
    assert choose(X, Y=sparse.csr_matrix(Y)) == expected
    for name, size in [
        ("arrangement._PER_TABLED", 10.0),
        ("arrangement._PER_TABLED", 1e6),
        ("arrangement._MOST_BYTES", 0),
        ("criterion_search._CHUNK_BYTES", 0),
        ("criterion_search._ALL_PAIRS_BYTES", 0),
        ("criterion_search._SOME_PAIRS_BYTES", 3000),
        ("criterion_search._LABEL_BYTES", 0),
        ("criterion_search._PAIR_BYTES", 0),
    ]:
        monkeypatch.setattr(f"plait.features.engine.{name}", size)
        assert choose(X) == expected
        assert choose(X, n_jobs=2) == expected


def test_larger_data_against_the_naive_choice(larger):
    X, Y, parents = larger
    expected = [naive(X[:, :25], Y, parents, [j], 4) for j in (2, 4, 7)]
    mask = chosen_by(MLFS(4, "label"), X[:, :25], Y, parents)
    assert [mask.rankings[j].tolist() for j in (2, 4, 7)] == [ranking for ranking, _ in expected]


def test_copies_are_chosen_in_order_and_say_nothing_more(larger):
    X, Y, _ = larger
    X = X[:, [0, 1, 0, 2, 1]]
    ranking = chosen_by(MLFS(1.0), X, Y, [[]] * Y.shape[1]).rankings[0].tolist()
    assert ranking.index(0) < ranking.index(2)
    assert ranking.index(1) < ranking.index(4)
    # With one chosen feature, its copy has I(Y;X_n|X_n) = 0 and is worth its relevance.
    copy = chosen_by(MLFS(2), X[:, [0, 2]], Y, [[]] * Y.shape[1])
    assert copy.scores[0][1] == pytest.approx(copy.scores[0][0], rel=1e-13)


def test_missing_values_are_a_symbol_and_numbers_are_binned(larger):
    X, Y, parents = larger
    hole = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    filled = np.where(np.isnan(hole), 99.0, hole)
    assert chosen_by(MLFS(0.3, "label"), hole, Y, parents) == chosen_by(MLFS(0.3, "label"), filled, Y, parents)
    numbers = X + np.random.default_rng(0).normal(size=X.shape)
    bins = MeanStdDiscretizer().fit_transform(numbers)
    assert MLFS(9).select(numbers, Y, LabelGraph(parents)) == chosen_by(MLFS(9), bins, Y, parents)


def test_first_by_relevance_differs_from_the_criterion():
    """Y_1 is X_0, and X_1 is where Y_0 and Y_1 have much in common: the criterion sees that, relevance does not."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(300, 2))
    Y = np.column_stack([X[:, 0], np.where(rng.random(300) < 0.8, X[:, 0], X[:, 1])]).astype(np.uint8)
    Y[:, 0] ^= (rng.random(300) < 0.3) & (X[:, 1] == 0)
    firsts = {
        first: chosen_by(MLFS(1, "label", beta=5.0, first=first), X, Y, [[], [0]]).rankings[1].tolist()
        for first in ("criterion", "relevance")
    }
    assert firsts == {"criterion": [1], "relevance": [0]}


def test_fewer_features_that_vary_than_asked_for():
    X = np.array([[0.0, 1.0, 5.0], [1.0, 1.0, 5.0], [1.0, 1.0, 5.0]])
    Y = np.array([[0, 1], [1, 1], [0, 0]])
    for scope in ("global", "label"):
        with pytest.warns(SelectionWarning, match="MLFS was asked for 3 features, but there are only 1"):
            mask = MLFS(3, scope).select(X, Y)
        assert all(ranking.tolist() == [0] for ranking in mask.rankings)
        with pytest.warns(SelectionWarning, match="only 0"):
            assert not MLFS(2, scope).select(X[:, 1:], Y).support.any()


def test_numbers_taken_for_symbols_are_refused(monkeypatch):
    monkeypatch.setattr("plait.features.general_criterion._MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="MLFS needs features with few symbols, but one has 30 of them and all"):
        MLFS(2, discretizer="passthrough").select(np.arange(60.0).reshape(30, 2), np.ones((30, 1)))


def test_copies_in_bibtex_on_every_path(benchmark_data):
    """Bibtex has columns that are equal: f952 and f1824 counted from 1, among others."""
    data = load_dataset("bibtex")
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    codes = encode(data.X)
    graph = LabelGraph([range(max(0, j - 2), j) for j in range(Y.shape[1])])
    expected = MLFS(12, "label").select(codes, Y, graph)
    assert MLFS(12, "label", n_jobs=2).select(codes.packed(), Y, graph) == expected
    assert MLFS(12, "label", discretizer="passthrough").select(data.X, Y, graph) == expected
    copies = [ranking.tolist() for ranking in expected.rankings if 1823 in ranking]
    assert copies
    assert all(951 in ranking[: ranking.index(1823)] for ranking in copies)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 4))
def test_relevance_in_falling_order(seed, d, q):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(15, d)), rng.integers(0, 2, size=(15, q))
    X[0], X[1] = 0, 1  # no column is constant
    information = mutual_information_matrix(X, Y)
    for scope, columns in (("global", [information.sum(axis=1)]), ("label", information.T)):
        mask = MIM(n_features=1.0, scope=scope, discretizer="passthrough").select(X, Y)
        for ranking, scores, relevance in zip(mask.rankings, mask.scores, columns, strict=True):
            assert ranking.tolist() == stable_ranking(relevance).tolist()
            np.testing.assert_allclose(scores, relevance[ranking], rtol=1e-13, atol=1e-15)


def by_joint_information(X, Y, labels):
    """Choose by (1/|S|) sum_n I({X_m,X_n};Y_j), summed over labels [OCC, table 1]."""
    ranking, scores = [], []
    while len(ranking) < X.shape[1]:
        values = np.full(X.shape[1], -np.inf)
        for m in set(range(X.shape[1])) - set(ranking):
            sets = [[m, n] for n in ranking] or [[m]]
            values[m] = np.mean([sum(mutual_information(X[:, s], Y[:, j]) for j in labels) for s in sets])
        ranking.append(first_best(values))
        scores.append(values[ranking[-1]])
    return ranking, scores


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 3))
def test_joint_information_form(seed, d, q):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(14, d)), rng.integers(0, 2, size=(14, q))
    X[0], X[1] = 0, 1  # no column is constant
    for scope, groups in (("global", [range(q)]), ("label", [[j] for j in range(q)])):
        mask = JMI(n_features=1.0, scope=scope, discretizer="passthrough").select(X, Y)
        for ranking, scores, group in zip(mask.rankings, mask.scores, groups, strict=True):
            right, values = by_joint_information(X, Y, group)
            assert ranking.tolist() == right
            np.testing.assert_allclose(scores, values, rtol=0, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 4))
def test_relevance_less_mean_redundancy(seed, d, q):
    """MLMRMR is sum_j I(X_m;Y_j) - (q/|S|) sum_n I(X_m;X_n) [OCC, table 1]."""
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(15, d)), rng.integers(0, 2, size=(15, q))
    X[0], X[1] = 0, 1  # no column is constant
    among, relevance = mutual_information_matrix(X), mutual_information_matrix(X, Y)
    for scope, groups in (("global", [range(q)]), ("label", [[j] for j in range(q)])):
        mask = MRMR(n_features=1.0, scope=scope, discretizer="passthrough").select(X, Y)
        for ranking, scores, group in zip(mask.rankings, mask.scores, groups, strict=True):
            for t, (m, score) in enumerate(zip(ranking, scores, strict=True)):
                redundancy = among[:, ranking[:t]].mean(axis=1) if t else 0.0
                values = relevance[:, list(group)].sum(axis=1) - len(group) * redundancy
                values[ranking[:t]] = -np.inf
                assert m == first_best(values)
                np.testing.assert_allclose(score, values[m], rtol=0, atol=1e-12)
