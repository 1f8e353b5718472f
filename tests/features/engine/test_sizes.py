import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.features.engine.sizes import n_wanted


@given(st.integers(1, 10**6))
def test_square_root_is_rounded_up(n_samples):
    wanted = n_wanted("sqrt", n_samples, 10**7)
    assert (wanted - 1) ** 2 < n_samples <= wanted**2


@given(st.integers(1, 100), st.integers(1, 1000))
def test_percentages_are_exact(percent, n_columns):
    assert n_wanted(percent / 100, 5, n_columns) == max(1, percent * n_columns // 100)


@pytest.mark.parametrize(("asked", "wanted"), [(1, 1), (1.0, 7), (100, 7), (0.01, 1)])
def test_bounds(asked, wanted):
    assert n_wanted(asked, 4, 7) == wanted
    assert math.ceil(math.sqrt(4)) == n_wanted("sqrt", 4, 7)
