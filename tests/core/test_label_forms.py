"""Labels as people have them become one table with names, or are refused in one sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.core.label_forms import read_labels
from plait.core.sentences import ParameterError

Y = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]])
NAMES = ("sand", "sea", "sun")
ROWS = [["sand", "sun"], [], ["sea", "sand"]]


def objects(rows):
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


NAMED = {
    "lists": ROWS,
    "tuples": [tuple(row) for row in ROWS],
    "sets": [set(row) for row in ROWS],
    "frozen sets": tuple(frozenset(row) for row in ROWS),
    "sets and lists": [ROWS[0], set(), tuple(ROWS[2])],
    "arrays": [np.array(row, dtype=str) for row in ROWS],
    "an array of lists": objects(ROWS),
    "a Series of lists": pd.Series(ROWS, index=[5, 6, 7]),
    "a Series of sets": pd.Series([set(row) for row in ROWS]),
    "a polars Series": pl.Series("tags", ROWS),
    "a frame of one column of lists": pd.DataFrame({"tags": ROWS}),
    "a frame": pd.DataFrame(Y, columns=NAMES),
    "a frame of booleans": pd.DataFrame(Y.astype(bool), columns=NAMES),
    "a sparse frame": pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(Y), columns=NAMES),
    "a frame of yes and no": pd.DataFrame(np.where(Y == 1, " Yes", "no"), columns=NAMES),
    "a frame of ja and nein": pl.DataFrame(np.where(Y == 1, "ja", "nein"), schema=list(NAMES)),
    "categories": pd.DataFrame(np.where(Y == 1, "yes", "no"), columns=NAMES).astype("category"),
}


@pytest.mark.parametrize("form", NAMED.values(), ids=NAMED.keys())
def test_forms_with_names(form):
    table, names = read_labels("fit", "y", form)
    assert names == NAMES
    np.testing.assert_array_equal(table.toarray() if sparse.issparse(table) else table.astype(int), Y)


@pytest.mark.parametrize("form", [Y, Y.tolist(), sparse.csr_matrix(Y), objects(Y.tolist()), np.where(Y, "x1", "1")[:0]])
def test_forms_without_names(form):
    table, names = read_labels("fit", "y", form)
    assert names is None
    assert table.shape[0] == len(form) if hasattr(form, "__len__") and not sparse.issparse(form) else 3


@given(st.lists(st.sets(st.integers(-5, 40)), min_size=1))
def test_sets_of_integers_are_columns_in_the_order_of_numbers(rows):
    table, names = read_labels("fit", "y", rows)
    found = sorted({entry for row in rows for entry in row})
    assert names == tuple(map(str, found))
    expected = [[number in row for number in found] for row in rows]
    np.testing.assert_array_equal(table, np.array(expected, dtype=int).reshape(table.shape))


def test_known_names_give_the_columns():
    known = ("sun", "moon", "sea", "sand")
    np.testing.assert_array_equal(
        read_labels("f", "Y", ROWS, known=known).table, [[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 1]]
    )
    frame = pd.DataFrame(Y, columns=NAMES)
    turned = read_labels("f", "Y", frame, known=NAMES[::-1])
    assert turned.names == NAMES[::-1]
    np.testing.assert_array_equal(turned.table, Y[:, ::-1])
    thin = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(Y), columns=NAMES)
    np.testing.assert_array_equal(read_labels("f", "Y", thin, known=NAMES[::-1]).table.toarray(), Y[:, ::-1])
    assert read_labels("f", "Y", frame, known=("a", "b", "c")).names == NAMES  # other names: by position


def test_names_split_at_commas_without_care():
    rows = [cell.split(",") for cell in ("sea, sun", "", "sun ,", "sea")]
    found = read_labels("fit", "y", rows)
    assert found.names == ("sea", "sun")
    assert found.table.tolist() == [[1, 1], [0, 0], [0, 1], [1, 0]]
    spelt = read_labels("fit", "y", [[" sea"], [""], ["sea"]], known=("", " sea", "sea"))
    assert spelt.table.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_names_that_are_not_known():
    with pytest.raises(ParameterError, match="f needs Y to hold labels that are known, but 'sun' is none of the 2"):
        read_labels("f", "Y", ROWS, known=("sea", "sand"))
    table, names = read_labels("f", "Y", ROWS, known=("sea", "sand"), more=True)
    assert names == ("sea", "sand", "sun")
    np.testing.assert_array_equal(table, Y[:, [1, 0, 2]])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([{"sea"}, {3}], "name labels by words or by integers, but it holds 'sea' and 3"),
        ([{2.5}, {3}], "name labels by words or by integers, but it holds 2.5"),
        ([{True}], "name labels by words or by integers, but it holds True"),
        ([{"sea"}, "sun"], "hold a set or list of labels in every row, but row 1 holds 'sun'"),
        (
            pd.Series([["sea"], None]),
            "hold a set or list of labels in every row, but row 1 holds None. Pass an empty list where",
        ),
        ([[0.5, 1], [0.5]], "name labels by words or by integers, but it holds 0.5"),
    ],
)
def test_unequal_kinds_are_refused_in_one_sentence(wrong, says):
    with pytest.raises(ParameterError, match=f"^fit needs y to {says}"):
        read_labels("fit", "y", wrong)


def test_tables_of_other_words_stay_as_they_are():
    words = np.array([["yes", "maybe"], ["no", "no"]])
    assert read_labels("fit", "y", words).table is words
    mixed = np.array([["yes", 1], ["no", 0]], dtype=object)
    assert read_labels("fit", "y", mixed).table is mixed
