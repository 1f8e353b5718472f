import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.information.columns import column_logs, joint_content, numbered


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.booleans()), min_size=1, max_size=40))
def test_combinations_of_columns_are_numbered_one_to_one(rows):
    together = numbered(np.array(rows, dtype=object))
    assert len(set(zip(rows, together.tolist(), strict=True))) == len(set(rows)) == len(set(together.tolist()))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(0, 10**6))
def test_contents_are_sums_over_cells(values, seed):
    weights = np.random.default_rng(seed).random(len(values)) + 0.1
    for given_weights in (None, weights):
        logs, parts, checked = column_logs((values,), given_weights)
        cells = np.bincount(values, given_weights)
        cells = cells[cells > 0]
        expected = (cells * np.log2(cells)).sum()
        found = joint_content(parts, checked, logs) * logs.bits * logs.total
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_nothing_is_refused():
    with pytest.raises(ParameterError, match="at least one variable"):
        column_logs((), None)
