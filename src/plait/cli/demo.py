"""`plait demo`: what plait does, on data it makes up, in a few seconds."""

import argparse
from pathlib import Path
from typing import Any

from plait.experiments.demonstration import run_demonstration

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("demo", help="make data up, describe, split and score them, draw a picture")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for the picture and the data")
    parser.add_argument("--seed", type=int, default=0, help="another number makes other data")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    for line in run_demonstration(options.output, random_state=options.seed):
        print(line, flush=True)
