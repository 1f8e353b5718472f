import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.features.engine.merit_search import subset_merit


def merit_by_loops(to_target, between):
    """Hall's merit of all members, from their correlations with the target and the matrix between them."""
    n = len(to_target)
    pairs = [between[i][k] for i in range(n) for k in range(n) if i < k]
    mean_between = sum(pairs) / len(pairs) if pairs else 0.0
    return n * (sum(to_target) / n) / (n + n * (n - 1) * mean_between) ** 0.5


shares = st.floats(0, 1)


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.lists(shares, min_size=n, max_size=n), st.just(n))), st.data())
def test_merit_is_halls(members, data):
    to_target, n = members
    between = np.array(data.draw(st.lists(st.lists(shares, min_size=n, max_size=n), min_size=n, max_size=n)))
    between = (between + between.T) / 2
    among = sum(between[i, k] for i in range(n) for k in range(i))
    expected = merit_by_loops(to_target, between)
    assert subset_merit(sum(to_target), among, n) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(shares)
def test_a_copy_of_the_only_member_changes_nothing(uncertainty):
    alone = subset_merit(uncertainty, 0.0, 1)
    assert alone == uncertainty
    assert subset_merit(2 * uncertainty, 1.0, 2) == pytest.approx(alone, rel=1e-15, abs=0)


def test_no_member():
    assert subset_merit(0.0, 0.0, 0) == 0.0
