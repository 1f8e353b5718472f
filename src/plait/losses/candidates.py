"""Answers worth trying where not all can be tried, and the weights under which they are judged."""

from collections.abc import Iterator

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.inference import LabelSupport
from plait.inference.label_vectors import all_label_vectors, distinct_vectors, vector_numbers

__all__ = ["MOST_ENUMERATED", "search_candidates", "sole_vectors", "threshold_sets", "vector_weights"]


# Up to this many labels all label vectors are tried.
MOST_ENUMERATED = 12
# Beyond it at most this many of a row's own vectors.
_MOST_VECTORS = 1 << MOST_ENUMERATED


def sole_vectors(support: LabelSupport) -> Labels | None:
    """Return the vectors of a search that found one for each row and knows nothing else; otherwise None."""
    if support.kind == "modes" and support.log_weights.shape[1] == 1 and support.marginals is None:
        return support.vectors[:, 0].copy()
    return None


def vector_weights(support: LabelSupport, rows: slice) -> tuple[Labels, Floats]:
    """Return vectors (m, n_labels) that serve all rows, and each row's weights of them (n_rows, m)."""
    part = support.take(rows)
    shared, weights = part.shared_vectors(), part.weights()
    if shared is not None:
        return shared, weights
    n_all = 1 << support.n_labels
    places = vector_numbers(part.vectors) + np.arange(part.n_rows)[:, None] * n_all
    table = np.bincount(places.ravel(), weights=weights.ravel(), minlength=part.n_rows * n_all)
    table = table.reshape(part.n_rows, n_all)
    used = table.any(axis=0)
    return all_label_vectors(support.n_labels)[used], np.ascontiguousarray(table[:, used])


def threshold_sets(marginals: Floats) -> Labels:
    """Return, for one row, the sets of the k labels with the largest marginals, k = 0 to n_labels.

    Examples
    --------
    >>> threshold_sets(np.array([0.2, 0.9]))
    array([[0, 0],
           [0, 1],
           [1, 1]], dtype=uint8)
    """
    place = np.empty(marginals.size, dtype=np.int64)
    place[np.argsort(-marginals, kind="stable")] = np.arange(marginals.size)
    return (place < np.arange(marginals.size + 1)[:, None]).astype(np.uint8)


def search_candidates(support: LabelSupport) -> Iterator[tuple[Labels, Floats, Labels]]:
    """Yield for every row its distinct vectors, their weights, and the answers to try, the smallest first."""
    marginals = support.marginal_estimate()
    for row in range(support.n_rows):
        one = support.take(slice(row, row + 1)).merged()
        used = np.isfinite(one.log_weights[0])
        vectors = one.vectors[0, used]
        answers = np.concatenate([vectors[:_MOST_VECTORS], threshold_sets(marginals[row])])
        yield vectors, one.weights()[0, used], distinct_vectors(answers)[0]
