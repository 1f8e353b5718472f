"""Run one cell: load, divide, tune, fit, predict, measure. Nothing that goes wrong in it leaves it."""

import json
import platform
import re
import sys
import time
import traceback
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from plait import __version__
from plait.data import DataError, Dataset
from plait.data.encoded_tables import encoded_parts
from plait.experiments.planning.measures import answers_needed, is_own_measure, smaller_is_better
from plait.experiments.planning.plan import MethodSetup, Tuning
from plait.experiments.planning.plan_objects import build, grid_choices, with_values
from plait.experiments.running.answers import (
    ask,
    fold_seed,
    labels_digest,
    labels_together,
    measured,
    report_extras,
    seeded,
)
from plait.experiments.running.cells import Cell, CellResult
from plait.experiments.running.fold_data import divided_rows, fold_parts, load_data
from plait.experiments.running.kept_answers import packed_answers
from plait.experiments.running.stopwatch import Stopwatch

__all__ = ["failure", "run_cell", "versions"]

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
# Windows has no such module, and there the peak stays unknown, 0.
_resource: Any = import_module("resource") if find_spec("resource") else None
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
    kind = json.dumps(cell.setup.definition, default=str)
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
    return CellResult(*names, cell.setup.as_dict(), versions=versions(), digest=cell.digest)


def _result(cell: Cell) -> CellResult:
    train, test = _parts(cell)
    seed = fold_seed(cell.seed, cell.fold)
    with Stopwatch() as watch:
        definition, tuning = tuned_definition(cell.setup, train, seed)
        model = seeded(build(definition, allow_imports=True), seed)  # allowed or refused when the plan was read
        train, test = encoded_parts(train, test, model=model)
        model.fit(train.X, train.Y)
    answers = ask(model, test.X, test.Y, cell.answers)
    extras = report_extras(model, answers, train, test) | {"compiling": watch.compiling + answers.compiling}
    if cell.fold == 0:
        extras["together"] = labels_together([train, test])
    return replace(
        _blank(cell),
        metrics=measured(answers, test.Y, cell.own_measures),
        kept=packed_answers(answers, test.Y) if cell.keep else None,
        fit_seconds=watch.seconds,
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


class Tuned(NamedTuple):
    """The table of the best choice, and what was tried."""

    definition: Mapping[str, Any]
    report: dict[str, Any]


def tuned_definition(setup: MethodSetup, train: Dataset, seed: int) -> Tuned:
    """Return the table of a method with the values that do best on inner folds; of equal ones the first of the grid.

    Parameters
    ----------
    setup : MethodSetup
        The method and what to tune.
    train : Dataset
        The training part; no other row is looked at.
    seed : int
        Seed of the inner folds and of the models.
    """
    tuning = setup.tuning
    if tuning is None:
        return Tuned(setup.definition, {})
    folds = [(train.rows(fit), train.rows(held)) for fit, held in divided_rows(train, tuning.protocol, seed)]
    tried: list[dict[str, Any]] = []
    for choice in grid_choices(tuning.grid):
        values, problem = _scores(with_values(setup.definition, choice), folds, tuning, seed)
        tried.append({"parameters": choice, "score": float(np.mean(values)) if not problem else None, "error": problem})
    good = [entry for entry in tried if entry["score"] is not None]
    if not good:
        raise ValueError(f"every choice of the grid failed, the last one with {tried[-1]['error']}")
    sign = -1.0 if smaller_is_better(tuning.metric) else 1.0
    best = max(good, key=lambda entry: sign * entry["score"])
    report = {"metric": tuning.metric, "chosen": best["parameters"], "score": best["score"], "tried": tried}
    return Tuned(with_values(setup.definition, best["parameters"]), report)


def _scores(
    definition: Mapping[str, Any], folds: list[tuple[Dataset, Dataset]], tuning: Tuning, seed: int
) -> tuple[list[float], str | None]:
    """Return the score on every inner fold, or what went wrong: a choice may ask for more than the data have."""
    try:
        return [_score(definition, fit, held, tuning.metric, seed) for fit, held in folds], None
    except Exception as problem:  # methods of strangers may raise anything
        return [], f"{type(problem).__name__}: {problem}"


def _score(definition: Mapping[str, Any], fit: Dataset, held: Dataset, metric: str, seed: int) -> float:
    model = seeded(build(definition, allow_imports=True), seed)
    fit, held = encoded_parts(fit, held, model=model)
    model.fit(fit.X, fit.Y)
    values = measured(ask(model, held.X, held.Y, answers_needed([metric])), held.Y, filter(is_own_measure, [metric]))
    if metric not in values or np.isnan(values[metric]):
        raise ValueError(f"the method gives no {metric}")
    return values[metric]


class PeakMemory:
    """Measures, in `with`, the largest resident size of the process: interpreter, data and all threads included.

    On Linux the system's own high-water mark is set back at the start, so that earlier work does not count. Where
    that is not allowed, and elsewhere, the mark of the whole life of the process is all there is.

    Attributes
    ----------
    before, peak : int
        Bytes held at the start (0 where unknown), and at most.
    by : str
        "high-water mark" of the time in `with`, or "life of the process".

    Examples
    --------
    >>> with PeakMemory() as memory:
    ...     size = len(bytearray(30_000_000))
    >>> memory.peak > size
    True
    """

    before: int = 0
    peak: int = 0
    by: str = "life of the process"

    def __enter__(self) -> "PeakMemory":
        try:
            _CLEAR.write_text("5", encoding="ascii")
            self.by = "high-water mark"
        except OSError:
            self.by = "life of the process"
        self.before = _status("VmRSS")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.peak = _status("VmHWM") or _life()


def _status(field: str) -> int:
    try:
        found = re.search(rf"{field}:\s+(\d+) kB", _STATUS.read_text(encoding="ascii"))
    except OSError:
        return 0
    return int(found.group(1)) * 1024 if found else 0


def _life() -> int:
    if _resource is None:
        return 0
    largest: int = _resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024
