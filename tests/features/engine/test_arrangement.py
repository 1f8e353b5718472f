import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.parallel import Threads
from plait.counts import encode
from plait.features.engine.arrangement import Arrangement, PairMemory, label_rows

seeds = st.integers(0, 2**32 - 1)


def mixed(seed, n=50, d=9):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(2, 6, size=d), size=(n, d)) - 1
    return X, rng.integers(0, 2, size=(n, 3)).astype(np.uint8)


@given(seeds)
def test_every_plane_is_where_the_columns_say(seed):
    X, Y = mixed(seed)
    arranged = Arrangement.of(encode(X), encode(Y))
    planes = arranged.planes
    dense = np.zeros((len(X), arranged.totals.size), dtype=int)
    for i in range(len(X)):
        dense[i, planes.indices[planes.indptr[i] : planes.indptr[i + 1]]] += 1
    np.testing.assert_array_equal(arranged.totals, dense.sum(axis=0))
    assert sorted(planes.names) == list(range(9))
    columns = [*X[:, planes.names].T, *Y.T]
    for column, (first, step, n_each) in zip(columns, planes.columns, strict=True):
        values = sorted(set(column.tolist()) - {0}) or [1]
        assert n_each == len(values)
        for k, value in enumerate(values):
            np.testing.assert_array_equal(dense[:, first + k * step], column == value)
    for first, n, plane, n_each in planes.runs:
        assert (planes.columns[first : first + n, 2] == n_each).all()
        assert planes.columns[first, 0] == plane
        assert (np.diff(planes.names[first : first + n]) > 0).all()
    if arranged.words.size:
        bits = (arranged.words[:, None] >> np.arange(64, dtype=np.uint64)[:, None]) & np.uint64(1)
        np.testing.assert_array_equal(bits.reshape(-1, dense.shape[1])[: len(X)], dense)


def test_bits_are_made_where_they_are_worth_it(monkeypatch):
    rng = np.random.default_rng(0)
    some = encode(rng.integers(0, 2, size=(50, 3)))
    assert Arrangement.of(some, some).words.shape == (1, 6)
    wide = encode((rng.random((500, 4000)) < 0.001).astype(int))
    assert Arrangement.of(wide, wide.columns(0, 0)).words.shape[0] == 0
    monkeypatch.setattr("plait.features.engine.arrangement._MOST_BYTES", 47)
    assert Arrangement.of(some, some).words.shape[0] == 0


@given(seeds)
def test_labels_are_kept_by_their_rarer_value(seed):
    X, Y = mixed(seed)
    arranged = Arrangement.of(encode(X), encode(Y))
    labels = label_rows(encode(Y).sparse(), [2, 0], arranged, 1 << 20)
    for place, label in enumerate([2, 0]):
        rows = labels.rows[labels.row_starts[place] : labels.row_starts[place + 1]]
        assert labels.sizes[place] == rows.size <= len(Y) / 2
        value = Y[rows[0], label] if rows.size else None
        np.testing.assert_array_equal(rows, np.flatnonzero(Y[:, label] == value))
        np.testing.assert_array_equal(labels.margins[place].sum(axis=0), arranged.totals)
        n_words = labels.word_starts[place + 1] - labels.word_starts[place]
        assert n_words in (0, (rows.size + 63) // 64)
    none = label_rows(encode(Y).sparse(), [2, 0], arranged, 0)
    assert none.words.shape[0] == 0
    np.testing.assert_array_equal(none.margins, labels.margins)


@pytest.mark.parametrize(("counts", "frequent"), [([3, 4, 5], []), ([3, 4, 90], [2]), ([200, 300, 400], [0, 1, 2])])
def test_few_frequent_candidates_are_left_out_of_the_tables(counts, frequent):
    X = np.arange(500)[:, None] < counts
    planes = Arrangement.of(encode(X.astype(int)), encode(X.astype(int))).planes
    assert planes.frequent.tolist() == frequent
    assert planes.tabled == max([c for k, c in enumerate(counts) if k not in frequent], default=0)


def test_tables_are_for_two_valued_candidates():
    X, Y = mixed(1)
    assert Arrangement.of(encode(X), encode(Y)).planes.tabled == 0


def arranged(n_symbols=3):
    rng = np.random.default_rng(0)
    X = rng.integers(0, n_symbols, size=(70, 6))
    return X, Arrangement.of(encode(X), encode(X[:, :0]))


def line_of(memory, column, plane, n_planes):
    start = memory.space.places[column, 0] + plane * n_planes
    return memory.space.lines[start : start + n_planes]


def expected_line(X, column, symbol):
    return [((X[:, column] == symbol) & (X[:, other] == s)).sum() for s in (1, 2) for other in range(6)]


def test_lines_are_counts_with_all_planes():
    X, arrangement = arranged()
    memory = PairMemory(arrangement, 1 << 20)
    assert memory.holds_all
    memory.count(np.array([4, 1]))
    for column in (4, 1):
        for plane, symbol in enumerate((1, 2)):
            line = line_of(memory, column, plane, 12)
            np.testing.assert_array_equal(line, expected_line(X, column, symbol))
    assert (memory.space.places[[0, 2, 3, 5]] == -1).all()


def test_a_full_memory_forgets():
    X, arrangement = arranged()
    memory = PairMemory(arrangement, 400)  # two columns of 2 x 12 counts and 6 contents
    assert not memory.holds_all
    for column in (0, 1, 2):
        memory.count(np.array([column]))
    assert (memory.space.places[:, 0] >= 0).tolist() == [False, False, True, False, False, False]
    np.testing.assert_array_equal(line_of(memory, 2, 1, 12), expected_line(X, 2, 2))


def test_all_pairs_by_any_number_of_threads():
    _, arrangement = arranged()
    memories = []
    for n_jobs in (1, 3):
        memory = PairMemory(arrangement, 1 << 20)
        with Threads(n_jobs) as threads:
            memory.count_all(threads)
        memories.append(memory)
    one, three = memories
    np.testing.assert_array_equal(one.space.places, three.space.places)
    np.testing.assert_array_equal(one.space.lines, three.space.lines)
    np.testing.assert_array_equal(one.space.pairs, three.space.pairs)
    other = one.beside()
    assert other.space.lines is one.space.lines
    assert other.space.counts is not one.space.counts
