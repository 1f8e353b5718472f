"""`ComponentFits`: the weighted fits of all components of a mixture, step after step of EM."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from plait.core.arrays import Floats
from plait.learners import Conditionals, Learner, LinearConditionals, LogisticLearner
from plait.learners.logistic.graph_batch import GraphBatch

__all__ = ["ComponentFits"]


# A step of EM need not maximise, it must gain: a Newton step that promises less than this share is the last of a label.
_LOOSE = 0.05


class ComponentFits:
    """Fits of several graphs on the same rows.

    Logistic regressions are one batch, not quite solved, unless they are asked for tightly; other learners train every
    component by itself.

    Parameters
    ----------
    learner : Learner
        Trains the conditionals.
    X, Y : features and labels
        Training rows, all of which weigh something.
    n_jobs : int or None
        Threads over components that are trained one by one.
    """

    def __init__(self, learner: Learner, X: Any, Y: npt.NDArray[np.uint8], n_jobs: int | None) -> None:
        self.learner, self.X, self.Y, self.n_jobs = learner, X, Y, n_jobs
        self._batch: GraphBatch | None = None
        if isinstance(learner, LogisticLearner) and learner.class_weight is None:
            self._batch, self._tol = GraphBatch(learner, X, Y), learner.tol

    def fitted(self, starts: Sequence[Conditionals], shares: Floats, *, tightly: bool) -> tuple[Conditionals, ...]:
        """Return the conditionals fitted to shares (n_samples, n_components) of the rows."""
        if self._batch is not None:
            parts = [part for part in starts if isinstance(part, LinearConditionals)]
            return tuple(self._batch.fit(parts, shares, self._tol if tightly else max(_LOOSE, self._tol)))
        return tuple(
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self.learner.fit)(
                    self.X,
                    self.Y,
                    part.graph,
                    # One column a label: weights of labels never touch the scaling of the features.
                    sample_weight=np.repeat(shares[:, [k]], self.Y.shape[1], axis=1),
                    start=part,
                )
                for k, part in enumerate(starts)
            )
        )
