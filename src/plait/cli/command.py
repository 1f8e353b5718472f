"""The command itself: words parsed, the body called, and how its errors reach the user."""

import io
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from plait.cli.parsers import complain, make_parser

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Run the command given by words (by default those of the command line) and return its exit code.

    Parameters
    ----------
    words : sequence of str, optional
        What would stand behind `plait` in a shell.

    Returns
    -------
    int

    Examples
    --------
    >>> main(["describe", "no-such-file.csv"])
    2
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a bar's characters gets question marks, not a traceback.
            stream.reconfigure(errors="replace")
    options = vars(make_parser().parse_args(words))
    run, debug = options.pop("run"), options.pop("debug")
    with _termination_as_interrupt(), warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _notes()
        try:
            code: int | None = run(**options)
            sys.stdout.flush()
        except _Terminated:
            complain("stopped.")
            return 143
        except KeyboardInterrupt:
            complain("stopped.")
            return 130
        except (ValueError, TypeError, ImportError, OSError) as problem:
            if debug:
                traceback.print_exc()
            return _failed(problem)
    return code or 0


class _Terminated(KeyboardInterrupt):
    """The command was told to end."""


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Batch systems end a job by SIGTERM: what is half written is cleaned up as after Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: Any) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _failed(problem: Exception) -> int:
    if isinstance(problem, BrokenPipeError):
        # The reader went away (`plait describe ... | head`): nothing is wrong, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    for line in getattr(problem, "lines", [str(problem)]):
        complain(line)
    return 2


def _notes() -> Callable[..., None]:
    """Return what shows plait's own warnings, each once; those of other packages are no matter of a user's."""
    said: set[str] = set()

    def note(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if category.__module__.startswith("plait.") and str(message) not in said:
            said.add(str(message))
            complain(f"note: {message}")

    return note
