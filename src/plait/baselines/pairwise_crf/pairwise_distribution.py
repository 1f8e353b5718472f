"""`PairwiseDistribution`: a log-linear P(y | x) with a weight for every label and every pair of labels."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit

from plait.core.arrays import Floats, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_sum_exp
from plait.core.randomness import generators
from plait.core.sentences import ParameterError
from plait.inference.search.label_tables import MOST_LABELS, all_label_vectors
from plait.joint import LabelDistribution, row_seeds
from plait.joint.distribution import Evidence, joined_evidence

__all__ = ["PairwiseDistribution", "gibbs_sample", "likely_vectors", "potentials"]

_kernels = lazy_module("plait.baselines.foundations._kernels")

# Plain NumPy below so many labels: the thousand sweeps over 100 rows of 24 take 0.24 s, kernels 0.07 s after seconds of
# compilation.
KERNEL_LABELS = 24
# Gains below this are rounding.
_GAIN = 1e-12
# A tenth of the sweeps that count is left out before them.
_BURNT_SHARE = 0.1
# Annealing: so many sweeps from temperature 1 down to the lowest [MC, section 6.1 has 150 steps].
_COOLING_SWEEPS = 150
_LOWEST_TEMPERATURE = 0.01
# Potentials of a block of rows: at most this many (8 MiB), but at least one row.
_BLOCK = 1 << 20


class PairwiseDistribution(LabelDistribution):
    """P(y | x) ~ exp(sum_j y_j s_j + sum_{j<k} y_j y_k P_jk) for several rows, with the exact partition function.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_rows, n_labels)
        s, what each label adds by itself.
    pairs : ndarray of float64, shape (n_labels, n_labels) or (n_rows, n_labels, n_labels)
        P, symmetric with zeros in the diagonal: for all rows, or for each.
    evidence : ndarray of int8, shape (n_rows, n_labels), optional
        Labels that are known; -1 where unknown.

    Examples
    --------
    >>> from plait.inference import Exhaustive
    >>> P = PairwiseDistribution(np.array([[0.0, 0.0]]), np.array([[0.0, np.log(5)], [np.log(5), 0.0]]))
    >>> np.exp(P.log_prob(np.array([[1, 1]], dtype=np.uint8))).round(3)  # 5 of 1 + 1 + 1 + 5
    array([0.625])
    >>> Exhaustive().infer(P, "marginals").marginals
    array([[0.75, 0.75]])
    """

    def __init__(
        self, scores: Floats, pairs: Floats, evidence: Evidence | None = None, log_partition: Floats | None = None
    ) -> None:
        self.scores, self.pairs, self.evidence = scores, pairs, evidence
        self.n_rows, self.n_labels = scores.shape
        if self.n_labels > MOST_LABELS:
            raise ParameterError(
                f"PairwiseDistribution needs at most {MOST_LABELS} labels, since it sums over 2 ** n_labels label "
                f"vectors, but there are {self.n_labels}. Use predict and predict_proba, which sample."
            )
        self._log_partition = log_partition

    @property
    def log_partition(self) -> Floats:
        """The logarithm of the sum over all label vectors, whatever is known; (n_rows,)."""
        if self._log_partition is None:
            vectors = all_label_vectors(self.n_labels)
            parts = [log_sum_exp(self.take(rows)._potentials(vectors), axis=1) for rows in self._blocks()]
            self._log_partition = np.concatenate(parts) if parts else np.empty(0)
        return self._log_partition

    def _blocks(self) -> list[slice]:
        step = max(1, _BLOCK >> self.n_labels)
        return [slice(start, min(start + step, self.n_rows)) for start in range(0, self.n_rows, step)]

    def _potentials(self, vectors: Labels) -> Floats:
        return potentials(self.scores, self.pairs, vectors)

    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x): (n_rows,) for Y (n_rows, n_labels), (n_rows, m) for Y (n_rows, m, n_labels)."""
        Y = np.asarray(Y)
        whole = Y[:, None, :] if Y.ndim == 2 else Y
        logs = self._potentials(whole) - self.log_partition[:, None]
        if self.evidence is not None:
            against = (self.evidence[:, None, :] >= 0) & (whole != self.evidence[:, None, :])
            logs[against.any(axis=2)] = -np.inf
        return logs[:, 0] if Y.ndim == 2 else logs

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Labels, Floats]:
        """Draw label sets given what is known; every log weight is log P(evidence | x), 0 without evidence."""
        seeds = row_seeds(random_state, self.n_rows)
        vectors = all_label_vectors(self.n_labels)
        drawn = np.empty((self.n_rows, n_samples, self.n_labels), dtype=np.uint8)
        log_evidence = np.zeros(self.n_rows)
        for rows in self._blocks():
            shared = np.broadcast_to(vectors, (rows.stop - rows.start, *vectors.shape))
            heights = np.cumsum(np.exp(self.take(rows).log_prob(shared)), axis=1)
            if self.evidence is not None:
                log_evidence[rows] = np.log(heights[:, -1])
            for row, height in zip(range(rows.start, rows.stop), heights, strict=True):
                # Just below the top, so that rounding cannot step over it.
                top = np.nextafter(height[-1], 0.0)
                points = np.random.Generator(np.random.PCG64(int(seeds[row]))).random(n_samples) * top
                drawn[row] = vectors[np.searchsorted(height, points, side="right")]
        return drawn, np.repeat(log_evidence[:, None], n_samples, axis=1)

    def clamp(self, evidence: Evidence) -> "PairwiseDistribution":
        """Return the distribution restricted to what agrees with the evidence (joined to evidence already there)."""
        known = joined_evidence(self.evidence, evidence, (self.n_rows, self.n_labels))
        return PairwiseDistribution(self.scores, self.pairs, known, self._log_partition)

    def take(self, rows: Any) -> "PairwiseDistribution":
        """Return the distribution of some rows."""
        pairs = self.pairs if self.pairs.ndim == 2 else self.pairs[rows]
        evidence = None if self.evidence is None else self.evidence[rows]
        log_partition = None if self._log_partition is None else self._log_partition[rows]
        return PairwiseDistribution(self.scores[rows], pairs, evidence, log_partition)


def potentials(scores: Floats, pairs: Floats, vectors: Labels) -> Floats:
    """Return sum_j y_j s_j + sum_{j<k} y_j y_k P_jk of label vectors, (n_rows, m).

    Parameters
    ----------
    scores, pairs : ndarray of float64
        As for `PairwiseDistribution`, any number of labels.
    vectors : ndarray of uint8, shape (m, n_labels) or (n_rows, m, n_labels)
        The same vectors for all rows (also as a broadcast view), or vectors of each row.
    """
    if vectors.ndim == 3 and vectors.shape[0] and vectors.strides[0] == 0:
        vectors = vectors[0]
    y = vectors.astype(np.float64)
    if y.ndim == 3:
        return (y @ scores[:, :, None])[:, :, 0] + 0.5 * np.einsum("imj,imj->im", y @ pairs, y)
    if pairs.ndim == 2:
        return scores @ y.T + 0.5 * np.einsum("mj,mj->m", y @ pairs, y)
    first, second = np.triu_indices(scores.shape[1], 1)
    return scores @ y.T + pairs[:, first, second] @ (y[:, first] * y[:, second]).T


def gibbs_sample(
    scores: Floats, pairs: Floats, n_sweeps: int, n_draws: int, random_state: Any
) -> tuple[Floats, Labels]:
    """Return marginals (n_rows, n_labels) and draws (n_rows, n_draws, n_labels) by Gibbs sampling.

    Marginals are means of the conditionals P(y_j = 1 | x, other labels) over the sweeps, which vary less than means of
    what was drawn. All rows see the same random numbers: a row's answer depends on nothing but the row and the seed.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_rows, n_labels)
        What each label adds by itself.
    pairs : ndarray of float64, shape (n_labels, n_labels) or (n_rows, n_labels, n_labels)
        Weights of pairs, symmetric with zeros in the diagonal.
    n_sweeps : int
        Sweeps that count, after a tenth as many that do not.
    n_draws : int
        How many states to keep, evenly spaced; at most `n_sweeps`.
    random_state : int, Generator or None
        Where random numbers come from.

    Examples
    --------
    >>> pairs = np.array([[0.0, 2.0], [2.0, 0.0]])
    >>> marginals, draws = gibbs_sample(np.zeros((1, 2)), pairs, 10_000, 10, random_state=0)
    >>> exact = (1 + np.exp(2)) / (3 + np.exp(2))
    >>> bool(np.abs(marginals - exact).max() < 0.02), draws.shape
    (True, (1, 10, 2))
    """
    n_rows, n_labels = scores.shape
    n_burn = int(np.ceil(_BURNT_SHARE * n_sweeps))
    uniforms = generators(random_state, 1)[0].random((n_burn + n_sweeps, n_labels))
    labels = (scores > 0).astype(np.uint8)
    marginals = np.empty((n_rows, n_labels))
    draws = np.empty((n_rows, n_draws, n_labels), dtype=np.uint8)
    gibbs = _kernels.gibbs_rows if kernels_pay(n_labels, KERNEL_LABELS) else gibbs_rows
    gibbs(scores, _by_row(pairs), uniforms, n_burn, labels, marginals, draws)
    return marginals, draws


def gibbs_rows(
    scores: Floats, pairs: Floats, uniforms: Floats, n_burn: int, labels: Labels, marginals: Floats, draws: Labels
) -> None:
    """Do what the kernel of this name does, a label of all rows at once."""
    n_kept, n_draws = len(uniforms) - n_burn, draws.shape[1]
    sums = np.zeros(scores.shape)
    for after, (chances, states) in enumerate(_swept(scores, pairs, uniforms, np.ones(len(uniforms)), labels), -n_burn):
        if after < 0:
            continue
        sums += chances
        if (after + 1) * n_draws // n_kept > after * n_draws // n_kept:
            draws[:, (after + 1) * n_draws // n_kept - 1] = states
    marginals[:] = sums / n_kept


def _swept(
    scores: Floats, pairs: Floats, uniforms: Floats, coldness: Floats, labels: Labels
) -> Iterator[tuple[Floats, Labels]]:
    """Yield, sweep by sweep over the labels of all rows at once, P(y_j = 1 | x, other labels) and the labels then."""
    field = _field(scores, pairs, labels)
    chances = np.empty(scores.shape)
    for uniform, cold in zip(uniforms, coldness, strict=True):
        for label in range(scores.shape[1]):
            chances[:, label] = expit(cold * field[:, label])
            value = uniform[label] < chances[:, label]
            field += (value.astype(np.float64) - labels[:, label])[:, None] * pairs[..., label]
            labels[:, label] = value
        yield chances, labels


def _field(scores: Floats, pairs: Floats, labels: Labels) -> Floats:
    """Return what each label gains by being 1, (n_rows, n_labels); summed row by row, so that rows do not mix."""
    return np.asarray(scores + (pairs * labels[:, None, :]).sum(axis=2))


def likely_vectors(scores: Floats, pairs: Floats, starts: list[Labels], random_state: Any) -> Labels:
    """Return the most probable label vector found for every row, (n_rows, n_labels).

    The best of the starts, of the labels that gain by themselves, and of where annealing from these ends, each after an
    ascent by single flips; so no single flip improves it. Of equals the first.

    Parameters
    ----------
    scores, pairs : ndarray of float64
        As for `gibbs_sample`.
    starts : list of ndarray of uint8, shape (n_rows, n_labels)
        Vectors to start from as well.
    random_state : int, Generator or None
        Where random numbers come from, the same for all rows.

    Examples
    --------
    >>> pairs = np.array([[0.0, 3.0], [3.0, 0.0]])  # neither label gains by itself, both do together
    >>> likely_vectors(np.array([[-1.0, -1.0]]), pairs, [], random_state=0)
    array([[1, 1]], dtype=uint8)
    """
    alone = (scores > 0).astype(np.uint8)
    annealed = alone.copy()
    uniforms = generators(random_state, 2)[1].random((_COOLING_SWEEPS, scores.shape[1]))
    coldness = np.geomspace(1.0, 1.0 / _LOWEST_TEMPERATURE, _COOLING_SWEEPS)
    compiled = kernels_pay(scores.shape[1], KERNEL_LABELS)
    (_kernels.anneal_rows if compiled else anneal_rows)(scores, _by_row(pairs), uniforms, coldness, annealed)
    found = [vectors.copy() for vectors in (*starts, alone, annealed)]
    for vectors in found:
        (_kernels.ascend_rows if compiled else ascend_rows)(scores, _by_row(pairs), vectors)
    candidates = np.stack(found, axis=1)
    best = potentials(scores, pairs, candidates).argmax(axis=1)
    return np.ascontiguousarray(candidates[np.arange(len(scores)), best])


def anneal_rows(scores: Floats, pairs: Floats, uniforms: Floats, coldness: Floats, labels: Labels) -> None:
    """Do what the kernel of this name does, a label of all rows at once."""
    for _ in _swept(scores, pairs, uniforms, coldness, labels):
        pass


def ascend_rows(scores: Floats, pairs: Floats, labels: Labels) -> None:
    """Do what the kernel of this name does, a step of all rows at once."""
    rows = np.arange(len(labels))
    while len(rows):
        field = _field(scores[rows], pairs if len(pairs) == 1 else pairs[rows], labels[rows])
        gains = np.where(labels[rows] == 1, -field, field)
        best, rising = gains.argmax(axis=1), gains.max(axis=1) > _GAIN
        rows, best = rows[rising], best[rising]
        labels[rows, best] = 1 - labels[rows, best]


def _by_row(pairs: Floats) -> Floats:
    """Return pair weights with a first axis for rows, of length one where all rows share them."""
    return np.ascontiguousarray(pairs if pairs.ndim == 3 else pairs[None])
