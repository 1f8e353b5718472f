"""Marginals of whole families, and the entropy of P(y | x, evidence), on forests and polytrees."""

from collections.abc import Iterator

import numpy as np

from plait.core.arrays import Floats
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_sigmoid
from plait.inference.messages import plain_messages
from plait.inference.messages.message_plan import (
    Families,
    checked_polytree,
    compiled_messages,
    families_of,
    plain_blocks,
)
from plait.inference.messages.polytree_scores import known_labels, scores_in_blocks
from plait.joint import GraphDistribution, LabelDistribution

__all__ = ["all_family_marginals", "entropy", "family_marginals"]

_kernels = lazy_module("plait.inference.messages._sum_product")


# Beliefs of so many numbers are held at once (64 MiB).
_BELIEFS = 1 << 23


def family_marginals(distribution: LabelDistribution, label: int) -> Floats:
    """Return P(y_parents = setting, y_label = value | x, evidence) for one label and its parents.

    Parameters
    ----------
    distribution : GraphDistribution
        Its graph's skeleton has to be a forest.
    label : int
        The label.

    Returns
    -------
    marginals : ndarray of float64, shape (n_rows, 2 ** n_parents, 2)
        Bit t of the setting is the value of `graph.parents[label][t]`.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> family_marginals(model, 1).round(3)
    array([[[0.25 , 0.25 ],
            [0.024, 0.476]]])
    """
    model = checked_polytree("family_marginals", distribution)
    parts = [beliefs[label] for _, _, beliefs, _ in _beliefs_in_blocks(model)]
    return np.concatenate([np.empty((0, 2 ** len(model.graph.parents[label]), 2)), *parts])


def all_family_marginals(distribution: LabelDistribution) -> tuple[list[Floats], Floats]:
    """Return what `family_marginals` returns of every label, and log P(evidence | x) of every row.

    Parameters
    ----------
    distribution : LabelDistribution
        A product over a polytree, with or without evidence.

    Returns
    -------
    (list of ndarray of float64, ndarray of float64)

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> families, log_evidence = all_family_marginals(model.clamp(np.array([[-1, 1]], dtype=np.int8)))
    >>> families[1].round(3), log_evidence.round(3)
    (array([[[0.   , 0.344],
            [0.   , 0.656]]]), array([-0.32]))
    """
    model = checked_polytree("all_family_marginals", distribution)
    parts = [(beliefs, log_evidence) for _, _, beliefs, log_evidence in _beliefs_in_blocks(model)]
    families = [
        np.concatenate([np.empty((0, 2 ** len(own), 2)), *(beliefs[label] for beliefs, _ in parts)])
        for label, own in enumerate(model.graph.parents)
    ]
    return families, np.concatenate([np.empty(0), *(log_evidence for _, log_evidence in parts)])


def entropy(distribution: LabelDistribution) -> Floats:
    """Return the entropy of P(y | x, evidence) in nats, one number a row: exact.

    H = log P(evidence) - sum over families of E[log P(y_k | y_parents(k), x) | evidence].

    Parameters
    ----------
    distribution : LabelDistribution
        A product over a polytree, with or without evidence.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> fair = LinearDistribution(LabelGraph([[], [0], [0]]), np.zeros((1, 3)), np.zeros((3, 3)))
    >>> (entropy(fair) / np.log(2)).round(6)
    array([3.])
    """
    model = checked_polytree("entropy", distribution)
    totals = np.zeros(model.n_rows)
    for rows, part, beliefs, log_evidence in _beliefs_in_blocks(model):
        total = log_evidence
        for label, belief in enumerate(beliefs):
            scores = part.table(label)
            logs = np.stack([log_sigmoid(-scores), log_sigmoid(scores)], axis=2)
            total = total - (belief * logs).reshape(part.n_rows, 2 << len(model.graph.parents[label])).sum(axis=1)
        totals[rows] = total
    return np.maximum(totals, 0.0)


def _beliefs_in_blocks(
    model: GraphDistribution,
) -> Iterator[tuple[slice, GraphDistribution, list[Floats], Floats]]:
    """Return blocks of rows: their slice, their distribution, the beliefs of all families, log P(evidence)."""
    if not compiled_messages(model):
        for rows in plain_blocks(model):
            part = model.take(rows)
            yield rows, part, *plain_messages.family_beliefs(part)
        return
    families = families_of(model.graph)
    step = max(1, _BELIEFS // (2 * max(int(families.entry[-1]), 1)))
    for begin in range(0, model.n_rows, step):
        rows = slice(begin, min(begin + step, model.n_rows))
        part = model.take(rows)
        yield rows, part, *_beliefs(part, families)


def _beliefs(part: GraphDistribution, families: Families) -> tuple[list[Floats], Floats]:
    tables = np.empty((part.n_rows, 2 * int(families.entry[-1])))
    marginals, log_evidence = np.empty((part.n_rows, part.n_labels)), np.zeros(part.n_rows)
    most = 1 << families.most_parents
    for rows, scores in scores_in_blocks(part, families):
        known = known_labels(part.evidence, rows)
        _kernels.find_marginals_given(
            families, scores, known, families.n_hubs, most, marginals[rows], log_evidence[rows], tables[rows]
        )
    bounds = [(families.entry[place], families.entry[place + 1]) for place in families.place]
    return [tables[:, 2 * begin : 2 * end].reshape(part.n_rows, -1, 2) for begin, end in bounds], log_evidence
