"""A column of joined tags as rows of names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.data import Dataset, split_tags

WORD = st.text(st.characters(exclude_characters="|", exclude_categories=("Z", "C")), min_size=1, max_size=4)


@given(st.lists(st.lists(WORD, unique=True)))
def test_joining_is_undone(rows):
    assert split_tags([" | ".join(row) for row in rows]) == [tuple(row) for row in rows]


@pytest.mark.parametrize("column", [pd.Series(["a;b", None, "b;;a;b"]), pl.Series(["a;b", None, "b;;a;b"])])
def test_gaps_have_no_tags_and_what_stands_twice_counts_once(column):
    rows = split_tags(column, ";")
    assert rows == [("a", "b"), (), ("b", "a")]
    assert Dataset(np.zeros((3, 1)), rows).label_names == ("a", "b")
    assert split_tags([np.nan, pd.NA]) == [(), ()]


def test_what_is_no_column_of_tags_is_refused():
    with pytest.raises(ParameterError, match="split_tags needs joined tags, but row 1 holds 3"):
        split_tags(["a", 3])
    with pytest.raises(ParameterError, match="split_tags needs sep to be a text that is not empty, but it is ''"):
        split_tags(["a"], "")
