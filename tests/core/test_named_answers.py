"""Answers with names: sets, the most probable labels, and frames of the library that came in."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from plait.core.named_answers import RowFrame, label_sets, row_frame, top_labels
from plait.core.sentences import ParameterError

NAMES = ["sea", "sand", "sun"]


def test_sets_are_the_names_of_the_ones_of_a_row():
    rng = np.random.default_rng(0)
    labels = (rng.random((50, 3)) < 0.4).astype(int)
    expected = [tuple(name for name, one in zip(NAMES, row, strict=True) if one) for row in labels]
    assert label_sets(labels, NAMES) == expected
    assert label_sets(np.zeros((0, 3)), NAMES) == []
    assert label_sets(np.zeros((2, 3)), NAMES) == [(), ()]


def test_the_most_probable_labels_come_first_and_ties_go_by_number():
    top = top_labels(np.array([[0.5, 0.5, 0.7], [0.1, 0.2, 0.0]]), NAMES, 2, RowFrame())
    names, probabilities = top
    assert names.tolist() == [["sun", "sea"], ["sand", "sea"]]
    assert probabilities.tolist() == [[0.7, 0.5], [0.2, 0.1]]
    assert top_labels(np.ones((1, 3)), NAMES, 9, RowFrame()).names.shape == (1, 3)


def test_frames_are_of_the_library_that_came_in_and_keep_its_index():
    chances = np.array([[0.5, 0.6, 0.7], [0.1, 0.2, 0.0]])
    top = top_labels(chances, NAMES, 2, row_frame(pd.DataFrame({"a": [1, 2]}, index=["x", "y"])))
    frame = pickle.loads(pickle.dumps(top)).to_frame()
    assert frame.to_dict("list") == {
        "row": ["x", "x", "y", "y"],
        "rank": [1, 2, 1, 2],
        "label": ["sun", "sand", "sand", "sea"],
        "probability": [0.7, 0.6, 0.2, 0.1],
    }
    other = top_labels(chances, NAMES, 1, row_frame(pl.DataFrame({"a": [1, 2]}))).to_frame()
    assert isinstance(other, pl.DataFrame)
    assert other.rows() == [(0, 1, "sun", 0.7), (1, 1, "sand", 0.2)]
    assert isinstance(top_labels(chances, NAMES, 1, row_frame(chances)).to_frame("polars"), pl.DataFrame)
    with pytest.raises(ParameterError, match="to_frame needs library to be 'pandas' or 'polars', but it is 'excel'"):
        top.to_frame("excel")


def test_some_rows_keep_their_names():
    rows = row_frame(pd.DataFrame({"a": [1, 2, 3]}, index=["x", "y", "z"]))
    assert rows.take([2, 0]).names(2).tolist() == ["z", "x"]
    assert rows.take(np.array([False, True, True])).names(2).tolist() == ["y", "z"]
    assert RowFrame().take([1]).names(1).tolist() == [0]


def test_a_long_answer_is_printed_in_part():
    text = repr(top_labels(np.full((20, 3), 0.5), NAMES, 2, RowFrame()))
    assert text.splitlines()[0] == "row 0: sea 0.50, sand 0.50"
    assert text.splitlines()[-1] == "... 12 more rows"
