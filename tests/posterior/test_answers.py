import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.posterior.answers import as_evidence

NAMES = ("sea", "sun", "sand")


def test_mappings_and_arrays_mean_the_same():
    by_name = as_evidence({"sun": 1, "sea": [0, 1]}, NAMES, 2)
    by_number = as_evidence({1: 1.0, 0: np.array([0, 1])}, NAMES, 2)
    by_array = as_evidence([[0, 1, np.nan], [1, 1, -1]], NAMES, 2)
    assert by_name.dtype == np.int8
    np.testing.assert_array_equal(by_name, [[0, 1, -1], [1, 1, -1]])
    np.testing.assert_array_equal(by_number, by_name)
    np.testing.assert_array_equal(by_array, by_name)


def test_every_form_of_a_gap_in_evidence_is_the_same():
    table = np.array([[0, 1, np.nan], [1, np.nan, 0]])
    gaps = np.isnan(table)
    objects = np.where(gaps, None, table.astype(object))
    frame = pd.DataFrame(table, columns=NAMES).astype("Int64")
    forms = (
        *(np.ma.masked_invalid(table), np.ma.masked_array(np.nan_to_num(table).astype(int), gaps)),
        *(sparse.csr_matrix(table), sparse.coo_array(table), objects, objects.tolist(), frame),
        *(frame.to_numpy(dtype=object), frame[["sand", "sea", "sun"]]),
    )
    for form in forms:
        np.testing.assert_array_equal(as_evidence(form, NAMES, 2), [[0, 1, -1], [1, -1, 0]])


def test_values_of_a_row_may_be_unknown():
    np.testing.assert_array_equal(as_evidence({"sand": [np.nan, 1]}, NAMES, 2), [[-1, -1, -1], [-1, -1, 1]])


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"son": 1}, "'son' is not one of the 3 labels. Did you mean 'sun'"),
        ({3: 1}, "labels from 0 to 2, but it holds 3"),
        ({True: 1}, "numbers or names, but it holds True"),
        ({"sun": 2}, "needs evidence to hold 0, 1 or NaN .unknown., but it holds 2"),
        ({"sun": [1, 0, 1]}, r"needs the value of 'sun' to be one number or 2 numbers, but its shape is \(3,\)"),
        (np.full((2, 3), "yes"), "but its values are no numbers"),
        (np.zeros((2, 2)), r"array of shape \(2, 3\), but its shape is \(2, 2\)"),
    ],
)
def test_wrong_evidence_is_refused(evidence, words):
    with pytest.raises(ParameterError, match=f"^given .*{words}"):
        as_evidence(evidence, NAMES, 2)


def test_a_name_of_two_labels_is_refused():
    with pytest.raises(ParameterError, match="2 labels are called 'sea'"):
        as_evidence({"sea": 1}, ("sea", "sea", "sun"), 2)


GAPS = np.array([[-1, 1, -1], [0, -1, 1]])


@pytest.mark.parametrize(
    "evidence",
    [
        [{"sun": 1}, {0: False, "sand": 1.0, "sun": None}],
        ({"sun": True, "sea": np.nan}, {np.int64(0): 0, "sand": np.bool_(True)}),
        pd.DataFrame({"sun": [1, None], "sea": [None, 0], "sand": [np.nan, 1]}),
        pd.DataFrame({"sun": [True, None], "sea": [None, False], "sand": [None, True]}, dtype="boolean"),
        pl.DataFrame({"sand": [None, 1], "sun": [1, None], "sea": [None, 0]}),
        {"sun": [1, None], "sea": [None, 0], "sand": pd.Series([pd.NA, 1])},
    ],
)
def test_evidence_row_by_row(evidence):
    np.testing.assert_array_equal(as_evidence(evidence, ("sea", "sun", "sand"), 2), GAPS)


@pytest.mark.parametrize(
    ("evidence", "says"),
    [
        ([{"sun": 1}], "given needs a list of evidence to have 2 mappings, one for each row, but it has 1"),
        ([{"sun": 1}, 3], "one for each row, but row 1 is 3. Pass {} where nothing is known"),
        ([{"sum": 1}, {}], "given needs evidence to name labels, but 'sum' is not one of the 3 labels"),
        ([{"sun": "yes"}, {}], "the value of 'sun' to be 0, 1 or NaN .unknown., but it is 'yes'"),
        ([{"sun": 2}, {}], "given needs evidence to hold 0, 1 or NaN .unknown., but it holds 2"),
        (pd.DataFrame({"moon": [0, 1]}), "given needs evidence to name labels, but 'moon' is not one of the 3 labels"),
    ],
)
def test_wrong_evidence_of_rows(evidence, says):
    with pytest.raises(ParameterError, match=says):
        as_evidence(evidence, ("sea", "sun", "sand"), 2)
