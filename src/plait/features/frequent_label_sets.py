"""Label sets as classes, without the rare ones: the pruned problem transformation [Read2008]."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["label_set_classes"]


def label_set_classes(Y: Any, pruning: int = 0) -> npt.NDArray[np.int64]:
    """Return the class of each row, numbered by first occurrence; -1 where the label set is too rare.

    Parameters
    ----------
    Y : ndarray or CSR matrix of shape (n_samples, n_labels)
        0/1 labels without stored zeros.
    pruning : int, default=0
        Label sets seen at most so often are dropped; 0 keeps all. Where that would drop every row, it is lowered
        until the most frequent sets are left.

    Examples
    --------
    >>> label_set_classes(np.array([[1, 0], [0, 1], [1, 0], [1, 0], [0, 1], [1, 1]]), pruning=1)
    array([ 0,  1,  0,  0,  1, -1])
    """
    rows = sparse.csr_matrix(Y)
    rows.sort_indices()
    seen: dict[bytes, int] = {}
    sets = (rows.indices[start:end].tobytes() for start, end in pairwise(rows.indptr))
    classes = np.array([seen.setdefault(label_set, len(seen)) for label_set in sets], dtype=np.int64)
    counts = np.bincount(classes)
    frequent = counts > min(pruning, counts.max(initial=1) - 1)
    numbers = np.where(frequent, np.cumsum(frequent) - 1, -1)
    return numbers[classes]
