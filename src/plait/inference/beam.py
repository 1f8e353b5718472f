"""`Beam`: keep the most probable prefixes of every length."""

from collections.abc import Mapping
from typing import Any, ClassVar

from plait.core.checks import Constraint, Interval
from plait.core.sentences import ParameterError
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.search.branch_and_bound import beam_search
from plait.inference.search.prefixes import require_probabilities
from plait.joint import LabelDistribution

__all__ = ["Beam"]


class Beam(Inference):
    """Keep the `width` most probable prefixes of every length [Kumar2012].

    One is greedy, 2 ** (n_labels - 1) is exact; in between more is not always better. `exact` is True where no prefix
    that was dropped is more probable than the vectors found. Takes about 8 * width * n_labels bytes besides the
    answer for a linear chain, and for other learners n_labels * 2 * width bytes a row.

    Parameters
    ----------
    width : int, default=10
        How many prefixes are kept; at least `n_best`.

    References
    ----------
    [Kumar2012] Kumar, Vembu, Menon and Elkan: Learning and inference in probabilistic classifier chains with beam
    search, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> effects = np.array([[0.0, 0.0], [-3.0, 0.0]])
    >>> P = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.1, 3.0]]), effects)
    >>> Beam(width=1).infer(P).mode(), Beam(width=2).infer(P).mode()
    (array([[1, 0]], dtype=uint8), array([[0, 1]], dtype=uint8))
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"width": (Interval(int, 1, None),)}
    serves_mixtures: ClassVar[bool] = False

    def __init__(self, width: int = 10) -> None:
        self.width = width

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        tree = require_probabilities("Beam", distribution)
        if n_best > self.width:
            raise ParameterError(
                f"Beam needs width to be at least n_best, but it is {self.width} and n_best is {n_best}. "
                f"Pass width={n_best} or more."
            )
        return LabelSupport.of_search(beam_search(tree, self.width, n_best), f"beam of width {self.width}")
