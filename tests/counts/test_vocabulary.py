import numpy as np

from plait.counts import Vocabulary
from plait.counts.vocabulary import distinct_symbols


def test_entries_are_numbered_by_column_and_value():
    columns = np.array([2, 0, 0, 2, 2, 0])
    values = np.array([1.0, np.nan, -1.0, 1.0, 0.5, np.nan])
    vocabulary, planes = distinct_symbols(columns, values, 4)
    assert vocabulary.offsets.tolist() == [0, 2, 3, 5, 6]
    np.testing.assert_array_equal(vocabulary.values, [-1, np.nan, 1, 0.5, 1, 1])
    assert planes.tolist() == [4, 1, 0, 4, 3, 1]


def test_union_and_parts():
    a = Vocabulary(np.array([0, 1, 3]), np.array([1.0, 2.0, np.nan]))
    b = Vocabulary(np.array([0, 1, 2]), np.array([5.0, np.nan]))
    both, from_a, from_b = a.union(b)
    np.testing.assert_array_equal(both.values, [1, 5, 2, np.nan])
    assert (from_a.tolist(), from_b.tolist()) == ([0, 2, 3], [1, 3])
    assert both.part(1, 2) == Vocabulary(np.array([0, 2]), np.array([2.0, np.nan]))
    assert Vocabulary.binary(3).one_plane_each
    assert not both.one_plane_each
    assert both != "words"


def test_what_does_not_occur_is_left_out():
    vocabulary = Vocabulary(np.array([0, 2, 3]), np.array([2.0, 4.0, 9.0]))
    kept, planes = vocabulary.kept(np.array([False, True, False]))
    assert kept == Vocabulary(np.array([0, 1, 2]), np.array([4.0, 1.0]))
    assert planes.tolist() == [1, -1]
