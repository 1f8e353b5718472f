"""`RowAnswers`: P(y | x) of the rows that are looked at, and once labels are said, kept for the next question."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.inference import Beam, MonteCarlo
from plait.joint import GraphDistribution, HierarchyDistribution, LabelDistribution
from plait.posterior import Posterior

__all__ = ["RowAnswers", "WhatIsSaid"]

_REMEMBERED_ROWS, _REMEMBERED_CLICKS = 32, 64
# Beyond these many labels answers are to take milliseconds instead of seconds: once something is known, probabilities
# without exact sums are those of a few draws, and sets those of a beam.
_FEW_LABELS, _DRAWS, _BEAM = 40, 100, 16


class WhatIsSaid(NamedTuple):
    """P(y | x) of a row once some labels are said, with what was asked first.

    Parameters
    ----------
    asked : Posterior
        Of the row alone; more can be asked.
    marginals : ndarray of float64, shape (n_labels,)
        P(y_k = 1 | x, what is said).
    how : str
        By which inference.
    exact : bool
        Whether they are proved.
    worth : float or None
        Of drawn ones, how many draws they are worth.
    """

    asked: Posterior
    marginals: Floats
    how: str
    exact: bool
    worth: float | None


class RowAnswers:
    """Answers about single rows; the features of a row are looked at once, and so is what a reader says.

    Parameters
    ----------
    ask : callable
        From row numbers to their `Posterior`.
    n_labels : int
        How many labels there are.

    Examples
    --------
    >>> from plait import recipes
    >>> X, Y = np.array([[0.0], [1.0], [2.0], [3.0]] * 9), np.array([[0, 0], [0, 1], [1, 1], [1, 1]] * 9)
    >>> model = recipes.pcc().fit(X, Y)
    >>> answers = RowAnswers(lambda rows: model.joint(X[rows]), 2)
    >>> answers.of(1).exact, bool(answers.of(1, {0: 1}).marginals[1] > answers.of(1).marginals[1])
    (True, True)
    """

    def __init__(self, ask: Callable[[Ints], Posterior], n_labels: int) -> None:
        self._ask, self.n_labels = ask, n_labels
        self._row = lru_cache(_REMEMBERED_ROWS)(self._asked)
        self._said = lru_cache(_REMEMBERED_CLICKS)(self._answered)

    @property
    def is_few(self) -> bool:
        """Whether labels are so few that any question takes milliseconds."""
        return self.n_labels <= _FEW_LABELS

    def of(self, row: int, known: Mapping[int, int] | None = None) -> WhatIsSaid:
        """Return what is known of a row.

        Parameters
        ----------
        row : int
            Which.
        known : mapping of int to {0, 1}, optional
            Labels that the reader said.
        """
        return self._said(row, tuple(sorted((known or {}).items())))

    def sums(self, row: int) -> bool:
        """Say whether sums over the label sets of a row are exact and cheap.

        Parameters
        ----------
        row : int
            Which.
        """
        return self.of(row).exact

    def finds_modes(self, row: int) -> bool:
        """Say whether the most probable set of a row takes milliseconds: few labels, or sums along one graph or tree.

        Parameters
        ----------
        row : int
            Which.
        """
        one = isinstance(self._distribution(row), GraphDistribution | HierarchyDistribution)
        return self.is_few or (one and self.sums(row))

    def searched(self, row: int, known: Mapping[int, int] | None = None) -> Posterior:
        """Return what to ask for likely sets: of many labels on a graph with cycles those of a beam.

        Parameters
        ----------
        row : int
            Which.
        known : mapping of int to {0, 1}, optional
            Labels that the reader said.
        """
        asked = self.of(row, known).asked
        one = isinstance(self._distribution(row), GraphDistribution)
        return asked._changed(inference=Beam(_BEAM)) if one and not self.finds_modes(row) else asked

    def _distribution(self, row: int) -> LabelDistribution:
        return self._row(row).joint.condition(self._row(row).X)

    def _asked(self, row: int) -> Posterior:
        answer = self._ask(np.array([row]))
        return answer._changed(joint=_RememberedRow(answer.joint, answer.X))

    def _answered(self, row: int, known: tuple[tuple[int, int], ...]) -> WhatIsSaid:
        asked = self._row(row)
        if known:
            if not self.is_few and not self.sums(row):
                asked = asked._changed(inference=MonteCarlo(_DRAWS))
            evidence = np.full((1, self.n_labels), np.nan)
            for label, value in known:
                evidence[0, label] = value
            asked = asked.given(evidence)
        marginals = asked.marginals()[0]
        size = asked.effective_size
        worth = None if size is None else float(size[0])
        return WhatIsSaid(asked, marginals, asked.method, bool(asked.exact.all()), worth)


class _RememberedRow:
    """A joint that keeps P(y | x) of one row, for questions that ask it again and again; of other rows it asks."""

    def __init__(self, joint: Any, X: Any) -> None:
        self.joint, self.X = joint, X
        self.distribution: LabelDistribution = joint.condition(X)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.joint, name)

    def condition(self, X: Any) -> LabelDistribution:
        """Return P(y | x) of every row of X."""
        rows = np.zeros(X.shape[0], dtype=np.int64)
        if sparse.issparse(X):
            same = sparse.issparse(self.X) and (self.X[rows] != X).nnz == 0
        else:
            same = np.array_equal(X, np.broadcast_to(self.X, X.shape), equal_nan=X.dtype.kind == "f")
        return self.distribution.take(rows) if same and len(rows) else self.joint.condition(X)
