import numpy as np

from plait.counts import encode
from plait.features.arrangement import Arrangement
from plait.features.pair_memory import PairMemory
from plait.features.thread_map import Threads


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
