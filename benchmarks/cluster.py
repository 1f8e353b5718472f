"""A cluster of worker processes on this machine: labels over workers, rows over workers, and a worker that is killed.

    python -m benchmarks.cluster [--data bibtex delicious]

Labels: wall time of `br` on one and on two workers (one thread each), CPU time of the busiest worker, and whether the
coefficients are equal bit for bit. Bar: 1.7 times on two workers (wall, quiet machine). Rows: the largest relative gap
of a label's objective to the fit in memory. Bar: 1e-6; then the same with a worker killed in the middle of the fit.
"""

import argparse
import os
import signal
import sys
import time
from typing import Any

import dask.array as da
import distributed
import numpy as np
from scipy import sparse

from plait import load_dataset
from plait.learners import LogisticLearner
from plait.learners.partitioned import part_sums
from plait.learners.training.column_scaling import column_scales

LEARNER = LogisticLearner()


def cluster(n_workers: int) -> Any:
    """Return a cluster of processes."""
    return distributed.LocalCluster(
        host="127.0.0.1", n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0"
    )


def cpu_of(client: Any) -> list[float]:
    """Return the CPU seconds of every worker so far."""
    return list(client.run(time.process_time).values())


def objectives(X: Any, Y: Any, found: Any) -> Any:
    """Return C * sum of log-losses + 1/2 ||w||^2 of every label."""
    scores = found.recorded_scores(X, Y)
    losses = np.logaddexp(0, scores) - Y * scores
    return losses.sum(axis=0) + 0.5 * np.square(found.coef_ * column_scales(X, LEARNER.standardize)).sum(axis=1)


def labels_over_workers(name: str, X: Any, Y: Any) -> None:
    """Print wall and CPU times on one and two workers."""
    here = LEARNER.fit(X, Y)
    walls = []
    for n_workers in (1, 2):
        with cluster(n_workers) as made, distributed.Client(made) as client:
            LEARNER.fit(X, Y)  # compiles, and loads what workers need
            before, start = cpu_of(client), time.perf_counter()
            found = LEARNER.fit(X, Y)
            walls.append(time.perf_counter() - start)
            spent = max(after - first for after, first in zip(cpu_of(client), before, strict=True))
            equal = np.array_equal(found.coef_, here.coef_)
            print(f"{name}: labels on {n_workers} workers, wall {walls[-1]:.2f} s, busiest worker {spent:.2f} CPU s, "
                  f"equal bits: {equal}", flush=True)  # fmt: skip
    print(f"{name}: two workers are {walls[0] / walls[1]:.2f} times as fast as one (wall); bar 1.7")


def rows_over_workers(name: str, X: Any, Y: Any, *, kill: bool) -> None:
    """Print the gap of the objective, without and with a worker killed at the eighth round."""
    here = objectives(X, Y, LEARNER.fit(X, Y))
    n_rows = -(-X.shape[0] // 4)
    rows = da.from_array(np.arange(X.shape[0])[:, None], chunks=(n_rows, 1))
    features = rows.map_blocks(lambda part: X[part[:, 0]], dtype=float, chunks=(rows.chunks[0], (X.shape[1],)),
                               meta=sparse.csr_matrix((0, X.shape[1])))  # fmt: skip
    labels = da.from_array(Y, chunks=(n_rows, Y.shape[1]))
    with cluster(2) as made, distributed.Client(made) as client:
        rounds, plain = [0], part_sums.DaskParts._round

        def counted(self: Any, *given: Any) -> Any:
            rounds[0] += 1
            if kill and rounds[0] == 8:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            return plain(self, *given)

        part_sums.DaskParts._round = counted  # type: ignore[method-assign]
        start = time.perf_counter()
        try:
            gap = float(np.max(np.abs(objectives(X, Y, LEARNER.fit(features, labels)) / here - 1)))
        finally:
            part_sums.DaskParts._round = plain  # type: ignore[method-assign]
        how = "a worker killed at round 8" if kill else "undisturbed"
        print(f"{name}: rows on 2 workers, {how}: gap {gap:.1e} (bar 1e-6), {rounds[0]} rounds, "
              f"wall {time.perf_counter() - start:.1f} s", flush=True)  # fmt: skip


def main(words: list[str] | None = None) -> None:
    """Print the figures of some data sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", nargs="*", default=["bibtex", "delicious"])
    for name in parser.parse_args([] if words is None else words).data:
        data = load_dataset(name)
        Y = (data.Y.toarray() if sparse.issparse(data.Y) else data.Y).astype(np.uint8)
        labels_over_workers(name, data.X, Y)
        some = np.flatnonzero(Y.sum(axis=0) >= 20)[:20]
        for kill in (False, True):
            rows_over_workers(name, sparse.csr_matrix(data.X), Y[:, some], kill=kill)


if __name__ == "__main__":
    main(sys.argv[1:])
