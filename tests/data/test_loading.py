"""Data sets by name and by path."""

import csv
from pathlib import Path

import numpy as np
import pytest

import plait
from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset, load_dataset, save_dataset
from plait.data.openml import NotAtOpenMLError


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


def test_a_name_that_is_nowhere_local_is_asked_for_at_openml(places, monkeypatch):
    asked = []

    def load(source, folder, **options):
        asked.append((source, folder, options))
        return Dataset([[1.0]], [[1]])

    monkeypatch.setattr("plait.data.loading.load_openml", load)
    for source in ("emotions", "yeast@4", "openml:40589", "openml:emotions"):
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
        load_dataset("yeast@4", split="train")
    (data / "empty").mkdir()
    with pytest.raises(DataError, match=r"expected a file empty-train\.arff or the like in it, but found none"):
        load_dataset(data / "empty", split="train")


def test_a_name_found_nowhere_is_one_sentence_with_places_and_close_names(places):
    data, cache = places
    put(data, "emotions/emotions.arff")
    put(cache, "Scene.arff")
    with pytest.raises(DataError) as caught:
        load_dataset("emotoins")
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
