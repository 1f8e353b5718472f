"""All label vectors of a distribution and their probabilities, in blocks of rows so that memory is bounded."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError
from plait.inference.search.label_vectors import all_label_vectors
from plait.inference.search.prefixes import refuse_margins
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution

__all__ = ["MOST_LABELS", "enumerated_blocks", "enumerated_marginals", "label_sums"]

_kernels = lazy_module("plait.inference._enumeration_kernels")


# 2 ** 20 vectors are 8 MiB of probabilities for every row; beyond, time and memory double with every label.
MOST_LABELS = 20
# Probabilities of a block of rows: at most this many (8 MiB), but at least one row.
_BLOCK = 1 << 20


def enumerated_marginals(distribution: LabelDistribution) -> tuple[Floats, Floats]:
    """Return the exact marginals (n_rows, n_labels) and log P(evidence | x) (n_rows,) by a sum over all label vectors.

    Rows are taken in blocks and their probabilities are dropped after the sum: beside the result, memory is below
    100 MiB for any number of rows (for conditionals that are called, plus what their learner needs).

    Parameters
    ----------
    distribution : LabelDistribution
        P(y | x) of several rows, at most 20 labels, with evidence or without.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> chain = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [2.0, 0.0]]))
    >>> enumerated_marginals(chain)[0].round(4)
    array([[0.5   , 0.6904]])
    """
    marginals = np.empty((distribution.n_rows, distribution.n_labels))
    log_evidence = np.empty(distribution.n_rows)
    for rows, probabilities in enumerated_blocks("enumerated_marginals", distribution):
        total, by_label = label_sums(probabilities)
        marginals[rows] = by_label / total[:, None]
        log_evidence[rows] = np.log(total)
    return marginals, _without_evidence_zero(distribution, log_evidence)


def label_sums(probabilities: Floats) -> tuple[Floats, Floats]:
    """Return the sum of all vectors' probabilities (n_rows, 2 ** n_labels) and of those with each label."""
    n_rows, n_all = probabilities.shape
    total, by_label = np.empty(n_rows), np.empty((n_rows, n_all.bit_length() - 1))
    _kernels.sum_by_label(probabilities, np.empty(n_all), total, by_label)
    return total, by_label


def enumerated_blocks(owner: str, distribution: LabelDistribution) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of rows and P(y | x) of all label vectors, the smallest vector first; 0 against the evidence.

    Parameters
    ----------
    owner : str
        Whom an error names.
    distribution : LabelDistribution
        P(y | x) of several rows, at most 20 labels.
    """
    refuse_margins(owner, distribution)
    if distribution.n_labels > MOST_LABELS:
        raise ParameterError(
            f"{owner} needs at most {MOST_LABELS} labels to go through all label vectors, but there are "
            f"{distribution.n_labels}. Use MonteCarlo() for marginals and BestFirst() for modes."
        )
    step = max(1, _BLOCK >> distribution.n_labels)
    if isinstance(distribution, MixtureDistribution):
        distribution = distribution.flattened()
    probabilities_of = _way(distribution)
    for start in range(0, distribution.n_rows, step):
        rows = slice(start, min(start + step, distribution.n_rows))
        yield rows, probabilities_of(distribution.take(rows))


def _way(distribution: LabelDistribution) -> Any:
    """Return the function from blocks of rows to probabilities that suits the form of a distribution."""
    if isinstance(distribution, MixtureDistribution):
        return _mixed(distribution)
    return _tree(distribution) if isinstance(distribution, GraphDistribution) else _called


def _mixed(mixture: MixtureDistribution) -> Any:
    ways, weights = [_way(part) for part in mixture.components], np.exp(mixture.log_weights)

    def probabilities(block: MixtureDistribution) -> Floats:
        total = np.zeros((block.n_rows, 1 << block.n_labels))
        for weight, way, part in zip(weights, ways, block.components, strict=True):
            total += weight * way(part)
        return total

    return probabilities


def _called(distribution: LabelDistribution) -> Floats:
    """Return the probabilities of a distribution of unknown form."""
    vectors = all_label_vectors(distribution.n_labels)
    shared = np.broadcast_to(vectors, (distribution.n_rows, *vectors.shape))
    return np.asarray(np.exp(distribution.log_prob(shared)))


def _tree(distribution: GraphDistribution) -> Any:
    """Return a function from blocks of rows to probabilities, over the tree of prefixes of the graph's order."""
    graph = distribution.graph
    order = np.array(graph.order, dtype=np.int64)
    place = np.argsort(order)
    widths = np.array([len(graph.parents[label]) for label in order], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(1 << widths)[:-1]]).astype(np.int64)
    parent_places = np.zeros((order.size, max(1, widths.max(initial=0))), dtype=np.int64)
    for t, label in enumerate(order):
        parent_places[t, : widths[t]] = place[list(graph.parents[label])]
    n_all = 1 << order.size
    settings, numbers = np.empty(n_all - 1, dtype=np.int64), np.empty(n_all, dtype=np.int64)
    _kernels.fill_settings(parent_places, starts, widths, settings)
    _kernels.number_of_prefix(order, numbers)

    def probabilities(block: GraphDistribution) -> Floats:
        out = np.empty((block.n_rows, n_all))
        off, on = _tables(block, order)
        _kernels.vector_probabilities(off, on, settings, numbers, np.empty(n_all), out)
        return out

    return probabilities


def _tables(block: GraphDistribution, order: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return P(label = 0 | parents) and P(label = 1 | parents), the labels' tables side by side along the order.

    Products of at most 20 probabilities of at least 1e-6 cannot underflow, so no logarithms are needed. What is against
    the evidence has probability 0; what agrees keeps its own, which leaves P(evidence) as the sum over all vectors.
    """
    widths = [1 << len(block.graph.parents[label]) for label in order]
    off, on = np.empty((block.n_rows, sum(widths))), np.empty((block.n_rows, sum(widths)))
    for label, start, width in zip(order, np.cumsum([0, *widths]), widths, strict=False):
        columns = slice(start, start + width)
        score = block.table(int(label))
        small = np.exp(-np.abs(score))
        likely, unlikely = 1.0 / (1.0 + small), small / (1.0 + small)
        on[:, columns] = np.where(score > 0, likely, unlikely)
        off[:, columns] = np.where(score > 0, unlikely, likely)
        if block.evidence is not None:
            off[block.evidence[:, label] == 1, columns] = 0.0
            on[block.evidence[:, label] == 0, columns] = 0.0
    return off, on


def _without_evidence_zero(distribution: LabelDistribution, log_evidence: Floats) -> Floats:
    return log_evidence if distribution.evidence is not None else np.zeros_like(log_evidence)
