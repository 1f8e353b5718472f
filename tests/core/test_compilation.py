"""The cache of compiled kernels: never stale, in the first folder that can be written, none where there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plait

FIRST = """
from plait.core.compilation import kernel

@kernel
def one(x):
    return x + FACTOR
"""

SECOND = """
from plait.core.compilation import kernel
from plait.core._first import one

@kernel
def two(x):
    return 2.0 * one(x)
"""

CALL = "from plait.core import _second as s; r = s.two(1.0); print(r, sum(s.two.stats.cache_hits.values()))"


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the package with two kernels of its own, one of which calls the other from another file."""
    package = tmp_path / "src" / "plait"
    shutil.copytree(Path(plait.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "core" / "_first.py").write_text(FIRST.replace("FACTOR", "1.0"))
    (package / "core" / "_second.py").write_text(SECOND)
    return package


def run(package, code, **environment):
    clean = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    clean |= {"PYTHONPATH": str(package.parent)} | {name: str(value) for name, value in environment.items()}
    done = subprocess.run(
        [sys.executable, "-c", code], env=clean, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_kernel_that_another_file_inlines_is_never_stale(copy, tmp_path):
    folder = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    assert run(copy, CALL, **folder) == ["4.0", "0"]
    assert run(copy, CALL, **folder) == ["4.0", "1"]
    (copy / "core" / "_first.py").write_text(FIRST.replace("FACTOR", "10.0"))
    assert run(copy, CALL, **folder) == ["22.0", "0"]
    (copy / "core" / "_first.py").write_text(FIRST.replace("FACTOR", "1.0"))
    assert run(copy, CALL, **folder) == ["4.0", "1"]  # as after a checkout of the earlier source


def test_a_constant_of_another_file_gives_a_new_key(copy, tmp_path):
    folder = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    limits = copy / "core" / "limits.py"
    taken = "from plait.core.limits import FACTOR\n" + FIRST
    (copy / "core" / "_first.py").write_text(taken)
    # What is counted is the value, however it comes about.
    (copy / "core" / "floors.py").write_text("FLOOR = 0.5\n")
    limits.write_text("from plait.core.floors import FLOOR\nFACTOR = 2 * FLOOR\n")
    assert run(copy, CALL, **folder) == ["4.0", "0"]
    assert run(copy, CALL, **folder) == ["4.0", "1"]
    (copy / "core" / "floors.py").write_text("FLOOR = 5.0\n")
    assert run(copy, CALL, **folder) == ["22.0", "0"]
    limits.write_text("FACTOR = 1.0  # by another way\n")
    assert run(copy, CALL, **folder) == ["4.0", "1"]


WHERE = "from plait.core.compilation import cache_folder as f; " + CALL + "; print(f())"


def test_the_cache_falls_back_from_folder_to_folder_to_none(copy, tmp_path):
    nowhere, home, temporary = Path(os.devnull) / "x", tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    assert run(copy, WHERE)[2] == str(copy / "__pycache__" / "kernels")
    shutil.rmtree(copy / "__pycache__")
    (copy / "__pycache__").write_text("a file where a folder should be: nothing can be written below it")
    found = run(copy, WHERE, XDG_CACHE_HOME=home, HOME=home, TMPDIR=temporary)
    assert Path(found[2]).is_relative_to(home)
    found = run(copy, WHERE, XDG_CACHE_HOME=nowhere, HOME=nowhere, TMPDIR=temporary)
    assert Path(found[2]).parent == temporary
    Path(found[2]).chmod(0o777)  # others could have put machine code there
    assert run(copy, WHERE, XDG_CACHE_HOME=nowhere, HOME=nowhere, TMPDIR=temporary) == ["4.0", "0", "None"]


FULL = """
from plait.core import compilation
def full(*arguments): raise OSError("no space left on device")
compilation.caching.IndexDataCacheFile.save = full
"""


def test_a_full_disk_costs_the_cache_and_nothing_else(copy, tmp_path):
    assert run(copy, FULL + CALL, NUMBA_CACHE_DIR=tmp_path / "cache") == ["4.0", "0"]


def test_machine_code_of_old_sources_goes_after_a_month(copy, tmp_path):
    folder = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    run(copy, CALL, **folder)
    (old,) = (tmp_path / "cache" / "plait").glob("core._second-*")
    (copy / "core" / "_second.py").write_text(SECOND.replace("2.0", "3.0"))
    run(copy, CALL, **folder)
    assert old.exists()
    os.utime(old, (0, 0))
    (copy / "core" / "_second.py").write_text(SECOND.replace("2.0", "4.0"))
    assert run(copy, CALL, **folder) == ["8.0", "0"]
    assert not old.exists()
