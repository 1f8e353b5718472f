"""The parsers of all commands. Each names the body that it calls, in `plait.commands`, which is loaded at the call."""

import argparse
import ast
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

from plait import __version__
from plait.cli.completion import SHELLS, completion_script
from plait.core.lazy_modules import lazy_module
from plait.core.naming import registered
from plait.core.sentences import shown

__all__ = ["complain", "make_parser"]

_PACKAGE = Path(__file__).parents[1]
_NO_SELECTORS = ("Mask", "Selector", "Warning")

_bench = lazy_module("plait.commands.bench")
_convert = lazy_module("plait.commands.convert")
_demo = lazy_module("plait.commands.demo")
_describe = lazy_module("plait.commands.describe")
_evaluate = lazy_module("plait.commands.evaluate")
_fit = lazy_module("plait.commands.fit")
_predict = lazy_module("plait.commands.predict")
_report = lazy_module("plait.commands.report")
_reproduce = lazy_module("plait.commands.reproduce")
_select = lazy_module("plait.commands.select")
_warm_up = lazy_module("plait.commands.warm_up")

_BENCH = """
Run every method of a plan on every fold of every data set, and keep what comes out in a store. A cell (data set,
method, fold, seed) that is in the store is not run again: stop the command at any moment and give it again. Several
may work on one store. The exit code is 0, 1 if a cell failed, 2 if the plan is wrong, 130 after Ctrl-C.
"""
_REPRODUCE = """
Run the experiments of a paper as its plan has them, and show plait's numbers beside the published ones, the difference
in published standard deviations, and the paper's rank test done again on both. What the store holds is not run again:
stop the command at any moment and give it again. Data sets are looked for in the folder PLAIT_DATA.
"""
_WARM_UP = """
Compile all kernels and keep them on disk, so that nothing is compiled later: in the Dockerfile of an image, or once on
a shared machine. They lie in NUMBA_CACHE_DIR if it is set, beside the package, or in the user's cache folder; the
command prints where. A new version of plait, Numba or Python, and another kind of processor, compile anew.
"""
_COMPLETION = """
Print a script by which a shell completes plait's commands, options and names. For bash: plait completion bash >
~/.local/share/bash-completion/completions/plait; for zsh: plait completion zsh > a folder of $fpath, as _plait; for
fish: plait completion fish > ~/.config/fish/completions/plait.fish.
"""


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
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=OneLineParser)
    for add in (
        _describe_parser,
        _convert_parser,
        _select_parser,
        _fit_parser,
        _predict_parser,
        _evaluate_parser,
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
    parser: argparse.ArgumentParser = commands.add_parser(name, help=words, description=description)
    parser.set_defaults(run=run)
    return parser


def _call(module: Any, name: str, **given: Any) -> int | None:
    """Call the body of a command, whose module is loaded now."""
    code: int | None = getattr(module, name)(**given)
    return code


def _add_source(parser: argparse.ArgumentParser) -> None:
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


def _fit_parser(commands: Any) -> None:
    words = "train a model and write it to a file"
    parser = _added(commands, "fit", words, partial(_call, _fit, "fit_model"))
    _add_source(parser)
    names = method_words()
    _add_names(parser, "--method", names, default="pcc", help="one of " + ", ".join(names))
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


def _predict_parser(commands: Any) -> None:
    words = "answers of a saved model for new rows"
    parser = _added(commands, "predict", words, partial(_call, _predict, "predict_rows"))
    parser.add_argument("model", metavar="MODEL", help="a file that 'plait fit' wrote")
    parser.add_argument("data", metavar="DATA", help="a file, or the name of a data set such as emotions")
    parser.add_argument("--labels", type=label_choice, metavar="WHICH", help="which columns are labels, if any")
    parser.add_argument("--split", choices=("train", "test"), help="read this part of a data set that has parts")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--loss", metavar="NAME", help="the label set of least expected loss: subset, hamming, f1, jaccard"
    )
    form.add_argument(
        "--proba", dest="form", action="store_const", const="proba", default="labels", help="P(label) of every label"
    )
    form.add_argument(
        "--joint",
        dest="form",
        action="store_const",
        const="joint",
        help="the most probable set, its probability, the row's entropy",
    )
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
    parser.add_argument("-o", dest="out", metavar="FILE", help="write CSV (or .jsonl) instead of printing CSV")


def _evaluate_parser(commands: Any) -> None:
    words = "cross-validate methods on the same folds"
    parser = _added(commands, "evaluate", words, partial(_call, _evaluate, "cross_validate"))
    _add_source(parser)
    _add_names(
        parser,
        "--methods",
        method_words(),
        type=listed,
        default=["br", "cc", "pcc"],
        metavar="NAMES",
        help="names of methods joined by commas",
    )
    parser.add_argument("--folds", type=int, default=5, metavar="K", help="number of folds (5)")
    parser.add_argument("--seed", type=int, default=0, help="another number makes other folds")
    _add_json(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Add the words that say how cells are run."""
    parser.add_argument("--store", required=True, metavar="FILE", help="where results go, such as results.sqlite")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1); -1 for one on every core")
    parser.add_argument("--retry-failed", action="store_true", help="run cells again that failed before")


def _bench_parser(commands: Any) -> None:
    words = "run the experiments of a plan, or go on with them"
    parser = _added(commands, "bench", words, partial(_call, _bench, "run_benchmark"), _BENCH)
    parser.add_argument("plan", metavar="PLAN", help="a TOML file; docs/experiments.md says what is in it")
    _add_run(parser)
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
    _add_json(parser, "print JSON instead of tables")


def _reproduce_parser(commands: Any) -> None:
    words = "run a paper's experiments and compare cell by cell"
    parser = _added(commands, "reproduce", words, partial(_call, _reproduce, "reproduce_paper"), _REPRODUCE)
    papers = paper_words()
    parser.add_argument("paper", choices=papers, metavar="PAPER", help=f"one of {', '.join(papers)}")
    _add_run(parser)
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
    parser.add_argument("--out", metavar="FOLDER", help="write the tables there too, as Markdown and CSV")


def _demo_parser(commands: Any) -> None:
    words = "make data up, learn them, ask questions, draw a picture and a page"
    parser = _added(commands, "demo", words, partial(_call, _demo, "show_demonstration"))
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder for data, picture and page")
    parser.add_argument("--seed", type=int, default=0, help="another number makes other data")


def _warm_up_parser(commands: Any) -> None:
    words = "compile all kernels ahead: for containers and CI images"
    parser = _added(commands, "warm-up", words, partial(_call, _warm_up, "warm_up_kernels"), _WARM_UP)
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (-1: one on every core)")


def _completion_parser(commands: Any) -> None:
    words = "print a script by which a shell completes words"
    parser = _added(commands, "completion", words, _print_completion, _COMPLETION)
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")


def _print_completion(shell: str) -> None:
    print(completion_script(shell, make_parser()), end="")


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


def listed(word: str) -> list[str]:
    """Return words joined by commas as a list.

    Examples
    --------
    >>> listed("br, cc,")
    ['br', 'cc']
    """
    return [part.strip() for part in word.split(",") if part.strip()]


def method_words() -> list[str]:
    """Return the names of all recipes, sorted."""
    return sorted(_exported("estimators", "recipes"))


def selector_words() -> list[str]:
    """Return the registered names of all selectors, sorted."""
    kinds = [name for name in _exported("features") if name[0].isupper() and not name.endswith(_NO_SELECTORS)]
    return sorted(map(registered, kinds))


def paper_words() -> list[str]:
    """Return the names of the papers that can be run again, sorted."""
    return sorted(path.stem for path in (_PACKAGE / "experiments" / "reproduction" / "plans").glob("*.toml"))


@cache
def _exported(*parts: str) -> tuple[str, ...]:
    """Return the `__all__` of a module as its source, or the stub of a lazy room, has it: nothing is imported."""
    place = _PACKAGE.joinpath(*parts)
    files = (place / "__init__.pyi", place / "__init__.py", place.with_suffix(".py"))
    source = next(file for file in files if file.is_file()).read_text(encoding="utf8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return tuple(ast.literal_eval(node.value))
    return ()
