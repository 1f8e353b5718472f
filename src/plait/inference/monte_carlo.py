"""`MonteCarlo`: label vectors drawn from the distribution."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bits, Floats
from plait.core.checks import Constraint, Interval
from plait.core.logspace import log_sigmoid, log_sum_exp
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.messages.mixture_tables import parts_take_messages, vector_log_probs
from plait.inference.polytree_sampling import sample_given
from plait.inference.search.prefixes import refuse_margins
from plait.inference.sum_product import exact_marginals
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution
from plait.joint.row_streams import other_stream, row_seeds

__all__ = ["MonteCarlo", "marginals_by_component"]

# Label vectors whose conditionals given all other labels are held at once, times labels (32 MiB for each of some).
_ENTRIES = 1 << 22
# A component of a mixture is drawn from this often, however little it weighs.
_LEAST_SAMPLES = 20


class MonteCarlo(Inference):
    """Draw label vectors, parents first; any loss can then be minimised over what was drawn [PCC 11].

    Samples of a row that agree so far are drawn together: of c samples at a prefix, Binomial(c, p) get the next label.
    That gives the same distribution and costs one draw for each prefix that differs. The support holds the vectors
    that differ, with the logarithms of how often each was drawn; their number varies from row to row, and -inf pads.

    With evidence known labels are set, and a vector counts with the probability of the known labels given its other
    values; `effective_size` says how many independent samples that is worth, `log_evidence` estimates the known
    labels' probability. Where `effective_size` is small, so is the trust in the answer. On mixtures of forests and
    polytrees vectors are drawn given the evidence instead, and all count the same.

    Asked for marginals it averages conditionals over the samples instead of counting values (Rao-Blackwell), so that
    none is 0 because it was never drawn, and a fifth of the samples is as good: P(y_k = 1 | x, parents) without
    evidence, P(y_k = 1 | x, all other labels) with evidence. Those of a mixture are the mean of the components', which
    share the samples by their weights.

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
    >>> MonteCarlo(10_000).infer(P, "distribution", random_state=0).vectors.shape
    (1, 4, 2)
    >>> MonteCarlo(10_000).infer(P, "marginals", random_state=0).marginals.round(2)
    array([[0.5 , 0.42]])
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"n_samples": (Interval(int, 1, None),)}
    gives_modes: ClassVar[bool] = False
    gives_marginals: ClassVar[bool] = True

    def __init__(self, n_samples: int = 1000) -> None:
        self.n_samples = n_samples

    def row_bytes(self, distribution: LabelDistribution, wanted: str) -> int:
        """Return a byte for each label of each drawn vector, unless none is held."""
        if wanted == "marginals" and getattr(distribution, "few_parents", False):
            return super().row_bytes(distribution, wanted)
        return super().row_bytes(distribution, wanted) + self.n_samples * distribution.n_labels

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        refuse_margins("MonteCarlo", distribution)
        if isinstance(distribution, MixtureDistribution):
            distribution = distribution.flattened()
            drawn_given = distribution.evidence is not None and parts_take_messages(distribution)
            if wanted == "marginals" and not drawn_given:
                return marginals_by_component(distribution, lambda _: self, random_state)
        seeds = row_seeds(random_state, distribution.n_rows)
        if isinstance(distribution, GraphDistribution):
            if wanted == "marginals" and distribution.evidence is None:
                return self._of_means(*distribution.mean_conditionals(self.n_samples, seeds))
            draws = distribution.counted_draws(self.n_samples, seeds)
            vectors, counts, log_prob, logs = draws.padded()
            support = self._support(distribution, vectors, counts, logs, log_prob, draws.n_evaluations)
        else:
            vectors, logs = self._drawn(distribution, seeds)
            counts = np.ones(logs.shape, dtype=np.int64)
            merged = self._support(distribution, vectors, counts, logs, None, None).merged()
            support = merged.with_log_prob(vector_log_probs(distribution, merged.vectors))
        return _with_marginals(distribution, support) if wanted == "marginals" else support

    def _drawn(self, distribution: LabelDistribution, seeds: Bits) -> tuple[npt.NDArray[np.uint8], Floats]:
        """Return samples and log weights; given evidence, those of a mixture of polytrees all weigh the same."""
        if distribution.evidence is None or not parts_take_messages(distribution):
            return distribution.sample(self.n_samples, seeds)
        log_evidence = exact_marginals(distribution)[1]
        vectors = sample_given(distribution, self.n_samples, seeds)
        return vectors, np.repeat(log_evidence[:, None], self.n_samples, axis=1)

    def _of_means(self, means: Floats, n_evaluations: npt.NDArray[np.int64]) -> LabelSupport:
        n_rows = len(means)
        return LabelSupport.of_marginals(
            means,
            self._method(),
            kind="sample",
            exact=np.zeros(n_rows, dtype=np.bool_),
            log_evidence=np.zeros(n_rows),
            n_evaluations=n_evaluations,
            effective_size=np.full(n_rows, float(self.n_samples)),
            exact_marginals=False,
        )

    def _method(self) -> str:
        return f"Monte Carlo with {self.n_samples} samples"

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
            self._method(),
            np.zeros(n_rows, dtype=np.bool_),
            log_evidence=np.asarray(total - np.log(self.n_samples)) if evidence else np.zeros(n_rows),
            n_evaluations=n_evaluations,
            effective_size=np.full(n_rows, float(self.n_samples)) if effective is None else np.asarray(effective),
            log_prob=log_prob,
            distinct=log_prob is not None,
        )


def _with_marginals(distribution: LabelDistribution, support: LabelSupport) -> LabelSupport:
    """Return the support with P(y_k = 1 | x, all other labels), averaged over its vectors by their weights."""
    weights, used = support.weights(), np.flatnonzero(np.isfinite(support.log_weights))
    vectors = support.vectors.reshape(-1, distribution.n_labels)
    rows, shares = used // weights.shape[1], weights.ravel()[used]
    marginals = np.zeros((distribution.n_rows, distribution.n_labels))
    step = max(1, _ENTRIES // max(1, distribution.n_labels))
    for begin in range(0, used.size, step):
        some = slice(begin, begin + step)
        values = np.ascontiguousarray(vectors[used[some]])
        ratios = distribution.take(rows[some]).flip_log_ratios(values)
        ones = np.exp(log_sigmoid(np.where(values == 1, -ratios, ratios)))
        np.add.at(marginals, rows[some], shares[some, None] * ones)
    if distribution.evidence is not None:
        marginals = np.where(distribution.evidence >= 0, distribution.evidence, marginals)
    return replace(support, marginals=marginals, exact_marginals=False)


def marginals_by_component(
    mixture: MixtureDistribution, inference_for: Callable[[LabelDistribution], Inference], random_state: Any
) -> LabelSupport:
    """Return the marginals of a mixture: the mean of its components', by weight and probability of the evidence.

    Parameters
    ----------
    mixture : MixtureDistribution
        What is asked.
    inference_for : callable
        The inference of a component; those that sample draw their weight's share of its samples, and where labels are
        known, all of them, since these say how much a component weighs.
    random_state : int, Generator, None or ndarray of uint64, shape (n_rows,)
        Each component draws from streams of its own.
    """
    flat, seeds = mixture.flattened(), row_seeds(random_state, mixture.n_rows)
    found: list[LabelSupport] = []
    for number, (log_weight, part) in enumerate(zip(flat.log_weights, flat.components, strict=True)):
        inference = inference_for(part)
        if isinstance(inference, MonteCarlo) and mixture.evidence is None:
            share = int(np.ceil(inference.n_samples * np.exp(log_weight)))
            inference = MonteCarlo(min(inference.n_samples, max(share, _LEAST_SAMPLES)))
        found.append(inference.infer(part, "marginals", 1, other_stream(seeds, number)))
    known = [np.zeros(mixture.n_rows) if part.log_evidence is None else part.log_evidence for part in found]
    logs = flat.log_weights[:, None] + np.stack(known)
    log_evidence = log_sum_exp(logs, axis=0)
    shares = np.exp(logs - log_evidence)
    marginals = np.zeros((mixture.n_rows, mixture.n_labels))
    for share, answer in zip(shares, found, strict=True):
        marginals += share[:, None] * answer.marginal_estimate()
    methods = dict.fromkeys(answer.method for answer in found)
    sizes = [(share, answer.effective_size) for share, answer in zip(shares, found, strict=True)]
    sampled = [share**2 / size for share, size in sizes if size is not None]
    return LabelSupport.of_marginals(
        marginals,
        f"{', '.join(methods)}, component by component",
        kind="sample" if sampled else "modes",
        exact=np.all([answer.exact for answer in found], axis=0),
        log_evidence=np.zeros(mixture.n_rows) if mixture.evidence is None else log_evidence,
        # The variance of a sum of independent means, against that of one sample.
        effective_size=1.0 / np.sum(sampled, axis=0) if sampled else None,
        exact_marginals=not sampled,
    )
