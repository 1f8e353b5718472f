"""Draws from P(y | x, evidence) on forests, polytrees and mixtures of them: exact, without weights."""

from typing import Any

import numpy as np

from plait.core.arrays import Bits, Floats, Labels
from plait.core.checks import Interval, check_value
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_normalize
from plait.inference.messages import plain_messages
from plait.inference.messages.message_plan import checked_polytree, compiled_messages, families_of
from plait.inference.messages.polytree_scores import known_labels, scores_in_blocks
from plait.inference.sum_product import exact_marginals
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution, other_stream, row_seeds, row_uniforms

__all__ = ["sample_given"]

_kernels = lazy_module("plait.inference.messages._sum_product")


# So many random numbers are drawn at once (64 MiB).
_NUMBERS = 1 << 23
# The stream of numbers that picks components; component m draws from stream m.
_CHOICE = 1 << 20


def sample_given(distribution: LabelDistribution, n_samples: int, random_state: Any = None) -> Labels:
    """Draw label vectors from P(y | x, evidence), independent and all of weight one.

    Messages go to the roots, values are drawn from the roots down given all evidence; of a mixture, a component is
    drawn first for every draw, by its weight and the probability that it gives to the evidence. Unlike
    `distribution.sample` nothing is weighed, so evidence of any probability costs no precision.

    Parameters
    ----------
    distribution : GraphDistribution or MixtureDistribution
        Its graph's skeleton, or that of all its components' graphs, has to be a forest.
    n_samples : int
        Draws for each row.
    random_state : int, Generator, None or ndarray of uint64
        An integer gives the same draws every time; an array holds the seeds of the rows (`plait.joint.row_seeds`).

    Returns
    -------
    vectors : ndarray of uint8, shape (n_rows, n_samples, n_labels)

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> known = model.clamp(np.array([[-1, 1]], dtype=np.int8))
    >>> bool(abs(sample_given(known, 10_000, random_state=0)[0, :, 0].mean() - 0.656) < 0.02)
    True
    """
    check_value("sample_given", "n_samples", n_samples, (Interval(int, 1, None),))
    seeds = row_seeds(random_state, distribution.n_rows)
    if isinstance(distribution, MixtureDistribution):
        return _draw_mixture(distribution.flattened(), n_samples, seeds)
    model = checked_polytree("sample_given", distribution)
    return _draw_graph(model, n_samples, seeds, compiled_messages(model))


def _draw_graph(model: GraphDistribution, n_samples: int, seeds: Bits, compiled: bool) -> Labels:
    vectors = np.zeros((model.n_rows, n_samples, model.n_labels), dtype=np.uint8)
    step = max(1, _NUMBERS // max(1, n_samples * model.n_labels))
    for begin in range(0, model.n_rows, step):
        rows = slice(begin, min(begin + step, model.n_rows))
        numbers = row_uniforms(seeds[rows], n_samples * model.n_labels, compiled=compiled).reshape(vectors[rows].shape)
        if compiled:
            _draw_compiled(model.take(rows), numbers, vectors[rows])
        else:
            vectors[rows] = plain_messages.draws_given(model.take(rows), numbers)
    return vectors


def _draw_compiled(model: GraphDistribution, uniforms: Floats, vectors: Labels) -> None:
    families = families_of(model.graph)
    for rows, scores in scores_in_blocks(model, families):
        known, most = known_labels(model.evidence, rows), 1 << families.most_parents
        _kernels.draw_given(families, scores, known, families.n_hubs, most, uniforms[rows], vectors[rows])


def _draw_mixture(mixture: MixtureDistribution, n_samples: int, seeds: Bits) -> Labels:
    """Draw a component for every draw, then the draw; a component draws for a row no more than any row needs."""
    parts = [checked_polytree("sample_given", part) for part in mixture.components]
    compiled = compiled_messages(*parts)
    terms = np.column_stack([exact_marginals(part)[1] for part in parts]) + mixture.log_weights
    heights = np.cumsum(np.exp(log_normalize(terms, axis=1)), axis=1)
    points = row_uniforms(seeds, n_samples, _CHOICE, compiled) * heights[:, -1:]
    chosen = (points[:, :, None] > heights[:, None, :-1]).sum(axis=2)
    vectors = np.zeros((mixture.n_rows, n_samples, mixture.n_labels), dtype=np.uint8)
    for number, part in enumerate(parts):
        here = chosen == number
        n_most = int(here.sum(axis=1).max(initial=0))
        if n_most:
            drawn = _draw_graph(part, n_most, other_stream(seeds, number), compiled)
            vectors[here] = drawn[np.arange(n_most) < here.sum(axis=1, keepdims=True)]
    return vectors
