"""Max- and sum-product on a polytree of 1,000 labels and 10,000 rows against NumPy that walks the nodes in Python.

Needs nothing but plait. CPU time of one thread, best of three runs taken in turn; equal results are asserted. The other
side is vectorised over all rows: for each label it holds an array with one axis for each label of its family and works
in log space, as one would write it from the equations. It is run in two layouts: rows in the first axis, as
`distribution.table` hands them on, and rows in the last axis, which suits NumPy's loops better. Both know the order of
the messages beforehand. Without evidence plait's marginals need one pass from parents to children only, which messages
do not see; the line with evidence has messages both ways on both sides. Growth is printed for twice the labels and
twice the rows, memory as the peak of what NumPy allocates above the inputs, answers included; plait's kernels need
less than 1 MiB besides (three numbers a label for 32 rows).
"""

import math
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from plait.core.logspace import log_sigmoid
from plait.inference import MaxProduct, exact_marginals
from plait.inference.messages.message_plan import families_of
from plait.joint import LinearDistribution
from plait.testing import random_linear, random_polytree

RUNS = 3
BAR = 50.0


class NodeWalk:
    """Messages between labels and factors in log space; families are (label, last parent, ..., first parent)."""

    def __init__(self, model: LinearDistribution, rows_last: bool):
        self.model, self.rows_last, self.n_rows = model, rows_last, model.n_rows
        plan = families_of(model.graph)
        self.upward = [int(label) for label in plan.label]
        self.roots = [int(plan.label[v]) for v in plan.roots]
        self.target = {int(plan.label[j]): int(plan.label[plan.target[j]]) for j in range(plan.label.size)}
        self.family = {k: (k, *model.graph.parents[k][::-1]) for k in self.upward}
        # The axis of the first label of a family.
        self.first = 0 if rows_last else 1

    def pairs(self) -> Any:
        """Zeros for every label, value and row."""
        q = self.model.n_labels
        return np.zeros((q, 2, self.n_rows) if self.rows_last else (q, self.n_rows, 2))

    def factor(self, label: int) -> Any:
        scores = self.model.table(label)
        scores = np.ascontiguousarray(scores.T) if self.rows_last else scores
        logs = np.stack([log_sigmoid(-scores), log_sigmoid(scores)], axis=self.first)
        sides = (2,) * len(self.family[label])
        return logs.reshape((*sides, self.n_rows) if self.rows_last else (self.n_rows, *sides))

    def along(self, pair: Any, axis: int, n_axes: int) -> Any:
        """Give a pair of one label the axes of a family."""
        sides = [1] * n_axes
        sides[axis] = 2
        return pair.reshape((*sides, self.n_rows) if self.rows_last else (self.n_rows, *sides))

    def gathered(self, label: int, pairs: dict[int, Any]) -> Any:
        family, logs = self.family[label], self.factor(label)
        for axis, member in enumerate(family):
            if member in pairs:
                logs = logs + self.along(pairs[member], axis, len(family))
        return logs

    def others(self, label: int) -> list[int]:
        return [member for member in self.family[label] if member != self.target[label]]

    def modes(self) -> tuple[Any, Any]:
        belief, kept, rows = self.pairs(), {}, np.arange(self.n_rows)
        for label in self.upward:
            target = self.target[label]
            logs = self.gathered(label, {member: belief[member] for member in self.others(label)})
            logs = np.moveaxis(logs, self.family[label].index(target) + self.first, self.first)
            flat = logs.reshape((2, -1, self.n_rows) if self.rows_last else (self.n_rows, 2, -1))
            kept[label] = flat.argmax(axis=self.first + 1)
            belief[target] += flat.max(axis=self.first + 1)
        Y, total = np.empty((self.n_rows, self.model.n_labels), dtype=np.uint8), np.zeros(self.n_rows)
        for root in self.roots:
            pair = belief[root] if self.rows_last else belief[root].T
            Y[:, root] = pair[1] > pair[0]
            total += pair.max(axis=0)
        for label in reversed(self.upward):
            known = Y[:, self.target[label]]
            choice = kept[label][known, rows] if self.rows_last else kept[label][rows, known]
            for bit, member in enumerate(reversed(self.others(label))):
                Y[:, member] = (choice >> bit) & 1
        return Y, total

    def summed(self, logs: Any, kept_axis: int) -> Any:
        """Sum over all axes of a family but one."""
        n_axes = logs.ndim - 1
        for axis in reversed(range(n_axes)):
            if axis != kept_axis:
                logs = np.logaddexp.reduce(logs, axis=axis + self.first)
        return logs

    def marginals(self, known: Any = None) -> tuple[Any, Any]:
        belief, message = self.pairs(), self.pairs()
        if known is not None:
            for value in (0, 1):
                side = belief[:, value] if self.rows_last else belief[:, :, value]
                side[(known == 1 - value).T] = -np.inf
        for label in self.upward:
            target = self.target[label]
            logs = self.gathered(label, {member: belief[member] for member in self.others(label)})
            message[label] = self.summed(logs, self.family[label].index(target))
            belief[target] += message[label]
        log_evidence = sum(np.logaddexp.reduce(belief[root], axis=self.first) for root in self.roots)
        for label in reversed(self.upward):
            target = self.target[label]
            with np.errstate(invalid="ignore"):
                outside = belief[target] - message[label]
            pairs = {member: belief[member] for member in self.others(label)} | {target: outside}
            logs = self.gathered(label, pairs)
            for axis, member in enumerate(self.family[label]):
                if member != target:
                    belief[member] = self.summed(logs, axis)
        odds = belief[:, 1] - belief[:, 0] if self.rows_last else belief[:, :, 1] - belief[:, :, 0]
        return np.exp(log_sigmoid(odds)).T, log_evidence


def best_in_turn(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Run all calls in turn; return least CPU seconds."""
    seconds = dict.fromkeys(calls, math.inf)
    for _ in range(RUNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds


def peak_mib(call: Callable[[], Any]) -> float:
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def made(n_labels: int, n_rows: int) -> LinearDistribution:
    draws = np.random.default_rng(0)
    return random_linear(random_polytree(n_labels, draws, joined=1.0), n_rows, draws, 1.5)


def with_evidence(model: LinearDistribution) -> Any:
    draws = np.random.default_rng(1)
    known = np.where(draws.random((model.n_rows, model.n_labels)) < 0.1, 1, -1).astype(np.int8)
    return model.clamp(known)


def assert_equal(model: LinearDistribution, given: Any) -> None:
    """Compare on some rows; the NumPy side of all rows is timed only."""
    rows = slice(0, 500)
    part, part_given = model.take(rows), given.take(rows)
    for rows_last in (False, True):
        walk = NodeWalk(part, rows_last)
        Y, total = walk.modes()
        support = MaxProduct().infer(part)
        np.testing.assert_allclose(support.log_weights[:, 0], total, rtol=1e-12)
        np.testing.assert_array_equal(support.mode(), Y)
        for ours, theirs in (
            (exact_marginals(part), walk.marginals()),
            (exact_marginals(part_given), walk.marginals(part_given.evidence)),
        ):
            np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-9, atol=1e-9)


def race(model: LinearDistribution, given: Any) -> None:
    questions = {
        "max-product": (lambda: MaxProduct().infer(model), lambda walk: walk.modes()),
        "sum-product": (lambda: exact_marginals(model), lambda walk: walk.marginals()),
        "sum-product, 10% known": (lambda: exact_marginals(given), lambda walk: walk.marginals(given.evidence)),
    }
    print(f"{'':24} {'plait s':>9} {'NumPy, rows first s':>20} {'ratio':>7} {'NumPy, rows last s':>20} {'ratio':>7}")
    for name, (ours, theirs) in questions.items():
        walks = {side: NodeWalk(model, side == "last") for side in ("first", "last")}
        calls = {side: (lambda walk=walk, theirs=theirs: theirs(walk)) for side, walk in walks.items()}
        seconds = best_in_turn({"plait": ours, **calls})
        first, last = (seconds[side] / seconds["plait"] for side in ("first", "last"))
        met = "met" if first >= BAR else "missed"
        times = f"{seconds['first']:20.2f} {first:7.1f} {seconds['last']:20.2f} {last:7.1f}"
        print(f"{name:24} {seconds['plait']:9.3f} {times}   at least {BAR:g}: {met}")
        print(f"{'':24} peak memory {peak_mib(ours):.0f} MiB, NumPy {peak_mib(calls['first']):.0f} MiB")


def doublings() -> None:
    for name, ours in (("max-product", MaxProduct().infer), ("sum-product", exact_marginals)):
        for what, sizes in (
            ("labels", [(500, 4000), (1000, 4000), (2000, 4000)]),
            ("rows", [(500, 4000), (500, 8000), (500, 16_000)]),
        ):
            models = {f"{q} x {n}": made(q, n) for q, n in sizes}
            for model in models.values():
                ours(model)
            seconds = best_in_turn({size: partial(ours, model) for size, model in models.items()})
            values = list(seconds.values())
            growth = ", ".join(f"{later / former:.2f}" for former, later in pairwise(values))
            print(f"{name:12} twice the {what:6} ({', '.join(seconds)}): {growth} times the CPU time")


def main() -> None:
    with threadpool_limits(limits=1):
        model = made(1000, 10_000)
        given = with_evidence(model)
        sizes = np.bincount([len(group) for group in model.graph.parents])
        print(f"1,000 labels, 10,000 rows; labels with 0, 1, 2, ... parents: {', '.join(map(str, sizes))}")
        assert_equal(model, given)
        race(model, given)
        doublings()


if __name__ == "__main__":
    main()
