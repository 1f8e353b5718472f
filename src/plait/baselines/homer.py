"""`HOMER`: a hierarchy of small multi-label problems over clusters of labels [Tsoumakas2008]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from plait.baselines.binary_learners import (
    LEARNER_RULE,
    binary_learner,
    checked_weights,
    gives_probabilities,
    label_scores,
)
from plait.baselines.label_hierarchy import LEAF, HierarchyNode, label_hierarchy_of
from plait.baselines.meta_classifier import JOBS_RULE, MetaClassifier, seeded_members
from plait.baselines.scaling import divided_columns, in_units_of_columns, unscaled_learner
from plait.core.arrays import Floats, Labels
from plait.core.checks import Interval, RandomState, check_parameters
from plait.core.progress_bar import progress
from plait.core.randomness import generators
from plait.learners import Conditionals, Learner

__all__ = ["HOMER"]


def _gives_probabilities(model: "HOMER") -> bool:
    return model._probabilistic()


class HOMER(MetaClassifier):
    """A tree that parts the labels into clusters of labels that occur together, with a small problem in every node.

    Every node parts its labels among at most `n_clusters` children, by balanced k-means of their columns; the
    meta-label of a child is whether a row has any label of it. A node learns the meta-labels of its children as binary
    relevance, from the rows that have a label of the node. Prediction goes down from the root, into positive children
    only [Tsoumakas2008].

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
    Rows without any label train nothing, as in the paper; only where all rows are such, and for a single label, all
    rows train the root. Columns are scaled once, over the rows of the root. Balanced k-means starts from random labels
    and runs 10 rounds at most.

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
        "n_jobs": JOBS_RULE,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "HOMER":
        """Cluster the labels and train every node.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows, where the estimator takes them.

        Returns
        -------
        self
        """
        check_parameters(self)
        X, Y, weights = self._weighing_data(X, y, sample_weight)
        learner = binary_learner(self.estimator)
        checked_weights(type(self).__name__, learner, weights)
        cluster_draws, seed_draws = generators(self.random_state, 2)
        self.hierarchy_ = label_hierarchy_of(Y, weights, self.n_clusters, cluster_draws)
        X, Y, weights = _root_rows(X, Y, weights)
        learner, scales = unscaled_learner(learner, X, weights)
        fitted = self._fitted(learner, divided_columns(X, scales), Y, weights, seed_draws)
        self.conditionals_ = [in_units_of_columns(each, scales) for each in fitted]
        return self

    def _fitted(
        self, learner: Learner, X: Any, Y: Labels, weights: Any, draws: np.random.Generator
    ) -> list[Conditionals | None]:
        members = seeded_members(learner, len(self.hierarchy_), draws)
        tasks = progress(list(zip(members, self.hierarchy_, strict=True)), "HOMER, nodes")
        return list(
            Parallel(n_jobs=self.n_jobs)(delayed(_fitted_node)(member, node, X, Y, weights) for member, node in tasks)
        )

    def _probabilistic(self) -> bool:
        return gives_probabilities(binary_learner(self.estimator))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels that are reached by going down into positive children only.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
        """
        X = self._rows(X)
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
        return self._labels_out(labels)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return the product of the probabilities along the path from the root to each label.

        The chance of the label where each meta-label is taken as independent of x's other labels, given that its parent
        is positive. `predict` compares every factor with one half, not the product. Fitted on a single column in one
        dimension, one column for each class, as scikit-learn does.
        """
        X = self._rows(X)
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
        return self._probabilities_out(marginals)


def _root_rows(X: Any, Y: Labels, weights: Any) -> tuple[Any, Labels, Any]:
    """Return the rows with at least one label; all rows where there are none such, and for a single label."""
    rows = np.flatnonzero(Y.any(axis=1))
    if Y.shape[1] == 1 or len(rows) in (0, len(Y)):
        return X, Y, weights
    return X[rows], Y[rows], None if weights is None else weights[rows]


def _fitted_node(learner: Learner, node: HierarchyNode, X: Any, Y: Labels, weights: Any) -> Conditionals | None:
    """Train a node on the rows that have one of its labels; the root on all that are given."""
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
    return label_scores(conditionals, X)
