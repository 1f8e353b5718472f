"""Data sets by name and by path."""

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
    cache_folder,
    data_folder,
    find_data_file,
    known_names,
    part_beside,
    read_file,
    write_file,
)
from plait.data.readers.openml import NotAtOpenMLError


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Return the folder of data and the cache, both empty; OpenML cannot be reached."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    data.mkdir()
    cache.mkdir()
    monkeypatch.setenv("PLAIT_DATA", str(data))
    monkeypatch.setenv("PLAIT_CACHE", str(cache))

    def unreachable(source, folder, **options):
        raise NotAtOpenMLError.at(f"openml.org, {source}", None, "a way to OpenML", "no answer (offline)")

    monkeypatch.setattr("plait.data.loading.load_openml", unreachable)
    return data, cache


def put(folder, name, value=1.0):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    save_dataset(Dataset([[value, 0.0]], [[1]], ["a", "b"], ["sea"]), path)
    return path


def test_a_name_is_looked_for_in_the_data_folder_then_in_the_cache(places):
    data, cache = places
    put(cache, "beach/beach.arff.gz", 1.0)
    assert load_dataset("beach").X[0, 0] == 1.0
    put(data, "beach.arff", 2.0)
    assert load_dataset("beach").X[0, 0] == 2.0
    put(data, "beach/beach.arff.xz", 3.0)
    assert load_dataset("beach").X[0, 0] == 3.0
    assert load_dataset("beach").name == "beach"


def test_only_openml_and_fetch_go_to_the_network(places, monkeypatch):
    asked = []

    def load(source, folder, **options):
        asked.append((source, folder, options))
        return Dataset([[1.0]], [[1]])

    monkeypatch.setattr("plait.data.loading.load_openml", load)
    for source in ("emotions", "yeast@4"):
        with pytest.raises(DataError, match=f"Nothing was fetched: 'openml:{source}' would ask openml.org"):
            load_dataset(source)
    assert asked == []
    load_dataset("emotions", labels=["sea"], nominal="codes", fetch=True)
    for source in ("openml:yeast@4", "openml:40589", "openml:emotions"):
        load_dataset(source, labels=["sea"], nominal="codes")
    assert [source for source, _, _ in asked] == ["emotions", "yeast@4", "40589", "emotions"]
    assert {folder for _, folder, _ in asked} == {places[1]}
    assert asked[0][2] == {"labels": ["sea"], "nominal": "codes"}


def test_parts_are_read_by_name_folder_and_path(places):
    data, _ = places
    put(data, "beach/beach.arff", 1.0)
    put(data, "beach/beach-train.arff.gz", 2.0)
    put(data, "beach/beach-test.arff.gz", 3.0)
    (data / "beach" / "beach-train.xml").unlink()  # the XML file of the whole serves its parts
    for source in ("beach", data / "beach", str(data / "beach"), data / "beach" / "beach.arff"):
        assert load_dataset(source).X[0, 0] == 1.0
        assert load_dataset(source, split="train").X[0, 0] == 2.0
        assert load_dataset(source, split="test").X[0, 0] == 3.0
    assert load_dataset("beach", split="train").name == "beach-train"


def test_missing_parts_are_told(places):
    data, _ = places
    put(data, "whole.arff")
    put(data, "parts-train.arff")
    with pytest.raises(DataError, match=r"whole\.arff: expected part 'test' of it.* Pass split=None"):
        load_dataset("whole", split="test")
    with pytest.raises(DataError, match=r"parts-train\.arff: expected the whole of it.* Pass split='train'"):
        load_dataset("parts")
    with pytest.raises(DataError, match="expected a file of the part 'test' beside it, but found none"):
        load_dataset(data / "whole.arff", split="test")
    with pytest.raises(DataError, match="a part 'train', but found whole data sets only"):
        load_dataset("openml:yeast@4", split="train")
    (data / "empty").mkdir()
    with pytest.raises(DataError, match=r"expected a file empty-train\.arff or the like in it, but found none"):
        load_dataset(data / "empty", split="train")


def test_a_name_found_nowhere_is_one_sentence_with_places_and_close_names(places):
    data, cache = places
    put(data, "emotions/emotions.arff")
    put(cache, "Scene.arff")
    with pytest.raises(DataError) as caught:
        load_dataset("emotoins", fetch=True)
    message = str(caught.value)
    assert message.startswith("No data set is called 'emotoins': looked in ")
    for word in (str(data), str(cache), "a way to OpenML, but found no answer (offline)", "Did you mean 'emotions'?"):
        assert word in message
    assert "\n" not in message
    assert caught.value.__suppress_context__
    with pytest.raises(DataError, match="Did you mean 'Scene'"):
        load_dataset("scene_")


def test_without_a_data_folder_the_sentence_says_so(places, monkeypatch):
    monkeypatch.delenv("PLAIT_DATA")
    with pytest.raises(DataError, match=r"PLAIT_DATA is not set\. Pass a path, or set PLAIT_DATA\."):
        load_dataset("emotions")


def test_paths_are_paths_whatever_lies_in_the_data_folder(places, tmp_path, monkeypatch):
    data, _ = places
    put(data, "beach.arff", 1.0)
    put(tmp_path, "beach.arff", 2.0)
    monkeypatch.chdir(tmp_path)
    assert load_dataset("beach").X[0, 0] == 1.0
    assert load_dataset("beach.arff").X[0, 0] == 2.0
    assert load_dataset(Path("beach.arff")).X[0, 0] == 2.0
    with pytest.raises(DataError, match="expected a file that can be opened"):
        load_dataset("beach.csv.gz", labels=1)
    with pytest.raises(DataError, match="a suffix among"):
        load_dataset(Path("beach"))


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


@pytest.fixture
def folder(tmp_path):
    for file in (
        "emotions/emotions.arff.gz",
        "emotions/emotions-train.arff.gz",
        "emotions/emotions-test.arff.gz",
        "emotions/emotions.xml",
        "parts/parts-train.svm",
        "parts/parts-test.svm",
        "beach.csv",
        "beach-train.csv",
        "wiki.txt.bz2",
        "lone-test.parquet",
        "notes.pdf",
        "empty/readme.md",
    ):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "split", "file"),
    [
        ("emotions", None, "emotions/emotions.arff.gz"),
        ("emotions", "train", "emotions/emotions-train.arff.gz"),
        ("beach", None, "beach.csv"),
        ("beach", "train", "beach-train.csv"),
        ("wiki", None, "wiki.txt.bz2"),
        ("parts", "test", "parts/parts-test.svm"),
        ("parts", None, None),
        ("beach", "test", None),
        ("notes", None, None),
        ("empty", None, None),
    ],
)
def test_a_name_is_found_in_its_own_folder_or_beside_others(folder, name, split, file):
    assert find_data_file(folder, name, split) == (folder / file if file else None)


def test_arff_comes_before_other_formats_and_the_own_folder_before_the_common_one(folder):
    for file in ("emotions/emotions.csv", "emotions.arff"):
        (folder / file).touch()
    assert find_data_file(folder, "emotions") == folder / "emotions/emotions.arff.gz"


def test_parts_lie_beside_the_whole_and_have_its_format(folder):
    whole = folder / "emotions/emotions.arff.gz"
    assert part_beside(whole, "test") == folder / "emotions/emotions-test.arff.gz"
    assert part_beside(folder / "wiki.txt.bz2", "test") is None
    (folder / "beach-train.arff").touch()
    assert part_beside(folder / "beach.csv", "train") == folder / "beach-train.csv"
    assert part_beside(folder / "beach.parquet", "train") == folder / "beach-train.arff"


def test_known_names_are_those_with_data(folder):
    assert known_names(folder) == ["beach", "emotions", "lone", "parts", "wiki"]
    assert known_names(folder / "no such folder") == []


@pytest.fixture
def home(monkeypatch, tmp_path):
    for variable in ("PLAIT_CACHE", "PLAIT_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("system", "variables", "expected"),
    [
        ("linux", {}, ".cache/plait"),
        ("linux", {"XDG_CACHE_HOME": os.path.abspath("caches")}, os.path.abspath("caches/plait")),
        ("linux", {"XDG_CACHE_HOME": "relative"}, ".cache/plait"),
        ("linux", {"XDG_CACHE_HOME": ""}, ".cache/plait"),
        ("darwin", {}, "Library/Caches/plait"),
        ("win32", {}, "AppData/Local/plait"),
        ("win32", {"LOCALAPPDATA": os.path.abspath("local")}, os.path.abspath("local/plait")),
        ("linux", {"PLAIT_CACHE": os.path.abspath("mine")}, os.path.abspath("mine")),
    ],
)
def test_the_cache_lies_where_the_system_wants_it(home, monkeypatch, system, variables, expected):
    monkeypatch.setattr("sys.platform", system)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    assert cache_folder() == home / expected


def test_the_data_folder_is_named_or_not(home, monkeypatch):
    assert data_folder() is None
    monkeypatch.setenv("PLAIT_DATA", "")
    assert data_folder() is None
    monkeypatch.setenv("PLAIT_DATA", "somewhere")
    assert data_folder() == Path("somewhere")


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
