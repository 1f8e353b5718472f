"""`Auto`: the cheapest exact inference for the graph and the question, else the best approximate one."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.checks import Constraint, Interval
from plait.core.logspace import log_sum_exp
from plait.inference.enumeration import MOST_LABELS
from plait.inference.exhaustive import UNFORCED_LABELS, Exhaustive
from plait.inference.greedy import Greedy
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.max_product import MaxProduct
from plait.inference.sum_product import SumProduct
from plait.joint import GraphDistribution, LabelDistribution

__all__ = ["Auto"]

# A label with more parents has a table that costs more than the other ways.
_MOST_PARENTS = 10
# Marginals need no table of all label vectors, so a few more labels can be enumerated.
_MORE_FOR_MARGINALS = 3


class Auto(Inference):
    """Choose the inference: exact where that is cheap, else the best approximation; the support says which it was.

    All vectors are gone through with up to `max_enumerated` labels (three more for marginals), which is exact; with
    more labels a sample is drawn, and modes are greedy; `exact` says so for every row.

    Parameters
    ----------
    n_samples : int, default=1000
        How many label vectors a sample has for each row [PCC 5.2].
    max_enumerated : int, default=12
        Up to how many labels all label vectors are gone through; at most 17.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> tree = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.zeros((2, 2)))
    >>> Auto().choose(tree, "marginals")
    SumProduct()
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "n_samples": (Interval(int, 1, None),),
        "max_enumerated": (Interval(int, 0, MOST_LABELS - _MORE_FOR_MARGINALS),),
    }

    def __init__(self, n_samples: int = 1000, max_enumerated: int = 12) -> None:
        self.n_samples = n_samples
        self.max_enumerated = max_enumerated

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        return self.choose(distribution, wanted).infer(distribution, wanted, n_best, random_state)

    def choose(self, distribution: LabelDistribution, wanted: str) -> Inference:
        """Return the inference that would be used.

        Parameters
        ----------
        distribution : LabelDistribution
            P(y | x) of several rows.
        wanted : {"mode", "marginals", "distribution"}
            What the answer is for.
        """
        if isinstance(distribution, GraphDistribution):
            if not distribution.probabilistic:
                return Greedy()
            if wanted != "distribution" and _is_simple(distribution):
                return MaxProduct() if wanted == "mode" else SumProduct()
            if wanted == "mode" and distribution.n_labels > UNFORCED_LABELS:
                return Greedy()
        return self._counted(distribution.n_labels, wanted)

    def _counted(self, n_labels: int, wanted: str) -> Inference:
        """Return what goes through all vectors where they are few, else what draws some."""
        most = self.max_enumerated if wanted == "distribution" else self.max_enumerated + _MORE_FOR_MARGINALS
        if n_labels > most:
            return _Sample(self.n_samples)
        return Exhaustive(force=True) if n_labels > UNFORCED_LABELS else Exhaustive()


class _Sample(Inference):
    """Ancestral samples, until the inference of that kind is there."""

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"n_samples": (Interval(int, 1, None),)}

    def __init__(self, n_samples: int = 1000) -> None:
        self.n_samples = n_samples

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        vectors, logs = distribution.sample(self.n_samples, random_state)
        known = log_sum_exp(logs, axis=1) - np.log(self.n_samples)
        exact = np.zeros(distribution.n_rows, dtype=bool)
        return LabelSupport(vectors, logs, "sample", "sample", exact, log_evidence=np.asarray(known))


def _is_simple(distribution: GraphDistribution) -> bool:
    """Say whether messages along the graph are exact and cheap."""
    widest = max((len(group) for group in distribution.graph.parents), default=0)
    return widest <= _MOST_PARENTS and distribution.graph.is_polytree
