"""What ran for a paper, as text: the mean of every measure, from which its pages can be made without the store.

A store is a large file that stays where it was made. The ledger lies beside the pages and goes with them, so that a run
of some methods today completes the cells of a run of others last week, and every cell says which run it comes from.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from plait.experiments.planning.plan import Plan
from plait.experiments.reproduction.paper_plans import paper_plan, plan_names
from plait.experiments.running.cells import CellResult

__all__ = ["Means", "Measured", "completed", "ledger_text", "measured_means", "read_ledger"]

_TIMES = ("fit_seconds", "predict_seconds")
_COLUMNS = ("plan", "dataset", "method", "measure", "mean", "std", "n_parts", "run", "setup", "parts")


@dataclass(frozen=True)
class Measured:
    """One measure of a method on a data set.

    Parameters
    ----------
    mean, std : float
        Over the parts; the deviation is NaN of one part.
    n_parts : int
        Number of parts.
    parts : tuple of float
        The value of each part; empty where only the mean was kept.
    run : str
        When, and by which version.

    Examples
    --------
    >>> Measured(mean=0.25, std=0.05, n_parts=5).mean
    0.25
    """

    mean: float
    std: float
    n_parts: int
    parts: tuple[float, ...] = ()
    run: str = ""


# (data set, method) -> measure -> its mean.
Means = Mapping[tuple[str, str], Mapping[str, Measured]]


def measured_means(results: Sequence[CellResult], state: str = "") -> Means:
    """Return the means of results; a combination of which a part failed is left out.

    Parameters
    ----------
    results : sequence of CellResult
        What ran.
    state : str, default=""
        What the state of the code is called that ran, such as a commit.

    Returns
    -------
    dict
        (data set, method) -> measure -> `Measured`.

    Examples
    --------
    >>> ran = [CellResult("emotions", "BR", fold, 0, metrics={"exact_match": 0.25 * fold}) for fold in range(2)]
    >>> measured_means(ran)["emotions", "BR"]["exact_match"].parts
    (0.0, 0.25)
    """
    found: dict[tuple[str, str], list[CellResult]] = {}
    for result in results:
        found.setdefault((result.dataset, result.method), []).append(result)
    whole = {place: rows for place, rows in found.items() if all(row.error is None for row in rows)}
    return {place: _measures(sorted(rows, key=lambda r: (r.seed, r.fold)), state) for place, rows in whole.items()}


def _measures(rows: Sequence[CellResult], state: str) -> dict[str, Measured]:
    run = _run_words(rows, state)
    values = {name: [row.metrics[name] for row in rows if name in row.metrics] for name in rows[0].metrics}
    values |= {name: [getattr(row, name) for row in rows] for name in _TIMES if name not in values}
    return {name: _measured(found, run) for name, found in values.items()}


def _measured(values: Sequence[float], run: str) -> Measured:
    std = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return Measured(float(np.mean(values)), std, len(values), tuple(values), run)


def _run_words(rows: Sequence[CellResult], state: str) -> str:
    """Return the day on which the last part was finished, the version, and the state of the code."""
    last = max(rows, key=lambda row: row.finished)
    day = datetime.fromtimestamp(last.finished, UTC).date().isoformat() if last.finished else ""
    version = f"plait {last.versions['plait']}" if "plait" in last.versions else ""
    return ", ".join(word for word in (day, version, state) if word)


def completed(plan: Plan, new: Means, earlier: Means) -> Means:
    """Return what ran, completed by what an earlier run had elsewhere, in the order of the plan.

    Parameters
    ----------
    plan : Plan
        Of which both are.
    new, earlier : Means
        Where both have a method on a data set, the new one counts as a whole.
    """
    both = {**earlier, **new}
    places = [(data.name, method.name) for data in plan.datasets for method in plan.methods]
    return {place: both[place] for place in places if place in both}


def ledger_text(paper: str, found: Mapping[str, Means]) -> str:
    """Return all that ran as CSV: a row for each measure.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    found : dict of str to Means
        Plan -> what ran.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for name, means in found.items():
        setups = _setups(paper_plan(paper, name))
        for (dataset, method), measures in means.items():
            place = {"plan": name, "dataset": dataset, "method": method, "setup": setups[dataset, method]}
            for measure, value in measures.items():
                values = {**asdict(value), "parts": " ".join(map(repr, value.parts))}
                writer.writerow({**place, "measure": measure, **values})
    return out.getvalue()


def read_ledger(paper: str, file: Path) -> dict[str, Means]:
    """Return plan -> what an earlier run has left, without rows whose settings the plan no longer has.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    file : path
        With the text of `ledger_text`; there need not be one.
    """
    found: dict[str, dict[tuple[str, str], dict[str, Measured]]] = {}
    if not file.exists():
        return {}
    setups = {name: _setups(paper_plan(paper, name)) for name in plan_names(paper)}
    for row in _rows(file):
        place = row["dataset"], row["method"]
        if setups.get(row["plan"], {}).get(place) == row["setup"]:
            parts = tuple(map(float, row["parts"].split()))
            value = Measured(float(row["mean"]), float(row["std"]), int(row["n_parts"]), parts, row["run"])
            found.setdefault(row["plan"], {}).setdefault(place, {})[row["measure"]] = value
    return dict(found)


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf8", newline="") as opened:
        yield from csv.DictReader(opened)


def _setups(plan: Plan) -> dict[tuple[str, str], str]:
    """Return (data set, method) -> digest of all that determines its results, but for versions of programs."""
    found = {}
    for data in plan.datasets:
        protocol = plan.protocol_on(data).as_dict()
        for method in plan.methods:
            setup = method.setup_on(data.name).as_dict()
            words = json.dumps([asdict(data), protocol, plan.seeds, setup], sort_keys=True, default=str)
            found[data.name, method.name] = hashlib.sha256(words.encode()).hexdigest()[:12]
    return found
