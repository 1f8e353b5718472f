"""The folders of data sets on each system."""

import os
from pathlib import Path

import pytest

from plait.data.cache import cache_folder, data_folder


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
