"""Label sets drawn from one or several chains, and what follows from them [Read2014]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from plait.baselines.row_contents import mixed_bits
from plait.core.arrays import Floats, Labels
from plait.inference import Greedy, LabelSupport, MonteCarlo
from plait.joint import GraphDistribution, GraphJoint, MixtureDistribution

__all__ = ["ChainSamples", "shared_out", "smooth_marginals"]


@dataclass(frozen=True, eq=False)
class ChainSamples:
    """Label vectors of several rows: the greedy one of the first chain, then those drawn.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_rows, n_vectors, n_labels)
        The vectors.
    log_weights : ndarray of float64, shape (n_rows, n_vectors)
        Logarithms of their shares of the draws; -inf for the greedy one and for places that are not used.
    log_prob : ndarray of float64, shape (n_rows, n_vectors)
        log P(y | x) under all chains together; -inf for places that are not used.
    marginals : ndarray of float64, shape (n_rows, n_labels)
        Estimates of P(label | x).
    """

    vectors: Labels
    log_weights: Floats
    log_prob: Floats
    marginals: Floats

    @classmethod
    def drawn(
        cls,
        joints: Sequence[GraphJoint],
        weights: Floats,
        X: Any,
        n_samples: int,
        seeds: npt.NDArray[np.uint64],
    ) -> "ChainSamples":
        """Draw from chains.

        Parameters
        ----------
        joints : sequence of GraphJoint
            The chains; the first one's greedy vectors are taken too.
        weights : ndarray of shape (n_chains,)
            Their weights, which sum to one; draws are shared out among them accordingly.
        X : ndarray or CSR matrix of shape (n_rows, n_features)
            Features.
        n_samples : int
            How many vectors are drawn for each row.
        seeds : ndarray of uint64, shape (n_rows,)
            A seed for each row.
        """
        chains = [joint.condition(X) for joint in joints]
        vectors = [Greedy().infer(chains[0]).vectors[:, :1]]
        log_weights = [np.full((len(seeds), 1), -np.inf)]
        marginals = np.zeros((len(seeds), chains[0].n_labels))
        for number, (chain, weight, n) in enumerate(zip(chains, weights, shared_out(n_samples, weights), strict=True)):
            found = MonteCarlo(int(n)).infer(chain, "distribution", 1, mixed_bits(seeds + np.uint64(number)))
            vectors.append(found.vectors)
            log_weights.append(found.log_weights + np.log(weight / n))
            marginals += weight * smooth_marginals(chain, found)
        every, logs = np.concatenate(vectors, axis=1), np.concatenate(log_weights, axis=1)
        mixture = chains[0] if len(chains) == 1 else MixtureDistribution(np.log(weights), chains)
        used = np.isfinite(logs) | (np.arange(logs.shape[1]) == 0)
        return cls(every, logs, np.where(used, mixture.log_prob(every), -np.inf), marginals)

    def modes(self) -> LabelSupport:
        """Return the vectors to pick the most probable from; the greedy one stays unless another is more probable."""
        exact = np.zeros(len(self.vectors), dtype=np.bool_)
        return LabelSupport(self.vectors, self.log_prob, "modes", "Monte Carlo chain", exact, marginals=self.marginals)

    def support(self) -> LabelSupport:
        """Return the vectors drawn, to take expectations over."""
        exact = np.zeros(len(self.vectors), dtype=np.bool_)
        drawn = slice(1, None)
        return LabelSupport(
            self.vectors[:, drawn],
            self.log_weights[:, drawn],
            "sample",
            "Monte Carlo chain",
            exact,
            marginals=self.marginals,
            log_prob=self.log_prob[:, drawn],
        )


def shared_out(n_samples: int, weights: Floats) -> npt.NDArray[np.int64]:
    """Return how many draws each chain gets: in proportion to its weight, and at least one.

    Examples
    --------
    >>> shared_out(10, np.array([0.5, 0.3, 0.2])), shared_out(2, np.array([0.8, 0.1, 0.1]))
    (array([5, 3, 2]), array([2, 1, 1]))
    """
    return np.maximum(np.rint(n_samples * weights), 1).astype(np.int64)


def smooth_marginals(chain: GraphDistribution, found: LabelSupport) -> Floats:
    """Return the mean over vectors drawn of P(y_k = 1 | x, values of the parents): (n_rows, n_labels).

    Its expectation is the marginal, and it varies less than the share of vectors with the label.
    """
    used = np.isfinite(found.log_weights)
    rows, places = np.nonzero(used)
    weights = found.weights()[used]
    vectors = found.vectors[rows, places]
    marginals = np.empty((found.n_rows, found.n_labels))
    for label, parents in enumerate(chain.graph.parents):
        chances = expit(chain.scores(label, rows, vectors[:, list(parents)]))
        marginals[:, label] = np.bincount(rows, weights * chances, minlength=found.n_rows)
    return np.minimum(marginals, 1.0)
