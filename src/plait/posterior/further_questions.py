"""`FurtherQuestions`: what is asked of a `Posterior` by way of its other questions."""

from typing import Any

import numpy as np

from plait import losses as losses_room
from plait.core.checks import Interval, Nothing, OneOf, check_value
from plait.core.naming import resolve
from plait.losses import Loss
from plait.posterior.asking import ASKED_BY, LabelsToAsk, labels_to_ask
from plait.posterior.credible_families import LabelFamilies, label_families

__all__ = ["FurtherQuestions"]


class FurtherQuestions:
    """Base of `Posterior`: questions that need nothing but its other ones."""

    loss: Any

    def credible_sets(self, level: float = 0.9, max_sets: int = 1000) -> LabelFamilies:
        """Return for every row the fewest label sets that hold a share of P(y | x), the most probable first.

        It is the model's own belief; `plait.trust.Conformal` has families with a guarantee.

        Parameters
        ----------
        level : float, default=0.9
            The share, in (0, 1].
        max_sets : int, default=1000
            How many sets a row may have; where that is too few, `exact` is False and `masses` says what is held.
        """
        check_value("credible_sets", "level", level, (Interval(float, 0, 1, closed="right"),))
        check_value("credible_sets", "max_sets", max_sets, (Interval(int, 1, None),))
        return label_families(self, lambda _, p: np.cumsum(p, axis=1) - p < level - 1e-12, max_sets)

    def ask(self, k: int = 1, by: str | None = None) -> LabelsToAsk:
        """Return the unknown labels whose answers are worth most, for whoever can look.

        Parameters
        ----------
        k : int, default=1
            How many labels of each row; each is chosen as if the ones before it had been answered, on average over
            their answers.
        by : {"set", "entropy", "hamming", "others"}, optional
            What an answer is worth: the gain in P(most probable set), best for few questions; the expected drop of the
            entropy, good where many labels will be asked; labels that become right; or what it says of the other
            labels. None takes "set" for the loss "subset", else "hamming".

        Returns
        -------
        LabelsToAsk
            `labels`, `names`, `values` and `probabilities`, (n_rows, k); a label that is known is never asked.
        """
        check_value("ask", "k", k, (Interval(int, 1, None),))
        check_value("ask", "by", by, (OneOf(ASKED_BY), Nothing()))
        loss: Loss = resolve("ask", "loss", self.loss, losses_room, Loss)
        return labels_to_ask(self, k, by or ("set" if loss.wanted == "mode" else "hamming"))
