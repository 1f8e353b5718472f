"""Label sets drawn from one or several chains, and what follows from them [Read2014]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Bits, Floats, Labels
from plait.inference import Greedy, LabelSupport, MonteCarlo
from plait.joint import GraphDistribution, GraphJoint, MixtureDistribution

__all__ = ["ChainSamples", "content_seeds", "shared_out", "smooth_marginals"]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
# Numbers of a dense X that are turned into bits at the same time.
_ENTRIES = 1 << 20


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


def mixed_bits(states: Bits) -> Bits:
    """Return 64 well mixed bits for each state [Steele2014]."""
    states = (states ^ (states >> np.uint64(30))) * _FIRST
    states = (states ^ (states >> np.uint64(27))) * _SECOND
    return np.asarray(states ^ (states >> np.uint64(31)))


def content_seeds(X: Any, seed: int) -> Bits:
    """Return one seed for each row of X (dense or CSR): a sum over its entries that are not zero.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows; dense or sparse makes no difference.
    seed : int
        Another one gives other seeds.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> one, two, three = content_seeds(X, 0)
    >>> bool(one == three != two), bool((content_seeds(sparse.csr_matrix(X), 0) == content_seeds(X, 0)).all())
    (True, True)
    """
    columns = mixed_bits((np.arange(X.shape[1], dtype=np.uint64) + np.uint64(1)) * _STEP + np.uint64(seed))
    if sparse.issparse(X):
        return mixed_bits(_sparse_sums(X, columns) + np.uint64(seed))
    sums = np.empty(X.shape[0], dtype=np.uint64)
    step = max(1, _ENTRIES // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        sums[start : start + step] = _terms(X[start : start + step], columns).sum(axis=1, dtype=np.uint64)
    return mixed_bits(sums + np.uint64(seed))


def _sparse_sums(X: Any, columns: Bits) -> Bits:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # Sums run modulo 2 ** 64, and so do their differences.
    sums = np.zeros(len(X.data) + 1, dtype=np.uint64)
    np.cumsum(_terms(X.data, columns[X.indices]), out=sums[1:])
    return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]])


def _terms(values: npt.NDArray[Any], columns: Bits) -> Bits:
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.where(values == 0, np.uint64(0), mixed_bits(bits ^ columns))


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
