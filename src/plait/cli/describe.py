"""`plait describe DATA`: what is in a data set."""

import argparse
import json
from typing import Any

from plait.cli.sources import add_source, load_source
from plait.data import statistics
from plait.data.description import describe_text
from plait.experiments.label_dependence import dependence_text, strongest_pairs

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("describe", help="statistics, label imbalance and label pairs of a data set")
    add_source(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    dataset = load_source(options)
    if options.json:
        pairs = [pair._asdict() for pair in strongest_pairs(dataset)]
        print(json.dumps({"name": dataset.name, **statistics(dataset).as_dict(), "strongest_pairs": pairs}, indent=2))
    else:
        print(describe_text(dataset))
        print(dependence_text(dataset))
