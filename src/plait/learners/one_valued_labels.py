"""Labels that have one value only in training: no fit, the value's Laplace estimate instead."""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats

__all__ = ["constant_labels", "constant_scores"]


# A class whose rows weigh less than this is taken as absent (weights of a mixture's EM can get that small).
LEAST_MASS = 1e-8


def constant_labels(class_mass: Floats) -> npt.NDArray[np.bool_]:
    """Return which labels have one value only; takes `Problem.class_mass()`."""
    return np.asarray((class_mass < LEAST_MASS).any(axis=1))


def constant_scores(class_mass: Floats) -> Floats:
    """Return the log-odds of the Laplace estimate (n_1 + 1) / (N + 2) of every label.

    Examples
    --------
    >>> constant_scores(np.array([[8.0, 0.0]])).round(4)  # 1/10 against 9/10
    array([-2.1972])
    """
    return np.asarray(np.log(class_mass[:, 1] + 1.0) - np.log(class_mass[:, 0] + 1.0))
