"""The best candidate against the tie rule, triples against entropies, and a search that is stopped and goes on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plait.core.ties import TIE_TOLERANCE, first_best
from plait.counts import encode
from plait.features.engine._criterion_kernels import (
    _largest,
    add_all_triples,
    add_contents,
    add_difference,
    add_shared,
    add_tabled,
    add_triples,
    best_candidate,
    copy_line,
    fill_groups,
    grow,
    put_back,
    set_aside,
    take_off,
    write_pairs,
    write_tabled_pairs,
)
from plait.features.engine.arrangement import Arrangement, PairMemory, label_rows
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


seeds = st.integers(0, 2**32 - 1)


def made_up_table(size, rng):
    """Return whole numbers in the place of n log2 n: sums of cells are then right or wrong, never near."""
    table = rng.integers(-(2**50), 2**50, size=size + 1)
    table[0] = 0
    return table


@given(st.lists(st.integers(1, 4), min_size=1, max_size=7), st.integers(0, 40), seeds)
def test_contents_of_any_number_of_symbols(n_each, size, seed):
    rng = np.random.default_rng(seed)
    n_each = sorted(n_each)
    table = made_up_table(size, rng)
    cells = [rng.multinomial(size, np.ones(k + 1) / (k + 1)) for k in n_each]
    runs, counts, plane = [], [], 0
    for k in sorted(set(n_each)):
        members = [m for m, each in enumerate(n_each) if each == k]
        runs.append([members[0], len(members), plane, k])
        counts += [cells[m][1 + a] for a in range(k) for m in members]
        plane += k * len(members)
    contents = rng.integers(-9, 9, size=len(n_each))
    before = contents.copy()
    rest = np.empty(len(n_each), dtype=np.uint32)
    add_contents(np.array(counts, dtype=np.uint32), size, np.array(runs), table, rest, contents)
    assert (contents - before).tolist() == [int(table[cell].sum()) for cell in cells]


@given(st.integers(1, 12), st.integers(1, 60), seeds)
def test_tables_and_cells_give_the_same(n_candidates, n_rows, seed):
    rng = np.random.default_rng(seed)
    table = made_up_table(n_rows, rng)
    in_label, with_column = rng.integers(0, 2, size=(2, n_rows))
    X = (rng.random((n_rows, n_candidates)) < rng.random(n_candidates)).astype(np.int64)
    line, inside = (X.T @ part for part in (with_column, in_label * with_column))
    margins = np.stack([X.T @ in_label, X.T @ (1 - in_label)]).astype(np.uint32)
    cells = [(y, x) for y in (in_label, 1 - in_label) for x in (with_column, 1 - with_column)]
    sizes = np.array([(y * x).sum() for y, x in cells])
    expected = [sum(table[(y * x * v == 1).sum()] + table[(y * x * (1 - v)).sum()] for y, x in cells) for v in X.T]
    pairs = rng.integers(-99, 99, size=n_candidates)
    tabled = int(rng.integers(0, n_rows + 1))
    frequent = np.flatnonzero(X.sum(axis=0) > tabled)
    groups = np.full((4, n_rows + 1), 2**40)
    sums, aside = rng.integers(-9, 9, size=n_candidates).astype(float), np.empty(n_candidates)
    before = sums.copy()
    line, inside = line.astype(np.uint32), inside.astype(np.uint32)
    fill_groups(sizes, tabled, table, groups)
    set_aside(sizes, line, inside, margins, table, frequent, pairs, sums, aside)
    add_tabled(groups, line, inside, margins[0], margins[1], pairs, sums)
    put_back(frequent, aside, sums)
    np.testing.assert_array_equal(sums, before + (np.array(expected) - pairs).astype(float))


@given(st.integers(1, 12), st.integers(1, 60), seeds)
def test_pairs_by_tables_and_by_cells(n_candidates, n_rows, seed):
    rng = np.random.default_rng(seed)
    table = made_up_table(n_rows, rng)
    column = rng.integers(0, 2, size=n_rows)
    X = (rng.random((n_rows, n_candidates)) < rng.random(n_candidates)).astype(np.int64)
    line, totals = (X.T @ column).astype(np.uint32), X.sum(axis=0).astype(np.uint32)
    sizes = np.array([column.sum(), n_rows - column.sum()])
    tabled = int(rng.integers(0, n_rows + 1))
    groups, pairs = np.full((2, n_rows + 1), 2**40), np.empty(n_candidates, dtype=np.int64)
    fill_groups(sizes, tabled, table, groups)
    write_tabled_pairs(groups, line, totals, pairs)
    write_pairs(sizes, line, totals, table, np.flatnonzero(totals > tabled), pairs)
    joint = [[((column == a) & (x == b)).sum() for a in (0, 1) for b in (0, 1)] for x in X.T]
    assert pairs.tolist() == [int(table[np.array(cells)].sum()) for cells in joint]


def test_lines():
    left, out = np.array([5, 6, 7], dtype=np.uint32), np.zeros(2, dtype=np.uint32)
    take_off(np.array([1, 2], dtype=np.uint32), left)
    copy_line(left, out)
    assert left.tolist() == [4, 4, 7]
    assert out.tolist() == [4, 4]
    sums = np.array([0.5, 1.0])
    add_difference(np.array([3, 4]), np.array([1, 5]), sums)
    assert sums.tolist() == [2.5, 0.0]
