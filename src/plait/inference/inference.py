"""`Inference`: the base of all ways to get answers from a distribution over label sets."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from plait.core.checks import Constraint, Interval, check_parameters, check_value
from plait.core.sentences import ParameterError, complaint
from plait.inference.label_support import LabelSupport
from plait.joint import LabelDistribution

__all__ = ["Inference"]

# Eight numbers of eight bytes: scores, odds, messages and marginals of a label.
NUMBERS = 64
WANTED = ("mode", "marginals", "distribution")


class Inference(BaseEstimator, ABC):
    """Base of all inferences: a subclass writes `_infer` and lists its parameters in `parameter_rules`.

    Its class says what it serves and what it gives.

    Attributes
    ----------
    on_polytrees_only : bool
        Whether it refuses graphs that have a cycle once directions are ignored.
    serves_mixtures : bool
        Whether it takes mixtures; those that walk along one graph refuse them.
    takes_margins : bool
        Whether it also decides by margins, scores of learners that give no probabilities.
    gives_modes : bool
        Whether it answers "mode" by a search or by all vectors, not by a sample.
    gives_marginals : bool
        Whether its support holds marginals where "marginals" are wanted; the support says whether they are exact.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.inference import BestFirst
    >>> issubclass(BestFirst, Inference)
    True
    >>> model = recipes.pcc(inference=BestFirst())
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [{"sea"}, {"sea"}, {"sun"}, {"sun"}]).predict_sets([[0.5]])
    [('sea',)]
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}
    on_polytrees_only: ClassVar[bool] = False
    serves_mixtures: ClassVar[bool] = True
    takes_margins: ClassVar[bool] = False
    gives_modes: ClassVar[bool] = True
    gives_marginals: ClassVar[bool] = False

    def row_bytes(self, distribution: LabelDistribution, wanted: str) -> int:
        """Return about how much memory the answer for one row takes: here some numbers for each label.

        Parameters
        ----------
        distribution : LabelDistribution
            P(y | x) of any rows of the model.
        wanted : {"mode", "marginals", "distribution"}
            What the answer is for.
        """
        return NUMBERS * distribution.n_labels

    @abstractmethod
    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        """Answer; parameters were checked."""

    def infer(
        self, distribution: LabelDistribution, wanted: str = "mode", n_best: int = 1, random_state: Any = None
    ) -> LabelSupport:
        """Return label vectors with weights for every row.

        Parameters
        ----------
        distribution : LabelDistribution
            P(y | x) of several rows, with evidence or without.
        wanted : {"mode", "marginals", "distribution"}, default="mode"
            What the answer is for. An inference that has one way only leaves this aside.
        n_best : int, default=1
            How many of the most probable label vectors are wanted.
        random_state : int, Generator, None or ndarray of uint64, shape (n_rows,)
            Used by inferences that draw; an array holds a seed for each row, as `plait.joint.row_seeds` makes them.
        """
        check_parameters(self)
        if wanted not in WANTED:
            raise ParameterError(complaint(type(self).__name__, "wanted", "one of " + ", ".join(WANTED), wanted))
        check_value(type(self).__name__, "n_best", n_best, [Interval(int, 1, None)])
        return self._infer(distribution, wanted, n_best, random_state)
