"""`CorrectionLog`: what a reader decided about recorded labels, a line of CSV at a time; no kill loses one."""

import csv
import io
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from plait.data import DataError

__all__ = ["ACTIONS", "Correction", "CorrectionLog"]

ACTIONS = ("accept", "correct", "undo")


class Correction(NamedTuple):
    """A decision about one recorded label.

    Parameters
    ----------
    time : str
        When, in UTC.
    row : int
        Number of the row, from 0.
    id : str
        What the row is called.
    label : str
        Name of the label.
    recorded : str
        "0" or "1" as the data have it; empty where nothing is recorded.
    action : {"accept", "correct", "undo"}
        The record is right; it is wrong; or the last word about it does not count.
    value : str
        What the label is after that.
    probability : str
        P(label | x) of the model at that moment.

    Examples
    --------
    >>> Correction("2026-01-01T00:00:00+00:00", 3, "photo 3", "sea", "0", "correct", "1", "0.93").action
    'correct'
    """

    time: str
    row: int
    id: str
    label: str
    recorded: str
    action: str
    value: str
    probability: str


class CorrectionLog:
    """A CSV file to which every decision is added, and on the disk before anybody is told so.

    The last line about a row and a label counts.

    Parameters
    ----------
    path : path
        The file; made with a heading if there is none, else read and gone on with.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     log = CorrectionLog(Path(folder, "corrections.csv"))
    ...     log.add(3, "photo 3", "sea", 0, "correct", 1, 0.93)
    ...     CorrectionLog(log.path).current[3, "sea"].value
    '1'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self.current: dict[tuple[int, str], Correction] = {}
        self.n_lines = 0
        if self.path.exists() and self.path.stat().st_size:
            self._read()
        else:
            self._append(Correction._fields)

    def _read(self) -> None:
        content = self.path.read_bytes()
        if not content.endswith(b"\n"):
            # What was being written when the machine stopped: nobody was told that it is kept.
            content = content[: content.rfind(b"\n") + 1]
            if not content:
                raise self._strange(self.path.read_bytes()[:60].decode(errors="replace"))
            with self.path.open("r+b") as stream:
                stream.truncate(len(content))
        lines = list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))
        if tuple(lines[0]) != Correction._fields:
            raise self._strange(",".join(lines[0])[:60])
        for number, line in enumerate(lines[1:], start=2):
            if len(line) != len(Correction._fields) or not line[1].isdigit() or line[5] not in ACTIONS:
                raise DataError.at(self.path, number, "a correction", ",".join(line)[:60], "Mend or remove the line.")
            self._take(Correction(line[0], int(line[1]), *line[2:]))

    def _strange(self, found: str) -> DataError:
        advice = "Pass another file for corrections."
        return DataError.at(self.path, 1, f"the heading {','.join(Correction._fields)}", found, advice)

    def _take(self, correction: Correction) -> None:
        self.n_lines += 1
        key = correction.row, correction.label
        if correction.action == "undo":
            self.current.pop(key, None)
        else:
            self.current[key] = correction

    def _append(self, line: tuple[object, ...]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerow(line)
        # One write of a whole line at the end of the file, then the disk: a kill comes before or after it.
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            rest = memoryview(text.getvalue().encode("utf-8"))
            while rest:
                rest = rest[os.write(file, rest) :]
            os.fsync(file)
        finally:
            os.close(file)

    def add(
        self, row: int, name: str, label: str, recorded: int | None, action: str, value: int | None, probability: float
    ) -> None:
        """Keep a decision; when this returns it is on the disk.

        Parameters
        ----------
        row : int
            Number of the row.
        name : str
            What the row is called.
        label : str
            Name of the label.
        recorded, value : int or None
            The label before and after.
        action : {"accept", "correct", "undo"}
            What was decided.
        probability : float
            P(label | x).
        """
        before, after = ("" if known is None else str(int(known)) for known in (recorded, value))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        correction = Correction(now, row, name, label, before, action, after, f"{probability:.6g}")
        with self._lock:
            self._append(correction)
            self._take(correction)
