"""`Auto`: the cheapest exact inference for the graph and the question, else the best approximate one."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.checks import Constraint, Interval
from plait.inference.annealing import Annealing
from plait.inference.best_first import BestFirst
from plait.inference.exhaustive import UNFORCED_LABELS, Exhaustive
from plait.inference.greedy import Greedy
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.max_product import MaxProduct
from plait.inference.messages.message_plan import takes_messages
from plait.inference.messages.mixture_tables import as_mixture, parts_take_messages
from plait.inference.monte_carlo import MonteCarlo, marginals_by_component
from plait.inference.search.component_lists import takes_lists
from plait.inference.search.label_tables import MOST_LABELS, table_serves
from plait.inference.sum_product import SumProduct
from plait.joint import (
    GraphDistribution,
    HierarchyDistribution,
    LabelDistribution,
    LinearDistribution,
    MixtureDistribution,
)

__all__ = ["Auto"]

# A learner that must be called is asked for no more than this many conditionals of a row.
_MOST_CALLS = 10_000
# Marginals and modes need no table of all label vectors, so a few more labels can be enumerated.
_MORE_WITHOUT_TABLE = 3
# Marginals need fewer samples than label sets: they are means of conditionals, not frequencies.
_FEWER_FOR_MARGINALS = 5
_PASSES = "passes over the label tree"


class Auto(Inference):
    """Choose the inference: exact where that is cheap, else the best approximation; the support says which it was.

    On forests and polytrees (independent labels too) modes come from max-product and marginals from sum-product. On
    other graphs modes come from best-first search, which is exact unless it meets its limit of nodes: 10 ** 6 a row,
    and 10 ** 4 where a learner must be called for each. Marginals of a mixture are the mean of its components', each
    found in its own way; its modes come from best-first search where components are forests and polytrees, or linear
    and labels not many, else from annealing, which proves most of them where components are linear. Everything else
    goes through all label vectors with up to `max_enumerated` labels (three more for marginals and for modes of
    mixtures), which is exact, and draws a sample with more. Margins of learners that give no probabilities are decided
    greedily. Modes and marginals of a label tree of many labels take a pass up and one down; its next best sets come
    from a sample. `support.method` says which it was, and `support.exact` how far it can be trusted.

    Parameters
    ----------
    n_samples : int, default=1000
        How many label vectors a sample has for each row [PCC 5.2]; a fifth of them for marginals, which are means of
        conditionals over the sample.
    max_enumerated : int, default=12
        Up to how many labels all label vectors are gone through; at most 17.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> tree = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.zeros((2, 2)))
    >>> Auto().choose(tree, "marginals")
    SumProduct()
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "n_samples": (Interval(int, 1, None),),
        "max_enumerated": (Interval(int, 0, MOST_LABELS - _MORE_WITHOUT_TABLE),),
    }
    takes_margins: ClassVar[bool] = True

    def __init__(self, n_samples: int = 1000, max_enumerated: int = 12) -> None:
        self.n_samples = n_samples
        self.max_enumerated = max_enumerated

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        chosen = self.choose(distribution, wanted)
        if chosen is not self:
            return chosen.infer(distribution, wanted, n_best, random_state)
        if isinstance(distribution, HierarchyDistribution):
            return _by_passes(distribution, wanted, n_best, random_state)
        assert isinstance(distribution, MixtureDistribution)
        return marginals_by_component(distribution, lambda part: self.choose(part, "marginals"), random_state)

    def row_bytes(self, distribution: LabelDistribution, wanted: str) -> int:
        """Return about how much memory the answer for one row takes by the inference that is chosen."""
        if isinstance(distribution, MixtureDistribution) and wanted == "marginals":
            return max(self._chosen_bytes(part, wanted) for part in distribution.flattened().components)
        return self._chosen_bytes(distribution, wanted)

    def _chosen_bytes(self, distribution: LabelDistribution, wanted: str) -> int:
        chosen = self.choose(distribution, wanted)
        if chosen is self:
            return super().row_bytes(distribution, wanted)
        return chosen.row_bytes(distribution, wanted)

    def choose(self, distribution: LabelDistribution, wanted: str) -> Inference:
        """Return the inference that would be used.

        Parameters
        ----------
        distribution : LabelDistribution
            P(y | x) of several rows.
        wanted : {"mode", "marginals", "distribution"}
            What the answer is for.

        Returns
        -------
        Inference
            `Auto` itself for marginals of a mixture whose components need different ones, and for label trees.
        """
        if isinstance(distribution, HierarchyDistribution) and wanted != "distribution":
            return self
        if isinstance(distribution, GraphDistribution):
            if not distribution.probabilistic:
                return Greedy()
            if wanted != "distribution" and takes_messages(distribution):
                return MaxProduct() if wanted == "mode" else SumProduct()
            if wanted == "mode":
                return BestFirst() if isinstance(distribution, LinearDistribution) else BestFirst(max_nodes=_MOST_CALLS)
        if isinstance(distribution, MixtureDistribution):
            if wanted == "marginals":
                chosen = [self.choose(part, wanted) for part in distribution.flattened().components]
                return chosen[0] if len(set(map(repr, chosen))) == 1 else self
            if wanted == "mode":
                flat, large = distribution.flattened(), self._is_large(distribution, wanted)
                if parts_take_messages(flat) or (takes_lists(flat) and not large and not table_serves(flat)):
                    return BestFirst()
                if large:
                    return Annealing()
        if not self._is_large(distribution, wanted):
            return _every_vector(distribution)
        few = max(1, self.n_samples // _FEWER_FOR_MARGINALS)
        return MonteCarlo(few if wanted == "marginals" else self.n_samples)

    def _is_large(self, distribution: LabelDistribution, wanted: str) -> bool:
        """Say whether there are too many label vectors, or too many conditionals that a learner is called for."""
        mixed = isinstance(distribution, MixtureDistribution)
        without_table = wanted == "marginals" or (wanted == "mode" and mixed)
        most = self.max_enumerated + (_MORE_WITHOUT_TABLE if without_table else 0)
        n_called = sum(_n_called(part) for part in as_mixture(distribution).components)
        return distribution.n_labels > most or n_called > _MOST_CALLS


def _by_passes(distribution: HierarchyDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
    """Return exact marginals or modes of a label tree; sets after the mode are the most probable ones of a sample."""
    if wanted == "marginals":
        marginals, log_evidence = distribution.marginals()
        return LabelSupport.of_marginals(marginals, _PASSES, log_evidence=log_evidence)
    labels, logs = distribution.modes()
    vectors, logs, exact = labels[:, None], logs[:, None], np.full(distribution.n_rows, n_best == 1)
    if n_best > 1:
        drawn = MonteCarlo().infer(distribution, "distribution", 1, random_state)
        again = (drawn.vectors == vectors).all(axis=2) | np.isneginf(drawn.log_weights)
        more = distribution.log_prob(np.ascontiguousarray(drawn.vectors))
        vectors = np.concatenate([vectors, drawn.vectors], axis=1)
        logs = np.concatenate([logs, np.where(again, -np.inf, more)], axis=1)
        order = np.argsort(-logs, axis=1, kind="stable")[:, :n_best]
        vectors, logs = np.take_along_axis(vectors, order[:, :, None], axis=1), np.take_along_axis(logs, order, axis=1)
    return LabelSupport(vectors, logs, "modes", _PASSES if n_best == 1 else f"{_PASSES}, a sample", exact)


def _every_vector(distribution: LabelDistribution) -> Exhaustive:
    return Exhaustive(force=True) if distribution.n_labels > UNFORCED_LABELS else Exhaustive()


def _n_called(distribution: LabelDistribution) -> int:
    """Return how many conditionals of a row a learner is called for: the settings of all labels' parents."""
    if not isinstance(distribution, GraphDistribution) or isinstance(distribution, LinearDistribution):
        return 0
    return distribution.graph.n_settings
