"""`Greedy`: decide one label after the other along the order."""

from typing import Any, ClassVar

import numpy as np

from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.search.chain_walks import greedy_walk
from plait.inference.search.prefixes import require_tree
from plait.joint import LabelDistribution

__all__ = ["Greedy"]


class Greedy(Inference):
    """Decide one label after the other, each by its more probable value given those before it [PCC, algorithm 1].

    A label is 1 where its score is above 0; known labels keep their values. One conditional for each label and row,
    and the only search that also works with learners that give margins; then `log_weights` are 0. The vector is the
    mode wherever its probability is above 1/2, and `exact` says more: it is True where no vector that leaves the walk
    can be more probable, because the prefix at which it would leave already is not. Against the best answer it can lose
    up to 1/2 - 2^-q in subset loss and up to 1 - (2 - 2^(1-q)) / q in Hamming loss, for which the sum in
    [PCC, theorem 1] has 2^-i where 2^-(i-1) is right.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> effects = np.array([[0.0, 0.0], [-3.0, 0.0]])  # label 0 speaks against label 1
    >>> P = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.5, 1.0], [-0.5, 1.0]]), effects)
    >>> support = Greedy().infer(P)
    >>> support.mode()
    array([[1, 0],
           [0, 1]], dtype=uint8)
    >>> support.exact
    array([ True,  True])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {}
    serves_mixtures: ClassVar[bool] = False
    takes_margins: ClassVar[bool] = True

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        tree = require_tree("Greedy", distribution)
        labels, log_prob, exact = greedy_walk(tree)
        counts = np.full(tree.n_rows, tree.n_labels, dtype=np.int64)
        return LabelSupport(labels[:, None, :], log_prob[:, None], "modes", "greedy", exact, n_evaluations=counts)
