"""`plait fit DATA --method NAME -o MODEL`: train a model and write it to a file."""

import argparse
from typing import Any

from plait.cli.sources import add_source, load_source
from plait.experiments.model_file import ModelFile, save_model
from plait.experiments.planning.methods import make_method, method_names, parsed_settings

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("fit", help="train a model and write it to a file")
    add_source(parser)
    parser.add_argument("--method", default="pcc", metavar="NAME", help="one of " + ", ".join(method_names()))
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the method, such as k=3 or learner__C=cv; may be given several times",
    )
    parser.add_argument("--seed", type=int, default=0, help="another number makes other random choices")
    parser.add_argument("-o", dest="out", required=True, metavar="MODEL", help="the file to write, such as model.skops")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    model = make_method(options.method, parsed_settings(options.settings), random_state=options.seed)
    data = load_source(options)
    model.fit(data.X, data.Y)
    names = tuple(data.feature_names or ()), tuple(data.label_names or ())
    save_model(ModelFile(model, *names, options.method), options.out)
    print(f"{options.out}: {options.method} of {data.n_labels} labels, fitted on {data.n_samples} rows of {data.name}")
