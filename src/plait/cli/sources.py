"""How a data set is named on the command line, the same for every command."""

import argparse

from plait.data import Dataset, load_dataset

__all__ = ["add_source", "label_choice", "load_source"]


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the words that name a data set: DATA, --labels and --split."""
    parser.add_argument("data", metavar="DATA", help="a file, or the name of a data set such as emotions")
    parser.add_argument(
        "--labels",
        type=label_choice,
        metavar="WHICH",
        help="which columns are labels, where the file does not say: how many (first n, or last n as -n), names "
        "joined by commas, or a pattern such as 'tag_*'",
    )
    parser.add_argument("--split", choices=("train", "test"), help="read this part of a data set that has parts")


def label_choice(word: str) -> int | str | list[str]:
    """Return what `load_dataset` takes as `labels` from one word.

    Examples
    --------
    >>> label_choice("-6"), label_choice("sea,sun"), label_choice("tag_*")
    (-6, ['sea', 'sun'], 'tag_*')
    """
    if word.lstrip("-").isdigit():
        return int(word)
    if any(sign in word for sign in "*?["):
        return word
    return word.split(",")


def load_source(options: argparse.Namespace) -> Dataset:
    """Return the data set that the words name."""
    return load_dataset(options.data, labels=options.labels, split=options.split)
