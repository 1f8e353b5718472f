"""`HOMER`: a hierarchy of small multi-label problems over clusters of labels [Tsoumakas2008]."""

from collections import deque
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.baselines.foundations.binary_learners import (
    LEARNER_RULE,
    binary_learner,
    checked_weights,
)
from plait.baselines.foundations.column_scaling import divided_columns, unscaled_learner
from plait.baselines.foundations.meta_classifier import MetaClassifier, seeded_members
from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import Interval, RandomState
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.progress_bar import progress
from plait.core.randomness import generators
from plait.learners import Conditionals, Learner

__all__ = ["HOMER"]

# Stands for the node of a child that is a single label.
LEAF = -1


class HOMER(MetaClassifier):
    """A tree that parts the labels into clusters of labels that occur together, with a small problem in every node.

    Every node parts its labels among at most `n_clusters` children, by balanced k-means of their columns; the
    meta-label of a child is whether a row has any label of it. A node learns the meta-labels of its children as binary
    relevance, from the rows that have a label of the node; the root from all rows. Prediction goes down from the root,
    into positive children only [Tsoumakas2008].

    Assumes that labels which occur together can be told from the others as a group, before they are told apart.
    A good choice for hundreds of labels, most of them rare: a node sees few rows with a better balance of classes,
    training and prediction leave out most nodes and rows. A mistake near the root cannot be mended further down.

    Parameters
    ----------
    estimator : classifier or Learner, optional
        Trains the nodes: any scikit-learn classifier (one clone for each child), or a learner of plait. None is
        `LogisticLearner()`, L2 logistic regression.
    n_clusters : int, default=4
        Most children of a node (k). A node with at most so many labels has single labels as children; with 1 the labels
        are not parted at all, which is binary relevance.
    random_state : int, RandomState, Generator or None
        Seed of the clusters, and of estimators whose own `random_state` is None.
    n_jobs : int, optional
        How many nodes are trained at once, by `joblib`. The result is the same, bit for bit, for any number.

    Attributes
    ----------
    hierarchy_ : list of HierarchyNode
        The nodes, the root first: `labels`, `children`, `links`.
    conditionals_ : list of Conditionals or None
        What each node has learned; None where no training row has a label of the node.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers of plait.

    Notes
    -----
    Rows without any label train the root, as in the authors' own program (Mulan): without them the root would never
    learn to say no. Columns are scaled once, over all rows. Balanced k-means starts from random labels and runs 10
    rounds at most.

    `predict_proba` gives the product of the probabilities along the path from the root to the label: its chance where
    each meta-label is independent of x's other labels, given that its parent is positive. `predict` compares every
    factor with one half, not the product.

    References
    ----------
    Tsoumakas, Katakis and Vlahavas: Effective and efficient multilabel classification in domains with large number of
    labels [Tsoumakas2008].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> Y = np.column_stack([X > 0, X > 0.5]).astype(int)
    >>> model = HOMER(n_clusters=3, random_state=4).fit(X, Y)
    >>> [child.tolist() for child in model.hierarchy_[0].children]
    [[0, 3], [1, 4], [2, 5]]
    >>> model.predict([[2.0, -2.0, 0.2]])
    array([[1, 0, 1, 1, 0, 0]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": LEARNER_RULE,
        "n_clusters": (Interval(int, 1, None),),
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        estimator: Any = None,
        n_clusters: int = 4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        learner = binary_learner(self.estimator)
        checked_weights(type(self).__name__, learner, weights)
        cluster_draws, seed_draws = generators(self.random_state, 2)
        self.hierarchy_ = label_hierarchy_of(Y, weights, self.n_clusters, cluster_draws)
        learner, scales = unscaled_learner(learner, X, weights)
        fitted = self._fitted(learner, divided_columns(X, scales), Y, weights, seed_draws)
        self.conditionals_ = [None if each is None else each.divided_by(scales) for each in fitted]

    def _fitted(
        self, learner: Learner, X: Any, Y: Labels, weights: Any, draws: np.random.Generator
    ) -> list[Conditionals | None]:
        members = seeded_members(learner, len(self.hierarchy_), draws)
        tasks = progress(list(zip(members, self.hierarchy_, strict=True)), "HOMER, nodes")
        return list(
            Parallel(n_jobs=self.n_jobs)(delayed(_fitted_node)(member, node, X, Y, weights) for member, node in tasks)
        )

    def _probabilistic(self) -> bool:
        return binary_learner(self.estimator).gives_probabilities

    def _decide(self, X: Any) -> Labels:
        """Return the labels that are reached by going down into positive children only."""
        labels = np.zeros((X.shape[0], self.n_labels_), dtype=np.uint8)
        reached = {0: np.arange(X.shape[0])}
        for number, (node, conditionals) in enumerate(zip(self.hierarchy_, self.conditionals_, strict=True)):
            rows = reached.pop(number)
            positive = _child_scores(node, conditionals, X[rows]) > 0
            for place, (child, link) in enumerate(zip(node.children, node.links, strict=True)):
                if link == LEAF:
                    labels[rows, child[0]] = positive[:, place]
                else:
                    reached[link] = rows[positive[:, place]]
        return labels

    def _marginals(self, X: Any) -> Floats:
        """Return the product of the probabilities along the path from the root to each label."""
        marginals = np.zeros((X.shape[0], self.n_labels_))
        above = {0: np.ones(X.shape[0])}
        for number, (node, conditionals) in enumerate(zip(self.hierarchy_, self.conditionals_, strict=True)):
            path = above.pop(number)
            chances = path[:, None] * expit(_child_scores(node, conditionals, X))
            for place, (child, link) in enumerate(zip(node.children, node.links, strict=True)):
                if link == LEAF:
                    marginals[:, child[0]] = chances[:, place]
                else:
                    above[link] = chances[:, place]
        return marginals


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


@dataclass(frozen=True, eq=False)
class HierarchyNode:
    """An inner node.

    Parameters
    ----------
    labels : ndarray of int
        The labels of the node.
    children : tuple of ndarray of int
        The labels of each child; together those of the node.
    links : tuple of int
        The number of each child's own node, `LEAF` where it is a single label.
    """

    labels: Ints
    children: tuple[Ints, ...]
    links: tuple[int, ...]

    def meta_labels(self, Y: Labels) -> Labels:
        """Return for every row and child whether the row has a label of the child, (n_samples, n_children)."""
        return np.column_stack([Y[:, child].any(axis=1) for child in self.children]).astype(np.uint8)


def label_hierarchy_of(
    Y: Labels, sample_weight: Any, n_clusters: int, draws: np.random.Generator
) -> list[HierarchyNode]:
    """Return the nodes of the tree, the root first, every node before its children.

    A node with at most `n_clusters` labels has single labels as children; so has the root where `n_clusters` is 1.

    Examples
    --------
    >>> nodes = label_hierarchy_of(np.eye(5, dtype=np.uint8), None, 2, np.random.default_rng(0))
    >>> nodes[0].labels.tolist(), sorted(len(child) for child in nodes[0].children)
    ([0, 1, 2, 3, 4], [2, 3])
    """
    shared = _shared_rows(Y, sample_weight)
    waiting, nodes, n_planned = deque([np.arange(Y.shape[1])]), [], 1
    while waiting:
        labels = waiting.popleft()
        children = _children(labels, shared, n_clusters, draws)
        links = []
        for child in children:
            links.append(n_planned if len(child) > 1 else LEAF)
            if len(child) > 1:
                waiting.append(child)
                n_planned += 1
        nodes.append(HierarchyNode(labels, children, tuple(links)))
    return nodes


def _shared_rows(Y: Labels, sample_weight: Any) -> npt.NDArray[np.float64]:
    columns = sparse.csr_array(Y, dtype=np.float64)
    weighted = columns if sample_weight is None else columns.multiply(np.asarray(sample_weight)[:, None]).tocsr()
    return np.asarray((columns.T @ weighted).toarray())


def _children(
    labels: Ints, shared: npt.NDArray[np.float64], n_clusters: int, draws: np.random.Generator
) -> tuple[Ints, ...]:
    if len(labels) <= n_clusters or n_clusters == 1:
        return tuple(labels[[place]] for place in range(len(labels)))
    # Rows without a label of the node have zeros in all its columns, and would add nothing to any distance.
    clusters = balanced_clusters(shared[np.ix_(labels, labels)], n_clusters, draws)
    return tuple(labels[clusters == cluster] for cluster in np.unique(clusters))


def _fitted_node(learner: Learner, node: HierarchyNode, X: Any, Y: Labels, weights: Any) -> Conditionals | None:
    """Train a node on the rows that have one of its labels, the root on all rows."""
    if len(node.labels) == Y.shape[1]:
        return learner.fit(X, node.meta_labels(Y), sample_weight=weights)
    rows = np.flatnonzero(Y[:, node.labels].any(axis=1))
    if len(rows) == 0:
        return None
    taken = None if weights is None else weights[rows]
    return learner.fit(X[rows], node.meta_labels(Y[rows]), sample_weight=taken)


def _child_scores(node: HierarchyNode, conditionals: Conditionals | None, X: Any) -> Floats:
    """Return the log-odds (or margins) of the children's meta-labels; 0 where the node has learned nothing."""
    if conditionals is None or X.shape[0] == 0:
        return np.zeros((X.shape[0], len(node.children)))
    return conditionals.base_scores(X)
