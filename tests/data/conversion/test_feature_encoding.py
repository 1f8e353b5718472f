import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data import DataError, DataWarning
from plait.data.conversion.attributes import Attribute, label_codes, value_codes
from plait.data.conversion.feature_encoding import encode_features, is_identifier, unique_names

NAN = math.nan


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (["0", "1"], (0, 1)),
        (["1", "0"], (1, 0)),
        (["1.0", "0.0"], (1, 0)),
        (["1", "-1"], (1, 0)),
        (["TRUE", "false"], (1, 0)),
        (["Yes", "No"], (1, 0)),
        (["T", "F"], (1, 0)),
        (["F", "M"], (0, 1)),
        (["M", "F"], (0, 1)),
        (["2", "1"], (0, 1)),
        (["b", "a"], (0, 1)),
        (["only"], (0,)),
        (["1"], (1,)),
        (["2", "10", "1"], (0, 1, 2)),
    ],
)
def test_value_codes(values, codes):
    assert value_codes(values) == codes


@pytest.mark.parametrize(
    ("values", "codes"),
    [(["a", "b"], (0, 1)), (["0"], (0,)), (["yes"], (1,)), (["a"], None), (["0", "1", "2"], None), ([], None)],
)
def test_label_codes(values, codes):
    assert label_codes(values) == codes


def test_identifiers_are_told_from_a_few_rows_that_differ():
    assert is_identifier(8, 8, 4)  # just seven pairs by chance
    assert not is_identifier(10, 10, 7)
    assert is_identifier(463, 463, 662)
    assert is_identifier(662, 661, 662)
    assert not is_identifier(10, 10, 10)
    assert not is_identifier(1000, 500, 1000)
    assert not is_identifier(199, 199, 10**9)


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "b", "a (2) (2)"])))
def test_unique_names_are_unique_and_keep_first_ones(names):
    found = unique_names(names)
    assert len(set(found)) == len(names)
    assert all(new.startswith(old) for new, old in zip(found, names, strict=True))
    for name in set(names):
        first = names.index(name)
        assert found[first] == name or name in found[:first]


SKY = Attribute("sky", "nominal", ("sun", "rain", "snow"))
WIND = Attribute("wind")
WET = Attribute("wet", "nominal", ("no", "yes"))
DRY = Attribute("dry", "nominal", ("1", "0"))
NOTE = Attribute("note", "string")


def test_missing_stays_missing_in_every_column():
    X, names, kinds = encode_features(np.array([[NAN, NAN], [1.0, 1.0]]), [SKY, WET])
    assert names == ["sky=sun", "sky=rain", "sky=snow", "wet"]
    assert kinds == ["binary"] * 4
    assert_array_equal(X, [[NAN, NAN, NAN, NAN], [0, 1, 0, 1]])


def test_codes_stay_one_column():
    X, names, kinds = encode_features(np.array([[2.0, 0.5]]), [SKY, WIND], "codes")
    assert names == ["sky", "wind"]
    assert kinds == ["nominal", "numeric"]
    assert_array_equal(X, [[2.0, 0.5]])


def test_one_warning_names_all_that_is_dropped():
    protein = Attribute("protein", "nominal", tuple(f"P{i}" for i in range(40)))
    X = np.column_stack((np.arange(30.0), np.zeros(30), np.ones(30)))
    with pytest.warns(DataWarning, match=r"^f\.arff: left out 'protein', 'note', which only tells") as caught:
        found, names, kinds = encode_features(X, [protein, NOTE, WIND], source="f.arff")
    assert len(caught) == 1
    assert names == ["wind"]
    assert kinds == ["numeric"]
    assert_array_equal(found, np.ones((30, 1)))


def test_an_identifier_with_missing_values_and_one_double_is_dropped_when_sparse():
    protein = Attribute("protein", "nominal", tuple(f"P{i}" for i in range(200)))
    codes = np.r_[np.arange(150.0), 3.0, NAN]
    X = sparse.csr_matrix(np.column_stack((codes, np.ones(152))))
    with pytest.warns(DataWarning, match="protein"):
        found, names, _ = encode_features(X, [protein, WIND])
    assert names == ["wind"]
    assert_array_equal(found.toarray(), np.ones((152, 1)))


def test_columns_with_the_same_name_are_renamed():
    clash = Attribute("sky=rain")
    _, names, _ = encode_features(np.zeros((1, 2)), [SKY, clash])
    assert names == ["sky=sun", "sky=rain", "sky=snow", "sky=rain (2)"]


def test_an_unknown_mode_is_a_parameter_error():
    with pytest.raises(ParameterError, match="encode_features needs nominal to be 'onehot' or 'codes'"):
        encode_features(np.zeros((1, 1)), [WIND], "dummy")


def test_widening_is_bounded_by_what_the_file_holds():
    wide = Attribute("wide", "nominal", tuple(str(i) for i in range(2**15)))
    for X in (np.zeros((2**14, 1)), sparse.csr_matrix((2**20, 100))):
        attributes = [wide] if X.shape[1] == 1 else [SKY] * 100
        with pytest.raises(DataError, match=r"big: expected at most \d+ "):
            encode_features(X, attributes, source="big")
        assert encode_features(X, attributes, "codes")[0] is X


ATTRIBUTES = [SKY, WIND, WET, DRY, NOTE]


@st.composite
def tables(draw):
    """Return attributes and rows of codes, with missing values."""
    attributes = draw(st.lists(st.sampled_from(ATTRIBUTES), max_size=6))
    options = {"sky": (0.0, 1.0, 2.0, NAN), "wind": (0.0, 1e300, -2.0, NAN), "note": (0.0,)}
    row = st.tuples(*(st.sampled_from(options.get(a.name, (0.0, 1.0, NAN))) for a in attributes))
    rows = draw(st.lists(row, min_size=1, max_size=6))
    return attributes, np.array(rows).reshape(len(rows), len(attributes))


def naive(attributes, X, mode):
    """Encode cell by cell."""
    rows = []
    for row in X.tolist():
        cells = []
        for attribute, value in zip(attributes, row, strict=True):
            if attribute is SKY and mode == "onehot":
                cells += [NAN if math.isnan(value) else float(value == code) for code in range(3)]
            elif attribute is not NOTE:
                cells.append(value)
        rows.append(cells)
    return np.array(rows).reshape(len(rows), -1)


def stored(attributes, X):
    """Return the sparse form: whatever is not the first declared value (or 0) is stored, a 0 too."""
    default = np.array([1.0 if a is DRY else 0.0 for a in attributes])
    rows, columns = np.nonzero(default != X)
    return sparse.csr_matrix((X[rows, columns], (rows, columns)), shape=X.shape)


@pytest.mark.filterwarnings("ignore::plait.data.DataWarning")
@given(tables(), st.sampled_from(["onehot", "codes"]))
def test_dense_and_sparse_agree_with_cell_by_cell(table, mode):
    attributes, X = table
    expected = naive(attributes, X, mode)
    dense, names, kinds = encode_features(X, attributes, mode)
    thin, thin_names, thin_kinds = encode_features(stored(attributes, X), attributes, mode)
    assert_array_equal(dense, expected)
    assert_array_equal(thin.toarray(), expected)
    assert thin.has_canonical_format
    assert np.count_nonzero(thin.data) == thin.nnz
    assert (names, kinds) == (thin_names, thin_kinds)
    assert len(names) == len(kinds) == expected.shape[1]
