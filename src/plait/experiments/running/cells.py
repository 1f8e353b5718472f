"""Cells: one method on one part of one data set with one seed, and a digest of all that determines its result."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.experiments.planning.measures import answers_needed, is_own_measure
from plait.experiments.planning.plan import DatasetPlan, MethodSetup, Plan, Protocol

__all__ = ["Cell", "CellResult", "cell_digest", "plan_cells"]

# Part of every digest: another number makes all results of earlier versions void.
_FORMAT = 1


@dataclass(frozen=True)
class Cell:
    """A piece of work.

    Parameters
    ----------
    digest : str
        Equal for equal work: data, parameters, protocol, fold, seed and what is asked of the model. Names of data sets
        and methods, and the metrics of the plan beyond what they ask for, are no part of it.
    dataset, method : str
        Names in the plan.
    fold, seed : int
        Which part (from 0), and the seed.
    data : DatasetPlan
        Where the data come from.
    fingerprint : str
        Digest of the data's content.
    setup : MethodSetup
        What to fit.
    protocol : Protocol
        How rows are divided.
    answers : tuple of str
        What the model is asked for: "labels", "scores", "joint".
    own_measures : tuple of str
        Import paths of measures to take besides plait's.
    keep : bool
        Whether predictions are handed on.
    """

    digest: str
    dataset: str
    method: str
    fold: int
    seed: int
    data: DatasetPlan
    fingerprint: str
    setup: MethodSetup
    protocol: Protocol
    answers: tuple[str, ...]
    own_measures: tuple[str, ...] = ()
    keep: bool = False

    def __str__(self) -> str:
        return f"{self.dataset}, {self.method}, fold {self.fold}, seed {self.seed}"


@dataclass(frozen=True)
class CellResult:
    """What came out of a cell.

    Parameters
    ----------
    dataset, method : str
        Names in the plan.
    fold, seed : int
        Which part (from 0), and the seed.
    parameters : dict
        Table of the method in the plan, with `tune` where it was tuned.
    metrics : dict of str to float
        Measure -> value; without those that the method cannot give. Empty where the cell failed.
    fit_seconds, predict_seconds : float
        Wall time of `fit` (with tuning) and of `predict`.
    peak_memory : int
        Bytes: the most that the process held while the cell ran, interpreter and data included.
    versions : dict of str to str
        Of plait, numpy, scipy, scikit-learn, numba and python.
    predictions_digest : str
        SHA-256 of the predicted labels; empty where the cell failed.
    error : str or None
        What went wrong, in one line.
    extras : dict
        What reports draw: see `docs/experiments.md`.
    traceback : str or None
        Where it went wrong.
    digest : str
        Of the cell.
    finished : float
        When, in seconds since 1970.
    plan : str
        Name of the plan.
    kept : bytes or None
        Predictions on their way into the store, which gives them back by `Store.predictions`.

    Examples
    --------
    >>> CellResult("sea", "br", 0, 0, metrics={"exact_match": 0.5}).metrics["exact_match"]
    0.5
    """

    dataset: str
    method: str
    fold: int
    seed: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    peak_memory: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    predictions_digest: str = ""
    error: str | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    traceback: str | None = None
    digest: str = ""
    finished: float = 0.0
    plan: str = ""
    kept: bytes | None = field(default=None, repr=False)


def plan_cells(plan: Plan, fingerprints: Mapping[str, str]) -> Iterator[Cell]:
    """Yield the cells of a plan, data set by data set, so that a worker reads few of them.

    Parameters
    ----------
    plan : Plan
        What to run.
    fingerprints : dict of str to str
        Name of a data set -> digest of its content; data sets that are not in it are left out.
    """
    # Predictions that are kept are to serve any metric.
    answers = ("labels", "scores", "joint") if plan.keep else answers_needed(plan.metrics)
    own = tuple(filter(is_own_measure, plan.metrics))
    for data in plan.datasets:
        protocol = plan.protocol_on(data)
        if data.name not in fingerprints:
            continue
        places = [(seed, fold) for seed in plan.seeds for fold in range(protocol.n_parts)]
        methods = [method for method in plan.methods if data.name not in method.skip]
        for seed, fold in places:
            for method in methods:
                work = (fingerprints[data.name], method.setup_on(data.name), protocol, answers)
                digest = cell_digest(*work, fold, seed)
                yield Cell(digest, data.name, method.name, fold, seed, data, *work, own, plan.keep)


def cell_digest(
    fingerprint: str, setup: MethodSetup, protocol: Protocol, answers: tuple[str, ...], fold: int, seed: int
) -> str:
    """Return the digest of all that determines a result, apart from versions of programs.

    Examples
    --------
    >>> from plait.experiments.planning.plan import Protocol, MethodSetup
    >>> work = MethodSetup({"use": "br"}), Protocol("split"), ("labels",)
    >>> cell_digest("a", *work, 0, 0) == cell_digest("a", *work, 0, 0) != cell_digest("b", *work, 0, 0)
    True
    """
    parts = [_FORMAT, fingerprint, setup.as_dict(), protocol.as_dict(), list(answers), fold, seed]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]
