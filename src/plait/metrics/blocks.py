"""Walk along true labels and their scores in blocks of rows, so that sparse scores are never dense all at once."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.metrics.inputs import label_csr, same_columns, same_shape, score_matrix

__all__ = ["score_blocks"]

# Sparse scores are made dense in blocks of about this many entries.
_ENTRIES = 1 << 22


def score_blocks(owner: str, name: str, Y_true: Any, scores: Any) -> Iterator[tuple[Any, npt.NDArray[Any]]]:
    """Yield pairs of true labels (CSR) and dense scores of the same rows: one pair where the scores are dense."""
    same_columns(owner, Y_true, scores, name)
    labels, table = label_csr(owner, Y_true), score_matrix(owner, name, scores)
    same_shape(owner, labels, table, name)
    if not sparse.issparse(table):
        yield labels, table
        return
    step = max(1, _ENTRIES // table.shape[1])
    for start in range(0, table.shape[0], step):
        yield labels[start : start + step], np.ascontiguousarray(table[start : start + step].toarray())
