"""Decisions about records: on the disk before anybody is told, whatever ends the program."""

import csv
import signal
import subprocess
import sys

import pytest

from plait.data import DataError
from plait.explore import CorrectionLog


def test_the_last_word_counts_and_is_read_again(tmp_path):
    log = CorrectionLog(tmp_path / "c.csv")
    log.add(3, 'row "3",\nsecond line', "sea", 0, "correct", 1, 0.93)
    log.add(3, "row 3", "sun", 1, "accept", 1, 0.2)
    log.add(4, "row 4", "sun", None, "accept", None, 0.2)
    log.add(3, "row 3", "sun", 1, "undo", 1, 0.2)
    again = CorrectionLog(log.path)
    assert again.current == log.current
    assert again.n_lines == 4
    assert set(again.current) == {(3, "sea"), (4, "sun")}
    assert again.current[3, "sea"].id == 'row "3",\nsecond line'
    with log.path.open(newline="") as stream:
        assert [line["action"] for line in csv.DictReader(stream)] == ["correct", "accept", "accept", "undo"]


def test_half_a_line_is_forgotten_and_the_next_begins_anew(tmp_path):
    log = CorrectionLog(tmp_path / "c.csv")
    log.add(0, "0", "sea", 0, "correct", 1, 0.9)
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + b"2026-01-01,1,1,se")
    again = CorrectionLog(log.path)
    assert log.path.read_bytes() == whole
    again.add(1, "1", "sea", 0, "correct", 1, 0.9)
    assert set(CorrectionLog(log.path).current) == {(0, "sea"), (1, "sea")}


@pytest.mark.parametrize(
    ("content", "words"),
    [("name,age\nanna,3\n", "heading"), ("no line end", "heading"), ("HEAD\nt,x,0,sea,0,correct,1,.9\n", "line 2")],
)
def test_another_file_is_left_alone(tmp_path, content, words):
    head = "time,row,id,label,recorded,action,value,probability"
    path = tmp_path / "other.csv"
    path.write_text(content.replace("HEAD", head))
    with pytest.raises(DataError, match=words):
        CorrectionLog(path)
    assert path.read_text() == content.replace("HEAD", head)


_WRITER = """
import sys
from plait.explore.correction_log import CorrectionLog
log = CorrectionLog(sys.argv[1])
for row in range(log.n_lines, 10**6):
    log.add(row, str(row), "sea", 0, "correct", 1, 0.5)
    print(row, flush=True)
"""


def test_what_was_acknowledged_survives_kills(tmp_path):
    path, told = tmp_path / "c.csv", -1
    for kill in range(3):
        with subprocess.Popen([sys.executable, "-c", _WRITER, path], stdout=subprocess.PIPE, text=True) as writer:
            for _ in range(20 + 7 * kill):
                told = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split("\n")[:-1]
        told = max([told, *map(int, rest)])
        assert set(range(told + 1)) <= {row for row, _ in CorrectionLog(path).current}
