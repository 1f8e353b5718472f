"""Answers for one block of rows, each with the support it rests on: what `Posterior` puts together."""

import numpy as np

from plait.core.arrays import Bits, Floats, Labels
from plait.core.logspace import log_sigmoid
from plait.inference import Auto, Inference, LabelSupport, SumProduct, entropy, sample_given
from plait.joint import GraphDistribution, LabelDistribution, row_uniforms

__all__ = [
    "drawn_sets",
    "entropies",
    "likely_sets",
    "log_evidence",
    "marginals",
    "whole_support",
    "wrong_probabilities",
]


# Draws for each wanted one where evidence makes weights uneven and the wanted ones are then drawn from these.
_DRAWS_A_SAMPLE = 10
# The stream of numbers by which they are drawn.
_RESAMPLING = 1 << 21


def whole_support(inference: Inference, distribution: LabelDistribution, seeds: Bits) -> LabelSupport:
    """Return vectors that stand for all of P(y | x): by `inference` where it has them, else by `Auto`."""
    support = inference.infer(distribution, "distribution", 1, seeds)
    return Auto().infer(distribution, "distribution", 1, seeds) if support.kind == "modes" else support


def marginals(inference: Inference, distribution: LabelDistribution, seeds: Bits) -> tuple[Floats, LabelSupport]:
    """Return P(y_k = 1 | x); never those of a search, which knows the likeliest sets only."""
    support = inference.infer(distribution, "marginals", 1, seeds)
    if support.marginals is None and support.kind == "modes":
        support = Auto().infer(distribution, "marginals", 1, seeds)
    return support.marginal_estimate(), support


def log_evidence(inference: Inference, distribution: LabelDistribution, seeds: Bits) -> tuple[Floats, LabelSupport]:
    """Return log P(known labels | x)."""
    support = inference.infer(distribution, "marginals", 1, seeds)
    if support.log_evidence is None:
        support = Auto().infer(distribution, "marginals", 1, seeds)
    assert support.log_evidence is not None  # every inference that Auto picks for marginals reports it
    return support.log_evidence, support


def likely_sets(
    inference: Inference, distribution: LabelDistribution, k: int, seeds: Bits
) -> tuple[Floats, LabelSupport]:
    """Return the k likeliest label sets as (n_rows, k, 1 + n_labels): log P(y | x), then the labels."""
    support = inference.infer(distribution, "mode", k, seeds)
    if support.vectors.shape[1] < min(k, 2**distribution.n_labels):
        support = Auto().infer(distribution, "mode", k, seeds)
    if support.kind == "sample":
        support = support.merged()
    found = min(k, support.vectors.shape[1])
    table = np.zeros((distribution.n_rows, k, 1 + distribution.n_labels))
    table[:, :, 0] = -np.inf
    table[:, :found, 1:] = support.vectors[:, :found]
    used = np.isfinite(support.log_weights[:, :found])
    log_prob = distribution.log_prob(np.ascontiguousarray(support.vectors[:, :found]))
    table[:, :found, 0] = np.where(used, log_prob, -np.inf)
    return table, support


def wrong_probabilities(distribution: LabelDistribution, vectors: Labels) -> Floats:
    """Return P(y_k differs | x, the other labels as recorded): from the odds of the vector and its flipped copy."""
    recorded = distribution.log_prob(vectors)
    wrong = np.empty(vectors.shape)
    for label in range(vectors.shape[1]):
        flipped = vectors.copy()
        flipped[:, label] ^= 1
        wrong[:, label] = np.exp(log_sigmoid(distribution.log_prob(flipped) - recorded))
    return wrong


def drawn_sets(distribution: LabelDistribution, n_samples: int, seeds: Bits) -> Labels:
    """Return drawn label sets (n_rows, n_samples, n_labels); with evidence, resampled by importance weights."""
    if distribution.evidence is None:
        return distribution.sample(n_samples, seeds)[0]
    if _has_messages(distribution):
        return sample_given(distribution, n_samples, seeds)
    vectors, log_weights = distribution.sample(_DRAWS_A_SAMPLE * n_samples, seeds)
    heights = np.cumsum(np.exp(log_weights - log_weights.max(axis=1, keepdims=True)), axis=1)
    points = row_uniforms(seeds, n_samples, stream=_RESAMPLING) * heights[:, -1:]
    chosen = np.array([np.searchsorted(high, point) for high, point in zip(heights, points, strict=True)])
    return np.take_along_axis(vectors, chosen.reshape(-1, n_samples, 1), axis=1)


def entropies(distribution: LabelDistribution, seeds: Bits) -> tuple[Floats, LabelSupport | None]:
    """Return the entropy of P(y | x) in nats: exact on polytrees and for few labels, else from a sample."""
    if isinstance(distribution, GraphDistribution) and _has_messages(distribution):
        return entropy(distribution), None
    support = Auto().infer(distribution, "distribution", 1, seeds)
    weights = support.weights()
    if support.kind == "distribution":
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(weights > 0, weights * np.log(weights), 0.0)
        return -terms.sum(axis=1), support
    log_prob = distribution.log_prob(np.ascontiguousarray(support.vectors))
    log_prob = np.where(weights > 0, log_prob, 0.0)
    known = 0.0 if support.log_evidence is None else support.log_evidence
    return known - (weights * log_prob).sum(axis=1), support


def _has_messages(distribution: LabelDistribution) -> bool:
    """Say whether sums along the graph are exact and cheap, as `Auto` does."""
    return isinstance(Auto().choose(distribution, "marginals"), SumProduct)
