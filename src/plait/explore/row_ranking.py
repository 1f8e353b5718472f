"""`RowRanking`: which rows to look at first, found block by block beside the answers to clicks; rows that are kept."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import xlogy

from plait.core.arrays import Floats, Ints, Labels
from plait.joint import GraphDistribution
from plait.posterior.answers import has_messages

__all__ = ["ORDERS", "RowRanking"]

ORDERS = ("file", "doubtful", "uncertain", "disagreeing")
_BLOCK_SECONDS, _QUIET_SECONDS = 0.05, 0.25
_MOST_ENUMERATED = 15


class RowRanking:
    """Measures of every row, as far as they are known.

    doubtful      the largest P(a recorded label is wrong | x, the others)
    uncertain     the entropy of P(y | x); for many labels without exact sums, its bound by the labels one by one
    disagreeing   how many recorded labels are not as the more probable value of the label says

    Parameters
    ----------
    ask : callable
        From row numbers to their `Posterior`.
    records : callable
        From row numbers to labels (n_rows, n_labels) as recorded and corrected; returns None where nothing is recorded.
    n_rows : int
        How many rows.

    Examples
    --------
    >>> from plait import recipes
    >>> X, Y = np.array([[0.0], [1.0], [2.0], [3.0]] * 9), np.array([[0], [0], [1], [1]] * 9)
    >>> model = recipes.br().fit(X, Y)
    >>> ranking = RowRanking(lambda rows: model.joint(X[rows]), lambda rows: 1 - Y[rows], 36)  # all recorded wrongly
    >>> ranking.measure(np.arange(4))
    >>> ranking.value("disagreeing", 0), ranking.value("disagreeing", 4)  # row 4 is not measured yet
    (1.0, None)
    """

    def __init__(self, ask: Callable[[Ints], Any], records: Callable[[Ints], Labels | None], n_rows: int) -> None:
        self._ask, self._records = ask, records
        self.n_rows, self.n_done = n_rows, 0
        self._values = {name: np.full(n_rows, -np.inf) for name in ORDERS[1:]}
        self._block, self._last_click = 1, 0.0
        self._stopped = threading.Event()
        self.problem = ""

    def start(self) -> None:
        """Begin to measure, in a thread that ends with the program."""
        threading.Thread(target=self._run, name="plait explore, rows", daemon=True).start()

    def stop(self) -> None:
        """End the measuring at the next block."""
        self._stopped.set()

    def clicked(self) -> None:
        """Say that somebody waits for an answer: measuring pauses for a moment."""
        self._last_click = time.monotonic()

    def _run(self) -> None:
        try:
            while self.n_done < self.n_rows and not self._stopped.is_set():
                if time.monotonic() - self._last_click < _QUIET_SECONDS:
                    time.sleep(_BLOCK_SECONDS)
                    continue
                self.measure_block()
        except Exception as problem:  # the page works without; it says so
            self.problem = f"{type(problem).__name__}: {problem}"

    def measure_block(self) -> None:
        """Measure the next rows; so many that a click waits little."""
        began = time.monotonic()
        rows = np.arange(self.n_done, min(self.n_done + self._block, self.n_rows))
        self.measure(rows)
        self.n_done += len(rows)
        taken = max(time.monotonic() - began, 1e-6)
        self._block = int(np.clip(self._block * min(2.0, _BLOCK_SECONDS / taken), 1, 4096))

    def measure(self, rows: Ints) -> None:
        """Measure some rows, again where records have changed.

        Parameters
        ----------
        rows : array of int
            Which.
        """
        answer, recorded = self._ask(rows), self._records(rows)
        marginals = answer.marginals()
        self._values["uncertain"][rows] = _uncertainty(answer, marginals)
        if recorded is not None:
            self._values["doubtful"][rows] = answer.doubts(recorded).max(axis=1, initial=0.0)
            self._values["disagreeing"][rows] = ((marginals > 0.5) != (recorded == 1)).sum(axis=1)

    def value(self, order: str, row: int) -> float | None:
        """Return a measure of a row, None where it is not known.

        Parameters
        ----------
        order : {"file", "doubtful", "uncertain", "disagreeing"}
            Which measure.
        row : int
            Of which row.
        """
        value = -np.inf if order == "file" else float(self._values[order][row])
        return None if value == -np.inf else value

    def rows(self, order: str, chosen: Ints) -> Ints:
        """Return the chosen rows in an order: of the file, or the most notable first; rows not measured come last.

        Parameters
        ----------
        order : {"file", "doubtful", "uncertain", "disagreeing"}
            By what.
        chosen : array of int
            Which rows.
        """
        if order == "file":
            return chosen
        return chosen[np.argsort(-self._values[order][chosen], kind="stable")]


def _uncertainty(answer: Any, marginals: Floats) -> Floats:
    first = answer.joint.condition(answer.X[:1])
    if answer.n_labels <= _MOST_ENUMERATED or (isinstance(first, GraphDistribution) and has_messages(first)):
        return np.asarray(answer.entropy())
    return -(xlogy(marginals, marginals) + xlogy(1 - marginals, 1 - marginals)).sum(axis=1)
