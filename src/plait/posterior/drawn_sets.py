"""Label sets drawn from P(y | x), also once some labels are known.

Exact without evidence, on forests and polytrees and mixtures of them, and where all label sets can be written out.
Elsewhere (chains of many labels with evidence) draws start from importance weights and are moved by Metropolis-Hastings
steps: an ancestor of known labels is flipped, and all labels after it are drawn anew from their conditionals. The step
is accepted by how much better the known labels are explained. Its limit is exact whatever the start was, and a rare
cause that known effects point at is met at once, where Gibbs sweeps, one label at a time, would wait for ever.
"""

from collections.abc import Iterator

import numpy as np

from plait.core.arrays import Bits, Bools, Floats, Ints, Labels
from plait.core.logspace import log_sigmoid
from plait.core.sentences import warn_user
from plait.inference import Auto, LabelSupport, sample_given
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution, row_uniforms
from plait.joint.distribution import Evidence
from plait.posterior.answers import has_messages

__all__ = ["SamplingWarning", "draw_sets", "warn_of_few_draws"]

# Draws for each wanted one where evidence makes weights uneven and the wanted ones are then drawn from these.
_DRAWS_A_SAMPLE = 10
# The streams of numbers by which they are taken, and by which they are moved.
_TAKING = 1 << 21
_MOVING = 1 << 22
# Every ancestor of a known label is flipped this often.
_SWEEPS = 3


class SamplingWarning(UserWarning):
    """Draws under evidence rest on few effective samples, so that their frequencies can be far off."""


def draw_sets(distribution: LabelDistribution, n_samples: int, seeds: Bits) -> tuple[Labels, LabelSupport | None]:
    """Return drawn label sets (n_rows, n_samples, n_labels), and the support behind them where it is not P itself.

    `effective_size` of the support says how many independent draws they are worth.
    """
    if distribution.evidence is None or distribution.draws_given:
        return distribution.sample(n_samples, seeds)[0], None
    if has_messages(distribution):
        return sample_given(distribution, n_samples, seeds), None
    support = Auto().infer(distribution, "distribution", 1, seeds)
    if support.kind == "distribution":
        return _taken(support.vectors, support.weights(), n_samples, seeds), support
    return _moved_draws(distribution, n_samples, seeds)


def _taken(vectors: Labels, weights: Floats, n_samples: int, seeds: Bits) -> Labels:
    """Return vectors drawn by their weights."""
    heights = np.cumsum(weights, axis=1)
    points = row_uniforms(seeds, n_samples, stream=_TAKING) * heights[:, -1:]
    chosen = np.array([np.searchsorted(high, point) for high, point in zip(heights, points, strict=True)])
    vectors = np.broadcast_to(vectors, (len(weights), *vectors.shape[1:]))
    return np.take_along_axis(vectors, chosen.reshape(-1, n_samples, 1), axis=1)


def _moved_draws(distribution: LabelDistribution, n_samples: int, seeds: Bits) -> tuple[Labels, LabelSupport]:
    """Return draws by importance weights after Metropolis-Hastings moves.

    Weights alone do not tell what draws are worth: where no draw met the cause that the evidence points at, all weights
    are equal and all draws are wrong. Moves leave the frequencies of right draws as they are, so the largest change of
    a label's frequency is taken off the effective size of the weights.
    """
    pool, log_weights = distribution.sample(_DRAWS_A_SAMPLE * n_samples, seeds)
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    start = _taken(pool, weights, n_samples, seeds)
    flat = start.reshape(-1, distribution.n_labels).copy()
    rows = np.repeat(np.arange(distribution.n_rows), n_samples)
    _move(distribution, rows, flat, _numbers(seeds, n_samples, distribution.n_labels))
    vectors = flat.reshape(start.shape)
    changed = np.abs(vectors.mean(axis=1) - start.mean(axis=1)).max(axis=1)
    sizes = np.minimum(1.0 / np.square(weights).sum(axis=1), n_samples) * (1.0 - changed)
    method, even = "importance sampling with Metropolis-Hastings moves", np.zeros(start.shape[:2])
    exact = np.zeros(distribution.n_rows, dtype=np.bool_)
    return vectors, LabelSupport(vectors, even, "sample", method, exact, effective_size=sizes)


def _numbers(seeds: Bits, n_samples: int, n_labels: int) -> Iterator[Floats]:
    """Yield numbers between 0 and 1 for one move of every draw after the other, (n_draws, n_labels + 1)."""
    stream = _MOVING
    while True:
        yield row_uniforms(seeds, n_samples * (n_labels + 1), stream=stream).reshape(-1, n_labels + 1)
        stream += 1


def _move(distribution: LabelDistribution, rows: Ints, vectors: Labels, numbers: Iterator[Floats]) -> None:
    """Move draws of some rows in place: in a mixture, each within a component that is drawn by its share in it."""
    if isinstance(distribution, GraphDistribution):
        _move_on_graph(distribution, rows, vectors, numbers)
        return
    assert isinstance(distribution, MixtureDistribution)
    logs = [np.atleast_1d(part.take(rows).log_prob(vectors)) for part in distribution.components]
    shares = np.stack(logs, axis=1) + distribution.log_weights
    heights = np.cumsum(np.exp(shares - shares.max(axis=1, keepdims=True)), axis=1)
    part_of = (next(numbers)[:, -1:] * heights[:, -1:] > heights).sum(axis=1)
    for number, part in enumerate(distribution.components):
        chosen = np.flatnonzero(part_of == number)
        some = vectors[chosen]
        _move(part, rows[chosen], some, (block[chosen] for block in numbers))
        vectors[chosen] = some


def _move_on_graph(distribution: GraphDistribution, rows: Ints, vectors: Labels, numbers: Iterator[Floats]) -> None:
    assert distribution.evidence is not None
    known = distribution.evidence[rows]
    order = list(distribution.graph.order)
    ancestors = _ancestors(distribution, np.flatnonzero((known >= 0).any(axis=0)))
    for _ in range(_SWEEPS):
        for place, label in enumerate(order):
            if ancestors[label] and (known[:, label] < 0).any():
                _flip(distribution, rows, vectors, known, order[place:], next(numbers))


def _ancestors(distribution: GraphDistribution, labels: Ints) -> Bools:
    """Return which labels known ones depend on: only these can be wrong in draws along the order."""
    found = np.zeros(distribution.n_labels, dtype=np.bool_)
    todo = [int(label) for label in labels]
    while todo:
        for parent in distribution.graph.parents[todo.pop()]:
            if not found[parent]:
                found[parent] = True
                todo.append(parent)
    return found


def _flip(
    distribution: GraphDistribution, rows: Ints, vectors: Labels, known: Evidence, labels: list[int], numbers: Floats
) -> None:
    """Flip the first of the labels, draw the others anew; accept by the ratio of what is not drawn, in place."""
    first, *later = labels
    flipped = vectors.copy()
    flipped[:, first] ^= 1
    score = _signed_score(distribution, rows, flipped, first)
    log_ratio = log_sigmoid(score) - log_sigmoid(-score)
    for label in later:
        parents = list(distribution.graph.parents[label])
        score = distribution.scores(label, rows, flipped[:, parents])
        fixed = known[:, label] >= 0
        drawn = numbers[:, label] < np.exp(log_sigmoid(score))
        flipped[:, label] = np.where(fixed, vectors[:, label], drawn)
        if fixed.any():
            now, before = (_signed_score(distribution, rows, some, label) for some in (flipped, vectors))
            log_ratio += np.where(fixed, log_sigmoid(now) - log_sigmoid(before), 0.0)
    accepted = (known[:, first] < 0) & (np.log(numbers[:, -1]) < log_ratio)
    vectors[accepted] = flipped[accepted]


def _signed_score(distribution: GraphDistribution, rows: Ints, vectors: Labels, label: int) -> Floats:
    """Return the score of the value that a label has: the log-odds of this value against the other."""
    score = distribution.scores(label, rows, vectors[:, list(distribution.graph.parents[label])])
    return np.where(vectors[:, label] == 1, score, -score)


def warn_of_few_draws(effective_size: Floats | None, n_samples: int) -> None:
    """Warn the caller's caller where draws are worth less than a tenth of what was asked for."""
    if effective_size is not None and effective_size.min(initial=np.inf) < 0.1 * n_samples:
        few = int((effective_size < 0.1 * n_samples).sum())
        warn_user(
            f"sample: in {few} of {effective_size.size} rows the known labels are so improbable that {n_samples} draws "
            f"are worth as few as {effective_size.min():.1f}. Ask for more draws, or for marginals().",
            SamplingWarning,
        )
