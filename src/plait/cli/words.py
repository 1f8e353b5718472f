"""Words of the command line: the values that they mean, the names that they may be, and what `--help` says."""

import argparse
import ast
from functools import cache
from pathlib import Path

from plait.core.naming import registered
from plait.core.sentences import shown

__all__ = [
    "BENCH",
    "COMPLETION",
    "REPRODUCE",
    "WARM_UP",
    "HelpWithDefaults",
    "examples_of",
    "label_choice",
    "listed",
    "method_words",
    "names_choice",
    "paper_words",
    "positive_choice",
    "selector_words",
    "size_choice",
]

_PACKAGE = Path(__file__).parents[1]
_NO_SELECTORS = ("GivenFeatures", "Mask", "Selector", "Warning")

BENCH = """
Run every method of a plan on every fold of every data set, and keep what comes out in a store. A cell (data set,
method, fold, seed) that is in the store is not run again: stop the command at any moment and give it again. Several
may work on one store. The exit code is 0, 1 if a cell failed, 2 if the plan is wrong, 130 after Ctrl-C.
"""
REPRODUCE = """
Run the experiments of a paper by two plans, as the paper says and as its program ran, and show both beside the
published numbers: the difference in published standard deviations, how many cells are within two of them, better and
worse, how many of the printed cells are compared, and the paper's tests done again. What the store holds is not run
again: stop the command at any moment and give it again. Data sets are looked for in the folder PLAIT_DATA. A folder
that is given by --out keeps what earlier stores held, with the day of each run. The exit code is 0, 1 if a cell failed,
2 if there are no data or a word is wrong.
"""
WARM_UP = """
Compile all kernels and keep them on disk, so that nothing is compiled later: in the Dockerfile of an image, or once on
a shared machine. They lie in NUMBA_CACHE_DIR if it is set, beside the package, or in the user's cache folder; the
command prints where. A new version of plait, Numba or Python, and another kind of processor, compile anew.
"""
COMPLETION = """
Print a script by which a shell completes plait's commands, options and names. For bash: plait completion bash >
~/.local/share/bash-completion/completions/plait; for zsh: plait completion zsh > a folder of $fpath, as _plait; for
fish: plait completion fish > ~/.config/fish/completions/plait.fish.
"""


METHODS = """
methods by name:
  auto                  several models, compared and weighted by held-out rows
  br                    binary relevance: every label by itself
  cc, pcc               classifier chain: one label after the other; with probabilities
  kcc, occ              k-dependence chain; ordered chain with its own features
  bcc, pacc             Bayesian (tree) chain; polytree-augmented chain
  ctbn, mc              conditional tree Bayesian network; mixture of such trees
  ecc, epcc, ebcc, eocc ensembles of cc, pcc, bcc, occ
  *_ldf                 with label-dependent features
  MLkNN, RAkEL, ...     baselines, by the names of their classes
"""
EXAMPLES = {
    "describe": ["plait describe emotions", "plait describe songs.csv --labels calm,happy,sad"],
    "convert": ["plait convert songs.csv songs.parquet --labels calm,happy,sad"],
    "select": ["plait select emotions --method scls -n 20 -o mask.csv"],
    "fit": [
        "plait fit songs.csv --labels calm,happy,sad --id song -o model.plait",
        "plait fit films.csv --tags genre --sep '|' --text plot --method br --set learner__C=3 -o model.plait",
    ],
    "predict": [
        "plait predict model.plait new.csv",
        "plait predict model.plait new.csv --form tags -o answers.jsonl",
        "cat new.csv | plait predict model.plait - --proba -o -",
        "plait predict model.plait new.csv --given sad=1 --top 3",
        "plait predict model.plait new.csv --why --top 3",
    ],
    "evaluate": [
        "plait evaluate songs.csv --labels calm,happy,sad --methods br,pcc,MLkNN",
        "plait evaluate train.csv --test test.csv --labels calm,happy,sad --metrics micro_f1,f1_loss",
        "plait evaluate test.csv --model model.plait --by-label",
    ],
    "audit": ["plait audit songs.csv --labels calm,happy,sad --id song -o audit.html"],
    "explore": [
        "plait explore model.plait songs.csv",
        "plait explore model.plait songs.csv --static page.html --rows 100",
    ],
    "bench": ["plait bench plan.toml --store results.sqlite --jobs 2"],
    "report": ["plait report results.sqlite -o report.html"],
    "reproduce": ["plait reproduce pcc --quick --store pcc.sqlite"],
}


class HelpWithDefaults(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Help that shows defaults, where there are any, and leaves descriptions as they are written."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.nargs == 0 or action.default in (None, False, [], ()) or action.default is argparse.SUPPRESS:
            return action.help
        if isinstance(action.default, list | tuple):
            return f"{action.help} (default: {','.join(map(str, action.default))})"
        return super()._get_help_string(action)


def examples_of(command: str) -> str:
    """Return what stands below the options of a command: examples, and methods where it takes them."""
    examples = "".join(f"\n  {line}" for line in EXAMPLES.get(command, ()))
    return (f"examples:{examples}\n" if examples else "") + (METHODS if command in ("fit", "evaluate") else "")


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


def names_choice(word: str) -> tuple[str, ...]:
    """Return names joined by commas.

    Examples
    --------
    >>> names_choice("plot,title")
    ('plot', 'title')
    """
    return tuple(listed(word))


def positive_choice(word: str) -> str | dict[str, str]:
    """Return the word that means 1, or such words by label.

    Examples
    --------
    >>> positive_choice("dark"), positive_choice("sky=dark,sea=calm")
    ('dark', {'sky': 'dark', 'sea': 'calm'})
    """
    if "=" not in word:
        return word
    return {name: value for name, _, value in (part.partition("=") for part in listed(word))}


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
    """Return the names of all recipes, then of all baselines, each sorted."""
    return [*sorted(_exported("estimators", "recipes")), *sorted(_exported("baselines"))]


def selector_words() -> list[str]:
    """Return the registered names of all selectors, sorted."""
    kinds = [name for name in _exported("features") if name[0].isupper() and not name.endswith(_NO_SELECTORS)]
    return sorted(map(registered, kinds))


def paper_words() -> list[str]:
    """Return the names of the papers that can be run again, sorted."""
    return sorted(
        path.parent.name for path in (_PACKAGE / "experiments" / "reproduction" / "papers").glob("*/paper.toml")
    )


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
