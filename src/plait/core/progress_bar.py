"""Progress of long work: a bar on a terminal and in a notebook, a line every few seconds elsewhere.

`progress(items, label)` passes the items on and shows how many are done; `working(label)` shows how long a block has
taken; `shows_progress("fitting")` does so for a method. Nothing appears before work has lasted a while. Bars inside
bars stand on one line, so that none overwrites another. Threads and processes that help say nothing.

The environment variable PLAIT_PROGRESS is "auto"; "never" keeps everything silent.
"""

import multiprocessing
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TextIO, TypeVar

__all__ = ["progress", "shows_progress", "working"]

Item = TypeVar("Item")
Method = TypeVar("Method", bound=Callable[..., Any])

_WIDTH = 30


@dataclass(frozen=True)
class _Style:
    """How a stream shows progress: seconds before the first drawing and between two, and what stands around a line."""

    patience: float
    every: float
    begin: str
    end: str


_TERMINAL = _Style(1.0, 0.1, "\r", "\x1b[K")
_NOTEBOOK = _Style(2.0, 0.5, "\r", "")
_LINES = _Style(5.0, 10.0, "", "\n")


@dataclass(eq=False)
class _Work:
    """Some work: what it is, and how much of how much is done; without a number of items only time is shown."""

    label: str
    total: int | None = None
    done: int | None = None
    start: float = field(default_factory=time.monotonic)

    def line(self, now: float) -> str:
        """Return what is shown of it."""
        seconds = now - self.start
        if not self.done:
            return f"{self.label}, {_clock(seconds)}"
        if not self.total:
            return f"{self.label}: {self.done} done, {_clock(seconds)}"
        share = min(self.done / self.total, 1.0)
        filled = round(share * _WIDTH)
        bar = "█" * filled + "·" * (_WIDTH - filled)
        return f"{self.label} {bar} {self.done}/{self.total}, {_clock(seconds * (1.0 - share) / share)} left"


class _Screen:
    """What is being worked on, outermost first, and where it is drawn."""

    def __init__(self) -> None:
        self.works: list[_Work] = []
        self.lock = threading.Lock()
        self.stream: TextIO = sys.stderr
        self.style, self.patience = _TERMINAL, 0.0
        self.last, self.longest = 0.0, 0
        self.timed, self.clock = threading.Event(), threading.Thread()

    def begin(self, work: _Work, stream: TextIO, patience: float | None) -> None:
        """Add work; the outermost says where to draw."""
        if not self.works:
            self.stream, self.style = stream, _style_of(stream)
            self.patience = self.style.patience if patience is None else patience
            self.last, self.longest = 0.0, 0
        self.works.append(work)

    def draw(self) -> None:
        """Draw, where work has lasted a while and the last drawing is old enough."""
        now = time.monotonic()
        with self.lock:
            if not self.works or now - self.works[0].start < self.patience or now - self.last < self.style.every:
                return
            counted = [work for work in self.works if work.done] or self.works[:1]
            line = " · ".join(work.line(now) for work in counted)
            if self.style is not _LINES:  # a line that wraps could not be overwritten
                line = line[: max(20, shutil.get_terminal_size().columns - 1)]
            self.stream.write(self.style.begin + line.ljust(self.longest) + self.style.end)
            self.stream.flush()
            self.last, self.longest = now, len(line) if self.style is _NOTEBOOK else 0

    def end(self, work: _Work) -> None:
        """Take work away; after the outermost the line is wiped."""
        with self.lock:
            if work in self.works:
                self.works.remove(work)
            if not self.works and self.last:
                if self.style is not _LINES:
                    self.stream.write("\r" + (" " * self.longest + "\r" if self.style is _NOTEBOOK else "\x1b[K"))
                    self.stream.flush()
                self.last = 0.0

    def watch(self) -> None:
        """Draw now and then until the work is over, from a thread that waits for the next one."""
        if not self.clock.is_alive():
            self.clock = threading.Thread(target=self._tick, daemon=True)
            self.clock.start()
        self.timed.set()

    def _tick(self) -> None:
        while True:
            self.timed.wait()
            time.sleep(0.2)
            self.draw()


_screen = _Screen()


def progress(
    items: Iterable[Item],
    label: str,
    total: int | None = None,
    stream: TextIO | None = None,
    patience: float | None = None,
) -> Iterator[Item]:
    """Yield the items and show how far the work is.

    Parameters
    ----------
    items : iterable
        What to work through.
    label : str
        What the work is, shown before the bar.
    total : int, optional
        How many items there are; taken from `len(items)` where it has one.
    stream : text stream, optional
        Where to draw; standard error by default.
    patience : float, optional
        Seconds before anything appears; by default 1 on a terminal, 2 in a notebook, 5 elsewhere.

    Yields
    ------
    object
        The items, one after the other.

    Examples
    --------
    >>> sum(progress([1, 2, 3], "adding"))  # a bar appears where it takes longer than a second
    6
    """
    if not _may_speak():
        yield from items
        return
    work = _Work(label, len(items) if total is None and isinstance(items, Sized) else total)
    _screen.begin(work, sys.stderr if stream is None else stream, patience)
    try:
        for done, item in enumerate(items, start=1):
            yield item
            work.done = done
            _screen.draw()
    finally:
        _screen.end(work)


@contextmanager
def working(label: str, stream: TextIO | None = None, patience: float | None = None) -> Iterator[None]:
    """Show what is going on inside the block, and for how long, unless a bar inside it says more.

    Parameters
    ----------
    label : str
        What is going on.
    stream : text stream, optional
        Where to write; standard error by default.
    patience : float, optional
        Seconds before anything appears; by default 1 on a terminal, 2 in a notebook, 5 elsewhere.

    Examples
    --------
    >>> with working("thinking"):  # a line appears where it takes longer
    ...     6 * 7
    42
    """
    if not _may_speak() or _screen.works:
        yield
        return
    work = _Work(label)
    _screen.begin(work, sys.stderr if stream is None else stream, patience)
    _screen.watch()
    try:
        yield
    finally:
        _screen.timed.clear()
        _screen.end(work)


def shows_progress(verb: str) -> Callable[[Method], Method]:
    """Return a decorator of a method: where it takes long, it says what it does and to which class.

    Parameters
    ----------
    verb : str
        What the method does, such as "fitting".

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> class Model:
    ...     @shows_progress("fitting")
    ...     def fit(self):
    ...         return "fitted"
    >>> Model().fit()  # "fitting Model" appears where it takes longer than a second
    'fitted'
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def shown(self: Any, *args: Any, **kwargs: Any) -> Any:
            with working(f"{verb} {type(self).__name__}"):
                return method(self, *args, **kwargs)

        return shown  # type: ignore[return-value]

    return decorate


def _may_speak() -> bool:
    """Say whether this is the thread and the process that a person started."""
    if os.environ.get("PLAIT_PROGRESS", "auto") == "never" or multiprocessing.parent_process() is not None:
        return False
    return threading.current_thread() is threading.main_thread()


def _style_of(stream: TextIO) -> _Style:
    if stream.isatty():
        return _TERMINAL
    # A notebook's kernel has its own kind of stream, which understands "\r".
    return _NOTEBOOK if type(stream).__module__.startswith("ipykernel") else _LINES


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
