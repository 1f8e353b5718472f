"""`Store`: results of cells in an SQLite file, written cell by cell, by any number of processes.

A finished cell is one transaction. A cell that is worked on has a claim of its owner; claims of owners that died are
taken over. Results are kept by the digest of the work, plans by name: an edited plan finds what it shares with the
earlier one.
"""

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from plait.data import DataError
from plait.experiments.planning.plan import Plan
from plait.experiments.running.cells import Cell, CellResult
from plait.experiments.running.claims import Owner, is_gone

__all__ = ["Store", "StoreError", "open_store"]

_APPLICATION = 0x706C6169  # "plai", by which SQLite files of plait are known
_VERSION = 1
_PATIENCE = 60.0  # seconds to wait for other processes that write
_TABLES = """
CREATE TABLE plans (name TEXT PRIMARY KEY, text TEXT NOT NULL, metrics TEXT NOT NULL, used REAL NOT NULL);
CREATE TABLE plan_cells (
    plan TEXT NOT NULL, position INTEGER NOT NULL, cell TEXT NOT NULL,
    dataset TEXT NOT NULL, method TEXT NOT NULL, fold INTEGER NOT NULL, seed INTEGER NOT NULL,
    PRIMARY KEY (plan, position)
) WITHOUT ROWID;
CREATE TABLE results (
    cell TEXT PRIMARY KEY, parameters TEXT NOT NULL, fit_seconds REAL NOT NULL, predict_seconds REAL NOT NULL,
    peak_memory INTEGER NOT NULL, versions TEXT NOT NULL, predictions TEXT NOT NULL, error TEXT, traceback TEXT,
    extras BLOB NOT NULL, finished REAL NOT NULL
);
CREATE TABLE scores (
    cell TEXT NOT NULL, metric TEXT NOT NULL, value REAL, PRIMARY KEY (cell, metric)
) WITHOUT ROWID;
CREATE TABLE claims (
    cell TEXT PRIMARY KEY, token TEXT NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL,
    beat REAL NOT NULL
);
"""
_RESULT_COLUMNS = (
    "parameters, fit_seconds, predict_seconds, peak_memory, versions, predictions, error, extras, traceback, finished"
)


class StoreError(DataError):
    """A file is no store of results, or not one that this version can use."""


def open_store(path: str | os.PathLike[str], *, create: bool = False) -> "Store":
    """Open a store of results.

    Parameters
    ----------
    path : path
        The SQLite file.
    create : bool, default=False
        Make it where there is none.

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
    """Results of cells, and the plans they belong to. Made by `open_store`; close it, or use it in `with`."""

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
        """Return the metrics that a plan names (by default the one that was run last), in its order."""
        rows = self._rows("SELECT name, metrics FROM plans ORDER BY used DESC, name")
        with self._undamaged("the metrics of a plan"):
            return next((tuple(json.loads(words)) for name, words in rows if plan in (None, name)), ())

    def results(self, plan: str | None = None) -> list[CellResult]:
        """Return what came out of all cells of all plans (or of one) that are finished, in the order of the plans."""
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
        except (ValueError, TypeError, zlib.error) as problem:
            raise StoreError(
                f"{self.path}: {what} is damaged ({problem}). Restore the file, or run the plan into a new one."
            ) from None

    def missing(self, plan: str | None = None) -> list[CellResult]:
        """Return the cells that have no result yet, with their names only."""
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
        """Return the data sets and the methods of a plan in its order, finished or not."""
        rows = self._rows("SELECT dataset, method FROM plan_cells WHERE plan = ? ORDER BY position", (plan,))
        return tuple(dict.fromkeys(row[0] for row in rows)), tuple(dict.fromkeys(row[1] for row in rows))

    # What is written: the runner.

    def begin(self, plan: Plan, cells: Sequence[Cell]) -> None:
        """Say which cells a plan has; an earlier plan of the same name is replaced, its results are kept."""
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
        """Delete results, so that the cells can be done again."""
        cells = [(digest,) for digest in digests]
        with self._writing():
            self._database.executemany("DELETE FROM results WHERE cell = ?", cells)
            self._database.executemany("DELETE FROM scores WHERE cell = ?", cells)

    def claim(self, digest: str, owner: Owner) -> str:
        """Try to take a cell: "claimed", "done" if it has a result, or "busy" if a living owner has it."""
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
        """Write what came out of a cell and give up its claim; False if another owner was first, who then counts."""
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
        return True

    def beat(self, owner: Owner) -> None:
        """Give a sign of life for all claims of an owner."""
        with self._writing():
            self._database.execute("UPDATE claims SET beat = ? WHERE token = ?", (time.time(), owner.token))

    def release(self, owner: Owner) -> None:
        """Give up all claims of an owner."""
        with self._writing():
            self._database.execute("DELETE FROM claims WHERE token = ?", (owner.token,))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write all of what is inside or nothing."""
        try:
            with transaction(self._database):
                yield
        except sqlite3.Error as problem:
            raise StoreError(f"{self.path}: cannot be written, {problem}. Make room or way, and run again.") from None

    def _rows(self, query: str, values: Any = ()) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.DatabaseError as problem:
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
        dict(json.loads(zlib.decompress(extras))),
        traceback,
        digest,
        float(finished),
        plan,
    )


def connect(path: str | os.PathLike[str], *, create: bool = False) -> sqlite3.Connection:
    """Return a connection to a store, made where there is none if `create`.

    Raises
    ------
    StoreError
        If there is no such file, it is no SQLite file, of another program, or of a newer plait.
    """
    file = Path(path)
    if not create and not file.is_file():
        raise StoreError(f"{file}: there is no such store. Run 'plait bench PLAN.toml --store {file}' to make it.")
    try:
        database = sqlite3.connect(_address(file, create), uri=True, timeout=_PATIENCE, isolation_level=None)
    except sqlite3.Error as problem:
        raise StoreError(f"{file}: cannot be opened as a store, {problem}. Pass another file.") from None
    try:
        _ready(database, file, create)
    except sqlite3.DatabaseError as problem:
        database.close()
        raise StoreError(f"{file}: cannot be used as a store, {problem}. Pass another file.") from None
    except StoreError:
        database.close()
        raise
    return database


def _address(file: Path, create: bool) -> str:
    """Return how SQLite opens a file: as one that nobody changes where nobody can, such as on a read-only share.

    Otherwise it would make files of its own beside the store. Where a writer left a log behind, that is read too.
    """
    address = file.absolute().as_uri()
    if create or (os.access(file.parent, os.W_OK) and os.access(file, os.W_OK)):
        return address
    log = file.with_name(file.name + "-wal")
    return f"{address}?mode=ro" if log.is_file() and log.stat().st_size else f"{address}?immutable=1"


@contextlib.contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Do all of what is inside or nothing, with no other writer in between."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # SQLite has gone back by itself where the disk is full or broken.
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _ready(database: sqlite3.Connection, file: Path, create: bool) -> None:
    """Check what the file is, and make the tables where it is new."""
    _checked(database, file)
    if create:
        _log_ahead(database)
        with transaction(database):
            if not _checked(database, file):
                for statement in _TABLES.split(";\n"):
                    database.execute(statement)
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
    elif not _checked(database, file):
        raise StoreError(f"{file}: holds no results. Pass a file that 'plait bench' wrote.")
    # A finished cell is on the disk before the next one is begun, so that even a power cut loses none.
    database.execute("PRAGMA synchronous = FULL")


def _checked(database: sqlite3.Connection, file: Path) -> bool:
    """Say whether the tables are there; complain about files that are not plait's or too new."""
    # One statement sees one state of the file: another process may be making the tables right now.
    application, version, n_tables = database.execute(
        "SELECT application_id, user_version, (SELECT COUNT(*) FROM sqlite_master) "
        "FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application != _APPLICATION and (application or n_tables):
        raise StoreError(f"{file}: is an SQLite file, but no store of plait. Pass another file.")
    if version > _VERSION:
        raise StoreError(
            f"{file}: is a store of version {version}, but this plait reads up to version {_VERSION}. Upgrade plait."
        )
    return bool(n_tables)


def _log_ahead(database: sqlite3.Connection) -> None:
    """Switch to the write-ahead log, in which a kill at any instant leaves a whole file, and readers do not wait."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            # SQLite does not wait by itself when two processes switch at once.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
