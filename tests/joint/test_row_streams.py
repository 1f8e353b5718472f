import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.joint import other_stream, row_seeds, row_uniforms


def test_numbers_are_uniform_and_never_at_the_ends():
    numbers = row_uniforms(row_seeds(0, 100), 2000)
    assert numbers.shape == (100, 2000)
    assert ((numbers > 0) & (numbers < 1)).all()
    counts, _ = np.histogram(numbers, bins=50, range=(0, 1))
    expected = numbers.size / 50
    assert ((counts - expected) ** 2 / expected).sum() < 49 + 6 * np.sqrt(2 * 49)


def test_streams_rows_and_places_have_nothing_to_do_with_each_other():
    seeds = row_seeds(0, 2000)
    numbers = np.column_stack([row_uniforms(seeds, 5, stream) for stream in (0, 1, 2)])
    correlation = np.corrcoef(numbers.T) - np.eye(15)
    assert np.abs(correlation).max() < 5 / np.sqrt(2000)
    assert np.abs(np.corrcoef(numbers[:-1, 0], numbers[1:, 0])[0, 1]) < 5 / np.sqrt(2000)


def test_rows_in_blocks_and_fewer_numbers_are_the_same():
    seeds = row_seeds(3, 9)
    whole = row_uniforms(seeds, 7, stream=4)
    np.testing.assert_array_equal(row_uniforms(seeds[4:], 7, stream=4), whole[4:])
    np.testing.assert_array_equal(row_uniforms(seeds, 3, stream=4), whole[:, :3])
    assert len(np.unique(other_stream(seeds, 0))) == 9
    assert row_uniforms(seeds[:0], 3).shape == (0, 3)


@pytest.mark.parametrize("wrong", [np.zeros(2, dtype=np.uint64), np.zeros(3, dtype=np.int64)])
def test_seeds_of_other_rows_are_refused(wrong):
    with pytest.raises(ParameterError, match="needs to hold one seed of type uint64 for each of 3 rows"):
        row_seeds(wrong, 3)
