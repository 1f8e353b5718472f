"""Contents of cells against plain sums, and the tabled ones against cell by cell."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.features._content_kernels import (
    add_contents,
    add_difference,
    add_tabled,
    copy_line,
    fill_groups,
    put_back,
    set_aside,
    take_off,
    write_pairs,
    write_tabled_pairs,
)

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
