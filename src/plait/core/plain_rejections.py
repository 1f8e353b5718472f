"""What scikit-learn's check of X rejects, in the house form: whose X, what it must hold, what it holds, what to do.

Other column names than at `fit`, and another number of columns, keep scikit-learn's own words, which its estimator
checks ask for to the letter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.sentences import ParameterError, shown

__all__ = ["plainly_rejected"]


@contextmanager
def plainly_rejected(owner: str, X: Any, *, nan_allowed: bool = False) -> Iterator[None]:
    """Turn complaints about words, NaN and infinity in X, raised inside, into one sentence each.

    Parameters
    ----------
    owner : str
        Whose X it is.
    X : array, sparse matrix or data frame
        What is checked inside.
    nan_allowed : bool, default=False
        Whether NaN is no cause of complaint.

    Examples
    --------
    >>> from sklearn.utils import check_array
    >>> with plainly_rejected("MLkNN", [[1.0, np.nan]]):
    ...     check_array([[1.0, np.nan]], input_name="X")
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: MLkNN needs X to hold finite numbers, but row 0, column 1 holds NaN. Fill ...
    """
    try:
        yield
    except ValueError as problem:
        sentence = _sentence(owner, X, str(problem), nan_allowed)
        if sentence is None:
            raise
        raise ParameterError(sentence) from None


def _sentence(owner: str, X: Any, problem: str, nan_allowed: bool) -> str | None:
    if "could not convert string" in problem:
        word = problem.partition(": ")[2]
        return (
            f"{owner} needs X to hold numbers, but it holds {word}. Put plait.data.TableEncoder before it, "
            "or encode columns of words yourself."
        )
    must = "finite numbers or NaN" if nan_allowed else "finite numbers"
    if problem.startswith("Input X contains NaN"):
        return (
            f"{owner} needs X to hold {must}, but {_first(X, np.isnan)} holds NaN. Fill gaps first, for example with "
            "sklearn.impute.SimpleImputer, or leave out such rows."
        )
    if problem.startswith("Input X contains infinity"):
        return (
            f"{owner} needs X to hold {must}, but {_first(X, np.isinf)} holds infinity. Put a number in its place, or "
            "leave out such rows."
        )
    return None


def _first(X: Any, wrong: Any) -> str:
    """Return in words where the first wrong number is."""
    try:
        if sparse.issparse(X):
            entries = X.tocoo()
            chosen = wrong(entries.data)
            rows, columns = entries.row[chosen], entries.col[chosen]
        else:
            rows, columns = np.nonzero(wrong(np.asarray(X, dtype=np.float64)))
    except (TypeError, ValueError):  # a form that only scikit-learn can read
        return "it"
    if not len(rows):  # a number that is too large for X's type only
        return "it"
    place = np.lexsort((columns, rows))[0]
    names = getattr(X, "columns", None)
    column = int(columns[place])
    return f"row {int(rows[place])}, column {column if names is None else shown(names[column])}"
