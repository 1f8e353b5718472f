"""`SumProduct`: exact marginals on forests, polytrees and mixtures of them."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats
from plait.core.checks import Constraint
from plait.core.lazy_modules import lazy_module
from plait.inference.best_first import BestFirst
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.max_product import MaxProduct
from plait.inference.messages import plain_messages
from plait.inference.messages.message_plan import checked_polytree, compiled_messages, families_of, plain_blocks
from plait.inference.messages.polytree_scores import known_labels, scores_in_blocks
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution

__all__ = ["SumProduct", "exact_marginals"]

_kernels = lazy_module("plait.inference.messages._sum_product")


class SumProduct(Inference):
    """P(y_k = 1 | x, evidence) and log P(evidence | x): exact on every forest and polytree [MC, section 5.4; PACC 17].

    Without evidence one pass from parents to children is enough, as the parents of a label are independent; with
    evidence messages go to the roots and back. For each row the cost is that of the table entries of all labels,
    sum_j 2 ** |Pa_j|, and once more for the way back. The working memory is three numbers a label for 32 rows where
    scores are linear; else tables of at most 64 MiB.

    Of a mixture the marginals are the mean of the components', each weighed by its weight and the probability that it
    gives to the evidence.

    Where more than marginals is wanted the support holds the `n_best` most probable vectors too, found by `MaxProduct`,
    for a mixture by `BestFirst`. Odds beyond 2 ** 117 = 1.7e35 are given as that.

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
    >>> SumProduct().infer(model).marginals.round(3)
    array([[0.599, 0.347]])
    >>> SumProduct().infer(model.clamp(np.array([[-1, 1]], dtype=np.int8))).marginals.round(3)
    array([[0.862, 1.   ]])
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}
    on_polytrees_only: ClassVar[bool] = True
    gives_marginals: ClassVar[bool] = True

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        if isinstance(distribution, MixtureDistribution):
            return _of_mixture(distribution.flattened(), wanted, n_best)
        model = checked_polytree(type(self).__name__, distribution)
        marginals, log_evidence = exact_marginals(model)
        n_settings = np.full(model.n_rows, families_of(model.graph).entry[-1])
        if wanted == "marginals":
            known = {"log_evidence": log_evidence, "n_evaluations": n_settings}
            return LabelSupport.of_marginals(marginals, "sum-product", **known)
        modes = MaxProduct().infer(model, "mode", n_best)
        return LabelSupport(
            modes.vectors,
            modes.log_weights,
            "modes",
            "sum-product",
            modes.exact,
            marginals,
            log_evidence,
            n_settings,
        )


def _of_mixture(mixture: MixtureDistribution, wanted: str, n_best: int) -> LabelSupport:
    parts = [checked_polytree("SumProduct", part) for part in mixture.components]
    marginals, log_evidence = exact_marginals(mixture)
    n_settings = np.full(mixture.n_rows, sum(families_of(part.graph).entry[-1] for part in parts), dtype=np.int64)
    if wanted == "marginals":
        known = {"log_evidence": log_evidence, "n_evaluations": n_settings}
        return LabelSupport.of_marginals(marginals, "sum-product", **known)
    modes = BestFirst().infer(mixture, "mode", n_best)
    return LabelSupport(
        modes.vectors, modes.log_weights, "modes", "sum-product", modes.exact, marginals, log_evidence, n_settings
    )


def exact_marginals(model: LabelDistribution) -> tuple[Floats, Floats]:
    """Return P(y_k = 1 | x, evidence), shape (n_rows, n_labels), and log P(evidence | x) of every row.

    Parameters
    ----------
    model : GraphDistribution or MixtureDistribution
        A forest, a polytree or a mixture of such.

    Returns
    -------
    (ndarray of float64, ndarray of float64)

    Examples
    --------
    >>> import numpy as np
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> weights = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> two = LinearDistribution(LabelGraph([[], [0]]), base=np.zeros((1, 2)), parent_coef=weights)
    >>> exact_marginals(two)[0].round(3)
    array([[0.5 , 0.69]])
    """
    if not isinstance(model, MixtureDistribution):
        part = checked_polytree("exact_marginals", model)
        return _graph_marginals(part, compiled_messages(part))
    flat = model.flattened()
    parts = [checked_polytree("exact_marginals", part) for part in flat.components]
    # By the largest graph: NumPy needs some ms for twenty small trees, and kernels seconds before their first.
    compiled = any(map(compiled_messages, parts))
    return _mixed_marginals(flat, [_graph_marginals(part, compiled) for part in parts])


def _mixed_marginals(mixture: MixtureDistribution, parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    terms = mixture.log_weights[:, None] + np.stack([log_evidence for _, log_evidence in parts])
    log_evidence = terms[0]
    for term in terms[1:]:
        log_evidence = np.logaddexp(log_evidence, term)
    marginals = np.zeros_like(parts[0][0])
    for term, (part, _) in zip(terms, parts, strict=True):
        marginals += np.exp(term - log_evidence)[:, None] * part
    return _as_known(mixture, marginals, np.zeros_like(log_evidence) if mixture.evidence is None else log_evidence)


def _graph_marginals(model: GraphDistribution, compiled: bool) -> tuple[Floats, Floats]:
    marginals, log_evidence = np.empty((model.n_rows, model.n_labels)), np.zeros(model.n_rows)
    if compiled:
        _by_kernels(model, marginals, log_evidence)
    elif model.evidence is None:
        for rows in plain_blocks(model):
            marginals[rows] = plain_messages.marginals(model.take(rows))
    else:
        for rows in plain_blocks(model):
            marginals[rows], log_evidence[rows] = plain_messages.marginals_given(model.take(rows))
    return _as_known(model, marginals, log_evidence)


def _by_kernels(model: GraphDistribution, marginals: Floats, log_evidence: Floats) -> None:
    families = families_of(model.graph)
    most, none = 1 << families.most_parents, np.empty((0, 0))
    for rows, scores in scores_in_blocks(model, families):
        known = known_labels(model.evidence, rows)
        if known.size == 0:
            _kernels.find_marginals(families, scores, most, marginals[rows])
        else:
            _kernels.find_marginals_given(
                families, scores, known, families.n_hubs, most, marginals[rows], log_evidence[rows], none
            )


def _as_known(model: LabelDistribution, marginals: Floats, log_evidence: Floats) -> tuple[Floats, Floats]:
    """Put known labels in as they are; without any the logarithm is 0."""
    if model.evidence is not None:
        marginals = np.where(model.evidence >= 0, model.evidence, marginals)
        log_evidence = np.where((model.evidence >= 0).any(axis=1), log_evidence, 0.0)
    return marginals, log_evidence
