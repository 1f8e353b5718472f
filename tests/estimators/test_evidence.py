import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.estimators.evidence import as_evidence, label_number

NAMES = ("sea", "sun", "sand")


def test_mappings_and_arrays_mean_the_same():
    by_name = as_evidence({"sun": 1, "sea": [0, 1]}, NAMES, 2)
    by_number = as_evidence({1: 1.0, -3: np.array([0, 1])}, NAMES, 2)
    by_array = as_evidence([[0, 1, np.nan], [1, 1, -1]], NAMES, 2)
    assert by_name.dtype == np.int8
    np.testing.assert_array_equal(by_name, [[0, 1, -1], [1, 1, -1]])
    np.testing.assert_array_equal(by_number, by_name)
    np.testing.assert_array_equal(by_array, by_name)


def test_values_of_a_row_may_be_unknown():
    np.testing.assert_array_equal(as_evidence({"sand": [np.nan, 1]}, NAMES, 2), [[-1, -1, -1], [-1, -1, 1]])


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"son": 1}, "there is no label 'son'. Pass one of 3 names, such as 'sun'"),
        ({3: 1}, "names or numbers from 0 to 2, but one is 3"),
        ({True: 1}, "names or numbers from 0 to 2, but one is True"),
        ({"sun": 2}, "needs evidence to hold 0, 1 or NaN .unknown., but it holds 2"),
        ({"sun": [1, 0, 1]}, r"needs the value of 'sun' to be one number or 2 numbers, but its shape is \(3,\)"),
        (np.zeros((2, 2)), r"array of shape \(2, 3\), but its shape is \(2, 2\)"),
    ],
)
def test_wrong_evidence_is_refused(evidence, words):
    with pytest.raises(ParameterError, match=f"^given .*{words}"):
        as_evidence(evidence, NAMES, 2)


def test_label_numbers():
    assert [label_number("f", label, NAMES) for label in ("sea", 2, -1, np.int64(1))] == [0, 2, 2, 1]
