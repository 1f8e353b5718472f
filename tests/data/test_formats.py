"""The suffix chooses reader and writer; an ARFF file's labels come from the first who tells them."""

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset
from plait.data.formats import read_file, write_file

DATASET = Dataset(
    [[0.5, 2.0], [0.0, -1.0], [1.5, 0.0]], [[1, 0], [0, 1], [1, 1]], ["size", "waves"], ["sea", "sun"], "beach"
)
ARFF = "@relation '{relation}'\n@attribute a numeric\n@attribute b {{0,1}}\n@attribute c {{0,1}}\n@data\n1,0,1\n2,1,1\n"
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="{name}"></label></labels>'


@pytest.mark.parametrize("packing", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize(
    ("suffix", "labels", "named"),
    [
        (".arff", None, True),
        (".csv", ["sea", "sun"], True),
        (".tsv", -2, True),
        (".parquet", "s[eu]*", True),
        (".svm", None, False),
        (".libsvm", [0, 1], False),
        (".txt", None, False),
    ],
)
def test_what_is_written_by_suffix_is_read_by_suffix(tmp_path, suffix, packing, labels, named):
    if suffix in (".csv", ".tsv", ".parquet"):
        pytest.importorskip("pandas")
    path = tmp_path / f"beach{suffix}{packing}"
    write_file(DATASET, path)
    found = read_file(path, labels, "onehot")
    X, Y = (np.asarray(part.toarray() if hasattr(part, "toarray") else part) for part in (found.X, found.Y))
    np.testing.assert_array_equal(X, DATASET.X)
    np.testing.assert_array_equal(Y, DATASET.Y)
    assert found.name == "beach"
    assert found.label_names == (("sea", "sun") if named else ("0", "1"))
    assert found.feature_names == (("size", "waves") if named else ("x0", "x1"))


@pytest.mark.parametrize(
    ("relation", "xml", "labels", "expected"),
    [
        ("beach", "c", None, ("c",)),
        ("beach: -C -2", None, None, ("b", "c")),
        ("beach: -C -2", "c", None, ("c",)),
        ("beach: -C -2", "c", ["b"], ("b",)),
        ("beach: -C -2", None, "[bc]", ("b", "c")),
        ("beach", None, -1, ("c",)),
    ],
)
def test_labels_of_arff_come_from_the_caller_then_the_xml_then_the_relation(tmp_path, relation, xml, labels, expected):
    path = tmp_path / "beach.arff"
    path.write_text(ARFF.format(relation=relation))
    if xml:
        (tmp_path / "beach.xml").write_text(XML.format(name=xml))
    assert read_file(path, labels, "onehot").label_names == expected


def test_an_arff_file_without_any_word_about_labels_is_refused(tmp_path):
    path = tmp_path / "beach.arff"
    path.write_text(ARFF.format(relation="beach"))
    with pytest.raises(DataError, match="to be told the labels by labels=, by an XML file beside it, or by -C"):
        read_file(path, None, "onehot")


def test_text_files_are_told_apart_by_their_first_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1 3 2\n0,1 2:1\n")
    assert read_file(path, None, "onehot").X.shape == (1, 3)
    with pytest.raises(ParameterError, match="labels to be None for a file of the XC format"):
        read_file(path, [0], "onehot")
    path.write_text("4,5 1:1 2:1\n")
    assert read_file(path, None, "onehot").label_names == ("4", "5")
    path.write_text("")
    with pytest.raises(DataError, match="expected rows of labels and features, but found none"):
        read_file(path, None, "onehot")


def test_the_choice_for_nominal_features_is_passed_on(tmp_path):
    pytest.importorskip("pandas")
    for name, text in {
        "a.csv": "sky,sea\nred,1\nblue,0\ngrey,1\n",
        "a.arff": "@relation a\n@attribute sky {red,blue,grey}\n@attribute sea {0,1}\n@data\nred,1\nblue,0\ngrey,1\n",
    }.items():
        (tmp_path / name).write_text(text)
        assert read_file(tmp_path / name, -1, "onehot").n_features == 3
        assert read_file(tmp_path / name, -1, "codes").n_features == 1


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"a suffix among \.arff, \.parquet, .* but found '\.docx'"):
        read_file(tmp_path / "a.docx", None, "onehot")
    with pytest.raises(DataError, match=r"a suffix among \.arff, \.csv, .* but found ''"):
        write_file(DATASET, tmp_path / "a")
