"""Progress of long work: a bar on a terminal, silence elsewhere.

`progress(items, label)` passes the items on. The bar appears only when the work lasts longer than a second
and standard error is a terminal, so that logs, notebooks and tests stay clean.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import TextIO, TypeVar

__all__ = ["progress"]

Item = TypeVar("Item")

_PATIENCE = 1.0  # seconds before a bar is worth showing
_EVERY = 0.1  # seconds between two drawings
_WIDTH = 30


def progress(
    items: Iterable[Item],
    label: str,
    total: int | None = None,
    stream: TextIO | None = None,
    patience: float = _PATIENCE,
) -> Iterator[Item]:
    """Yield the items and, on a terminal, show how far the work is.

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
    patience : float, default=1.0
        Seconds before the bar first appears.
    """
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    start = last = time.monotonic()
    drawn = False
    try:
        for done, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now - start >= patience and (now - last >= _EVERY or not drawn):
                stream.write("\r" + _line(label, done, total, now - start) + "\x1b[K")
                stream.flush()
                last, drawn = now, True
    finally:
        if drawn:
            stream.write("\r\x1b[K")
            stream.flush()


def _line(label: str, done: int, total: int | None, seconds: float) -> str:
    if not total:
        return f"{label}: {done} done, {_clock(seconds)}"
    share = min(done / total, 1.0)
    filled = round(share * _WIDTH)
    left = seconds * (1.0 - share) / share
    bar = "█" * filled + "·" * (_WIDTH - filled)
    return f"{label} {bar} {done}/{total}, {_clock(left)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
