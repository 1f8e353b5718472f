"""Files of stores: SQLite files of plait, opened and made, each change whole or not at all."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from plait.data import DataError

__all__ = ["StoreError", "connect", "transaction"]

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
_KEPT = "CREATE TABLE IF NOT EXISTS predictions (cell TEXT PRIMARY KEY, content BLOB NOT NULL)"


class StoreError(DataError):
    """A file is no store of results, or not one that this version can use."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))  # SQLite quotes what it finds, lines and all


def connect(path: str | os.PathLike[str], *, create: bool = False) -> sqlite3.Connection:
    """Return a connection to a store, made where there is none if `create`.

    Raises
    ------
    StoreError
        If there is no such file, it is no SQLite file, of another program, or of a newer plait.
    """
    file = Path(path)
    if "\0" in str(file):  # SQLite would take what stands before it
        raise StoreError(f"{str(file)!r}: is no name of a file. Pass another file.")
    if not create and not os.path.isfile(file):
        raise StoreError(f"{file}: there is no such store. Run 'plait bench PLAN.toml --store {file}' to make it.")
    try:
        database = sqlite3.connect(_address(file, create), uri=True, timeout=_PATIENCE, isolation_level=None)
    except sqlite3.Error as problem:
        raise StoreError(f"{file}: cannot be opened as a store, {problem}. Pass another file.") from None
    try:
        _ready(database, file, create)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as problem:  # SQLite quotes what is no text, too
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
            database.execute(_KEPT)
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
