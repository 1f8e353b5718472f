"""What trees and mixtures of trees cost: one conditional tree against binary relevance, a mixture against single trees.

Needs the benchmark data (PLAIT_DATA). Both sides of a ratio have the same learner, once with C by cross-validation and
once with a fixed C. The tree is the whole fit of `recipes.ctbn`: all pairs of labels on rows held out, the branching,
and the fit of the tree. The mixture is the whole fit of `TreeMixtureClassifier(5)`: growth, EM, and the refit on all
rows; it tries five trees, and may find that fewer do. CPU time of one thread, least of several
runs taken in turn.
"""

import math
import time
from collections.abc import Callable
from typing import Any

from scipy import sparse

from plait import recipes
from plait.data import load_dataset
from plait.data.errors import DataError
from plait.estimators import TreeMixtureClassifier
from plait.learners import LogisticLearner

RUNS = 3
N_TREES = 5
MOST_TREE, MOST_MIXTURE = 20.0, 2.0
LEARNERS: dict[str, Callable[[], Any]] = {
    "LogisticLearner(C='cv')": lambda: LogisticLearner(C="cv"),
    "LogisticLearner(C=1)": lambda: LogisticLearner(C=1.0),
    "balanced, C='cv'": lambda: LogisticLearner(C="cv", standardize="balanced"),
    "balanced, C=5": lambda: LogisticLearner(C=5.0, standardize="balanced"),
}


def data(name: str) -> tuple[Any, Any]:
    found = load_dataset(name)
    return found.X, found.Y.toarray() if sparse.issparse(found.Y) else found.Y


def least_seconds(sides: dict[str, Callable[[], Any]]) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the least CPU time of every side and what its last run gave."""
    seconds, found = dict.fromkeys(sides, math.inf), {}
    for _ in range(RUNS):
        for side, run in sides.items():
            start = time.process_time()
            found[side] = run()
            seconds[side] = min(seconds[side], time.process_time() - start)
    return seconds, found


def verdict(ratio: float, most: float) -> str:
    return f"{ratio:5.2f}, at most {most:g}: {'met' if ratio <= most else 'missed'}"


def tree_against_relevance(name: str) -> None:
    X, Y = data(name)
    for word in ("LogisticLearner(C='cv')", "LogisticLearner(C=1)"):
        learner = LEARNERS[word]
        seconds, _ = least_seconds(
            {
                "br": lambda learner=learner: recipes.br(learner=learner()).fit(X, Y),  # type: ignore[misc]
                "tree": lambda learner=learner: recipes.ctbn(learner=learner(), random_state=0).fit(X, Y),  # type: ignore[misc]
            }
        )
        ratio = seconds["tree"] / seconds["br"]
        print(
            f"{name:6} {Y.shape[1]:3} labels  {word:32} br {seconds['br']:6.2f} s  one tree {seconds['tree']:6.2f} s  "
            f"ratio {verdict(ratio, MOST_TREE)}"
        )


def mixture_against_trees(name: str) -> None:
    X, Y = data(name)
    for word, learner in LEARNERS.items():
        seconds, found = least_seconds(
            {
                "tree": lambda learner=learner: recipes.ctbn(learner=learner(), random_state=0).fit(X, Y),  # type: ignore[misc]
                "mixture": lambda learner=learner: TreeMixtureClassifier(  # type: ignore[misc]
                    N_TREES, learner=learner(), random_state=0
                ).fit(X, Y),
            }
        )
        ratio = seconds["mixture"] / (N_TREES * seconds["tree"])
        print(
            f"{name:6} {Y.shape[1]:3} labels  {word:32} one tree {seconds['tree']:6.2f} s  mixture "
            f"{seconds['mixture']:6.2f} s ({N_TREES} trees tried, {found['mixture'].n_components_} kept)  over trees "
            f"tried {verdict(ratio, MOST_MIXTURE)}"
        )


def main() -> None:
    try:
        tree_against_relevance("enron")
        for name in ("yeast", "enron"):
            mixture_against_trees(name)
    except DataError as error:
        print(f"needs the benchmark data: {error}")


if __name__ == "__main__":
    main()
