"""One rule for ties: of all candidates within rounding of the best score, the first one wins."""

import numpy as np
import numpy.typing as npt

__all__ = ["TIE_TOLERANCE", "first_best"]

# Scores are sums of some thousand informations in bits, each with an error below 1e-14; real differences between
# columns that are not equal are larger than this by far.
TIE_TOLERANCE = 1e-10


def first_best(scores: npt.NDArray[np.float64]) -> int:
    """Return the smallest index whose score is within the tolerance of the largest; -inf marks what is out.

    Parameters
    ----------
    scores : ndarray of float64
        One number for each candidate.

    Returns
    -------
    int

    Examples
    --------
    >>> first_best(np.array([0.1, 0.3 - 1e-15, 0.3, -np.inf]))
    1
    """
    top = scores.max()
    return int(np.argmax(scores >= top - TIE_TOLERANCE * max(1.0, abs(top))))
