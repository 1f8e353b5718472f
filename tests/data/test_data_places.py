"""Where data sets are looked for: names, folders, parts, the cache; what is found nowhere is one sentence."""

import os
from pathlib import Path

import pytest

from plait.data import DataError, Dataset, load_dataset, save_dataset
from plait.data.loading import (
    cache_folder,
    data_folder,
    find_data_file,
    known_names,
    part_beside,
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
