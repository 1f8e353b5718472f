"""Label-specific MLFS against the same greedy choice for all labels in lock step, by float32 matrix products.

Needs the benchmark data (PLAIT_DATA). CPU time of one thread, best of several runs taken in turn, from the same matrix
of symbols and with all checks of the public call; both sides are asserted to choose the same features in the same
order. The other side is NumPy with everything that can be worked out once worked out once: at every step one float32
product counts the chosen features of all labels with all candidates, and all cells are looked up in one table. Wall
time with two threads is printed beside; on a busy machine it says little.
"""

import math
import os
import time
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from plait.counts import MeanStdDiscretizer
from plait.data import load_dataset
from plait.features import MLFS
from plait.structure import LabelGraph

RUNS = 7


class LockStep:
    """Greedy choice by OCC 43 for all labels at once, columns of X holding the symbols 0 .. n_symbols - 1."""

    def __init__(self, X: Any, Y: Any, parents: Sequence[Sequence[int]]):
        self.n, self.d = X.shape
        self.q, self.parents = Y.shape[1], parents
        self.y = np.asarray(Y, dtype=np.float32)
        # Indicators of the symbols 1, 2, ...: (n_planes, n, d), and one above the other for the product.
        self.x = np.stack([(symbol == X).astype(np.float32) for symbol in range(1, int(X.max()) + 1)])
        self.k = len(self.x)
        self.products = np.ascontiguousarray(self.x.transpose(0, 2, 1)).reshape(-1, self.n)
        self.table = np.array([c * math.log2(c) if c else 0.0 for c in range(self.n + 1)])
        self.x_counts = self.x.sum(axis=1).astype(np.intp)
        self.y_counts = self.y.sum(axis=0).astype(np.intp)

    def contents(self, cells: Any) -> Any:
        """Sum c log2 c over the first axis."""
        total, looked_up = self.table.take(cells[0]), np.empty(cells[0].shape)
        for cell in cells[1:]:
            self.table.take(cell, out=looked_up, mode="clip")
            total += looked_up
        return total

    def cells(self, joint: Any, left: Any, right: Any, size: Any) -> Any:
        """All cells of tables whose symbol 0 is left out: joint[a][b], left[a], right[b], size, by subtraction."""
        k, kb = range(len(left)), range(len(right))
        inner = [joint[a][b] for a in k for b in kb]
        zero_b = [reduce(np.subtract, [joint[a][b] for b in kb], left[a]) for a in k]
        zero_a = [reduce(np.subtract, [joint[a][b] for a in k], right[b]) for b in kb]
        return [*inner, *zero_b, *zero_a, reduce(np.subtract, zero_b, size - reduce(np.add, right))]

    def prepare(self) -> None:
        k, d, q = self.k, self.d, self.q
        self.xy = (self.products @ self.y).astype(np.intp).reshape(k, d, q)
        self.xx = (self.products @ self.products.T).astype(np.intp).reshape(k, d, k, d).transpose(0, 2, 1, 3)
        self.yy = (self.y.T @ self.y).astype(np.intp)
        counts = self.x_counts[:, :, None]
        everywhere = self.cells(self.xx, counts, counts.transpose(0, 2, 1), self.n)
        self.pair_x = self.contents(everywhere)
        with_y = self.cells(self.xy[:, None], counts, [self.y_counts[None]], self.n)
        self.pair_y = self.contents(with_y)
        own = self.contents([*self.x_counts, self.n - self.x_counts.sum(axis=0)])[:, None]
        of_y = self.table[self.y_counts] + self.table[self.n - self.y_counts]
        self.conditional = own - self.pair_y
        self.x_not_y = counts - self.xy
        self.start = (self.pair_y - own - of_y + self.table[self.n]) / self.n

    def terms(self, indicators: Any, inside: Any, totals: Any, joint: Any, pairs: Any) -> Any:
        """Return n I(Y_j;A_j|X_m) for all m and j, one column A_j for each label.

        indicators[b] (n, q), inside[b] (q,) rows of A_j = b with the label, totals[b] (q,) in all, joint[a][b] (d, q)
        rows with X_m = a, pairs (d, q) the contents of (A_j, X_m).
        """
        kb, d, q = len(indicators), self.d, self.q
        for part in indicators:
            part *= self.y
        product = self.products @ (indicators[0] if kb == 1 else np.concatenate(indicators, axis=1))
        met = product.astype(np.intp).reshape(self.k, d, kb, q).transpose(0, 2, 1, 3)
        others = [totals[b] - inside[b] for b in range(kb)]
        beside = [[joint[a][b] - met[a][b] for b in range(kb)] for a in range(self.k)]
        result = self.contents(self.cells(met, self.xy, inside, self.y_counts))
        result += self.contents(self.cells(beside, self.x_not_y, others, self.n - self.y_counts))
        result += self.conditional
        result -= pairs
        return result

    def select(self, n_wanted: int) -> Any:
        self.prepare()
        every = np.arange(self.q)
        n_parents = np.array([len(group) for group in self.parents])
        for t in range(n_parents.max(initial=0)):
            having = np.flatnonzero(n_parents > t)
            parent = np.zeros(self.q, dtype=int)
            parent[having] = [self.parents[j][t] for j in having]
            inside, joint = [self.yy[parent, every]], [[self.xy[a][:, parent]] for a in range(self.k)]
            terms = self.terms([self.y[:, parent]], inside, [self.y_counts[parent]], joint, self.pair_y[:, parent])
            self.start[:, having] += terms[:, having] / (self.n * n_parents[having])
        sums, ranking = np.zeros((self.d, self.q)), np.empty((self.q, n_wanted), dtype=int)
        for t in range(n_wanted):
            scores = self.start + sums / (self.n * max(t, 1))
            best = (scores >= scores.max(axis=0) - 1e-10).argmax(axis=0)
            ranking[:, t] = best
            self.start[best, every] = -np.inf
            if t + 1 < n_wanted:
                inside = [self.xy[b][best, every] for b in range(self.k)]
                totals = [self.x_counts[b][best] for b in range(self.k)]
                joint = [[self.xx[a][b][:, best] for b in range(self.k)] for a in range(self.k)]
                sums += self.terms([part[:, best] for part in self.x], inside, totals, joint, self.pair_x[:, best])
        return ranking


def best_in_turn(calls: dict[Any, Callable[[], Any]]) -> dict[Any, float]:
    """Run all calls once to warm up, then in turn; return least CPU seconds."""
    for call in calls.values():
        call()
    seconds = dict.fromkeys(calls, math.inf)
    for _ in range(RUNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds


def least_wall(call: Callable[[], Any]) -> float:
    call()
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def prefix(n_labels: int, n_parents: int) -> LabelGraph:
    """Every label depends on so many labels before it."""
    return LabelGraph([range(max(0, j - n_parents), j) for j in range(n_labels)])


def choose(X: Any, Y: Any, graph: LabelGraph, n_wanted: int, n_jobs: int | None = None) -> Any:
    mask = MLFS(n_wanted, scope="label", discretizer="passthrough", n_jobs=n_jobs).select(X, Y, graph)
    return np.array(mask.rankings)


def race(name: str, X: Any, Y: Any, graph: LabelGraph, n_wanted: int, bar: float) -> None:
    plain = X.toarray() if sparse.issparse(X) else np.where(X < 0, 2, X)  # symbols 0, 1, 2
    expected = LockStep(plain, Y, graph.parents).select(n_wanted)
    ours = choose(X, Y, graph, n_wanted)
    assert np.array_equal(ours, expected), f"{(ours != expected).sum()} of {ours.size} places differ"
    seconds = best_in_turn(
        {
            "lock step": lambda: LockStep(plain, Y, graph.parents).select(n_wanted),
            "plait": lambda: choose(X, Y, graph, n_wanted),
        }
    )
    ratio = seconds["lock step"] / seconds["plait"]
    times = "".join(f"{1e3 * seconds[side]:11.1f}" for side in ("lock step", "plait"))
    print(f"{name:28} {n_wanted:4} {times} {ratio:7.1f}   at least {bar:g}: {'met' if ratio >= bar else 'missed'}")


def threads(name: str, X: Any, Y: Any, graph: LabelGraph, n_wanted: int) -> None:
    one, two = (least_wall(lambda n=n: choose(X, Y, graph, n_wanted, n)) for n in (1, 2))
    print(f"{name:28} {n_wanted:4} wall time {1e3 * one:.1f} ms with one thread, {1e3 * two:.1f} ms with two")


def enron() -> None:
    data = load_dataset("enron")
    X, Y = sparse.csr_matrix(data.X, dtype=np.float64), _dense(data.Y)
    graph = prefix(Y.shape[1], Y.shape[1])
    race("enron, all labels before", X, Y, graph, 100, 15)
    seconds = best_in_turn({n: lambda n=n: choose(X, Y, graph, n) for n in (100, 200, 300)})
    for n, least in seconds.items():
        growth = least / seconds[100]
        print(f"{'enron, all labels before':28} {n:4} {1e3 * least:22.1f}   {growth:.2f} times the cost of 100")
    print(f"growth from 100 to 300 features: {growth:.2f}, below 2.5: {'met' if growth < 2.5 else 'missed'}")
    threads("enron, all labels before", X, Y, graph, 100)


def scene() -> None:
    data = load_dataset("scene")
    X, Y = MeanStdDiscretizer().fit_transform(data.X), _dense(data.Y)
    graph = prefix(Y.shape[1], Y.shape[1])
    race("scene in three bins", X, Y, graph, 100, 10)
    threads("scene in three bins", X, Y, graph, 100)


def bibtex() -> None:
    data = load_dataset("bibtex")
    X, Y = sparse.csr_matrix(data.X, dtype=np.float64), _dense(data.Y)
    graph = prefix(Y.shape[1], 5)
    least = best_in_turn({"plait": lambda: choose(X, Y, graph, 200)})["plait"]
    print(f"{'bibtex, five labels before':28} {200:4} {1e3 * least:22.1f}")
    threads("bibtex, five labels before", X, Y, graph, 200)


def _dense(Y: Any) -> Any:
    return Y.toarray() if sparse.issparse(Y) else np.asarray(Y)


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("needs the benchmark data: set PLAIT_DATA to their folder")
        return
    print(f"{'data':28} {'M':>4} {'lock step ms':>11} {'plait ms':>10} {'ratio':>7}")
    with threadpool_limits(1):
        enron()
        scene()
        bibtex()


if __name__ == "__main__":
    main()
