"""What `--help` says: descriptions, examples, and the methods by their whole names."""

import argparse

__all__ = ["BENCH", "COMPLETION", "REPRODUCE", "WARM_UP", "HelpWithDefaults", "examples_of"]

BENCH = """
Run every method of a plan on every fold of every data set, and keep what comes out in a store. A cell (data set,
method, fold, seed) that is in the store is not run again: stop the command at any moment and give it again. Several
may work on one store. The exit code is 0, 1 if a cell failed, 2 if the plan is wrong, 130 after Ctrl-C.
"""
REPRODUCE = """
Run the experiments of a paper as its plan has them, and show plait's numbers beside the published ones, the difference
in published standard deviations, and the paper's rank test done again on both. What the store holds is not run again:
stop the command at any moment and give it again. Data sets are looked for in the folder PLAIT_DATA.
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
    ],
    "evaluate": [
        "plait evaluate songs.csv --labels calm,happy,sad --methods br,pcc,MLkNN",
        "plait evaluate train.csv --test test.csv --labels calm,happy,sad --metrics micro_f1,f1_loss",
        "plait evaluate test.csv --model model.plait --by-label",
    ],
    "audit": ["plait audit songs.csv --labels calm,happy,sad --id song -o audit.html"],
    "bench": ["plait bench plan.toml --store results.sqlite --jobs 2"],
    "report": ["plait report results.sqlite -o report.html"],
    "reproduce": ["plait reproduce pcc --quick --store pcc.sqlite"],
}


class HelpWithDefaults(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Help that shows defaults, where there are any, and leaves descriptions as they are written."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.default in (None, False, [], ()) or action.default is argparse.SUPPRESS:
            return action.help
        if isinstance(action.default, list | tuple):
            return f"{action.help} (default: {','.join(map(str, action.default))})"
        return super()._get_help_string(action)


def examples_of(command: str) -> str:
    """Return what stands below the options of a command: examples, and methods where it takes them."""
    examples = "".join(f"\n  {line}" for line in EXAMPLES.get(command, ()))
    return (f"examples:{examples}\n" if examples else "") + (METHODS if command in ("fit", "evaluate") else "")
