import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.counts import checked_weights, count_pairs


def test_whole_numbers_become_integers_and_others_stay_floats():
    assert checked_weights([1.0, 2.0, 0.0], 3).dtype == np.int64
    assert checked_weights(np.array([True, False]), 2).tolist() == [1, 0]
    assert checked_weights([0.5, 1.0], 2).dtype == np.float64
    # Sums of these are no longer exact in floats, so that they are not taken for whole.
    assert checked_weights([2.0**53, 1.0], 2).dtype == np.float64


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0, 1.0], [1.0, np.nan, 1.0], [[1.0], [1.0], [1.0]]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ParameterError, match="needs weights"):
        count_pairs(np.zeros((3, 1)), weights=weights)
