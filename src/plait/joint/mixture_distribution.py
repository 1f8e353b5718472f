"""`MixtureDistribution`: a weighted mean of distributions, P(y | x) = sum_m w_m P_m(y | x) [MC 4]."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.logspace import log_sum_exp
from plait.core.randomness import generator, seeds
from plait.joint.distribution import Evidence, Floats, LabelDistribution, Labels

__all__ = ["MixtureDistribution"]


class MixtureDistribution(LabelDistribution):
    """A mixture of distributions over the same rows and labels.

    Parameters
    ----------
    log_weights : array of shape (n_components,)
        Logarithms of the mixture's weights, which sum to one.
    components : sequence of LabelDistribution
        What is mixed; all carry the same evidence.
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

    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x)."""
        terms = [weight + part.log_prob(Y) for weight, part in zip(self.log_weights, self.components, strict=True)]
        return log_sum_exp(np.stack(terms), axis=0)

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Labels, Floats]:
        """Draw a component for every sample, then a label set from it."""
        draws = generator(random_state)
        chosen = draws.choice(len(self.components), size=(self.n_rows, n_samples), p=np.exp(self.log_weights))
        vectors = np.zeros((self.n_rows, n_samples, self.n_labels), dtype=np.uint8)
        log_weights = np.zeros((self.n_rows, n_samples))
        for number, (part, seed) in enumerate(zip(self.components, seeds(draws, len(self.components)), strict=True)):
            drawn, logs = part.sample(n_samples, seed)
            here = chosen == number
            vectors[here], log_weights[here] = drawn[here], logs[here]
        return vectors, log_weights

    def clamp(self, evidence: Evidence) -> "MixtureDistribution":
        """Return the mixture restricted to what agrees with the evidence."""
        return MixtureDistribution(self.log_weights, [part.clamp(evidence) for part in self.components])

    def take(self, rows: Any) -> "MixtureDistribution":
        """Return the mixture of some rows."""
        return MixtureDistribution(self.log_weights, [part.take(rows) for part in self.components])
