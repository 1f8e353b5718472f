"""Every ordered pair P(y_i | x, y_j) and every P(y_i | x) of yeast and enron, against scikit-learn pair by pair.

Needs the benchmark data (PLAIT_DATA); `python -m benchmarks.label_pairs NAME` runs one data set. All labels with both
values take part, the rarest (one positive in enron) like the others; training on all rows, C = 1, columns as they are.
plait runs with its defaults, hands on all coefficients and scores the rows besides. scikit-learn is run on one parent,
drawn at random, of each target (of every fourth target for enron) and on the same targets alone, and scaled up; for
each solver the loosest tolerance counts that comes within 1e-6 of the least objective on all of these. plait has to
come as close. CPU time of one thread, best of several runs taken in turn; then the wall time of two threads.
"""

import math
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from plait.data import load_dataset
from plait.learners import LogisticLearner

GAP = 1e-6
RUNS = 3
WANTED = {"yeast": 18, "enron": 15}
EVERY = {"yeast": 1, "enron": 4}
TOLERANCES = {
    "lbfgs": (1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8),
    "newton-cholesky": (1e-3, 1e-4, 1e-5, 1e-6),
}
WIDEST_CHOLESKY = 400

Problem = tuple[Any, Any]


def objective(problem: Problem, coef: Any, intercept: float) -> float:
    A, y = problem
    scores = np.asarray(A @ coef).ravel() + intercept
    return float((np.logaddexp(0, scores) - y * scores).sum() + 0.5 * coef @ coef)


def one(problem: Problem, solver: str, tol: float) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(solver=solver, tol=tol, max_iter=10_000).fit(*problem)
    return objective(problem, model.coef_[0], model.intercept_[0])


def seconds(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> tuple[Any, float]:
    start = clock()
    found = call()
    return found, clock() - start


def scaled(problems: list[list[Problem]], n_labels: int, solver: str, tol: float) -> tuple[Any, float]:
    """Return objectives of sampled problems [alone, with a parent] and the CPU seconds of all, scaled up."""
    found, total = [], 0.0
    for group, count in zip(problems, (n_labels, n_labels * (n_labels - 1)), strict=True):
        values, spent = seconds(lambda group=group: [one(problem, solver, tol) for problem in group])
        found += values
        total += spent / len(group) * count
    return np.array(found), total


def sampled(X: Any, Y: Any, every: int) -> tuple[list[list[Problem]], list[tuple[int, int]]]:
    """Return problems [alone, with a parent] and, in the same order, the (parent, target) of each."""
    rng = np.random.default_rng(0)
    targets = range(0, Y.shape[1], every)
    pairs = [(int(rng.choice([j for j in range(Y.shape[1]) if j != i])), i) for i in targets]
    stack = sparse.hstack if sparse.issparse(X) else np.hstack
    beside = [(stack([X, Y[:, [j]].astype(float)]), Y[:, i]) for j, i in pairs]
    beside = [(sparse.csr_matrix(A) if sparse.issparse(A) else A, y) for A, y in beside]
    return [[(X, Y[:, i]) for _, i in pairs], beside], [(i, i) for _, i in pairs] + pairs


def our_objectives(found: Any, problems: list[list[Problem]], places: list[tuple[int, int]]) -> Any:
    values = []
    for (j, i), problem in zip(places, [p for group in problems for p in group], strict=True):
        coef = found.coef[j, i] if i == j else np.append(found.coef[j, i], found.parent_coef[j, i])
        values.append(objective(problem, coef, found.intercept[j, i]))
    return np.array(values)


def loosest(problems: list[list[Problem]], n_labels: int, least: Any, limit: float, solver: str) -> Any:
    """Return the loosest tolerance that meets the gap, its gap and CPU seconds; None beyond the limit."""
    for tol in TOLERANCES[solver]:
        values, spent = scaled(problems, n_labels, solver, tol)
        gap = float((values / least - 1).max())
        if gap <= GAP:
            return tol, gap, spent
        if spent > limit:
            return None
    return None


def compare(name: str, X: Any, Y: Any) -> None:
    n_labels = Y.shape[1]
    ours = LogisticLearner(standardize=False)
    problems, places = sampled(X, Y, EVERY[name])

    def pairs() -> Any:
        return ours.fit_pairs(X, Y, folds=None, coefficients=True)

    mine = our_objectives(pairs(), problems, places)
    tight = np.array([one(problem, "lbfgs", 1e-9) for group in problems for problem in group])
    least = np.minimum(mine, tight)
    gap = float((mine / least - 1).max())
    print(f"\n{name}: {X.shape[0]} x {X.shape[1]}, {n_labels} labels, {n_labels * (n_labels - 1)} pairs and {n_labels}")
    print(f"rarest labels: {np.sort(Y.sum(axis=0))[:5].tolist()} positives; scikit-learn on {len(places)} problems")
    rivals: dict[str, Any] = {}
    for solver in TOLERANCES:
        if solver != "newton-cholesky" or X.shape[1] <= WIDEST_CHOLESKY:
            limit = 2 * min([spent for _, _, spent in rivals.values()], default=math.inf)
            met = loosest(problems, n_labels, least, limit, solver)
            rivals |= {} if met is None else {solver: met}
    report(name, pairs, gap, problems, n_labels, rivals)


def report(
    name: str, pairs: Callable[[], Any], gap: float, problems: Any, n_labels: int, rivals: dict[str, Any]
) -> None:
    mine, best = math.inf, {solver: spent for solver, (_, _, spent) in rivals.items()}
    for _ in range(RUNS):
        mine = min(mine, *(seconds(pairs)[1] for _ in range(2)))
        for solver, (tol, _, _) in rivals.items():
            best[solver] = min(best[solver], scaled(problems, n_labels, solver, tol)[1])
    print(f"  {'':16} {'tol':>7} {'worst gap':>10} {'CPU ms':>10} {'times plait':>12}")
    print(f"  {'plait':16} {1e-6:7.0e} {gap:10.1e} {1e3 * mine:10.1f} {1.0:12.1f}")
    for solver, (tol, theirs, _) in rivals.items():
        print(f"  {solver:16} {tol:7.0e} {theirs:10.1e} {1e3 * best[solver]:10.1f} {best[solver] / mine:12.1f}")
    assert gap <= GAP
    winner = min(best, key=lambda solver: best[solver])
    ratio = best[winner] / mine
    verdict = "met" if ratio >= WANTED[name] else "MISSED"
    print(f"  at least {WANTED[name]} times the best solver: {verdict} ({ratio:.1f} times {winner})")
    walls(pairs, problems, n_labels, winner, rivals[winner][0])


def walls(pairs: Callable[[], Any], problems: Any, n_labels: int, solver: str, tol: float) -> None:
    with threadpool_limits(2):
        mine = min(seconds(pairs, time.perf_counter)[1] for _ in range(2))
    jobs, group = Parallel(n_jobs=2, prefer="threads"), problems[1]
    spent = seconds(lambda: jobs(delayed(one)(problem, solver, tol) for problem in group), time.perf_counter)[1]
    theirs = spent / len(group) * n_labels * (n_labels - 1)
    print(f"  wall time, two threads: plait {1e3 * mine:.1f} ms, {solver} {1e3 * theirs:.1f} ms (pairs alone, scaled)")


def main(names: list[str] | None = None) -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("label_pairs needs the benchmark data: set PLAIT_DATA to their folder")
        return
    with threadpool_limits(1):
        for name in names or list(WANTED):
            data = load_dataset(name)
            Y = np.asarray(data.Y.toarray() if sparse.issparse(data.Y) else data.Y)
            Y = Y[:, (Y.min(axis=0) == 0) & (Y.max(axis=0) == 1)]
            X = sparse.csr_matrix(data.X, dtype=np.float64) if sparse.issparse(data.X) else np.asarray(data.X, float)
            compare(name, X, Y)


if __name__ == "__main__":
    main(sys.argv[1:])
