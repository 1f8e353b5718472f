"""The best candidate against the tie rule, triples against entropies, and a search that is stopped and goes on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plait.counts import encode
from plait.features._greedy_kernels import _largest, add_all_triples, add_shared, add_triples, best_candidate, grow
from plait.features.arrangement import Arrangement, label_rows
from plait.features.pair_memory import PairMemory
from plait.features.ties import TIE_TOLERANCE, first_best
from plait.information import conditional_entropy, entropy, mutual_information

numbers = st.floats(allow_nan=False, width=64)


@given(hnp.arrays(np.float64, st.integers(1, 20), elements=numbers))
def test_largest_of_all_floats(values):
    keys = np.array([_largest(values.view(np.int64))])
    assert keys.view(np.float64)[0] == values.max()


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, -3.0, -np.inf]), st.sampled_from([0.0, 1e-11, -1e-11])), min_size=1),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 400, 700]),
)
def test_best_candidate_is_the_first_of_the_best(pairs, n_runs, seed, n_fill):
    rng = np.random.default_rng(seed)
    values = np.concatenate([np.array([value + noise for value, noise in pairs]), np.full(n_fill, -5.0)])
    if (values == -np.inf).all():
        return
    runs = sorted(rng.choice(values.size + 1, size=n_runs - 1, replace=False).tolist()) if n_runs > 1 else []
    ends = [0, *runs, values.size]
    names = np.concatenate([np.sort(part) for part in np.split(rng.permutation(values.size), ends[1:-1])])
    by_name = np.empty(values.size)
    by_name[names] = values
    sums = rng.normal(size=values.size)
    base = values - 0.25 * sums
    table = np.column_stack([ends[:-1], np.diff(ends), ends[:-1], np.ones(n_runs, dtype=int)])
    best = best_candidate(base, sums, 0.25, table, names, TIE_TOLERANCE)
    assert names[best] == first_best(by_name)


def problem(n_symbols, seed=0, n=90, d=7):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_symbols, size=(n, d)) * (rng.random((n, d)) < 0.6)
    X[:2] = [[0], [1]]
    return X, (rng.random((n, 3)) < [0.2, 0.5, 0.9]).astype(np.uint8)


@pytest.mark.parametrize("n_symbols", [2, 3, [2, 3, 2, 5, 3, 2, 4]])
@pytest.mark.parametrize("most_bytes", [0, 1 << 20])
def test_triples_are_entropies(n_symbols, most_bytes):
    X, Y = problem(n_symbols)
    y = encode(Y).sparse()
    arranged = Arrangement.of(encode(X), y)
    planes, memory = arranged.planes, PairMemory(arranged, 1 << 20)
    labels = label_rows(y, range(3), arranged, most_bytes)
    columns = [*X[:, planes.names].T, *Y.T]
    for column, other in enumerate(columns):
        memory.count(np.array([column]))
        all_sums, each = np.zeros(7), np.zeros(7)
        add_all_triples(column, labels, planes, memory.space, all_sums)
        for j in range(3):
            add_triples(column, j, labels, planes, memory.space, each)
            sums = np.zeros(7)
            add_triples(column, j, labels, planes, memory.space, sums)
            expected = [-len(X) * conditional_entropy(Y[:, j], np.column_stack([other, x])) for x in columns[:7]]
            np.testing.assert_allclose(sums * planes.bits * len(X), expected, rtol=1e-12, atol=1e-9)
        np.testing.assert_array_equal(all_sums, each)
        if column < 7:
            sums = np.zeros(7)
            add_shared(column, 2, planes, memory.space, sums)
            shared = [-2 * mutual_information(other, x) for x in columns[:7]]
            np.testing.assert_allclose(sums * planes.bits, shared, rtol=1e-12, atol=1e-14)
    own = [len(X) * (np.log2(len(X)) - entropy(x)) for x in columns[:7]]
    np.testing.assert_allclose(planes.own * planes.bits * len(X), own, rtol=1e-12, atol=1e-9)


def test_a_search_stops_where_pairs_are_missing_and_goes_on():
    X, Y = problem(3)
    y = encode(Y).sparse()
    arranged = Arrangement.of(encode(X), y)
    labels = label_rows(y, [1], arranged, 1 << 20)
    gammas = np.array([[0.0, 1.0, 0.5, 1 / 3], [0.0, 1.0, 1.0, 1.0]]) * arranged.planes.bits

    def search(memory, ready):
        base, sums, ranking, scores = np.arange(7) / 70, np.zeros(7), np.zeros(4, dtype=np.int64), np.zeros(4)
        conditional, stops, t = np.linspace(0, 10, 7), [], 0
        if ready:
            memory.count(np.arange(7))
        while t < 4:
            t = grow(
                t,
                base,
                conditional,
                gammas,
                False,
                0,
                labels,
                arranged.planes,
                memory.space,
                1e-10,
                sums,
                ranking,
                scores,
            )
            if t < 4:
                stops.append(t)
                memory.count(ranking[t - 1 : t])
        return ranking.tolist(), scores.tolist(), stops

    at_once, bit_by_bit = search(PairMemory(arranged, 1 << 20), True), search(PairMemory(arranged, 0), False)
    assert at_once[:2] == bit_by_bit[:2]
    assert at_once[2] == []
    assert bit_by_bit[2] == [1, 2, 3]
