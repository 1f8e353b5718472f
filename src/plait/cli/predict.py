"""`plait predict MODEL DATA -o LABELS.csv`: answers of a saved model for new rows."""

import argparse
from typing import Any

from plait.cli.sources import label_choice
from plait.core.sentences import ParameterError
from plait.data import Dataset, load_dataset
from plait.data.conversion.files import plain_suffix
from plait.experiments.model_file import load_model
from plait.experiments.prediction import answer_rows, answers_text, parsed_evidence, write_answers

__all__ = ["add_to"]

_TABLES = (".csv", ".tsv", ".parquet")


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("predict", help="answers of a saved model for new rows")
    parser.add_argument("model", metavar="MODEL", help="a file that 'plait fit' wrote")
    parser.add_argument("data", metavar="DATA", help="a file, or the name of a data set such as emotions")
    parser.add_argument("--labels", type=label_choice, metavar="WHICH", help="which columns are labels, if any")
    parser.add_argument("--split", choices=("train", "test"), help="read this part of a data set that has parts")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--loss", metavar="NAME", help="the label set of least expected loss: subset, hamming, f1, jaccard"
    )
    form.add_argument("--proba", action="store_true", help="P(label) of every label")
    form.add_argument("--joint", action="store_true", help="the most probable set, its probability, the row's entropy")
    form.add_argument("--top", type=int, metavar="K", help="the K most probable label sets with their probabilities")
    parser.add_argument(
        "--given", action="append", default=[], metavar="LABEL=0|1", help="a label that is known for all rows"
    )
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="TYPE",
        help="a type that the model may hold besides plait's own",
    )
    parser.add_argument("--allow-pickle", action="store_true", help="read a pickled model: runs the code it holds")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write CSV (or .jsonl) instead of printing CSV")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.top is not None and options.top < 1:
        raise ParameterError(f"plait predict needs --top to be at least 1, but it is {options.top}. Pass 1 or more.")
    file = load_model(options.model, trusted=options.trust, allow_pickle=options.allow_pickle)
    form = "proba" if options.proba else "joint" if options.joint else "labels" if options.top is None else "top"
    answers = answer_rows(
        file, _rows(options), form=form, loss=options.loss, k=options.top or 1, evidence=parsed_evidence(options.given)
    )
    if options.out:
        write_answers(answers, options.out)
        print(f"{options.out}: {answers.note}")
    else:
        print(answers_text(answers), end="")


def _rows(options: argparse.Namespace) -> Dataset:
    """Return the rows to answer for; a table without labels needs no word about them."""
    labels = options.labels
    if labels is None and plain_suffix(options.data) in _TABLES:
        labels = []
    return load_dataset(options.data, labels=labels, split=options.split)
