"""Data sets are found by name in folders."""

import pytest

from plait.data.catalogue import find_data_file, known_names, part_beside


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
