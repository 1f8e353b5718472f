import io

import pytest

from plait.core.progress_bar import _line, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_silent_where_there_is_no_terminal():
    stream = io.StringIO()
    assert list(progress(range(5), "work", stream=stream, patience=0.0)) == [0, 1, 2, 3, 4]
    assert stream.getvalue() == ""


def test_a_bar_on_a_terminal_that_is_wiped_at_the_end():
    stream = Terminal()
    assert list(progress(range(3), "work", stream=stream, patience=0.0)) == [0, 1, 2]
    assert "work " in stream.getvalue()
    assert "1/3" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_short_work_shows_nothing():
    stream = Terminal()
    list(progress(range(3), "work", stream=stream))
    assert stream.getvalue() == ""


def test_the_bar_is_wiped_when_the_work_fails():
    stream = Terminal()

    def work():
        for item in progress(range(3), "work", stream=stream, patience=0.0):
            if item == 1:
                raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        work()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_lines():
    assert _line("w", 1, 4, 30.0) == "w " + "█" * 8 + "·" * 22 + " 1/4, 1:30 left"
    assert _line("w", 7, None, 61.0) == "w: 7 done, 1:01"


def test_an_iterator_without_a_length_counts_up():
    stream = Terminal()
    list(progress(iter(range(2)), "work", stream=stream, patience=0.0))
    assert "work: 1 done" in stream.getvalue()
