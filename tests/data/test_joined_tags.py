"""A column of joined tags as rows of names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.data import Dataset, DataWarning, from_frame, load_dataset, split_tags
from plait.data.joined_tags import read_tags

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


@given(
    st.lists(st.lists(st.sampled_from(["sea", "sun", "blue sky", "north-west"]), unique=True)), st.sampled_from("|;")
)
def test_what_joins_tags_is_found_out(rows, sep):
    tags, found, _ = read_tags([f"{sep} ".join(row) for row in rows])
    assert tags == [tuple(row) for row in rows]
    assert found == (sep if any(len(row) > 1 for row in rows) else "|")


def test_commas_join_tags_that_recur_and_stay_in_names_that_do_not():
    assert read_tags(["sea, sun", "sun", "sea"])[:2] == ([("sea", "sun"), ("sun",), ("sea",)], ",")
    names = ["Smith, Ann", "Doe, Jo", "Smith, Ann"]
    tags, found, note = read_tags(names)
    assert (tags, found) == ([("Smith, Ann",), ("Doe, Jo",), ("Smith, Ann",)], "|")
    assert note == "'Doe, Jo' is taken for one tag; sep=',' (--sep ,) splits at commas."
    assert read_tags(["Doe, Jo; Smith, Ann", "Doe, Jo"])[0] == [("Doe, Jo", "Smith, Ann"), ("Doe, Jo",)]


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=("Z", "C")), min_size=1), unique=True), min_size=1))
def test_lists_in_writing_are_lists(rows):
    tags, found, note = read_tags([str(row) for row in rows])
    assert tags == [tuple(row) for row in rows]
    assert (found, note) == ("|", None)


@pytest.mark.parametrize("cell", ["[sea", "[1, 2]", "[" * 10_000 + "]" * 10_000, "[open('x')]", "[]]"])
def test_what_only_looks_like_a_list_is_a_tag(cell):
    assert read_tags([cell, "sun"])[0][1] == ("sun",)


def test_tables_say_what_they_split_at_and_the_test_part_follows(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "tags": ["sea;sun", "sun", None]})
    with pytest.warns(DataWarning, match=r"data, column 'tags': tags are split at ';'; sep= \(--sep\) says otherwise"):
        data = from_frame(frame, tags="tags")
    assert (data.label_names, data.tags_sep, data.rows([0]).tags_sep) == (("sea", "sun"), ";", ";")
    assert from_frame(frame, tags="tags", sep="|").label_names == ("sea;sun", "sun")
    frame.to_csv(tmp_path / "t-train.csv", index=False)
    (tmp_path / "t-test.csv").write_text("x,tags\n1,sea;sun\n2,a|b\n")
    with pytest.warns(DataWarning, match="split at ';'"):
        assert load_dataset(tmp_path / "t.csv", tags="tags", split="test").label_names == ("a|b", "sea", "sun")
