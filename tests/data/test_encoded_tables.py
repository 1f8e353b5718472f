"""Tables as numbers for a model: fitted on the first part alone, gaps where they are wanted, and where gaps are."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier

from plait import recipes
from plait.data import Dataset, TableEncoder
from plait.data.encoded_tables import encoded_parts, first_gap, needs_encoder

# Unknown words of the second part are told by a note.
pytestmark = pytest.mark.filterwarnings("ignore::plait.data.DataWarning")
Y = [[1], [0], [1], [0]]
TABLE = Dataset(pd.DataFrame({"key": ["C", "C", "G", "G"], "size": [1.0, None, 3.0, 5.0]}), Y, name="songs")


def test_the_encoder_sees_the_training_part_alone():
    train, test = encoded_parts(TABLE.rows([0, 1]), TABLE.rows([2, 3]), model=recipes.br())
    expected = TableEncoder().fit(TABLE.X[:2])
    assert train.feature_names == tuple(expected.get_feature_names_out()) == ("size", "size=(gap)", "key=C")
    with pytest.warns(UserWarning, match="2 cells of 'key'"):
        np.testing.assert_array_equal(test.X, expected.transform(TABLE.X[2:]))
    assert train.feature_kinds == ("numeric", "binary", "binary")
    assert (train.Y.tolist(), test.Y.tolist()) == (Y[:2], Y[2:])


def test_numbers_without_gaps_come_back_as_they_are():
    data = Dataset([[1.0], [2.0], [3.0], [4.0]], Y)
    assert encoded_parts(data, data.rows([0]), model=recipes.br())[0] is data
    assert not needs_encoder(data)
    # A gap in the second part alone is filled by the median of the first.
    _, test = encoded_parts(data, Dataset([[np.nan]], [[1]]), model=recipes.br())
    assert test.X.tolist() == [[2.5]]


def test_gaps_stay_for_a_classifier_that_takes_them():
    data = Dataset([[1.0], [np.nan], [3.0], [4.0]], Y)
    model = HistGradientBoostingClassifier()
    assert not needs_encoder(data, model)
    assert encoded_parts(data, model=model)[0] is data
    assert np.isnan(encoded_parts(TABLE, model=model)[0].X[1, 0])


def test_the_first_gap_is_found_by_line_and_column():
    assert first_gap(TABLE) == "songs, row 2, column 'size' (1 gap in all)"
    assert first_gap(TABLE, skip=["size"]) == ""
    X = np.array([[1.0, 2.0], [np.nan, np.nan]])
    for form in (np.asarray, sparse.csr_matrix):
        data = Dataset(form(X), [[1], [0]], ["a", "b"], name="songs", lines=np.array([2, 5]))
        assert first_gap(data) == "songs, line 5, column 'a' (2 gaps in all)"
        assert first_gap(data.rows([0])) == ""
    assert first_gap(Dataset([[np.inf], [-np.inf]], [[1], [0]])) == ""
