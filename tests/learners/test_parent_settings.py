"""Settings of parents by number, and pairs without repetitions, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.learners.parent_settings import checked_n_settings, distinct_pairs, parent_settings_of, stacked


@pytest.mark.parametrize("n_parents", [0, 1, 3, 20])
def test_bit_t_of_the_number_is_the_value_of_parent_t(n_parents):
    numbers = range(2**n_parents) if n_parents < 10 else [0, 1, 2**19, 2**20 - 1]
    settings = parent_settings_of(list(numbers), n_parents)
    assert settings.dtype == np.uint8
    assert settings.tolist() == [[number // 2**t % 2 for t in range(n_parents)] for number in numbers]


def test_too_many_parents_are_refused():
    assert checked_n_settings("Conditionals", 3, 20) == 2**20
    expected = (
        "^Conditionals.score_table needs a label with at most 20 parents, but label 3 has 21. Ask scores_of_pairs"
    )
    with pytest.raises(ParameterError, match=expected):
        checked_n_settings("Conditionals", 3, 21)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_stacked_rows(make):
    X = np.arange(6.0).reshape(2, 3)
    assert stacked(make(X), 3).shape == (6, 3)
    np.testing.assert_array_equal((stacked(make(X), 2) @ np.eye(3)), np.vstack([X, X]))
    kept = make(X)
    assert stacked(kept, 1) is kept


@given(st.data())
def test_distinct_pairs_against_a_dictionary(data):
    n_pairs, n_parents = data.draw(st.integers(0, 30)), data.draw(st.integers(0, 70))
    rows = data.draw(hnp.arrays(np.int64, n_pairs, elements=st.sampled_from([0, 1, 255, 256, 2**40])))
    values = data.draw(hnp.arrays(np.uint8, (n_pairs, n_parents), elements=st.integers(0, 1)))
    first, place = distinct_pairs(rows, values)
    pairs = [(int(row), *setting) for row, setting in zip(rows, values.tolist(), strict=True)]
    assert len({pairs[i] for i in first}) == first.size == len(set(pairs))
    assert [pairs[i] for i in first[place]] == pairs
    assert (np.diff(rows[first]) >= 0).all()
