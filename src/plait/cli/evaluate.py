"""`plait evaluate DATA --methods br,cc,pcc --folds 5`: cross-validate methods on the same folds."""

import argparse
import json
from typing import Any

from plait.cli.sources import add_source, load_source
from plait.core.sentences import ParameterError
from plait.experiments.evaluation import evaluate_methods, evaluation_dict, evaluation_text

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("evaluate", help="cross-validate methods on the same folds")
    add_source(parser)
    parser.add_argument("--methods", default="br,cc,pcc", metavar="NAMES", help="names of methods joined by commas")
    parser.add_argument("--folds", type=int, default=5, metavar="K", help="number of folds (5)")
    parser.add_argument("--seed", type=int, default=0, help="another number makes other folds")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.folds < 2:
        raise ParameterError(
            f"plait evaluate needs --folds to be at least 2, but it is {options.folds}. Pass 2 or more."
        )
    methods = [name for name in options.methods.split(",") if name]
    evaluation = evaluate_methods(load_source(options), methods, options.folds, options.seed)
    print(json.dumps(evaluation_dict(evaluation), indent=2) if options.json else evaluation_text(evaluation))
