"""The command itself: which sub-commands there are, and how their errors reach the user."""

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from plait import __version__
from plait.cli import bench, convert, demo, describe, evaluate, fit, predict, report, reproduce, select
from plait.core.sentences import ParameterError
from plait.data import DataError, DataWarning
from plait.features import SelectionWarning

__all__ = ["main"]

_COMMANDS = (describe, convert, select, fit, predict, evaluate, bench, report, reproduce, demo)
_NOTED = (DataWarning, SelectionWarning)


class _OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, like all others of plait."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{message}. Run '{self.prog} --help' for what it takes.")
        sys.exit(2)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command given by words (by default those of the command line) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a bar's characters gets question marks, not a traceback.
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(words)
    with warnings.catch_warnings():
        for category in _NOTED:
            warnings.simplefilter("always", category)
        warnings.showwarning = _note
        try:
            code = options.run(options)
            sys.stdout.flush()
        except (DataError, ParameterError, ImportError, OSError) as problem:
            return _failed(problem)
        except KeyboardInterrupt:
            _complain("stopped.")
            return 130
    return code or 0


def _parser() -> argparse.ArgumentParser:
    parser = _OneLineParser(prog="plait", description="Probabilistic multi-label classification.")
    parser.add_argument("--version", action="version", version=f"plait {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_OneLineParser)
    for command in _COMMANDS:
        command.add_to(commands)
    return parser


def _failed(problem: Exception) -> int:
    if isinstance(problem, BrokenPipeError):
        # The reader went away (`plait describe ... | head`): nothing is wrong, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    for line in getattr(problem, "lines", [str(problem)]):
        _complain(line)
    return 2


def _complain(message: str) -> None:
    print(f"plait: {' '.join(message.split())}", file=sys.stderr)


def _note(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, _NOTED):
        _complain(f"note: {message}")
