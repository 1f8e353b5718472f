"""How large a share of the features a label gets: more for a frequent label, fewer for a rare one [PACC 19]."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["label_shares"]


def label_shares(positives: Any, r: float) -> npt.NDArray[np.float64]:
    """Return alpha_j = r + 2 r tanh(beta_j / 2), beta_j = IRbar / (IR_j (CVIR + 1)), between r and 3 r, at most 1.

    IR_j is the number of rows of the most frequent label over that of label j, IRbar the mean and CVIR the coefficient
    of variation of the ratios. A label that is never on has no ratio: it gets r and is left out of both.

    Parameters
    ----------
    positives : array of int, shape (n_labels,)
        Rows with each label.
    r : float
        The smallest share.

    Examples
    --------
    Equal labels get 1.924 r each.

    >>> label_shares([50, 50, 0], 0.1).round(4)
    array([0.1924, 0.1924, 0.1   ])
    """
    counts = np.asarray(positives, dtype=np.float64)
    on = counts > 0
    shares = np.full(counts.size, r)
    if on.any():
        ratios = counts.max() / counts[on]
        mean = ratios.mean()
        variation = ratios.std(ddof=1) / mean if ratios.size > 1 else 0.0
        # (e^b - 1) / (e^b + 1) as printed, without overflow.
        shares[on] += 2.0 * r * np.tanh(mean / (ratios * (variation + 1.0)) / 2.0)
    return np.minimum(shares, 1.0)
