"""The highest values of rows, ties by number."""

import numpy as np
import pytest

from plait.core.named_answers import highest


@pytest.mark.parametrize("n_columns", [5, 64, 200])
@pytest.mark.parametrize("k", [1, 4, 70])
def test_as_a_stable_sort_finds_them(n_columns, k):
    values = np.random.default_rng(0).integers(0, 9, size=(50, n_columns)) / 9  # many ties
    np.testing.assert_array_equal(highest(values, k), np.argsort(-values, axis=1, kind="stable")[:, :k])
