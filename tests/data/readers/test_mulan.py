import gzip
import lzma

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data import DataError, DataWarning
from plait.data.readers.mulan import find_label_xml, read_mulan

ARFF = (
    "@relation weather\n@attribute sky {sun,rain,snow}\n@attribute sea {0,1}\n@attribute wind real\n"
    "@attribute sand {no,yes}\n@data\nrain,1,0.5,no\n?,0,?,yes\n"
)
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="sand"/><label name="sea"/></labels>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "beach.arff").write_text(ARFF)
    (tmp_path / "beach.xml").write_text(XML)
    return tmp_path


def test_labels_are_in_the_order_of_the_attributes(folder):
    data = read_mulan(folder / "beach.arff")
    assert data.label_names == ("sea", "sand")
    assert_array_equal(data.Y, [[1, 0], [0, 1]])
    assert data.feature_names == ("sky=sun", "sky=rain", "sky=snow", "wind")
    assert_array_equal(data.X, [[0, 1, 0, 0.5], [np.nan] * 4])
    assert data.name == "beach"
    assert data.feature_kinds == ("binary", "binary", "binary", "numeric")


def test_codes_and_a_name(folder):
    data = read_mulan(folder / "beach.arff", nominal="codes", name="other")
    assert data.feature_names == ("sky", "wind")
    assert data.feature_kinds == ("nominal", "numeric")
    assert data.name == "other"


@pytest.mark.parametrize(
    ("file", "xml"),
    [
        ("emotions.arff.gz", "emotions.xml"),
        ("emotions.arff", "emotions.xml.gz"),
        ("emotions-train.arff.gz", "emotions.xml"),
        ("emotions-train.arff.gz", "emotions-train.xml"),
        ("emotions_Test1.arff.bz2", "emotions.xml.xz"),
        ("a.b-test.arff", "a.b.xml"),
    ],
)
def test_the_xml_beside_the_file_is_found(tmp_path, file, xml):
    (tmp_path / xml).write_text("")
    assert find_label_xml(tmp_path / file) == tmp_path / xml


def test_the_own_xml_comes_first(tmp_path):
    for name in ("a.xml", "a-train.xml"):
        (tmp_path / name).write_text("")
    assert find_label_xml(tmp_path / "a-train.arff").name == "a-train.xml"


def test_no_xml(tmp_path):
    with pytest.raises(
        DataError, match=r"a-test\.arff: expected a-test\.xml or a\.xml beside it, but found no such file"
    ):
        read_mulan(tmp_path / "a-test.arff")


def test_packed_files(folder):
    (folder / "packed.arff.gz").write_bytes(gzip.compress(ARFF.encode()))
    (folder / "packed.xml.xz").write_bytes(lzma.compress(XML.encode()))
    whole = read_mulan(folder / "beach.arff", name="packed")
    assert read_mulan(folder / "packed.arff.gz") == whole
    assert read_mulan(folder / "beach.arff", folder / "packed.xml.xz", name="packed") == whole


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["sand", "sea"], ("sea", "sand")),
        (["sand"], ("sand",)),
        (-1, ("sand",)),
        (np.int64(-1), ("sand",)),
        ("s*d", ("sand",)),
    ],
)
def test_labels_that_the_caller_names(folder, labels, names):
    (folder / "beach.xml").unlink()
    assert read_mulan(folder / "beach.arff", labels=labels).label_names == names


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["sea", "sun"], "expected a label column 'sun'"),
        (5, "expected 5 label columns, but found 4"),
        (1, "label 'sky' to be numeric or to have two values, but found 3 values"),
    ],
)
def test_labels_that_are_not_there(folder, labels, message):
    with pytest.raises(DataError, match=message):
        read_mulan(folder / "beach.arff", labels=labels)


def test_parameters(folder):
    with pytest.raises(ParameterError, match="labels"):
        read_mulan(folder / "beach.arff", labels=[1, 2])
    with pytest.raises(ParameterError, match="nominal"):
        read_mulan(folder / "beach.arff", nominal="both")


def test_a_label_that_no_attribute_has(folder):
    (folder / "beach.xml").write_text(XML.replace("sand", "stone"))
    with pytest.raises(
        DataError,
        match=r"beach\.arff: expected an attribute for each label in .*beach\.xml, but found none called 'stone'",
    ):
        read_mulan(folder / "beach.arff")


def test_sparse_files_give_sparse_matrices(tmp_path):
    (tmp_path / "s.arff").write_text(
        "@attribute a numeric\n@attribute b {x,y,z}\n@attribute l {0,1}\n@data\n{0 2,2 1}\n{1 z}\n{0 0}\n"
    )
    data = read_mulan(tmp_path / "s.arff", labels=-1)
    assert sparse.issparse(data.X)
    assert sparse.issparse(data.Y)
    assert_array_equal(data.X.toarray(), [[2, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]])
    assert data.Y.toarray().ravel().tolist() == [1, 0, 0]
    codes = read_mulan(tmp_path / "s.arff", labels=-1, nominal="codes")
    assert_array_equal(codes.X.toarray(), [[2, 0], [0, 2], [0, 0]])
    assert codes.X.nnz == 2


def test_identifiers_and_strings_are_left_out(tmp_path):
    ids = ",".join(f"p{i}" for i in range(40))
    rows = "".join(f"p{i},note,{i},1\n" for i in range(30))
    header = f"@attribute id {{{ids}}}\n@attribute note string\n@attribute a numeric\n@attribute l {{0,1}}\n@data\n"
    (tmp_path / "i.arff").write_text(header + rows)
    with pytest.warns(DataWarning, match=r"i\.arff: left out 'id', 'note', which only tells rows apart") as caught:
        data = read_mulan(tmp_path / "i.arff", labels=["l"])
    assert len(caught) == 1
    assert data.feature_names == ("a",)


def test_a_date_is_seconds(tmp_path):
    (tmp_path / "d.arff").write_text('@attribute d date "yyyy-MM-dd"\n@attribute l {0,1}\n@data\n1970-01-03,1\n{}\n')
    data = read_mulan(tmp_path / "d.arff", labels=["l"])
    assert data.feature_kinds == ("numeric",)
    assert data.X.toarray().tolist() == [[172800], [0]]


def test_columns_of_the_same_name_are_told_apart(tmp_path):
    (tmp_path / "n.arff").write_text("@attribute a {x,y,z}\n@attribute a=x real\n@attribute l {0,1}\n@data\nx,1,1\n")
    assert read_mulan(tmp_path / "n.arff", labels=["l"]).feature_names == ("a=x", "a=y", "a=z", "a=x (2)")
