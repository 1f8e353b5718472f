from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.features.engine.merit_search import MemberSet, best_first, grown_to

TOLERANCE = 1e-10


def merit_by_loops(members, relevance, between, fixed=()):
    """Return Hall's merit of fixed members and candidates together, by double loops."""
    everyone = [*fixed, *members]
    n = len(everyone)
    if n == 0:
        return 0.0
    to_target = sum(relevance[t] for t in everyone) / n
    pairs = [between[t][u] for i, t in enumerate(everyone) for u in everyone[:i]]
    mean = sum(pairs) / len(pairs) if pairs else 0.0
    return n * to_target / np.sqrt(n + n * (n - 1) * mean)


def search_by_lists(relevance, between, candidates, fixed, patience):
    """Return the members, in the order added, of best-first search with every merit computed from nothing."""
    best, best_merit = (), merit_by_loops((), relevance, between, fixed)
    waiting = []  # one list of (members, merit) for each expansion
    done = set()
    node, stale = (), 0
    while stale < patience:
        done.add(frozenset(node))
        more = [(*node, c) for c in candidates if c not in node]
        waiting.append([(m, merit_by_loops(m, relevance, between, fixed)) for m in more])
        top = best_of(waiting[-1], relevance)
        if top and top[1] > best_merit + TOLERANCE:
            (best, best_merit), stale = top, 0
        else:
            stale += 1
        node = None
        while any(waiting) and node is None:
            highest = max(merit for group in waiting for _, merit in group)
            group = next(g for g in waiting if g and max(merit for _, merit in g) >= highest - TOLERANCE)
            picked = best_of(group, relevance)
            group.remove(picked)
            node = picked[0] if frozenset(picked[0]) not in done else None
        if node is None:
            break
    return best, best_merit


def best_of(group, relevance):
    if not group:
        return None
    near = [each for each in group if each[1] >= max(merit for _, merit in group) - TOLERANCE]
    widest = max(relevance[members[-1]] for members, _ in near)
    return min((each for each in near if relevance[each[0][-1]] >= widest - TOLERANCE), key=lambda each: each[0][-1])


def problem(n_candidates, n_fixed, seed, levels=None):
    """Return correlations with a target and between all members; with `levels` few distinct ones, so that some tie."""
    rng = np.random.default_rng(seed)
    n = n_candidates + n_fixed
    relevance = rng.random(n) ** 2
    between = rng.random((n, n)) ** 2
    if levels:
        relevance, between = np.round(relevance * levels) / levels, np.round(between * levels) / levels
    between = np.triu(between, 1)
    return relevance, between + between.T + np.eye(n)


def run(relevance, between, n_candidates, patience=5):
    fixed = list(range(n_candidates, len(relevance)))
    among = sum(between[a, b] for i, a in enumerate(fixed) for b in fixed[:i])
    start = MemberSet.start(relevance[fixed].sum(), among, between[:n_candidates, fixed].sum(axis=1), len(fixed))
    own = relevance[:n_candidates]
    links = between[:n_candidates, :n_candidates]
    return best_first(start, own, lambda c: links[c], patience), start, own, links


@given(
    n_candidates=st.integers(1, 7),
    n_fixed=st.integers(0, 3),
    seed=st.integers(0, 10**6),
    levels=st.sampled_from([None, 1, 2, 4]),
    patience=st.integers(1, 5),
)
def test_against_search_with_merits_from_nothing(n_candidates, n_fixed, seed, levels, patience):
    relevance, between = problem(n_candidates, n_fixed, seed, levels)
    found = run(relevance, between, n_candidates, patience)[0]
    fixed = range(n_candidates, n_candidates + n_fixed)
    members, merit = search_by_lists(relevance, between, range(n_candidates), fixed, patience)
    assert found.members == members
    assert found.merit == pytest.approx(merit, rel=1e-12, abs=1e-14)
    for size in range(len(members) + 1):
        expected = merit_by_loops(members[:size], relevance, between, fixed)
        assert found.merits[size] == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_against_the_same_search_where_the_way_is_rough(patience):
    """Many good candidates with links of all sizes: some searches improve after a pause, or meet a set twice."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n = 4 + seed % 7
        relevance, between = rng.random(n) ** 0.5, rng.random((n, n))
        between = np.triu(between > 0.5 if seed % 2 else between, 1)
        between = between + between.T + np.eye(n)
        found = run(relevance, between, n, patience)[0]
        members, merit = search_by_lists(relevance, between, range(n), (), patience)
        assert (seed, found.members) == (seed, members)
        assert found.merit == pytest.approx(merit, rel=1e-12)


def test_of_equal_merits_the_larger_relevance():
    # Beside a fixed member with 0.5: (0.5 + 0.5) / sqrt(2) = (0.5 + r) / sqrt(2 + 2 * 0.5).
    relevance = np.array([0.5, np.sqrt(1.5) - 0.5])
    start = MemberSet.start(0.5, 0.0, np.array([0.0, 0.5]), 1)
    merits = start.merits_with_one_more(relevance)
    assert merits[0] == pytest.approx(merits[1], rel=1e-14)
    grown = grown_to(start, 1, relevance, lambda c: np.zeros(2))
    assert grown.members == (1,)


def test_exhaustive_search_bounds_it_and_is_mostly_reached():
    reached = 0
    for seed in range(100):
        n_candidates, n_fixed = 2 + seed % 7, seed % 3
        relevance, between = problem(n_candidates, n_fixed, seed)
        fixed = range(n_candidates, n_candidates + n_fixed)
        largest = max(
            merit_by_loops(members, relevance, between, fixed)
            for size in range(n_candidates + 1)
            for members in combinations(range(n_candidates), size)
        )
        merit = run(relevance, between, n_candidates)[0].merit
        assert merit <= largest * (1 + 1e-12)
        reached += merit >= largest * (1 - 1e-12)
    assert reached >= 95


def test_unlimited_patience_is_exhaustive():
    for seed in range(20):
        relevance, between = problem(6, 1, seed, levels=3)
        largest = max(
            merit_by_loops(members, relevance, between, [6])
            for size in range(7)
            for members in combinations(range(6), size)
        )
        assert run(relevance, between, 6, patience=10**6)[0].merit == pytest.approx(largest, rel=1e-9)


def test_links_are_asked_for_only_where_a_set_is_expanded():
    asked = []
    relevance = np.array([0.9, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    between = np.full((8, 8), 0.95)

    def links_of(candidate):
        asked.append(candidate)
        return between[candidate]

    found = best_first(MemberSet.start(0.0, 0.0, np.zeros(8), 0), relevance, links_of, patience=1)
    assert found.members == (0,)
    assert asked == [0, 0]  # once to expand {0}, once to hand it back


@given(size=st.integers(0, 7), seed=st.integers(0, 999))
def test_grown_to_a_size(size, seed):
    relevance, between = problem(6, 1, seed, levels=4)
    found, _, own, links = run(relevance, between, 6)
    grown = grown_to(found, size, own, lambda c: links[c])
    assert len(grown.members) == min(size, 6)
    shared = min(len(found.members), len(grown.members))
    assert grown.members[:shared] == found.members[:shared]
    for place in range(shared, len(grown.members)):
        others = [c for c in range(6) if c not in grown.members[:place]]
        merits = {c: merit_by_loops((*grown.members[:place], c), relevance, between, [6]) for c in others}
        assert merits[grown.members[place]] >= max(merits.values()) - TOLERANCE
    expected = [merit_by_loops(grown.members[:k], relevance, between, [6]) for k in range(len(grown.members) + 1)]
    np.testing.assert_allclose(grown.merits, expected, rtol=1e-12, atol=1e-14)


def test_no_candidates():
    start = MemberSet.start(0.4, 0.0, np.zeros(0), 1)
    found = best_first(start, np.zeros(0), lambda c: np.zeros(0), 5)
    assert found.members == ()
    assert found.merit == 0.4
