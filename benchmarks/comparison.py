"""`AutoJoint` and plait's recipes against what else people would take, on many data sets: one table, with rank tests.

    python -m benchmarks comparison                     the whole comparison; kill it at any time and run it again
    python -m benchmarks.comparison CELLS [--table]     cells are kept in the folder CELLS; --table only makes the page
    python -m benchmarks.comparison CELLS --sets=emotions,scene "--methods=AutoJoint;RandomForest"      some cells
    python -m benchmarks.comparison CELLS --earlier=PAGE        a page made before has the cells that CELLS has not
    python -m benchmarks.comparison CELLS --folds=emotions,scene        ten folds of whole data sets

Needs the benchmark data (PLAIT_DATA), and `pip install "plait[boosting]"`; BOOMER runs in an environment of its own
(pip install mlrl-boomer), whose Python PLAIT_BOOMER names. Set OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1. At most
2,500 training and 1,200 test rows of a data set; the given split, or two thirds with seed 0. A cell that takes more
than a minute of CPU time is left out, and said so. Cells run in copies of a process that has imported everything and
fitted AutoJoint to some rows before, so that no time holds the loading of compiled code. The page is
written to docs/comparison.md.
"""

import os
import sys
import warnings
from pathlib import Path

from benchmarks.compared.cells import path_of, run_cell, run_folds
from benchmarks.compared.methods import METHODS
from benchmarks.compared.page import written_page
from benchmarks.compared.problems import NAMES, Problem, load
from plait import AutoJoint

PAGE = Path(__file__).parents[1] / "docs" / "comparison.md"


WARMING = 600  # rows of a data set that AutoJoint is fitted to before


def run(folder: Path, names: list[str], methods: list[str]) -> None:
    """Make all cells that are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        wanted = [method for method in methods if not path_of(folder, method, name).exists()]
        if not wanted:
            continue
        problem = load(name)
        if any(method.startswith(("AutoJoint", "plait")) for method in wanted):
            warm(problem)
        for method in wanted:
            cell = run_cell(folder, method, problem)
            shown = cell.get("failed") or f"exact match {cell['exact match']:.3f}, fit {cell['fit']:.1f} s"
            print(f"{name}, {method}: {shown}", flush=True)


def warm(problem: Problem) -> None:
    """Load the compiled code that a fit and all decisions take."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AutoJoint(random_state=0).fit(problem.X[:WARMING], problem.Y[:WARMING])
        answer = model.joint(problem.X_test[:50])
        for word in ("subset", "hamming", "f1", "micro_f1", "macro_f1"):
            answer.decide(word)


def main(words: list[str] | None = None) -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("needs the benchmark data: set PLAIT_DATA to their folder")
        return
    words = [] if words is None else words
    places = [word for word in words if not word.startswith("--")]
    folder = Path(places[0]) if places else Path("comparison-cells")
    only = [word[10:] for word in words if word.startswith("--methods=")]
    names = [word[7:].split(",") for word in words if word.startswith("--sets=")]
    earlier = [Path(word[10:]) for word in words if word.startswith("--earlier=")]
    folds = [word[8:].split(",") for word in words if word.startswith("--folds=")]
    if folds:
        for name in folds[0]:
            print(name, run_folds(folder, name), flush=True)
    elif "--table" not in words and not earlier:
        run(folder, names[0] if names else NAMES, only[0].split(";") if only else list(METHODS))
    print(written_page(folder, PAGE, earlier[0] if earlier else None))


if __name__ == "__main__":
    main(sys.argv[1:])
