"""Cells that are made up."""

import numpy as np
import pytest

from plait.experiments.running.cells import CellResult

METRICS = ("exact_match", "hamming_loss", "log_loss")


def made_up_cells(datasets=("sea", "sun", "sand"), methods=("br", "cc", "pcc"), folds=3, metrics=METRICS, labels=6):
    """Return cells with chance numbers and all that reports draw; later methods are better."""
    chance = np.random.default_rng(0)
    cells = []
    for dataset in datasets:
        base = chance.uniform(0.3, 0.5)
        for fold in range(folds):
            for m, method in enumerate(methods):
                score = base + 0.1 * m / len(methods) + 0.01 * chance.normal()
                values = {name: 1 - score if name.endswith("loss") else score for name in metrics}
                cells.append(
                    CellResult(
                        dataset,
                        method,
                        fold,
                        0,
                        {"use": method},
                        values,
                        10.0 ** chance.uniform(-1, 1),
                        0.01,
                        2**27,
                        {"plait": "0.1.0", "python": "3.11.2"},
                        "abc",
                        extras=made_up_extras(chance, m, labels),
                        digest=f"{dataset} {method} {fold}",
                        finished=1.8e9,
                        plan="made up",
                    )
                )
    return cells


def made_up_extras(chance, method, labels):
    chain = [list(range(k)) for k in range(labels)]
    tree = [[] if k == 0 else [int(chance.integers(k))] for k in range(labels)]
    parents = [[[] for _ in range(labels)], chain, tree][method % 3]
    counts = chance.integers(1, 100, size=10)
    return {
        "n_train": 80,
        "n_test": 20,
        "n_features": 40,
        "label_names": [f"label {k}" for k in range(labels)],
        "graphs": [{"parents": parents, "order": list(range(labels)), "weight": None}],
        "features": {
            "shared": False,
            "by_label": [sorted(chance.permutation(40)[:5].tolist()) for _ in range(labels)],
            "names": {str(f): f"feature {f}" for f in range(40)},
        },
        "reliability": {
            "edges": [k / 10 for k in range(11)],
            "count": counts.tolist(),
            "mean": [k / 10 + 0.05 for k in range(10)],
            "frequency": np.clip(np.arange(10) / 10 + 0.05 + 0.05 * chance.normal(size=10), 0, 1).tolist(),
        },
    }


@pytest.fixture(scope="session")
def made_up():
    """The function that makes cells up."""
    return made_up_cells
