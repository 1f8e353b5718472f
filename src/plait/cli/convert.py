"""`plait convert IN OUT`: a data set from one format to another."""

import argparse
from typing import Any

from plait.cli.sources import add_source, load_source
from plait.data import save_dataset

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("convert", help="write a data set in another format, chosen by the suffix")
    add_source(parser)
    parser.add_argument("out", metavar="OUT", help="the file to write: .arff (with an .xml beside it), .csv, ...")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    dataset = load_source(options)
    save_dataset(dataset, options.out)
    print(f"{options.out}: {dataset.n_samples} rows, {dataset.n_features} features, {dataset.n_labels} labels")
