"""`LabelTreeClassifier`: a probabilistic label tree, for labels by the ten thousand [PLT]."""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from plait.core.arrays import Labels
from plait.core.checks import Constraint, InstanceOf, Interval, Nothing, RandomState, check_parameters, check_value
from plait.core.named_answers import TopLabels, row_frame
from plait.core.parallel import JOBS_RULES, Parallel, delayed, with_own_jobs
from plait.core.progress_bar import shows_progress
from plait.core.randomness import seeds
from plait.inference import Inference
from plait.joint import HierarchyJoint
from plait.learners import Learner
from plait.learners.hierarchy_conditionals import fit_hierarchy
from plait.learners.learner_words import LEARNER_RULES, as_learner
from plait.losses import Loss
from plait.posterior import JointModel
from plait.structure import LabelHierarchy

__all__ = ["LabelTreeClassifier"]

# Rows that one thread answers at a time.
_BLOCK = 1 << 13


class LabelTreeClassifier(JointModel):
    """Labels at the leaves of a tree of groups; every node is learned from the rows of its parent only [PLT].

    With q labels in groups of g a fit costs as much as q / g + c g binary ones for rows of c labels, instead of q, and
    the most probable labels of a row are found by best-first search, which is exact and visits a few groups only.
    `joint(X)` answers as that of every joint model: the tree is a distribution over label sets.

    Parameters
    ----------
    arity : int, default=100
        Most groups below a node.
    max_leaves : int, default=100
        Most labels of a group that is not divided; with no more labels than that, this is binary relevance.
    learner : Learner or str, default="logistic"
        How nodes are trained: a learner of plait's whose scores are linear and give probabilities. With
        `LogisticLearner(sparsify=0.05)` a model of many labels takes a small part of the memory.
    inference : Inference or str, default="auto"
        How questions are answered.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of.
    random_state : int, RandomState, Generator or None
        Seed of groups and draws. Fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over nodes in `fit` and over blocks of rows when predicting; the answer is the same for any number.

    Attributes
    ----------
    hierarchy_ : LabelHierarchy
        Groups and labels.
    conditionals_ : HierarchyConditionals
        Coefficients of all nodes, a CSR matrix `weights`, and `intercept_`.
    joint_ : HierarchyJoint
        P(y | x), waiting for X.
    label_names_, n_labels_, n_features_in_, classes_
        As of every classifier.

    References
    ----------
    [PLT] Jasinska, Dembczynski, Busa-Fekete, Pfannschmidt, Klerx and Huellermeier: Extreme F-measure maximization using
    sparse probability estimates, 2016.

    Examples
    --------
    >>> from plait.data.synthetic import make_tagged_text
    >>> data = make_tagged_text(500, 300, 40, random_state=0)
    >>> model = LabelTreeClassifier(max_leaves=10, random_state=0).fit(data.X, data.Y)
    >>> model.hierarchy_
    LabelHierarchy(40 labels, 4 groups, 2 levels)
    >>> model.top_labels(data.X[:2], 3).names.shape
    (2, 3)
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "arity": (Interval(int, 2, None),),
        "max_leaves": (Interval(int, 1, None),),
        "learner": LEARNER_RULES,
        "inference": (InstanceOf((Inference, str)), Nothing()),
        "loss": (InstanceOf((Loss, str)),),
        "random_state": (RandomState(), Nothing()),
        "n_jobs": JOBS_RULES,
    }
    part_makers: ClassVar[dict[str, Any]] = {**JointModel.part_makers, "learner": as_learner}
    joint_: HierarchyJoint

    def __init__(
        self,
        arity: int = 100,
        max_leaves: int = 100,
        learner: Any = "logistic",
        inference: Any = "auto",
        loss: Any = "subset",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.arity = arity
        self.max_leaves = max_leaves
        self.learner = learner
        self.inference = inference
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs

    @shows_progress("fitting")
    @with_own_jobs
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "LabelTreeClassifier":
        """Group the labels and train all nodes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or Dataset
            Features; a data set brings its labels with it.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows; rows that weigh nothing do not group labels either.

        Returns
        -------
        self
        """
        check_parameters(self)
        rows = self._checked_rows(X, y, sample_weight)
        self._learn(*rows)
        self._find_thresholds(*rows)
        return self

    def _learn(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        tree_seed, self._seed = seeds(self.random_state, 2)
        learner: Learner = self.part("learner")
        learner.check()
        if sample_weight is not None and not sample_weight.all():
            used = np.flatnonzero(sample_weight) if sample_weight.any() else np.arange(1)
            X, Y, sample_weight = X[used], Y[used], sample_weight[used]
        sizes = {"arity": self.arity, "max_leaves": self.max_leaves}
        self.hierarchy_ = LabelHierarchy.clustered(X, Y, **sizes, random_state=tree_seed)
        how = {"sample_weight": sample_weight, "n_jobs": self.n_jobs}
        self.conditionals_ = fit_hierarchy(learner, X, Y, self.hierarchy_, **how)
        self.joint_ = HierarchyJoint(self.conditionals_)

    def _takes_sparse_labels(self) -> bool:
        return not self._thresholded()

    def top_labels(self, X: Any, k: int = 5) -> TopLabels:
        """Return the most probable labels of every row, by name and with their probabilities, by best-first search.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        k : int, default=5
            How many; all labels where there are fewer.

        Returns
        -------
        top : TopLabels
            Unpacks into `names` and `probabilities` of shape (n_samples, k); `to_frame()` is a table of them.
        """
        if self._one_column:
            return super().top_labels(X, k)
        check_value("top_labels", "k", k, (Interval(int, 1, None),))
        rows, X = row_frame(X), self._rows(X)
        X = sparse.csr_matrix(X) if sparse.issparse(X) else X
        starts = range(0, max(1, X.shape[0]), _BLOCK)
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self.joint_.likeliest)(X[start : start + _BLOCK], k) for start in starts
        )
        labels, logs = (np.concatenate([part[which] for part in found]) for which in (0, 1))
        return TopLabels(np.array(self.label_names_, dtype=object)[labels], np.exp(logs), rows)
