"""The parsers of all commands. Each names the body that it calls, in `plait.commands`, which is loaded at the call."""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from plait import __version__
from plait.cli.completion import SHELLS, completion_script
from plait.cli.words import (
    BENCH,
    COMPLETION,
    REPRODUCE,
    WARM_UP,
    HelpWithDefaults,
    examples_of,
    label_choice,
    listed,
    method_words,
    names_choice,
    paper_words,
    positive_choice,
    selector_words,
    size_choice,
)
from plait.core.lazy_modules import lazy_module

__all__ = ["complain", "make_parser"]


_audit = lazy_module("plait.commands.audit")
_bench = lazy_module("plait.commands.bench")
_convert = lazy_module("plait.commands.convert")
_demo = lazy_module("plait.commands.demo")
_describe = lazy_module("plait.commands.describe")
_evaluate = lazy_module("plait.commands.evaluate")
_explore = lazy_module("plait.commands.explore")
_fit = lazy_module("plait.commands.fit")
_predict = lazy_module("plait.commands.predict")
_report = lazy_module("plait.commands.report")
_reproduce = lazy_module("plait.commands.reproduce")
_select = lazy_module("plait.commands.select")
_warm_up = lazy_module("plait.commands.warm_up")


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, like all others of plait."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is."""
        complain(f"{message}. Run '{self.prog} --help' for what it takes.")
        sys.exit(2)


def complain(message: str) -> None:
    """Print one line on standard error."""
    print(f"plait: {' '.join(message.split())}", file=sys.stderr)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all words; what it parses holds `run`, which takes the rest by name."""
    parser = OneLineParser(prog="plait", description="Probabilistic multi-label classification.")
    parser.add_argument("--version", action="version", version=f"plait {__version__}")
    _add_debug(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=OneLineParser)
    for add in (
        _describe_parser,
        _convert_parser,
        _select_parser,
        _fit_parser,
        _predict_parser,
        _evaluate_parser,
        _audit_parser,
        _explore_parser,
        _bench_parser,
        _report_parser,
        _reproduce_parser,
        _demo_parser,
        _warm_up_parser,
        _completion_parser,
    ):
        add(commands)
    return parser


def _added(
    commands: Any, name: str, words: str, run: Callable[..., int | None], description: str | None = None
) -> argparse.ArgumentParser:
    said = description or f"{words[0].upper()}{words[1:]}."
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=words, description=said.strip(), epilog=examples_of(name), formatter_class=HelpWithDefaults
    )
    _add_debug(parser, default=argparse.SUPPRESS)
    parser.set_defaults(run=run)
    return parser


def _add_debug(parser: argparse.ArgumentParser, **settings: Any) -> None:
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error", **settings)


def _call(module: Any, name: str, **given: Any) -> int | None:
    """Call the body of a command, whose module is loaded now."""
    code: int | None = getattr(module, name)(**given)
    return code


def _add_source(parser: argparse.ArgumentParser, *, training: bool = True) -> None:
    """Add the words that name a data set: DATA, its labels and what is said of its columns."""
    kinds = "a file (.csv, .tsv, .parquet, .xlsx, .arff, .svm, ...), '-' for CSV from standard input, or a name"
    parser.add_argument("data", metavar="DATA", help=f"{kinds} such as emotions")
    parser.add_argument(
        "--labels",
        type=label_choice,
        metavar="WHICH",
        help="which columns are labels, where the file does not say: how many (first n, or last n as -n), names "
        "joined by commas, or a pattern such as 'tag_*'",
    )
    parser.add_argument("--tags", metavar="COLUMN", help="instead: the column that holds all labels of a row, joined")
    parser.add_argument("--sep", metavar="SIGN", help="what joins tags (default: found out)")
    parser.add_argument(
        "--positive", type=positive_choice, metavar="WORD", help="the word that means 1 in labels, or LABEL=WORD,..."
    )
    parser.add_argument("--split", choices=("train", "test"), help="read this part of a data set that has parts")
    parser.add_argument("--id", dest="id_column", metavar="COLUMN", help="the column that names rows")
    if training:
        for option, words in (
            ("text", "columns of text"),
            ("words", "columns of words"),
            ("drop", "columns to leave out"),
        ):
            parser.add_argument(f"--{option}", type=names_choice, default=(), metavar="COLUMNS", help=words)
        fills = ("median", "mean", "none")
        parser.add_argument("--fill", choices=fills, default="median", help="how gaps are filled; none refuses them")


def _add_json(parser: argparse.ArgumentParser, words: str = "print JSON instead of a table") -> None:
    parser.add_argument("--json", dest="as_json", action="store_true", help=words)


def _add_names(parser: argparse.ArgumentParser, option: str, words: Sequence[str], **settings: Any) -> None:
    """Add an option that takes names; which ones is checked by the body, and completion knows them."""
    action: Any = parser.add_argument(option, metavar=settings.pop("metavar", "NAME"), **settings)
    action.names = tuple(words)


def _describe_parser(commands: Any) -> None:
    words = "statistics, label imbalance and label pairs of a data set"
    parser = _added(commands, "describe", words, partial(_call, _describe, "describe_data"))
    _add_source(parser)
    _add_json(parser)


def _convert_parser(commands: Any) -> None:
    words = "write a data set in another format, chosen by the suffix"
    parser = _added(commands, "convert", words, partial(_call, _convert, "convert_data"))
    _add_source(parser)
    parser.add_argument("out", metavar="OUT", help="the file to write: .arff (with an .xml beside it), .csv, ...")


def _select_parser(commands: Any) -> None:
    words = "choose features, for all labels or for each"
    parser = _added(commands, "select", words, partial(_call, _select, "choose_features"))
    _add_source(parser)
    names = selector_words()
    _add_names(parser, "--method", names, required=True, help="one of " + ", ".join(names))
    parser.add_argument(
        "-n",
        dest="n_features",
        type=size_choice,
        metavar="N",
        help="how many features: a number, a share such as 0.1, or 'sqrt' for the root of the number of rows",
    )
    parser.add_argument("--label-specific", action="store_true", help="choose for each label by itself")
    _add_json(parser)
    parser.add_argument("-o", dest="out", metavar="MASK.csv", help="also write labels x features as 0 and 1")


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the method, such as k=3 or learner__C=cv; may be given several times",
    )


def _fit_parser(commands: Any) -> None:
    words = "train a model and write it to a file"
    parser = _added(commands, "fit", words, partial(_call, _fit, "fit_model"))
    _add_source(parser)
    _add_names(parser, "--method", method_words(), default="auto", help="a method, see below")
    _add_settings(parser)
    parser.add_argument("--features", metavar="MASK.csv", help="learn from the features of this file of 'plait select'")
    parser.add_argument("--seed", type=int, default=0, help="another number makes other random choices")
    _add_dask(parser)
    parser.add_argument("-o", dest="out", required=True, metavar="MODEL", help="the file to write, such as model.plait")


def _add_dask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dask", metavar="ADDRESS", help="work with the Dask cluster of this scheduler")


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file that 'plait fit' wrote")
    words = "a type that the model may hold besides plait's own"
    parser.add_argument("--trust", action="append", default=[], metavar="TYPE", help=words)


def _predict_parser(commands: Any) -> None:
    words = "answers of a saved model for new rows"
    parser = _added(commands, "predict", words, partial(_call, _predict, "predict_rows"))
    _add_model(parser)
    _add_source(parser, training=False)
    parser.add_argument("--loss", metavar="NAME", help="decide for another loss: subset, hamming, f1, jaccard")
    parser.add_argument(
        "--form",
        choices=("labels", "tags", "proba", "joint"),
        default="labels",
        help="0/1 columns, the labels of a row joined, P(label) of every label, or the most probable set with its "
        "probability and the row's entropy",
    )
    for form in ("proba", "joint"):
        parser.add_argument(
            f"--{form}", dest="form", action="store_const", const=form, help=f"the same as --form {form}"
        )
    parser.add_argument("--top", type=int, metavar="K", help="the K most probable label sets with their probabilities")
    parser.add_argument(
        "--given", action="append", default=[], metavar="LABEL=0|1", help="a label that is known for all rows"
    )
    words = "what moved each predicted label of a row: features and other labels; --top K of them, 5 by default"
    parser.add_argument("--why", action="store_true", help=words)
    words = "the same of this label, predicted or not"
    parser.add_argument("--why-of", action="append", default=[], metavar="LABEL", help=words)
    _add_dask(parser)
    parser.add_argument(
        "-o", dest="out", metavar="FILE", help="write .csv, .tsv, .jsonl or .parquet; '-' or nothing prints CSV"
    )


def _evaluate_parser(commands: Any) -> None:
    words = "score methods on the same folds or on a test file, or a saved model"
    parser = _added(commands, "evaluate", words, partial(_call, _evaluate, "cross_validate"))
    _add_source(parser)
    _add_names(
        parser,
        "--methods",
        method_words(),
        type=listed,
        default=["auto", "br", "pcc"],
        metavar="NAMES",
        help="names of methods joined by commas",
    )
    _add_settings(parser)
    parser.add_argument("--test", metavar="FILE", help="fit on DATA and score on this file, instead of folds")
    parser.add_argument("--model", metavar="MODEL", help="score this saved model on DATA; nothing is fitted")
    parser.add_argument(
        "--metrics",
        type=listed,
        default=["exact_match", "hamming_loss", "jaccard_accuracy", "macro_f1", "micro_f1", "log_loss"],
        metavar="NAMES",
        help="what is measured: names of plait.metrics joined by commas",
    )
    parser.add_argument("--folds", type=int, default=5, metavar="K", help="number of folds")
    parser.add_argument("--seed", type=int, default=0, help="another number makes other folds")
    parser.add_argument("--by-label", action="store_true", help="also print F1 of every label")
    _add_json(parser)


def _audit_parser(commands: Any) -> None:
    words = "which recorded labels look wrong"
    parser = _added(commands, "audit", words, partial(_call, _audit, "audit_labels"))
    _add_source(parser)
    _add_names(parser, "--method", method_words(), default="auto", help="a method with probabilities")
    _add_settings(parser)
    parser.add_argument("--folds", type=int, default=5, metavar="K", help="each row is judged by the other folds")
    parser.add_argument("--most", type=int, default=500, metavar="N", help="how many records to list")
    words = "what a table lists: records, rows whose whole label set is improbable, or labels, with bounds of how many"
    parser.add_argument("--list", dest="listed", choices=("records", "rows", "labels"), default="records", help=words)
    parser.add_argument("--seed", type=int, default=0, help="another number makes other folds")
    _add_json(parser)
    parser.add_argument("-o", dest="out", metavar="FILE", help="write a page (.html) or a table (.csv)")


def _explore_parser(commands: Any) -> None:
    words = "a local page: click a label, see the others move, mend records"
    parser = _added(commands, "explore", words, partial(_call, _explore, "explore_rows"))
    _add_model(parser)
    _add_source(parser, training=False)
    parser.add_argument("--corrections", metavar="FILE", help="the CSV that decisions about records go to")
    parser.add_argument("--port", type=int, default=0, help="where on this machine; 0 for any that is free")
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="print the address, open nothing")
    parser.add_argument("--static", metavar="PAGE.html", help="instead: write a page that needs no server")
    parser.add_argument("--rows", dest="most", type=int, default=50, metavar="N", help="how many rows that page holds")


def _add_run(parser: argparse.ArgumentParser, **store: Any) -> None:
    """Add the words that say how cells are run."""
    parser.add_argument("--store", metavar="FILE", **store)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1); -1 for one on every core")
    parser.add_argument("--retry-failed", action="store_true", help="run cells again that failed before")


def _bench_parser(commands: Any) -> None:
    words = "run the experiments of a plan, or go on with them"
    parser = _added(commands, "bench", words, partial(_call, _bench, "run_benchmark"), BENCH)
    parser.add_argument("plan", metavar="PLAN", help="a TOML file; docs/experiments.md says what is in it")
    _add_run(parser, required=True, help="where results go, such as results.sqlite")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    parser.add_argument("--dry-run", action="store_true", help="check the plan and list its cells, but run nothing")
    words = "let the plan run code from outside plait and scikit-learn; only for plans that you trust"
    parser.add_argument("--allow-imports", action="store_true", help=words)
    parser.add_argument("--verbose", action="store_true", help="print a line for every finished cell")
    _add_json(parser, "print the summary, or the list of cells, as JSON")


def _report_parser(commands: Any) -> None:
    words = "tables, rank tests and pictures of stored results, on one page"
    parser = _added(commands, "report", words, partial(_call, _report, "report_results"))
    parser.add_argument("store", metavar="STORE", help="a file that 'plait bench' wrote")
    parser.add_argument("-o", dest="out", type=Path, metavar="PAGE.html", help="write the page here")
    parser.add_argument("--control", metavar="METHOD", help="compare all methods with this one, not all pairs")
    parser.add_argument("--plan", metavar="NAME", help="which plan of the store (the one that was run last)")
    parser.add_argument("--latex", type=Path, metavar="DIR", help="write every table as LaTeX (booktabs) here")
    parser.add_argument("--csv", type=Path, metavar="DIR", help="write every table as CSV here")
    pictures = "write every picture as SVG here, critical differences as TikZ too"
    parser.add_argument("--figures", type=Path, metavar="DIR", help=pictures)
    shown = "what to show, joined by commas, or all (what the plan names, else five)"
    parser.add_argument("--metrics", type=listed, default=[], metavar="NAMES", help=shown)
    _add_json(parser, "print JSON instead of tables")


def _reproduce_parser(commands: Any) -> None:
    words = "run a paper's experiments and compare cell by cell"
    parser = _added(commands, "reproduce", words, partial(_call, _reproduce, "reproduce_paper"), REPRODUCE)
    papers = paper_words()
    parser.add_argument("paper", choices=papers, metavar="PAPER", help=f"one of {', '.join(papers)}")
    _add_run(parser, help="where results go (PAPER.sqlite)")
    plans = parser.add_mutually_exclusive_group()
    plans.add_argument("--as-run", action="store_true", help="run only the plan by which its program ran")
    plans.add_argument("--plan", metavar="NAME", help="run only clean, as_run, a figure, an explanation; or all")
    some: dict[str, Any] = {
        "type": listed,
        "default": [],
        "metavar": "NAMES",
        "help": "some of the paper's, joined by commas",
    }
    parser.add_argument("--datasets", **some)
    parser.add_argument("--methods", **some)
    parser.add_argument("--quick", action="store_true", help="a few small data sets: done within five minutes")
    parser.add_argument("--show", action="store_true", help="run nothing, only compare what the store holds")
    parser.add_argument("--out", metavar="FOLDER", help="complete the tables and figures there, the parts of pages")
    parser.add_argument("--state", default="", metavar="WORD", help="what stands in them beside the runs: a commit")
    _add_json(parser, "print counts and cells as JSON")


def _demo_parser(commands: Any) -> None:
    words = "images with tags: learn, compare, ask, write a page"
    parser = _added(commands, "demo", words, partial(_call, _demo, "show_demonstration"))
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for data, picture and page")
    parser.add_argument("--seed", type=int, default=0, help="another number keeps other images aside")


def _warm_up_parser(commands: Any) -> None:
    words = "compile all kernels ahead: for containers and CI images"
    parser = _added(commands, "warm-up", words, partial(_call, _warm_up, "warm_up_kernels"), WARM_UP)
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (-1: one on every core)")


def _completion_parser(commands: Any) -> None:
    words = "print a script by which a shell completes words"
    parser = _added(commands, "completion", words, _print_completion, COMPLETION)
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")


def _print_completion(shell: str) -> None:
    print(completion_script(shell, make_parser()), end="")
