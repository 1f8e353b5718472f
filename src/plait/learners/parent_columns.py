"""`ParentColumns`: the labels that are parents, as further columns beside X."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.learners.problem import Problem

__all__ = ["ParentColumns"]


@dataclass(frozen=True, eq=False)
class ParentColumns:
    """The columns of Y that stand beside X.

    Parameters
    ----------
    labels : ndarray of int
        Labels that are a parent of some label and not constant, ascending.
    values : ndarray of shape (n_samples, len(labels)), or None
        Their columns; None where there is none.
    """

    labels: npt.NDArray[np.int64]
    values: npt.NDArray[Any] | None

    @classmethod
    def of(cls, problem: Problem) -> "ParentColumns":
        """Return the parents of a problem; a constant parent says nothing and gets the coefficient 0 (SPEC 9.3)."""
        used = np.zeros(problem.n_labels, dtype=np.bool_)
        for parents in problem.graph.parents:
            used[list(parents)] = True
        used &= problem.Y.min(axis=0) != problem.Y.max(axis=0)
        labels = np.flatnonzero(used)
        return cls(labels, problem.Y[:, labels] if len(labels) else None)

    def support(self, problem: Problem) -> npt.NDArray[np.bool_] | None:
        """Return which columns of [X, parents] each label may use, or None where that is all."""
        if problem.support is None and not len(self.labels):
            return None
        n_features = problem.X.shape[1]
        allowed = np.zeros((problem.n_labels, n_features + problem.n_labels), dtype=np.bool_)
        allowed[:, :n_features] = True if problem.support is None else problem.support
        for label, parents in enumerate(problem.graph.parents):
            allowed[label, [n_features + parent for parent in parents]] = True
        return allowed[:, np.concatenate([np.arange(n_features), n_features + self.labels])]
