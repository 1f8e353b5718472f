"""Data sets by path: every format that is written is read, and where the labels of a file come from."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import LabelBinarizer

import plait
from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset, DataWarning, from_frame, load_dataset, save_dataset
from plait.data.loading import (
    read_file,
    write_file,
)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"source": 3}, "source"),
        ({"source": ""}, "source"),
        ({"source": "a", "split": "valid"}, "split"),
        ({"source": "a", "nominal": "ordinal"}, "nominal"),
    ],
)
def test_parameters_are_checked(wrong, name):
    with pytest.raises(ParameterError, match=f"load_dataset needs {name} to be"):
        load_dataset(**wrong)


def test_load_dataset_is_at_the_top():
    assert plait.load_dataset is load_dataset
    assert "load_dataset" in plait.__all__


@pytest.mark.parametrize("name", ["emotions", "scene", "corel5k", "medical"])
def test_benchmark_data_have_the_sizes_of_their_list(benchmark_data, name):
    with open(benchmark_data / "MANIFEST.csv", newline="") as stream:
        sizes = {row["name"]: row for row in csv.DictReader(stream)}
    found = load_dataset(name)
    assert (found.n_samples, found.n_features, found.n_labels) == tuple(
        int(sizes[name][column]) for column in ("rows", "features", "labels")
    )
    cardinality = found.Y.sum(dtype=np.int64) / found.n_samples
    assert cardinality == pytest.approx(float(sizes[name]["cardinality"]), abs=5e-5)
    parts = [load_dataset(name, split=split) for split in ("train", "test")]
    assert sum(part.n_samples for part in parts) == found.n_samples


@pytest.mark.parametrize("suffix", [".csv", ".svm.gz", ".txt", ".parquet", ".arff.xz"])
def test_a_real_data_set_survives_every_format(benchmark_data, tmp_path, suffix):
    emotions = load_dataset("emotions")
    path = tmp_path / f"emotions{suffix}"
    save_dataset(emotions, path)
    found = load_dataset(path, labels=list(emotions.label_names) if suffix in (".csv", ".parquet") else None)
    X, Y = (np.asarray(part.toarray() if hasattr(part, "toarray") else part) for part in (found.X, found.Y))
    np.testing.assert_array_equal(X, emotions.X)
    np.testing.assert_array_equal(Y, emotions.Y)


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
    for name, text in {
        "a.arff": "@relation a\n@attribute sky {red,blue,grey}\n@attribute sea {0,1}\n@data\nred,1\nblue,0\ngrey,1\n",
    }.items():
        (tmp_path / name).write_text(text)
        assert read_file(tmp_path / name, -1, "onehot").n_features == 3
        assert read_file(tmp_path / name, -1, "codes").n_features == 1


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"a suffix among \.arff, \.parquet, .* but found '\.docx'"):
        read_file(tmp_path / "a.docx", None, "onehot")
    with pytest.raises(DataError, match=r"a suffix among \.arff, \.parquet, .* but found ''"):
        write_file(DATASET, tmp_path / "a")


@pytest.mark.parametrize("name", ["rows.csv", "rows.svm", "rows.txt", "rows.arff", "rows.parquet", "rows.csv.gz"])
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(DataError, match="but found a pipe or a device"):
        load_dataset(tmp_path / name, labels=None if "csv" not in name and "parquet" not in name else ["sea"])


@pytest.mark.parametrize("name", ["beach\0.csv", "b" * 5000 + ".csv", "b" * 5000 + "/beach.arff.gz", "b" * 5000])
def test_names_that_no_file_can_have_are_one_sentence(name):
    for source in (name, Path(name)):
        with pytest.raises(DataError) as problem:
            load_dataset(source)
        assert "\n" not in str(problem.value)


def test_devices_are_refused(tmp_path):
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    with pytest.raises(DataError, match="but found a pipe or a device"):
        load_dataset(tmp_path / "zero.csv", labels=["sea"])


@pytest.mark.parametrize(
    ("name", "text"),
    [("rows.csv", "a,b,sea\n1,1e999,1\n2,3,0\n"), ("rows.svm", "0 1:1 2:1e999\n1 1:2 2:3\n")],
)
def test_infinite_numbers_get_a_note(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.warns(DataWarning, match=r"1 numbers are infinite.* one is in column '(b|x1|x2)'"):
        data = load_dataset(tmp_path / name, labels=["sea"] if name == "rows.csv" else None)
    assert data.n_samples == 2


def test_labels_are_safe_with_scikit_learn(tmp_path):
    """Of 8 bits, more than 255 labels are scrambled by OneVsRestClassifier."""
    Y = np.random.default_rng(0).random((20, 300)) < 0.2
    for form in (np.asarray, sparse.csr_matrix):
        data = Dataset(np.zeros((20, 1)), form(Y))
        binarized = LabelBinarizer(sparse_output=True).fit_transform(data.Y)
        np.testing.assert_array_equal(binarized.toarray(), Y)


def test_the_test_part_of_a_table_is_read_as_the_training_part(tmp_path):
    (tmp_path / "a-train.csv").write_text("code,size,sea\n01,1.5,1\nx,2.5,0\n")
    (tmp_path / "a-test.csv").write_text("code,size,sea\n01,1,1\n02,2,0\n")
    assert load_dataset(tmp_path / "a.csv", labels=["sea"], split="test").X["code"].tolist() == ["01", "02"]
    assert load_dataset(tmp_path / "a-test.csv", labels=["sea"]).X.tolist() == [[1, 1], [2, 2]]


def test_excel_is_read_and_not_written(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"sky": ["blue", None], "size": [1.5, None], "sea": [1, 0]})
    frame.to_excel(tmp_path / "a.xlsx", index=False)
    found = load_dataset(tmp_path / "a.xlsx", labels=["sea"])
    assert found.feature_kinds == ("words", "numeric")
    assert found.Y.ravel().tolist() == [1, 0]
    with pytest.raises(DataError, match="but found Excel, which it reads only"):
        save_dataset(found, tmp_path / "b.xlsx")
    (tmp_path / "c.xlsx").write_bytes(b"no sheet")
    with pytest.raises(DataError, match="expected a whole Excel file"):
        load_dataset(tmp_path / "c.xlsx", labels=["sea"])


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_tables_come_back_as_they_are(tmp_path, suffix):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"note": ['a "b", c', "d;e", None], "size": [1.5, None, 2.0], "sea": [1, 0, 1]})
    frame["day"] = pd.to_datetime(["2024-01-31", None, "2024-02-01 10:30:00"], format="mixed")
    data = from_frame(frame, ["sea"], name="a")
    save_dataset(data, tmp_path / f"a{suffix}")
    assert load_dataset(tmp_path / f"a{suffix}", labels=["sea"]) == data


def test_tables_are_encoded_for_files_of_numbers(tmp_path):
    pd = pytest.importorskip("pandas")
    data = from_frame(pd.DataFrame({"sky": ["blue", "grey"] * 2, "sea": [1, 0] * 2}), ["sea"], name="a")
    save_dataset(data, tmp_path / "a.arff")
    assert load_dataset(tmp_path / "a.arff").feature_names == ("sky=blue", "sky=grey")


def test_tags_and_positive_words_are_for_tables(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n")
    with pytest.raises(ParameterError, match="tags to be None for a file of this kind"):
        load_dataset(tmp_path / "a.svm", tags="genre")
