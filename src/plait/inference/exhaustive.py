"""`Exhaustive`: all label vectors of every row."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats
from plait.core.checks import Boolean, Constraint
from plait.core.sentences import ParameterError
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.search.label_tables import (
    MOST_LABELS,
    all_label_vectors,
    enumerated_blocks,
    label_sums,
    largest_places,
    prefix_marginals,
    vectors_of,
)
from plait.joint import LabelDistribution

__all__ = ["UNFORCED_LABELS", "Exhaustive"]

# More labels than this must be forced [PCC 4.1].
UNFORCED_LABELS = 15


class Exhaustive(Inference):
    """Go through all 2 ** n_labels label vectors: exact for every question, and the oracle of all other inferences.

    Asked for the distribution it hands on every vector with its log probability, 8 bytes each: 32 KiB a row with 12
    labels, 256 KiB with 15. Asked for modes or marginals it keeps only these, and memory is below 100 MiB for any
    number of rows. Marginals without evidence need no whole vectors: P(y_k = 1) is a sum over the values of the labels
    before k; and those of a mixture are the mean of its components'.

    Parameters
    ----------
    force : bool, default=False
        Whether 16 to 20 labels are allowed; time doubles with every label. More than 20 never are.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> chain = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.5, 1.0]]), np.array([[0.0, 0.0], [-3.0, 0.0]]))
    >>> support = Exhaustive().infer(chain, "distribution")
    >>> support.weights().round(3)
    array([[0.102, 0.276, 0.548, 0.074]])
    >>> support.mode()
    array([[1, 0]], dtype=uint8)
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"force": (Boolean(),)}
    gives_marginals: ClassVar[bool] = True

    def __init__(self, force: bool = False) -> None:
        self.force = force

    def row_bytes(self, distribution: LabelDistribution, wanted: str) -> int:
        """Return the weights of all label vectors."""
        return super().row_bytes(distribution, wanted) + 8 * 2**distribution.n_labels

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        self._check_size(distribution.n_labels)
        if wanted == "marginals":
            marginals, log_evidence = enumerated_marginals(distribution)
            n_evaluations = np.full(distribution.n_rows, 2**distribution.n_labels - 1, dtype=np.int64)
            known = {"log_evidence": log_evidence, "n_evaluations": n_evaluations}
            return LabelSupport.of_marginals(marginals, "exhaustive", **known)
        keep = _All(distribution) if wanted == "distribution" else _Best(distribution, n_best)
        for rows, probabilities in enumerated_blocks("Exhaustive", distribution):
            keep.add(rows, probabilities)
        return keep.support("exhaustive")

    def _check_size(self, n_labels: int) -> None:
        most = MOST_LABELS if self.force else UNFORCED_LABELS
        if n_labels > most:
            way_out = f"force=True allows {MOST_LABELS}, or use" if n_labels <= MOST_LABELS else "Use"
            raise ParameterError(
                f"{self!r} needs at most {most} labels, since it goes through 2 ** n_labels label vectors, but there "
                f"are {n_labels}. {way_out} BestFirst() for modes and MonteCarlo() for marginals."
            )


class _Collected:
    """What is kept of every block: marginals, P(evidence), and what a subclass adds."""

    def __init__(self, distribution: LabelDistribution) -> None:
        self.distribution = distribution
        self.marginals = np.empty((distribution.n_rows, distribution.n_labels))
        self.total = np.empty(distribution.n_rows)

    def add(self, rows: slice, probabilities: Floats) -> None:
        self.total[rows], by_label = label_sums(probabilities)
        self.marginals[rows] = by_label / self.total[rows, None]

    def known(self, method: str) -> dict[str, Any]:
        n_rows, n_labels = self.distribution.n_rows, self.distribution.n_labels
        evidence = self.distribution.evidence
        return {
            "method": method,
            "exact": np.ones(n_rows, dtype=bool),
            "marginals": self.marginals,
            "log_evidence": np.zeros(n_rows) if evidence is None else np.log(self.total),
            "n_evaluations": np.full(n_rows, 2**n_labels - 1, dtype=np.int64),
        }


class _All(_Collected):
    """Every vector of every row."""

    def __init__(self, distribution: LabelDistribution) -> None:
        super().__init__(distribution)
        self.log_weights = np.empty((distribution.n_rows, 2**distribution.n_labels))

    def add(self, rows: slice, probabilities: Floats) -> None:
        super().add(rows, probabilities)
        with np.errstate(divide="ignore"):
            np.log(probabilities, out=self.log_weights[rows])

    def support(self, method: str) -> LabelSupport:
        vectors = all_label_vectors(self.distribution.n_labels)
        shared = np.broadcast_to(vectors, (len(self.total), *vectors.shape))
        return LabelSupport(shared, self.log_weights, "distribution", **self.known(method))


class _Best(_Collected):
    """The most probable vectors of every row, best first, the smallest vector first among equals."""

    def __init__(self, distribution: LabelDistribution, n_best: int) -> None:
        super().__init__(distribution)
        self.n_best = min(n_best, 2**distribution.n_labels)
        self.numbers = np.empty((distribution.n_rows, self.n_best), dtype=np.int64)
        self.log_weights = np.empty((distribution.n_rows, self.n_best))

    def add(self, rows: slice, probabilities: Floats) -> None:
        super().add(rows, probabilities)
        numbers = largest_places(probabilities, self.n_best)
        self.numbers[rows] = numbers
        with np.errstate(divide="ignore"):
            self.log_weights[rows] = np.log(np.take_along_axis(probabilities, numbers, axis=1))

    def support(self, method: str) -> LabelSupport:
        vectors = vectors_of(self.numbers, self.distribution.n_labels)
        return LabelSupport(vectors, self.log_weights, "modes", **self.known(method))


def enumerated_marginals(distribution: LabelDistribution) -> tuple[Floats, Floats]:
    """Return the exact marginals (n_rows, n_labels) and log P(evidence | x) (n_rows,) by a sum over all label vectors.

    Rows are taken in blocks and their probabilities are dropped after the sum: beside the result, memory is below
    100 MiB for any number of rows (for conditionals that are called, plus what their learner needs).

    Parameters
    ----------
    distribution : LabelDistribution
        P(y | x) of several rows, at most 20 labels, with evidence or without.

    Returns
    -------
    (ndarray of float64, ndarray of float64)

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> chain = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [2.0, 0.0]]))
    >>> enumerated_marginals(chain)[0].round(4)
    array([[0.5   , 0.6904]])
    """
    marginals = np.empty((distribution.n_rows, distribution.n_labels))
    log_evidence = np.zeros(distribution.n_rows)
    if distribution.evidence is None:
        for rows, block in prefix_marginals("enumerated_marginals", distribution):
            marginals[rows] = block
        return marginals, log_evidence
    for rows, probabilities in enumerated_blocks("enumerated_marginals", distribution):
        total, by_label = label_sums(probabilities)
        marginals[rows] = by_label / total[:, None]
        log_evidence[rows] = np.log(total)
    return marginals, log_evidence
