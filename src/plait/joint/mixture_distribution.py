"""`MixtureDistribution`: a weighted mean of distributions, P(y | x) = sum_m w_m P_m(y | x) [MC 4]."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.core.logspace import log_sum_exp
from plait.joint.distribution import Evidence, LabelDistribution
from plait.joint.graph_distribution import GraphDistribution
from plait.joint.row_streams import other_stream, row_seeds, row_uniforms

__all__ = ["MixtureDistribution"]

# The stream of numbers that picks components; component m draws from stream m.
_CHOICE = 1 << 20


class MixtureDistribution(LabelDistribution):
    """A mixture of distributions over the same rows and labels.

    Parameters
    ----------
    log_weights : array of shape (n_components,)
        Logarithms of the mixture's weights, which sum to one.
    components : sequence of LabelDistribution
        What is mixed; all carry the same evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> graph, no_parents = LabelGraph([[]]), np.zeros((1, 1))
    >>> one, zero = (LinearDistribution(graph, np.array([[score]]), no_parents) for score in (9.0, -9.0))
    >>> mixed = MixtureDistribution(np.log([0.7, 0.3]), [one, zero])
    >>> np.exp(mixed.log_prob(np.array([[1]], dtype=np.uint8))).round(2)
    array([0.7])
    """

    def __init__(self, log_weights: npt.ArrayLike, components: Sequence[LabelDistribution]) -> None:
        self.log_weights: Floats = np.asarray(log_weights, dtype=np.float64)
        self.components = tuple(components)

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return self.components[0].n_rows

    @property
    def n_labels(self) -> int:  # type: ignore[override]
        """Number of labels."""
        return self.components[0].n_labels

    @property
    def evidence(self) -> Evidence | None:  # type: ignore[override]
        """Labels that are known; -1 where unknown."""
        return self.components[0].evidence

    @property
    def probabilistic(self) -> bool:
        """Whether all components give probabilities."""
        return all(getattr(part, "probabilistic", True) for part in self.components)

    def flattened(self) -> "MixtureDistribution":
        """Return the same mixture without mixtures among its components, and without components of weight zero."""
        log_weights: list[Floats] = []
        components: list[LabelDistribution] = []
        for weight, part in zip(self.log_weights, self.components, strict=True):
            inner = part.flattened() if isinstance(part, MixtureDistribution) else MixtureDistribution([0.0], [part])
            log_weights.append(weight + inner.log_weights)
            components.extend(inner.components)
        logs = np.concatenate(log_weights)
        kept = np.flatnonzero(logs > -np.inf)
        return MixtureDistribution(logs[kept], [components[k] for k in kept])

    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x)."""
        terms = [weight + part.log_prob(Y) for weight, part in zip(self.log_weights, self.components, strict=True)]
        return log_sum_exp(np.stack(terms), axis=0)

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Labels, Floats]:
        """Draw a component for every sample, then a label set from it; each row has its own stream of numbers."""
        seeds = row_seeds(random_state, self.n_rows)
        heights = np.cumsum(np.exp(self.log_weights))
        points = row_uniforms(seeds, n_samples, stream=_CHOICE) * heights[-1]
        chosen = np.minimum(np.searchsorted(heights, points, side="right"), len(self.components) - 1)
        vectors = np.zeros((self.n_rows, n_samples, self.n_labels), dtype=np.uint8)
        log_weights = np.zeros((self.n_rows, n_samples))
        for number, part in enumerate(self.components):
            here = chosen == number
            counts = here.sum(axis=1)
            drawn, logs = _drawn(part, counts, n_samples, other_stream(seeds, number))
            used = np.arange(drawn.shape[1]) < counts[:, None]
            vectors[here], log_weights[here] = drawn[used], logs[used]
        return vectors, log_weights

    def flip_log_ratios(self, Y: Labels) -> Floats:
        """Return what flipping each label does to log P(y | x)."""
        kept = self.flattened()
        logs = kept.log_weights[:, None] + np.stack([part.log_prob(Y) for part in kept.components])
        ratios = np.stack([part.flip_log_ratios(Y) for part in kept.components])
        return np.asarray(log_sum_exp(logs[:, :, None] + ratios, axis=0) - log_sum_exp(logs, axis=0)[:, None])

    def tempered(self, factor: float) -> "MixtureDistribution":
        """Return the mixture of components whose log-odds are multiplied by a factor."""
        return MixtureDistribution(self.log_weights, [part.tempered(factor) for part in self.components])

    def clamp(self, evidence: Evidence) -> "MixtureDistribution":
        """Return the mixture restricted to what agrees with the evidence."""
        return MixtureDistribution(self.log_weights, [part.clamp(evidence) for part in self.components])

    def take(self, rows: Any) -> "MixtureDistribution":
        """Return the mixture of some rows."""
        return MixtureDistribution(self.log_weights, [part.take(rows) for part in self.components])


def _drawn(
    part: LabelDistribution, counts: npt.NDArray[np.int64], n_samples: int, seeds: npt.NDArray[np.uint64]
) -> tuple[Labels, Floats]:
    """Return at least so many draws of every row, in random order; never dependent on what other rows need."""
    if isinstance(part, GraphDistribution):
        return part.counted_draws(counts, seeds).expanded(int(counts.max(initial=0)), seeds)
    return part.sample(n_samples, seeds)
