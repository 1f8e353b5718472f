"""A file is replaced whole, or stays as it was."""

import gzip

import pytest

from plait.data import DataError
from plait.data.files import open_bytes
from plait.data.writers.atomic import replacing


def test_the_new_content_takes_the_place_of_the_old(tmp_path):
    goal = tmp_path / "a.txt"
    goal.write_text("old")
    with replacing(goal) as draft:
        draft.write_text("new")
        assert goal.read_text() == "old"
    assert goal.read_text() == "new"
    assert list(tmp_path.iterdir()) == [goal]


def test_after_an_error_the_old_content_is_there_and_nothing_else(tmp_path):
    goal = tmp_path / "a.txt"
    goal.write_text("old")
    with pytest.raises(TypeError), replacing(goal) as draft:
        draft.write_text("half") + "no number"
    assert goal.read_text() == "old"
    assert list(tmp_path.iterdir()) == [goal]


def test_packed_files_have_the_same_bytes_every_time(tmp_path):
    contents = []
    for _ in range(2):
        with replacing(tmp_path / "a.txt.gz") as draft, open_bytes(draft, "wb") as stream:
            stream.write(b"data")
        contents.append((tmp_path / "a.txt.gz").read_bytes())
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"data"


def test_faults_of_the_disk_are_data_errors(tmp_path):
    with pytest.raises(DataError, match="a folder that can be written to"), replacing(tmp_path / "none" / "a.txt"):
        pass
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="a file that can be written"), replacing(tmp_path / "folder") as draft:
        draft.write_text("new")
    with pytest.raises(DataError, match="a file that can be written"), replacing(tmp_path / "a.txt"):
        pass
