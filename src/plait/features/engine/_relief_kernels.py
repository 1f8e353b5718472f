"""Nearest neighbours by class, and the differences to them: arrays in, arrays out, the caller allocates.

Notation
--------
distances[i, j]      : from sampled row i to row j
own[i]               : which row the sampled row i itself is
classes[j]           : class of row j
neighbours[i, c, :]  : the nearest rows of class c, nearest first, -1 where there are fewer
priors[c]            : share of class c
"""

from plait.core.compilation import kernel

__all__ = ["add_differences_dense", "add_differences_sparse", "nearest_by_class"]


@kernel
def nearest_by_class(distances, own, classes, neighbours, nearest):  # type: ignore[no-untyped-def]
    """Fill `neighbours`, ties by row index; `nearest` (n_classes, k) is room for their distances."""
    most = neighbours.shape[2]
    for i in range(distances.shape[0]):
        neighbours[i] = -1
        for j in range(distances.shape[1]):
            if j == own[i]:
                continue
            found, far = neighbours[i, classes[j]], nearest[classes[j]]
            place = most - 1
            if found[place] >= 0 and not distances[i, j] < far[place]:
                continue
            # Rows come by rising index, so that an equal distance goes behind.
            while place > 0 and (found[place - 1] < 0 or distances[i, j] < far[place - 1]):
                found[place], far[place] = found[place - 1], far[place - 1]
                place -= 1
            found[place], far[place] = j, distances[i, j]


@kernel
def _factors(found, own_class, c, priors):  # type: ignore[no-untyped-def]
    """Return how many neighbours of a class there are, and what each counts."""
    n_found = 0
    while n_found < found.size and found[n_found] >= 0:
        n_found += 1
    if n_found == 0:
        return 0, 0.0
    if c == own_class:
        return n_found, -1.0 / n_found
    return n_found, priors[c] / ((1.0 - priors[own_class]) * n_found)


@kernel
def add_differences_dense(values, own, classes, priors, neighbours, weights):  # type: ignore[no-untyped-def]
    """Add the differences to misses and take off those to hits, for every column."""
    for i in range(own.size):
        for c in range(priors.size):
            n_found, factor = _factors(neighbours[i, c], classes[own[i]], c, priors)
            for n in range(n_found):
                j = neighbours[i, c, n]
                for f in range(weights.size):
                    weights[f] += factor * abs(values[own[i], f] - values[j, f])


@kernel
def add_differences_sparse(indptr, indices, data, own, classes, priors, neighbours, weights):  # type: ignore[no-untyped-def]
    """Do the same for rows of a CSR matrix with sorted indices, walking two rows side by side."""
    for i in range(own.size):
        for c in range(priors.size):
            n_found, factor = _factors(neighbours[i, c], classes[own[i]], c, priors)
            for n in range(n_found):
                a, a_end = indptr[own[i]], indptr[own[i] + 1]
                b, b_end = indptr[neighbours[i, c, n]], indptr[neighbours[i, c, n] + 1]
                while a < a_end or b < b_end:
                    if b == b_end or (a < a_end and indices[a] < indices[b]):
                        weights[indices[a]] += factor * abs(data[a])
                        a += 1
                    elif a == a_end or indices[b] < indices[a]:
                        weights[indices[b]] += factor * abs(data[b])
                        b += 1
                    else:
                        weights[indices[a]] += factor * abs(data[a] - data[b])
                        a += 1
                        b += 1
