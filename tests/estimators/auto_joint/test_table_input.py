"""What of a table is words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from plait.estimators.auto_joint.table_input import holds_words

COLUMNS = {"size": [1, 2], "share": [0.5, 0.1], "wet": [True, False]}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_hold_words_where_a_column_is_no_number(frame):
    assert not holds_words(frame(COLUMNS))
    for name in COLUMNS:
        assert not holds_words(frame({name: COLUMNS[name]}))
    assert holds_words(frame({"colour": ["red", "blue"]}))
    assert holds_words(frame({**COLUMNS, "colour": ["red", "blue"]}))


def test_arrays_and_lists_of_texts_are_words():
    assert holds_words(["some text", "another"])
    assert holds_words(np.array([["red", 1.0], ["blue", 2.0]], dtype=object))
    assert not holds_words(np.array([[1.0], [2.0]], dtype=object))
    assert not holds_words(np.eye(2))
