"""The command itself: words parsed, the body called, and how its errors reach the user."""

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from plait.cli.parsers import complain, make_parser
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError

__all__ = ["main"]

_data_errors = lazy_module("plait.data.errors")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command given by words (by default those of the command line) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a bar's characters gets question marks, not a traceback.
            stream.reconfigure(errors="replace")
    options = vars(make_parser().parse_args(words))
    run = options.pop("run")
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _note
        try:
            code: int | None = run(**options)
            sys.stdout.flush()
        except KeyboardInterrupt:
            complain("stopped.")
            return 130
        except (ParameterError, ImportError, OSError) as problem:
            return _failed(problem)
        except _data_errors.DataError as problem:
            return _failed(problem)
    return code or 0


def _failed(problem: Exception) -> int:
    if isinstance(problem, BrokenPipeError):
        # The reader went away (`plait describe ... | head`): nothing is wrong, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    for line in getattr(problem, "lines", [str(problem)]):
        complain(line)
    return 2


def _note(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Show plait's own warnings in one line each; what other packages warn of is no matter of a user's."""
    if category.__module__.startswith("plait."):
        complain(f"note: {message}")
