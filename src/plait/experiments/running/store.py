"""`Store`: results of cells in an SQLite file, written cell by cell, by any number of processes.

A finished cell is one transaction. A cell that is worked on has a claim of its owner; claims of owners that died are
taken over. Results are kept by the digest of the work, plans by name: an edited plan finds what it shares with the
earlier one.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from plait.experiments.planning.plan import Plan
from plait.experiments.running.answers import Answers
from plait.experiments.running.cells import Cell, CellResult
from plait.experiments.running.claims import Owner, is_gone
from plait.experiments.running.kept_answers import unpacked_answers
from plait.experiments.running.store_file import StoreError, connect, transaction

__all__ = ["Store", "StoreError", "open_store"]

_MOST_EXTRAS = 1 << 27  # bytes of what reports draw of one cell, unpacked: more is a bomb
_RESULT_COLUMNS = (
    "parameters, fit_seconds, predict_seconds, peak_memory, versions, predictions, error, extras, traceback, finished"
)


def open_store(path: str | os.PathLike[str], *, create: bool = False) -> "Store":
    """Open a store of results.

    Parameters
    ----------
    path : path
        The SQLite file.
    create : bool, default=False
        Make it where there is none.

    Returns
    -------
    Store

    Raises
    ------
    StoreError
        If the file is missing, no store, or one of a newer version; one sentence says which.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_store(Path(folder, "results.sqlite"), create=True) as store:
    ...     store.results()
    []
    """
    return Store(path, connect(path, create=create))


class Store:
    """Results of cells, and the plans they belong to. Made by `open_store`; close it, or use it in `with`.

    Parameters
    ----------
    path : path
        The SQLite file.
    database : Connection
        To that file.

    Examples
    --------
    >>> from plait.experiments import CellResult
    >>> from plait.experiments.running.claims import this_owner
    >>> with open_store("results.sqlite", create=True) as store:
    ...     me = this_owner()
    ...     result = CellResult("photos", "br", 0, 0, metrics={"exact_match": 0.5}, digest="1f")
    ...     store.claim("1f", me), store.record(result, me), store.claim("1f", me)
    ('claimed', True, 'done')
    """

    def __init__(self, path: str | os.PathLike[str], database: sqlite3.Connection) -> None:
        self.path = Path(path)
        self._database = database

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # What is read: report and reproduce.

    @property
    def plans(self) -> dict[str, str]:
        """Name of a plan -> its text, the last one run first."""
        return dict(self._rows("SELECT name, text FROM plans ORDER BY used DESC, name"))

    @property
    def plan_text(self) -> str:
        """Text of the plan that was run last; empty where there is none."""
        return next(iter(self.plans.values()), "")

    def metrics(self, plan: str | None = None) -> tuple[str, ...]:
        """Return the metrics that a plan names (by default the one that was run last), in its order.

        Parameters
        ----------
        plan : str, optional
            Its name.
        """
        rows = self._rows("SELECT name, metrics FROM plans ORDER BY used DESC, name")
        with self._undamaged("the metrics of a plan"):
            return next((tuple(json.loads(words)) for name, words in rows if plan in (None, name)), ())

    def results(self, plan: str | None = None) -> list[CellResult]:
        """Return what came out of all cells of all plans (or of one) that are finished, in the order of the plans.

        Parameters
        ----------
        plan : str, optional
            Of this plan only.
        """
        scores: dict[str, dict[str, float]] = {}
        for cell, metric, value in self._rows("SELECT cell, metric, value FROM scores"):
            with self._undamaged(f"the score {metric} of cell {cell}"):
                scores.setdefault(cell, {})[metric] = float("nan") if value is None else float(value)
        rows = self._rows(
            f"SELECT dataset, method, fold, seed, p.cell, plan, {_RESULT_COLUMNS} FROM plan_cells p "
            "JOIN results r ON r.cell = p.cell JOIN plans ON plans.name = p.plan "
            "WHERE :plan IS NULL OR plan = :plan ORDER BY used DESC, plan, position",
            {"plan": plan},
        )
        found = []
        for row in rows:
            with self._undamaged(f"the result of cell {row[4]}"):
                found.append(_result(row, scores.get(row[4], {})))
        return found

    @contextmanager
    def _undamaged(self, what: str) -> Iterator[None]:
        """Say in one sentence what cannot be read."""
        try:
            yield
        except (ValueError, TypeError, OverflowError, RecursionError, zlib.error) as problem:
            raise StoreError(
                f"{self.path}: {what} is damaged ({problem}). Restore the file, or run the plan into a new one."
            ) from None

    def predictions(self, digest: str) -> tuple[Any, Answers] | None:
        """Return the true labels of a cell's test part and what the model answered; None where they were not kept.

        Parameters
        ----------
        digest : str
            Of the cell.
        """
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'predictions'"):
            return None
        rows = self._rows("SELECT content FROM predictions WHERE cell = ?", (digest,))
        with self._undamaged(f"what was kept of cell {digest}"):
            return unpacked_answers(rows[0][0]) if rows else None

    def missing(self, plan: str | None = None) -> list[CellResult]:
        """Return the cells that have no result yet, with their names only.

        Parameters
        ----------
        plan : str, optional
            Of this plan only.
        """
        rows = self._rows(
            "SELECT dataset, method, fold, seed, p.cell, plan FROM plan_cells p JOIN plans ON plans.name = p.plan "
            "WHERE (:plan IS NULL OR plan = :plan) AND p.cell NOT IN (SELECT cell FROM results) "
            "ORDER BY used DESC, plan, position",
            {"plan": plan},
        )
        return [
            CellResult(dataset, method, fold, seed, digest=cell, plan=name)
            for dataset, method, fold, seed, cell, name in rows
        ]

    def names(self, plan: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the data sets and the methods of a plan in its order, finished or not.

        Parameters
        ----------
        plan : str
            Its name.
        """
        rows = self._rows("SELECT dataset, method FROM plan_cells WHERE plan = ? ORDER BY position", (plan,))
        return tuple(dict.fromkeys(row[0] for row in rows)), tuple(dict.fromkeys(row[1] for row in rows))

    # What is written: the runner.

    def begin(self, plan: Plan, cells: Sequence[Cell]) -> None:
        """Say which cells a plan has; an earlier plan of the same name is replaced, its results are kept.

        Parameters
        ----------
        plan : Plan
            The plan.
        cells : sequence of Cell
            Its cells.
        """
        with self._writing():
            self._database.execute("DELETE FROM plan_cells WHERE plan = ?", (plan.name,))
            self._database.execute(
                "INSERT OR REPLACE INTO plans VALUES (?, ?, ?, ?)",
                (plan.name, plan.text, json.dumps(plan.metrics), self._now()),
            )
            self._database.executemany(
                "INSERT INTO plan_cells VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(plan.name, i, c.digest, c.dataset, c.method, c.fold, c.seed) for i, c in enumerate(cells)],
            )

    def _now(self) -> float:
        """Return the time, or a later one than that of any plan where the clock was set back: the last plan is last."""
        ((latest,),) = self._rows("SELECT max(used) FROM plans")
        return max(time.time(), (latest or 0.0) + 1e-3)

    def finished(self) -> dict[str, bool]:
        """Return digest of a finished cell -> whether it failed."""
        return {cell: bool(failed) for cell, failed in self._rows("SELECT cell, error IS NOT NULL FROM results")}

    def forget(self, digests: Iterable[str]) -> None:
        """Delete results, so that the cells can be done again.

        Parameters
        ----------
        digests : iterable of str
            Of the cells.
        """
        cells = [(digest,) for digest in digests]
        with self._writing():
            self._database.executemany("DELETE FROM results WHERE cell = ?", cells)
            self._database.executemany("DELETE FROM scores WHERE cell = ?", cells)
            self._database.executemany("DELETE FROM predictions WHERE cell = ?", cells)

    def scored(self) -> dict[str, set[str]]:
        """Return digest of a cell -> the metrics that it has."""
        found: dict[str, set[str]] = {}
        for cell, metric in self._rows("SELECT cell, metric FROM scores"):
            found.setdefault(cell, set()).add(metric)
        return found

    def add_scores(self, digest: str, values: Mapping[str, float]) -> None:
        """Write more scores of a finished cell.

        Parameters
        ----------
        digest : str
            Of the cell.
        values : mapping of str to float
            Measure -> value.
        """
        with self._writing():
            self._database.executemany(
                "INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", [(digest, *entry) for entry in values.items()]
            )

    def claim(self, digest: str, owner: Owner) -> str:
        """Try to take a cell: "claimed", "done" if it has a result, or "busy" if a living owner has it.

        Parameters
        ----------
        digest : str
            Of the cell.
        owner : Owner
            Who wants it.
        """
        with self._writing():
            if self._rows("SELECT 1 FROM results WHERE cell = ?", (digest,)):
                return "done"
            held = self._rows("SELECT token, machine, pid, started, beat FROM claims WHERE cell = ?", (digest,))
            if held and held[0][0] != owner.token and not is_gone(Owner(*held[0][:4]), held[0][4]):
                return "busy"
            row = (digest, owner.token, owner.machine, owner.pid, owner.started, time.time())
            self._database.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)", row)
        return "claimed"

    def record(self, result: CellResult, owner: Owner) -> bool:
        """Write what came out of a cell and give up its claim; False if another owner was first, who then counts.

        Parameters
        ----------
        result : CellResult
            What came out.
        owner : Owner
            Who did it.
        """
        with self._writing():
            self._database.execute("DELETE FROM claims WHERE cell = ? AND token = ?", (result.digest, owner.token))
            if self._rows("SELECT 1 FROM results WHERE cell = ?", (result.digest,)):
                return False
            self._database.execute(
                f"INSERT INTO results (cell, {_RESULT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _row(result)
            )
            self._database.executemany(
                "INSERT INTO scores VALUES (?, ?, ?)",
                [(result.digest, metric, value) for metric, value in result.metrics.items()],
            )
            if result.kept is not None:
                kept = (result.digest, result.kept)
                self._database.execute("INSERT OR REPLACE INTO predictions VALUES (?, ?)", kept)
        return True

    def beat(self, owner: Owner) -> None:
        """Give a sign of life for all claims of an owner.

        Parameters
        ----------
        owner : Owner
            Whose.
        """
        with self._writing():
            self._database.execute("UPDATE claims SET beat = ? WHERE token = ?", (time.time(), owner.token))

    def release(self, owner: Owner) -> None:
        """Give up all claims of an owner.

        Parameters
        ----------
        owner : Owner
            Whose.
        """
        with self._writing():
            self._database.execute("DELETE FROM claims WHERE token = ?", (owner.token,))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write all of what is inside or nothing."""
        try:
            with transaction(self._database):
                yield
        except (sqlite3.Error, UnicodeDecodeError) as problem:
            raise StoreError(f"{self.path}: cannot be written, {problem}. Make room or way, and run again.") from None

    def _rows(self, query: str, values: Any = ()) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as problem:
            raise StoreError(f"{self.path}: cannot be read as a store, {problem}. Restore the file.") from None


def _row(result: CellResult) -> tuple[Any, ...]:
    extras = zlib.compress(json.dumps(dict(result.extras)).encode())
    return (
        result.digest,
        json.dumps(dict(result.parameters), default=str),
        result.fit_seconds,
        result.predict_seconds,
        result.peak_memory,
        json.dumps(dict(result.versions)),
        result.predictions_digest,
        result.error,
        extras,
        result.traceback,
        result.finished,
    )


def _result(row: Any, scores: dict[str, float]) -> CellResult:
    dataset, method, fold, seed, digest, plan, parameters, fit, predict, memory, versions, predictions = row[:12]
    error, extras, traceback, finished = row[12:]
    return CellResult(
        dataset,
        method,
        int(fold),
        int(seed),
        dict(json.loads(parameters)),
        scores,
        float(fit),
        float(predict),
        int(memory),
        dict(json.loads(versions)),
        predictions,
        error,
        dict(json.loads(_unpacked(extras))),
        traceback,
        digest,
        float(finished),
        plan,
    )


def _unpacked(extras: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(extras, _MOST_EXTRAS)
    if not unpacker.eof:
        raise ValueError(f"{len(extras)} packed bytes that are cut off or grow beyond {_MOST_EXTRAS}")
    return content
