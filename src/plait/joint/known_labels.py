"""Evidence: labels that are known, put together and checked for contradictions."""

import numpy as np

from plait.core.sentences import ParameterError
from plait.joint.distribution import Evidence

__all__ = ["joined_evidence"]


def joined_evidence(old: Evidence | None, new: Evidence, shape: tuple[int, int] | None = None) -> Evidence:
    """Return both pieces of evidence as one; another shape, values other than -1, 0, 1 and contradictions are errors.

    Examples
    --------
    >>> joined_evidence(np.array([[1, -1]], dtype=np.int8), np.array([[-1, 0]], dtype=np.int8))
    array([[1, 0]], dtype=int8)
    """
    new = np.asarray(new)
    if shape is not None and new.shape != shape:
        raise ParameterError(
            f"evidence needs to have the shape {shape}, but its shape is {new.shape}. "
            "Pass one value for every row and label, -1 where unknown."
        )
    if not np.isin(new, (-1, 0, 1)).all():
        raise ParameterError(
            f"evidence needs to hold 0, 1 or -1 (unknown), but it holds {new[~np.isin(new, (-1, 0, 1))][0]}. "
            "Pass 0 or 1 where a label is known."
        )
    new = new.astype(np.int8)
    if old is None:
        return new
    clash = (old >= 0) & (new >= 0) & (old != new)
    if clash.any():
        row, label = np.argwhere(clash)[0]
        raise ParameterError(
            f"evidence needs to agree with what is known already, but row {row} has label {label} as {old[row, label]} "
            f"and now as {new[row, label]}. Start from the distribution without evidence."
        )
    return np.where(new >= 0, new, old).astype(np.int8)
