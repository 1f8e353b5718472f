"""`plait select DATA --method NAME`: the features a selector chooses."""

import argparse
import json
from typing import Any

from plait.cli.sources import add_source, load_source
from plait.core.sentences import shown
from plait.experiments.selection import select_features, selector_names
from plait.experiments.selection_report import selection_dict, selection_text, write_mask

__all__ = ["add_to", "size_choice"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("select", help="choose features, for all labels or for each")
    add_source(parser)
    parser.add_argument("--method", required=True, metavar="NAME", help="one of " + ", ".join(selector_names()))
    parser.add_argument(
        "-n",
        dest="n_features",
        type=size_choice,
        metavar="N",
        help="how many features: a number, a share such as 0.1, or 'sqrt' for the root of the number of rows",
    )
    parser.add_argument("--label-specific", action="store_true", help="choose for each label by itself")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("-o", dest="out", metavar="MASK.csv", help="also write labels x features as 0 and 1")
    parser.set_defaults(run=_run)


def size_choice(word: str) -> int | float | str:
    """Return what a selector takes as `n_features` from one word.

    Examples
    --------
    >>> size_choice("50"), size_choice("0.1"), size_choice("sqrt")
    (50, 0.1, 'sqrt')
    """
    if word == "sqrt":
        return word
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(f"needs a number, a share or 'sqrt', but it is {shown(word)}")


def _run(options: argparse.Namespace) -> None:
    selection = select_features(
        load_source(options), options.method, options.n_features, label_specific=options.label_specific
    )
    if options.out:
        write_mask(selection, options.out)
    if options.json:
        print(json.dumps(selection_dict(selection), indent=2))
    else:
        print(selection_text(selection))
