"""One rule for ties: of all candidates within rounding of the best score, the smallest index wins."""

import numpy as np
import numpy.typing as npt

__all__ = ["TIE_TOLERANCE", "first_best", "stable_ranking"]

# Scores are sums of some thousand informations in bits, each with an error below 1e-14; real differences between
# columns that are not equal are larger than this by far.
TIE_TOLERANCE = 1e-10


def first_best(scores: npt.NDArray[np.float64]) -> int:
    """Return the smallest index whose score is within the tolerance of the largest; -inf marks what is out.

    Examples
    --------
    >>> first_best(np.array([0.1, 0.3 - 1e-15, 0.3, -np.inf]))
    1
    """
    top = scores.max()
    return int(np.argmax(scores >= top - TIE_TOLERANCE * max(1.0, abs(top))))


def stable_ranking(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return indices by falling score, as if `first_best` were taken again and again; -inf is left out.

    Examples
    --------
    >>> stable_ranking(np.array([0.1, 0.3 - 1e-15, 0.3, -np.inf]))
    array([1, 2, 0])
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > -np.inf]
    result = []
    start = 0
    while start < order.size:
        top = scores[order[start]]
        near = top - TIE_TOLERANCE * max(1.0, abs(top))
        # The smallest index within the tolerance comes first; the others stay candidates for the next place.
        end = start + int(np.searchsorted(-scores[order[start:]], -near, side="right"))
        tied = order[start:end]
        pick = int(np.argmin(tied))
        order[start : start + pick + 1] = np.concatenate(([tied[pick]], tied[:pick]))
        result.append(order[start])
        start += 1
    return np.array(result, dtype=np.int64)
