"""Can any polytree over scene's six labels have the exact match that PACC is printed with? All 41,472, with hindsight.

Logistic regressions as in the toolkit of the paper (C = 5, every column and parent scaled), the most probable of all 64
label sets, five folds; beside them the complete chains in all 720 orders. `python -m benchmarks pacc_polytrees`.
"""

from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np

from plait import load_dataset
from plait.experiments.planning.plan import Protocol
from plait.experiments.running.fold_data import divided_rows
from plait.learners import LogisticLearner

_PRINTED = 0.568
_N = 6
Parents = tuple[int, ...]  # of each label, its parents as a bit mask


def trees(n: int = _N) -> Iterator[list[tuple[int, int]]]:
    """Yield the edges of all labelled trees, by Pruefer's codes."""
    for code in product(range(n), repeat=n - 2):
        degree = [1 + code.count(node) for node in range(n)]
        edges = []
        for node in code:
            leaf = degree.index(1)
            edges.append((leaf, node))
            degree[leaf] -= 1
            degree[node] -= 1
        last = [node for node in range(n) if degree[node] == 1]
        yield [*edges, (last[0], last[1])]


def polytrees(n: int = _N) -> Iterator[Parents]:
    """Yield the parents of every labelled tree with its edges directed in every way."""
    for edges in trees(n):
        for turned in product((False, True), repeat=n - 1):
            parents = [0] * n
            for (a, b), turn in zip(edges, turned, strict=True):
                first, second = (b, a) if turn else (a, b)
                parents[second] |= 1 << first
            yield tuple(parents)


def chains(n: int = _N) -> Iterator[Parents]:
    """Yield the parents in complete chains of all orders."""
    for order in permutations(range(n)):
        parents = [0] * n
        for place, label in enumerate(order):
            parents[label] = sum(1 << other for other in order[:place])
        yield tuple(parents)


def log_shares(X, Y, X_new) -> dict[tuple[int, int], np.ndarray]:
    """Return, for a label and a set of parents, the log-probability of its value in each of the 64 sets, by row."""
    sets = np.array(list(product((0, 1), repeat=_N)))[:, ::-1]
    learner = LogisticLearner(5.0, standardize=True)
    found = {}
    for label in range(_N):
        others = [k for k in range(_N) if k != label]
        for size in range(_N):
            for chosen in combinations(others, size):
                # Labels as columns among the others are scaled as these are.
                fitted = learner.fit(np.column_stack([X, Y[:, chosen]]), Y[:, [label]])
                weights, bias = fitted.coef_[0], fitted.intercept_[0]
                scores = X_new @ weights[: X.shape[1]] + bias
                scores = scores + (sets[:, chosen] @ weights[X.shape[1] :])[:, None]
                signs = np.where(sets[:, label] == 1, 1.0, -1.0)[:, None]
                mask = sum(1 << k for k in chosen)
                found[label, mask] = -np.logaddexp(0.0, -signs * scores).astype(np.float32)
    return found


def main(n_parts: int = 5) -> None:
    """Print the mean and the best exact match of polytrees and of chains, over the first of five folds or all."""
    data = load_dataset("scene")
    X, Y = np.asarray(data.X, dtype=np.float64), np.asarray(data.Y).astype(np.int64)
    codes = Y @ (1 << np.arange(_N))
    kinds = {"polytrees": list(polytrees()), "complete chains": list(chains())}
    right = {name: np.zeros(len(graphs)) for name, graphs in kinds.items()}
    parts = divided_rows(data, Protocol("kfold", 5), 0)[:n_parts]
    for train, test in parts:
        shares = log_shares(X[train], Y[train].astype(np.uint8), X[test])
        for name, graphs in kinds.items():
            for place, parents in enumerate(graphs):
                total = shares[0, parents[0]].copy()
                for label in range(1, _N):
                    total += shares[label, parents[label]]
                right[name][place] += (total.argmax(axis=0) == codes[test]).mean() / len(parts)
    for name, scores in right.items():
        reached = int((scores >= _PRINTED - 0.0005).sum())
        print(
            f"{name}: {len(scores)}, exact match {scores.mean():.4f} on average, {scores.max():.4f} at best,", end=" "
        )
        print(f"{reached} reach the printed {_PRINTED}")


if __name__ == "__main__":
    main()
