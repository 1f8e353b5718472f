import numpy as np
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.features.label_matrix import as_label_matrix


def test_matrices_stay_and_become_bytes():
    Y = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert as_label_matrix("S", Y).dtype == np.uint8
    np.testing.assert_array_equal(as_label_matrix("S", Y), Y)
    thin = as_label_matrix("S", sparse.coo_array(Y))
    assert thin.format == "csr"
    np.testing.assert_array_equal(thin.toarray(), Y)


def test_one_column():
    assert as_label_matrix("S", np.array([0, 1, 1])).tolist() == [[0], [1], [1]]
    assert as_label_matrix("S", np.array(["b", "a", "b"])).tolist() == [[1], [0], [1]]
    assert as_label_matrix("S", np.array([2, 0, 1])).tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert as_label_matrix("S", np.zeros(3)).tolist() == [[0], [0], [0]]


@pytest.mark.parametrize(
    ("Y", "words"),
    [
        (np.array([[0, 2], [1, 1]]), "only 0 and 1, but it holds 2"),
        (np.array([["a", "b"], ["a", "b"]]), "only 0 and 1, but it holds 'a'"),
        (sparse.csr_matrix([[0, 3]]), "only 0 and 1, but it holds 3"),
        (np.array([0.5, 1.7]), "Unknown label type: continuous"),
    ],
)
def test_wrong_targets(Y, words):
    with pytest.raises(ParameterError, match=words):
        as_label_matrix("S", Y)
