"""`Annealing`: modes of mixtures by simulated annealing."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.checks import Constraint, Interval
from plait.inference.best_first import best_vectors
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.messages.mixture_tables import as_mixture
from plait.inference.search.annealing_walk import anneal
from plait.inference.search.found_vectors import Found
from plait.inference.search.prefixes import refuse_margins
from plait.joint import GraphDistribution, LabelDistribution, row_seeds

__all__ = ["Annealing"]

# A component whose graph is no polytree is searched with no more nodes than this for each row.
_MOST_NODES = 10**4


class Annealing(Inference):
    """Search the mode of a mixture from the best of its components' modes [MC, section 5.4].

    Every component's mode is found (on forests and polytrees by max-product, on other graphs by best-first search) and
    weighed under the mixture. From the best of them `n_steps` labels are proposed, each flipped with probability
    min(1, (P(flipped) / P) ** (1 / T)) while the temperature T falls; from the best vector visited single labels are
    flipped as long as that gains. What is found is never less probable than any component's mode, and has at least
    1 / n_components of the true mode's probability where the components' modes are exact, since
    max P <= sum_k w_k max P_k <= n_components * max_k P(mode of k). Where it reaches sum_k w_k max P_k, as it does
    where all components agree and where there is one only, it is the mode, and `exact` says so. `BestFirst` proves
    more.

    With `n_best` > 1 the best vectors of all components are weighed, and the best of these and what annealing found
    are handed on. Each row has its own stream of random numbers (`plait.joint.row_seeds`), so that rows in blocks give
    what they give together.

    Takes a table of all conditionals for each row, at most 64 MiB at once; where a label has more than ten parents,
    whole label vectors are weighed at every step instead.

    Parameters
    ----------
    n_steps : int, default=150
        Steps of annealing [MC, section 6.1]; 0 only climbs.
    first_temperature, last_temperature : float, default=1.0 and 0.01
        Temperatures of the first and the last step; those between fall by the same factor from step to step.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.

    Examples
    --------
    >>> from plait.joint import LinearDistribution, MixtureDistribution
    >>> from plait.structure import LabelGraph
    >>> alike, unlike = np.array([[0.0, 0.0], [6.0, 0.0]]), np.array([[0.0, -6.0], [0.0, 0.0]])
    >>> first = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.1, -3.0]]), alike)
    >>> second = LinearDistribution(LabelGraph([[1], []]), np.array([[3.0, 0.2]]), unlike)
    >>> mixture = MixtureDistribution(np.log([0.6, 0.4]), [first, second])
    >>> support = Annealing().infer(mixture, random_state=0)
    >>> support.mode(), np.exp(support.log_weights).round(3), support.exact
    (array([[1, 1]], dtype=uint8), array([[0.31]]), array([False]))
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "n_steps": (Interval(int, 0, None),),
        "first_temperature": (Interval(float, 0, None, closed="neither"),),
        "last_temperature": (Interval(float, 0, None, closed="neither"),),
    }

    def __init__(self, n_steps: int = 150, first_temperature: float = 1.0, last_temperature: float = 0.01) -> None:
        self.n_steps = n_steps
        self.first_temperature = first_temperature
        self.last_temperature = last_temperature

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        refuse_margins("Annealing", distribution)
        seeds = row_seeds(random_state, distribution.n_rows)
        found = anneal(as_mixture(distribution), n_best, _searched, self._temperatures(), seeds)
        return found.support(f"annealing with {self.n_steps} steps")

    def _temperatures(self) -> npt.NDArray[np.float64]:
        return np.geomspace(self.first_temperature, self.last_temperature, self.n_steps)


def _searched(part: GraphDistribution, n_best: int) -> Found:
    return best_vectors(part, n_best, _MOST_NODES)[0]
