import inspect
import io
import os
import re
import subprocess
import sys
import threading
import time

import pytest

from plait.core import progress_bar
from plait.core.progress_bar import _Work, progress, shows_progress, working


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Notebook(io.StringIO):
    pass


Notebook.__module__ = "ipykernel.iostream"


@pytest.fixture(autouse=True)
def spoken(monkeypatch):
    monkeypatch.setenv("PLAIT_PROGRESS", "auto")
    monkeypatch.setenv("COLUMNS", "200")


def shown(stream):
    """Return what a terminal showed, drawing by drawing."""
    return [text.replace("\x1b[K", "").rstrip() for text in stream.getvalue().split("\r")]


def slowly(items, seconds=0.11):
    for item in items:
        time.sleep(seconds)
        yield item


@pytest.mark.parametrize("stream", [Terminal, Notebook])
def test_a_bar_that_is_wiped_at_the_end(stream):
    stream = stream()
    assert list(progress(range(3), "work", stream=stream, patience=0.0)) == [0, 1, 2]
    assert shown(stream)[1].startswith("work ")
    assert "1/3" in shown(stream)[1]
    assert shown(stream)[-1] == ""
    assert "\n" not in stream.getvalue()


def test_lines_where_there_is_no_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(progress_bar, "_LINES", progress_bar._Style(0.0, 0.0, "", "\n"))
    assert list(progress(range(2), "work", stream=stream)) == [0, 1]
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("work ")
    assert "1/2" in lines[0]
    assert "2/2" in lines[1]


@pytest.mark.parametrize("stream", [Terminal, Notebook, io.StringIO])
def test_short_work_shows_nothing(stream):
    stream = stream()
    list(progress(range(3), "work", stream=stream))
    with working("work", stream=stream):
        pass
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
    assert progress_bar._screen.works == []


def test_bars_inside_bars_stand_on_one_line():
    outer, inner = Terminal(), Terminal()
    for _ in progress(range(2), "trees", stream=outer, patience=0.0):
        list(progress(slowly(range(2)), "labels", 2, stream=inner))
    assert inner.getvalue() == ""
    both = [line for line in shown(outer) if "trees" in line and "labels" in line]
    assert both
    assert both[0].index("trees") < both[0].index("labels")
    labels = next(place for place, line in enumerate(shown(outer)) if "labels" in line)
    first_tree = next(place for place, line in enumerate(shown(outer)) if re.match(r"trees [^,]*1/2", line))
    assert labels < first_tree
    assert outer.getvalue().count("\x1b[K") == len(shown(outer)) - 1


def test_a_line_is_never_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    list(progress(range(3), "work " * 20, stream=stream, patience=0.0))
    assert max(map(len, shown(stream))) == 39


def test_a_block_shows_its_time_unless_a_bar_says_more():
    stream = Terminal()
    with working("fitting Model", stream=stream, patience=0.0):
        time.sleep(0.3)
        list(progress(slowly(range(2)), "labels", 2))
        with working("fitting Member"):
            pass
        before = len(shown(stream))
        time.sleep(0.7)
        assert len(shown(stream)) > before  # the clock of the outer work goes on
    lines = shown(stream)
    assert lines[1] == "fitting Model, 0:00"
    assert any(line.startswith("labels ") for line in lines)
    assert not any("Member" in line for line in lines)
    assert lines[-1] == ""


def test_helpers_and_the_silenced_say_nothing(monkeypatch):
    stream = Terminal()
    work = threading.Thread(target=lambda: list(progress(range(3), "work", stream=stream, patience=0.0)))
    work.start()
    work.join()
    monkeypatch.setenv("PLAIT_PROGRESS", "never")
    assert list(progress(range(3), "work", stream=stream, patience=0.0)) == [0, 1, 2]
    with working("work", stream=stream, patience=0.0):
        time.sleep(0.3)
    assert stream.getvalue() == ""


def test_a_method_keeps_its_signature_and_says_what_it_does(monkeypatch):
    class Model:
        @shows_progress("fitting")
        def fit(self, X, y=None):
            """Train."""
            return self, X, y

    labels = []
    monkeypatch.setattr(progress_bar, "working", lambda label: labels.append(label) or working(label))
    model = Model()
    assert model.fit(1, y=2) == (model, 1, 2)
    assert labels == ["fitting Model"]
    assert list(inspect.signature(Model.fit).parameters) == ["self", "X", "y"]
    assert Model.fit.__doc__ == "Train."


def test_texts():
    assert _Work("w", 4, 1, 0.0).line(30.0) == "w " + "█" * 8 + "·" * 22 + " 1/4, 1:30 left"
    assert _Work("w", None, 7, 0.0).line(61.0) == "w: 7 done, 1:01"
    assert _Work("w", 4, None, 0.0).line(61.0) == "w, 1:01"


def test_a_fit_in_a_pipe_says_something():
    code = (
        "import time, numpy as np\n"
        "from plait.core import progress_bar\n"
        "progress_bar._LINES = progress_bar._Style(0.2, 0.1, '', '\\n')\n"
        "from plait.core.multilabel_classifier import MultilabelClassifier\n"
        "class Slow(MultilabelClassifier):\n"
        "    parameter_rules = {}\n"
        "    def _fit(self, X, Y, w): time.sleep(1.0)\n"
        "Slow().fit(np.zeros((3, 1)), [[1], [0], [1]])\n"
    )
    spoken = {**os.environ, "PLAIT_PROGRESS": "auto"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=spoken)
    assert done.stderr.splitlines()[0].startswith("fitting Slow, 0:0")
    assert done.stdout == ""
