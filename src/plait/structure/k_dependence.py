"""Every label depends on at most k labels before it [OCC 24-33, algorithm 1]."""

import math
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Ints
from plait.core.checks import Constraint, Interval, Nothing, OneOf
from plait.core.ties import first_best
from plait.structure.label_graph import LabelGraph
from plait.structure.label_information import AnyInformation, information_of
from plait.structure.orders import ORDER_RULES, arranged
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["KDependence"]


class KDependence(Structure):
    """Every label depends on at most `k` labels before it in an order, chosen one by one [OCC 33].

    The next parent of label j is the l that maximises I(Y_l;Y_j) + alpha * sum over chosen k of I(Y_j;Y_k|Y_l). Where
    no more than `k` labels stand before it, all of them are parents. Labels without variation have no parents and are
    none.

    Parameters
    ----------
    k : int or float, default=0.8
        Most parents: a number, or a share of the labels.
    order : None, str, Order or sequence of int or str, default=None
        The order of the chain, as for `FullChain`.
    alpha : float, optional
        Weight of each chosen parent's term; by default 1 / (number of chosen parents). 1 is [OCC 32].
    rounding : {"up", "nearest"}, default="up"
        How a share of the labels becomes a number.
    ties : {"index", "dependence"}, default="index"
        What wins among equal scores: the smallest index, or the higher I(Y_l;Y_j) and then the earlier label.
    max_candidates : int, optional
        How many labels of highest I(Y_l;Y_j) are candidates; where `k` is not below it, the `k` highest are taken.

    Notes
    -----
    Time grows with the square of the number of labels (with `max_candidates`, the part for k > 1 only in proportion).
    From 2,048 labels on memory does not: only pairs that meet in some row are kept.

    The program that its authors released has `rounding="nearest"`, `ties="dependence"` and `max_candidates=100`.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, flip = rng.random((3, 500)) < [[0.5], [0.5], [0.1]]
    >>> Y = np.column_stack([a, b, a ^ flip]).astype(np.uint8)
    >>> KDependence(k=1).build(np.zeros((500, 1)), Y).parents
    ((), (0,), (0,))
    """

    takes_sparse_labels: ClassVar[bool] = True
    counts_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "k": (Interval(int, 0, None), Interval(float, 0.0, 1.0)),
        "order": ORDER_RULES,
        "alpha": (Interval(float, 0.0, None), Nothing()),
        "rounding": (OneOf(("up", "nearest")),),
        "ties": (OneOf(("index", "dependence")),),
        "max_candidates": (Interval(int, 1, None), Nothing()),
    }

    def __init__(
        self,
        k: float = 0.8,
        order: Any = None,
        alpha: float | None = None,
        *,
        rounding: str = "up",
        ties: str = "index",
        max_candidates: int | None = None,
    ) -> None:
        self.k = k
        self.order = order
        self.alpha = alpha
        self.rounding = rounding
        self.ties = ties
        self.max_candidates = max_candidates

    def _build(self, given: StructureInput) -> LabelGraph:
        order = arranged(self.order, given)
        most = self._most(given.n_labels)
        labels, varies = information_of(given.Y), given.varies
        parents: list[list[int]] = [[] for _ in order]
        chain = np.array([label for label in order if varies[label]], dtype=np.int64)
        for place, label in enumerate(chain.tolist()):
            before = chain[:place]
            parents[label] = before.tolist() if place <= most else self._chosen(label, before, most, labels)
        return LabelGraph(parents, order)

    def _most(self, n_labels: int) -> int:
        if not isinstance(self.k, float | np.floating):
            return int(self.k)
        # 0.8 * 35 is 28.000000000000004, which is 28.
        share = round(float(self.k) * n_labels, 9)
        return math.ceil(share) if self.rounding == "up" else math.floor(share + 0.5)

    def _chosen(self, label: int, before: Ints, most: int, labels: AnyInformation) -> list[int]:
        if most == 0:
            return []
        mutual = labels.mutual_row(label)
        candidates = before
        if self.ties == "dependence" or self.max_candidates is not None:
            # Equal ones stay in the order of the chain.
            candidates = before[np.argsort(-mutual[before], kind="stable")]
        if self.max_candidates is not None and most >= self.max_candidates:
            return [int(other) for other in candidates[:most]]
        candidates = candidates[: self.max_candidates]
        if self.ties == "index":
            candidates = np.sort(candidates)
        # The candidate that wins a tie stands first.
        scores, sums = mutual[candidates], np.zeros(candidates.size)
        tables, out = labels.tables_of(label), np.zeros(candidates.size)
        chosen = [first_best(scores)]
        while len(chosen) < most:
            tables.add_information(int(candidates[chosen[-1]]), candidates, sums)
            out[chosen[-1]] = -np.inf
            alpha = 1.0 / len(chosen) if self.alpha is None else float(self.alpha)
            chosen.append(first_best(scores + alpha * sums + out))
        return [int(candidates[place]) for place in chosen]
