"""`plait demo`: what plait does, on data it makes up, in a few seconds."""

import argparse
from pathlib import Path
from typing import Any

from plait.experiments.demonstration import run_demonstration

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("demo", help="make data up, learn them, ask questions, draw a picture and a page")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for data, picture and page")
    parser.add_argument("--seed", type=int, default=0, help="another number makes other data")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    for line in run_demonstration(options.output, random_state=options.seed):
        print(line, flush=True)
