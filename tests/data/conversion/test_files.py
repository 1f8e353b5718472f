import bz2
import gzip
import lzma
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from plait.data import DataError
from plait.data.conversion import files
from plait.data.conversion.files import open_bytes, plain_stem, replacing

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TEXT = b"".join(b"line %d\n" % i for i in range(150_000))


@pytest.mark.parametrize("suffix", PACK)
def test_blocks_are_whole_lines_and_lose_nothing(tmp_path, suffix):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](TEXT))
    blocks = list(files.blocks_of_lines(path))
    assert len(blocks) > 1
    assert all(block.endswith(b"\n") for block in blocks)
    assert b"".join(blocks) == TEXT
    assert files.read_all(path) == TEXT


def test_a_last_line_without_an_end_gets_one(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo")
    assert b"".join(files.blocks_of_lines(path)) == b"one\ntwo\n"
    path.write_bytes(b"")
    assert list(files.blocks_of_lines(path)) == []


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("content", [b"not packed", None], ids=["plain text", "cut short"])
def test_broken_packing_is_a_data_error(tmp_path, suffix, content):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](TEXT)[:-100] if content is None else content)
    with pytest.raises(DataError, match="expected a whole file"):
        list(files.blocks_of_lines(path))


@pytest.mark.parametrize("zeros", [b"", b"\0" * 512, b"\0" * (1 << 20)], ids=["none", "few", "many"])
def test_packed_files_one_after_the_other(tmp_path, zeros):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(TEXT) + zeros + gzip.compress(b"more\n") + zeros)
    assert files.read_all(path) == gzip.decompress(path.read_bytes()) == TEXT + b"more\n"


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)], ids=["no bytes", "an empty file"])
def test_nothing_packed(tmp_path, content):
    path = tmp_path / "a.gz"
    path.write_bytes(content)
    assert files.read_all(path) == b""


@pytest.mark.parametrize("behind", [b"x", b"\0\0not packed", b"\x1f\x8b"])
def test_something_else_behind_a_packed_file(tmp_path, behind):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"text\n") + behind)
    with pytest.raises(DataError, match="expected a whole file"):
        files.read_all(path)


def test_every_cut_of_a_packed_file_is_noticed(tmp_path):
    packed, path = gzip.compress(b"some text\n" * 20, mtime=0), tmp_path / "a.gz"
    for length in range(1, len(packed)):
        path.write_bytes(packed[:length])
        with pytest.raises(DataError, match="expected a whole file"):
            files.read_all(path)


def test_flipped_bytes_inside_a_packed_file(tmp_path):
    path = tmp_path / "a.gz"
    packed = bytearray(gzip.compress(TEXT))
    packed[len(packed) // 2] ^= 0xFF
    path.write_bytes(packed)
    with pytest.raises(DataError, match="expected a whole file"):
        files.read_all(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(DataError, match="a file that can be opened, but found No such file"):
        files.read_all(tmp_path / "nothing.arff")
    with pytest.raises(DataError, match="Is a directory"):
        files.read_all(tmp_path)


def test_a_bomb_is_refused_early(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_GROWTH_FLOOR", 1 << 22)
    path = tmp_path / "bomb.bz2"
    path.write_bytes(bz2.compress(b"0\n" * (1 << 22)))
    with pytest.raises(DataError, match="grows more than 1000-fold"):
        list(files.blocks_of_lines(path))


def test_one_endless_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LONGEST_LINE", 1 << 21)
    path = tmp_path / "line.txt"
    path.write_bytes(b"x" * (1 << 23))
    with pytest.raises(DataError, match="one line of more than"):
        list(files.blocks_of_lines(path))


def test_read_all_has_a_limit(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"12345")
    with pytest.raises(DataError, match="at most 4 bytes"):
        files.read_all(path, most=4)


@pytest.mark.parametrize(("name", "suffix"), [("a.arff", ".arff"), ("a.CSV.xz", ".csv"), ("a", ""), ("a.gz", "")])
def test_plain_suffix(name, suffix):
    assert files.plain_suffix(name) == suffix


@pytest.mark.parametrize("suffix", PACK)
def test_writing_packs_the_same_bytes_every_time(tmp_path, suffix):
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        path = tmp_path / name / f"x.txt{suffix}"
        with files.open_bytes(path, "wb") as stream:
            stream.write(TEXT)
        made.append(path.read_bytes())
        assert files.read_all(path) == TEXT
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("emotions.arff", "emotions"),
        ("a/b/emotions-train.arff.GZ", "emotions-train"),
        (Path("x.y.csv.xz"), "x.y"),
        ("emotions", "emotions"),
        ("data.gz", "data"),
    ],
)
def test_the_stem_has_no_folder_packing_or_suffix(path, stem):
    assert plain_stem(path) == stem


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


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions_and_links_stay(tmp_path):
    goal, link = tmp_path / "model.txt", tmp_path / "latest.txt"
    goal.write_text("old")
    goal.chmod(0o640)
    link.symlink_to(goal)
    with replacing(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert goal.read_text() == "new"
    assert stat.S_IMODE(goal.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="processes of POSIX")
def test_what_a_killed_process_left_is_swept_and_what_a_living_one_writes_is_not(tmp_path):
    code = """
import os, signal, sys, time
from plait.data.conversion.files import replacing
with replacing(sys.argv[1]) as draft:
    draft.write_text("half")
    print("ready", flush=True)
    time.sleep(100)
"""
    goal = tmp_path / "goal.txt"
    goal.write_text("old")
    command = [sys.executable, "-c", code, str(goal)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "ready\n"
        with replacing(tmp_path / "other.txt") as draft:
            draft.write_text("whole")
        assert len(list(tmp_path.glob(".plait-*"))) == 1
        writer.kill()
    assert goal.read_text() == "old"
    assert len(list(tmp_path.glob(".plait-*"))) == 1
    with replacing(goal) as draft:
        draft.write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["goal.txt", "other.txt"]


def test_the_content_is_on_the_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    steps = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda old, new: (steps.append("replace"), replace(old, new)))
    with replacing(tmp_path / "a.txt") as draft:
        draft.write_text("new")
    assert steps == ["sync", "replace", "sync"]
