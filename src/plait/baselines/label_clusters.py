"""Balanced k-means of label columns [Tsoumakas2008], on the counts of rows that two labels share."""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints

__all__ = ["balanced_clusters", "nearest_with_room"]


def balanced_clusters(
    shared: Floats, n_clusters: int, draws: np.random.Generator, max_iter: int = 10
) -> npt.NDArray[np.int64]:
    """Return the cluster of each label; a cluster holds at most ceil(n_labels / n_clusters) of them.

    The squared distance of column j to the mean of the columns in cluster c is
    `s_jj - 2 mean_l s_jl + mean_lm s_lm` over labels l, m in c, so that rows are not needed any more.

    Parameters
    ----------
    shared : ndarray of shape (n_labels, n_labels)
        Number (or weight) of rows that have both labels: s_jl, the inner product of columns j and l.
    n_clusters : int
        How many clusters; below the number of labels.
    draws : Generator
        Draws the labels that the clusters start from.
    max_iter : int, default=10
        How often labels are assigned, unless nothing changes before.

    Examples
    --------
    >>> Y = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
    >>> found = balanced_clusters(Y.T @ Y, 2, np.random.default_rng(0))
    >>> bool(found[0] == found[1] != found[2] == found[3])
    True
    """
    n_labels = len(shared)
    room = -(-n_labels // n_clusters)
    start = np.sort(draws.choice(n_labels, n_clusters, replace=False))
    means = np.zeros((n_labels, n_clusters))
    means[start, np.arange(n_clusters)] = 1.0
    clusters = np.full(n_labels, -1, dtype=np.int64)
    for _ in range(max_iter):
        found = nearest_with_room(_squared_distances(shared, means), room)
        if (found == clusters).all():
            break
        clusters = found
        means = _means(clusters, means)
    return clusters


def _squared_distances(shared: Floats, means: Floats) -> Floats:
    """Return distances (n_labels, n_clusters); `means` holds the weight of each label in the mean of each cluster."""
    crossed = shared @ means
    return np.asarray(np.diag(shared)[:, None] - 2.0 * crossed + (means * crossed).sum(axis=0))


def _means(clusters: Ints, before: Floats) -> Floats:
    members = (clusters[:, None] == np.arange(before.shape[1])).astype(np.float64)
    sizes = members.sum(axis=0)
    # A cluster that lost all labels stays where it was.
    return np.where(sizes > 0, members / np.maximum(sizes, 1), before)


def nearest_with_room(distances: Floats, room: int) -> Ints:
    """Return the cluster of each label: the nearest, unless that is full of labels which are nearer to it.

    A label that finds its nearest cluster full takes the place of the farthest label there, if that is farther away,
    and the evicted one goes on to its next nearest. Ties go to the label and to the cluster of smaller number.

    Parameters
    ----------
    distances : ndarray of shape (n_labels, n_clusters)
        Of every label to every cluster.
    room : int
        Most labels of a cluster; `room * n_clusters` is at least the number of labels.

    Examples
    --------
    >>> nearest_with_room(np.array([[3.0, 5.0], [1.0, 4.0], [2.0, 9.0], [7.0, 1.0]]), room=2)
    array([1, 0, 0, 1])
    """
    preferences = np.argsort(distances, axis=1, kind="stable")
    members: list[list[tuple[float, int]]] = [[] for _ in range(distances.shape[1])]
    tried = np.zeros(len(distances), dtype=np.int64)
    waiting = list(range(len(distances)))
    while waiting:
        label = waiting.pop()
        cluster = int(preferences[label, tried[label]])
        tried[label] += 1
        members[cluster].append((float(distances[label, cluster]), label))
        if len(members[cluster]) > room:
            farthest = max(members[cluster])
            members[cluster].remove(farthest)
            waiting.append(farthest[1])
    clusters = np.empty(len(distances), dtype=np.int64)
    for cluster, held in enumerate(members):
        clusters[[label for _, label in held]] = cluster
    return clusters
