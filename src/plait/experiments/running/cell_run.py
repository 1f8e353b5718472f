"""Run one cell: load, divide, tune, fit, predict, measure. Nothing that goes wrong in it leaves it."""

import json
import platform
import time
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import Any

from scipy import sparse

from plait import __version__
from plait.data import DataError, Dataset
from plait.experiments.planning.plan_objects import build
from plait.experiments.running.answers import ask, labels_digest, measured
from plait.experiments.running.cell_extras import report_extras
from plait.experiments.running.cells import Cell, CellResult
from plait.experiments.running.fold_data import fold_parts, load_data
from plait.experiments.running.model_seeds import fold_seed, seeded
from plait.experiments.running.peak_memory import PeakMemory
from plait.experiments.running.tuning import tuned_definition

__all__ = ["failure", "run_cell", "versions"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
_MOST_ENTRIES = 10**9  # of a label matrix that is made dense
_MOST_WARNINGS = 10
_seen: set[str] = set()  # tables of methods that this process has fitted before


@cache
def versions() -> dict[str, str]:
    """Return the versions on which results depend.

    Examples
    --------
    >>> sorted(versions())
    ['numba', 'numpy', 'plait', 'python', 'scikit-learn', 'scipy']
    """
    return {"plait": __version__, "python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def run_cell(cell: Cell) -> CellResult:
    """Return what comes out of a cell; an error of the data or of the method becomes part of the result."""
    start = time.perf_counter()
    kind = json.dumps(cell.recipe.definition, default=str)
    warm = kind in _seen
    _seen.add(kind)
    with PeakMemory() as memory, warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("default")
        try:
            result = _result(cell)
        except Exception as problem:  # methods of strangers may raise anything
            result = failure(cell, problem)
    extras = {
        **result.extras,
        "memory": {"before": memory.before, "by": memory.by},
        "whole_seconds": time.perf_counter() - start,
        "warnings": _words(raised),
        # The first fit of a process loads compiled code too: its seconds are no measure of the method.
        "warm": warm,
    }
    return replace(result, peak_memory=memory.peak, extras=extras, finished=time.time())


def failure(cell: Cell, problem: BaseException) -> CellResult:
    """Return the result of a cell that failed."""
    words = " ".join(str(problem).split())
    return replace(
        _blank(cell),
        error=f"{type(problem).__name__}: {words}" if words else type(problem).__name__,
        traceback="".join(traceback.format_exception(problem)),
        finished=time.time(),
    )


def _blank(cell: Cell) -> CellResult:
    names = cell.dataset, cell.method, cell.fold, cell.seed
    return CellResult(*names, cell.recipe.as_dict(), versions=versions(), digest=cell.digest)


def _result(cell: Cell) -> CellResult:
    train, test = _parts(cell)
    seed = fold_seed(cell.seed, cell.fold)
    start = time.perf_counter()
    definition, tuning = tuned_definition(cell.recipe, train, seed)
    model = seeded(build(definition), seed)
    model.fit(train.X, train.Y)
    fit_seconds = time.perf_counter() - start
    answers = ask(model, test.X, test.Y, cell.answers)
    extras = report_extras(model, answers, train, test)
    return replace(
        _blank(cell),
        metrics=measured(answers, test.Y),
        fit_seconds=fit_seconds,
        predict_seconds=answers.seconds["labels"],
        predictions_digest=labels_digest(answers.labels),
        extras={**extras, "tuning": tuning} if tuning else extras,
    )


def _parts(cell: Cell) -> tuple[Dataset, Dataset]:
    data = load_data(cell.data, cell.protocol)
    if data.fingerprint != cell.fingerprint:
        raise DataError(f"{cell.dataset} has other content here than where the plan was read. Use the same files.")
    train, test = fold_parts(data, cell.protocol, cell.fold, cell.seed)
    return _dense_labels(train), _dense_labels(test)


def _dense_labels(data: Dataset) -> Dataset:
    """Return the data with labels as an array, which every classifier takes, unless it would be huge."""
    if not sparse.issparse(data.Y) or data.n_samples * data.n_labels > _MOST_ENTRIES:
        return data
    return replace(data, Y=data.Y.toarray())


def _words(raised: Iterable[Any]) -> list[str]:
    words = [f"{entry.category.__name__}: {' '.join(str(entry.message).split())}" for entry in raised]
    return list(dict.fromkeys(words))[:_MOST_WARNINGS]
