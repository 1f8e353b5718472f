"""`MonteCarlo`: label vectors drawn from the distribution."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.checks import Constraint, Interval
from plait.core.logspace import log_sum_exp
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.messages.mixture_tables import parts_take_messages, vector_log_probs
from plait.inference.polytree_sampling import sample_given
from plait.inference.search.prefixes import refuse_margins
from plait.inference.sum_product import exact_marginals
from plait.joint import GraphDistribution, LabelDistribution
from plait.joint.row_streams import row_seeds

__all__ = ["MonteCarlo"]


class MonteCarlo(Inference):
    """Draw label vectors, parents first; any loss can then be minimised over what was drawn [PCC 11].

    Samples of a row that agree so far are drawn together: of c samples at a prefix, Binomial(c, p) get the next label.
    That gives the same distribution and costs one draw for each prefix that differs. The support holds the vectors
    that differ, with the logarithms of how often each was drawn; their number varies from row to row, and -inf pads.

    With evidence known labels are set, and a vector counts with the probability of the known labels given its other
    values; `effective_size` says how many independent samples that is worth, `log_evidence` estimates the known
    labels' probability. Where `effective_size` is small, so is the trust in the answer. On mixtures of forests and
    polytrees vectors are drawn given the evidence instead, and all count the same.

    Each row has its own stream of random numbers: a row draws the same whatever rows stand beside it if `random_state`
    is an array of seeds made by `plait.joint.row_seeds` for all rows, of which each block gets its own.

    Takes one byte for each label of each vector that differs, at most n_rows * n_samples * n_labels bytes, and for
    linear chains 8 * n_labels ** 2 bytes to work in.

    Parameters
    ----------
    n_samples : int, default=1000
        How many label vectors are drawn for each row.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> P = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.0, 1.0]]), np.array([[0.0, 0.0], [-3.0, 0.0]]))
    >>> support = MonteCarlo(10_000).infer(P, "marginals", random_state=0)
    >>> support.vectors.shape, bool(abs(support.marginal_estimate()[0, 0] - 0.5) < 0.02)
    ((1, 4, 2), True)
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"n_samples": (Interval(int, 1, None),)}
    gives_modes: ClassVar[bool] = False

    def __init__(self, n_samples: int = 1000) -> None:
        self.n_samples = n_samples

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        refuse_margins("MonteCarlo", distribution)
        if isinstance(distribution, GraphDistribution):
            return self._counted(distribution, random_state)
        vectors, logs = self._drawn(distribution, random_state)
        counts = np.ones(logs.shape, dtype=np.int64)
        merged = self._support(distribution, vectors, counts, logs, None, None).merged()
        return merged.with_log_prob(vector_log_probs(distribution, merged.vectors))

    def _drawn(self, distribution: LabelDistribution, random_state: Any) -> tuple[npt.NDArray[np.uint8], Floats]:
        """Return samples and log weights; given evidence, those of a mixture of polytrees all weigh the same."""
        if distribution.evidence is None or not parts_take_messages(distribution):
            return distribution.sample(self.n_samples, random_state)
        log_evidence = exact_marginals(distribution)[1]
        vectors = sample_given(distribution, self.n_samples, random_state)
        return vectors, np.repeat(log_evidence[:, None], self.n_samples, axis=1)

    def _counted(self, distribution: GraphDistribution, random_state: Any) -> LabelSupport:
        draws = distribution.counted_draws(self.n_samples, row_seeds(random_state, distribution.n_rows))
        vectors, counts, log_prob, logs = draws.padded()
        return self._support(distribution, vectors, counts, logs, log_prob, draws.n_evaluations)

    def _support(
        self,
        distribution: LabelDistribution,
        vectors: npt.NDArray[np.uint8],
        counts: npt.NDArray[np.int64],
        logs: Floats,
        log_prob: Floats | None,
        n_evaluations: npt.NDArray[np.int64] | None,
    ) -> LabelSupport:
        with np.errstate(divide="ignore"):
            log_weights = np.log(counts) + logs
        n_rows, total = distribution.n_rows, log_sum_exp(log_weights, axis=1)
        evidence = distribution.evidence is not None
        # (sum of c w)^2 / sum of c w^2, samples with the same vector having the same weight w [Kong1994].
        effective = np.exp(2 * total - log_sum_exp(log_weights + logs, axis=1)) if evidence else None
        return LabelSupport(
            vectors,
            log_weights,
            "sample",
            f"Monte Carlo with {self.n_samples} samples",
            np.zeros(n_rows, dtype=np.bool_),
            log_evidence=np.asarray(total - np.log(self.n_samples)) if evidence else np.zeros(n_rows),
            n_evaluations=n_evaluations,
            effective_size=np.full(n_rows, float(self.n_samples)) if effective is None else np.asarray(effective),
            log_prob=log_prob,
            distinct=log_prob is not None,
        )
