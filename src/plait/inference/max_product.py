"""`MaxProduct`: exact modes on forests and polytrees."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.checks import Constraint
from plait.core.lazy_modules import lazy_module
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.messages import plain_messages
from plait.inference.messages.message_plan import checked_polytree, compiled_messages, families_of, plain_blocks
from plait.inference.messages.polytree_scores import known_labels, scores_in_blocks
from plait.inference.search.label_tables import best_by_table, table_serves
from plait.joint import GraphDistribution, LabelDistribution

__all__ = ["MaxProduct", "best_of_polytree"]

_kernels = lazy_module("plait.inference.messages._max_product")


class MaxProduct(Inference):
    """The most probable label vectors by messages from leaves to roots: exact on every forest and polytree.

    For each row the cost is that of one table entry for each setting of each label's parents, sum_j 2 ** |Pa_j|
    [MC, section 5.4; PACC 17]. Evidence on any labels is exact. The working memory is three numbers a label for 32
    rows where scores are linear; else tables of at most 64 MiB.

    For `n_best` > 1 the space is split around each vector found [Lawler1972; Nilsson1998]: the vectors come in order of
    probability, none twice. Where there are fewer vectors than asked for, the weights of the places left are -inf.

    Ties: of vectors equally probable up to rounding any one may come first; each single choice between equals takes
    the 0.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> chain = LabelGraph([[], [0]])
    >>> model = LinearDistribution(chain, np.array([[0.4, -2.0]]), np.array([[0.0, 0.0], [2.0, 0.0]]))
    >>> support = MaxProduct().infer(model, n_best=2)
    >>> support.vectors[0].tolist(), np.exp(support.log_weights[0]).round(3).tolist()
    ([[0, 0], [1, 0]], [0.353, 0.299])
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}
    on_polytrees_only: ClassVar[bool] = True
    serves_mixtures: ClassVar[bool] = False

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        model = checked_polytree(type(self).__name__, distribution)
        vectors, log_weights = best_of_polytree(model, n_best, compiled_messages(model))
        exact, n_settings = np.ones(model.n_rows, dtype=bool), families_of(model.graph).entry[-1]
        return LabelSupport(
            vectors, log_weights, "modes", "max-product", exact, n_evaluations=np.full(model.n_rows, n_settings)
        )


def best_of_polytree(model: GraphDistribution, n_best: int, compiled: bool) -> tuple[Labels, Floats]:
    """Return the most probable vectors (n_rows, n_best, n_labels) and log P of each, by kernels or in NumPy."""
    n_vectors = int(min(n_best, 2.0 ** min(model.n_labels, 62)))
    if n_vectors > 1 and table_serves(model):
        return best_by_table("MaxProduct", model, n_vectors)
    vectors = np.zeros((model.n_rows, n_vectors, model.n_labels), dtype=np.uint8)
    log_weights = np.full((model.n_rows, n_vectors), -np.inf)
    if n_vectors > 1:
        _best(model, vectors, log_weights)
        return _in_order(vectors, log_weights)
    if compiled:
        _modes(model, vectors.reshape(model.n_rows, model.n_labels), log_weights.reshape(model.n_rows))
    else:
        for rows in plain_blocks(model):
            vectors[rows, 0], log_weights[rows, 0] = plain_messages.modes(model.take(rows))
    return vectors, log_weights


def _modes(model: GraphDistribution, vectors: Labels, log_weights: Floats) -> None:
    families = families_of(model.graph)
    for rows, scores in scores_in_blocks(model, families):
        known, most = known_labels(model.evidence, rows), 1 << families.most_parents
        _kernels.find_modes(families, scores, known, families.n_hubs, most, vectors[rows], log_weights[rows])


def _best(model: GraphDistribution, vectors: Labels, log_weights: Floats) -> None:
    families = families_of(model.graph)
    for rows, scores in scores_in_blocks(model, families):
        _kernels.find_best(families, scores, known_labels(model.evidence, rows), vectors[rows], log_weights[rows])


def _in_order(vectors: Labels, log_weights: Floats) -> tuple[Labels, Floats]:
    """Put vectors in order again where the last bits of sums made two of nearly the same weight change places."""
    if (log_weights[:, 1:] <= log_weights[:, :-1]).all():
        return vectors, log_weights
    order = np.argsort(-log_weights, axis=1, kind="stable")
    return np.take_along_axis(vectors, order[:, :, None], axis=1), np.take_along_axis(log_weights, order, axis=1)
