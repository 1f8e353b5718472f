"""`HierarchyConditionals`: a linear score for every node of a hierarchy, each learned from its parent's rows alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import Parallel, delayed, one_blas_thread
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError
from plait.learners.learner import Learner
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph, LabelHierarchy

__all__ = ["HierarchyConditionals", "fit_hierarchy"]

_kernels = lazy_module("plait.learners._score_kernels")
# Weights from which on scores are made by kernels; both ways give the same bits.
_WEIGHTS = 1 << 17


@dataclass(frozen=True, eq=False)
class HierarchyConditionals:
    """The log-odds of node v, where its parent is 1, are `x @ weights[:, v] + intercept_[v]`.

    Parameters
    ----------
    hierarchy : LabelHierarchy
        Groups and labels.
    weights : CSR matrix of float32, shape (n_features, n_nodes)
        Coefficients by feature; what is not stored is zero.
    intercept_ : ndarray of float64, shape (n_nodes,)
        Intercepts.

    Examples
    --------
    >>> from plait.learners import LogisticLearner
    >>> X, Y = np.eye(4), np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> tree = LabelHierarchy(np.array([-1, -1, 0, 0, 1]), np.array([-1, -1, 0, 1, 2]))
    >>> fitted = fit_hierarchy(LogisticLearner(), X, Y, tree)
    >>> fitted.node_scores(X).shape  # two groups, three labels
    (4, 5)
    """

    hierarchy: LabelHierarchy
    weights: Any
    intercept_: Floats

    def __getstate__(self) -> dict[str, Any]:
        # Plain arrays: files pack a sparse matrix by itself first, which takes a minute for a hundred million weights.
        parts = {name: getattr(self.weights, name) for name in ("data", "indices", "indptr")}
        return {"hierarchy": self.hierarchy, "intercept_": self.intercept_, "shape": self.weights.shape, **parts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        weights = sparse.csr_matrix((state["data"], state["indices"], state["indptr"]), shape=tuple(state["shape"]))
        for name, value in (
            ("hierarchy", state["hierarchy"]),
            ("intercept_", state["intercept_"]),
            ("weights", weights),
        ):
            object.__setattr__(self, name, value)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.hierarchy.n_labels

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self.weights.shape[0])

    @property
    def compiled(self) -> bool:
        """Whether there are so many weights that kernels pay."""
        return kernels_pay(self.weights.nnz, _WEIGHTS)

    def node_scores(self, X: Any) -> Floats:
        """Return the scores of all nodes, (n_samples, n_nodes).

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        if not self.compiled:
            products = sparse.csr_matrix(X, dtype=np.float64) @ self.weights
            return np.asarray(products.toarray() + self.intercept_)
        X, W = sparse.csr_matrix(X), self.weights
        scores = np.empty((X.shape[0], W.shape[1]))
        _kernels.fill_sparse_scores(X.indptr, X.indices, X.data, W.indptr, W.indices, W.data, self.intercept_, scores)
        return scores


def fit_hierarchy(
    learner: Learner,
    X: Any,
    Y: Any,
    hierarchy: LabelHierarchy,
    *,
    sample_weight: Floats | None = None,
    n_jobs: int | None = None,
) -> HierarchyConditionals:
    """Train all nodes: the children of a node together, on the rows in which it is 1.

    Parameters
    ----------
    learner : Learner
        One whose conditionals are linear and give probabilities.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features, checked.
    Y : ndarray or sparse matrix of shape (n_samples, n_labels)
        0/1 labels, checked.
    hierarchy : LabelHierarchy
        Groups and labels.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of rows.
    n_jobs : int, optional
        Threads over nodes; the result is the same for any number.
    """
    X = sparse.csr_matrix(X) if sparse.issparse(X) else np.ascontiguousarray(X)
    values = hierarchy.values(Y)
    by_node = values.tocsc()

    def trained(node: int) -> tuple[Any, Floats]:
        rows = np.arange(X.shape[0]) if node < 0 else by_node.indices[by_node.indptr[node] : by_node.indptr[node + 1]]
        weights = None if sample_weight is None else sample_weight[rows]
        return _children(learner, X, values, hierarchy.children(node), rows, weights)

    with one_blas_thread():
        # All rows belong to the root: there threads share the labels, below it the nodes.
        found = [trained(-1)]
        tasks: Iterator[Any] = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
            delayed(trained)(int(node)) for node in hierarchy.inner[1:]
        )
        found += list(progress(tasks, "nodes of the label tree", len(hierarchy.inner) - 1))
    weights = sparse.vstack([coef for coef, _ in found], format="csr").T.tocsr()
    weights.sort_indices()
    return HierarchyConditionals(hierarchy, weights, np.concatenate([intercept for _, intercept in found]))


def _children(
    learner: Learner, X: Any, values: Any, children: slice, rows: Ints, weights: Floats | None
) -> tuple[Any, Floats]:
    """Return the coefficients of the children of one node as a CSR matrix, and their intercepts."""
    n_features, Y = X.shape[1], values[rows][:, children]
    own, used = X[rows], np.arange(n_features)
    if sparse.issparse(own):
        # Words that none of the rows has get no weight: they are left out of what is solved.
        used = np.unique(own.indices)
        own = own[:, used]
    Y = Y if learner.takes_sparse_labels else Y.toarray()
    graph = LabelGraph([[]] * (children.stop - children.start))
    fitted = learner.fit_checked(Problem(own, Y, graph, None, weights))
    if not isinstance(fitted, LinearConditionals) or not fitted.probabilistic:
        raise ParameterError(
            f"fit_hierarchy needs a learner with linear log-odds, but it is {type(learner).__name__}. "
            "Use LogisticLearner()."
        )
    own = sparse.coo_matrix(fitted.coef_)
    shape = (own.shape[0], n_features)
    return sparse.csr_matrix((own.data.astype(np.float32), (own.row, used[own.col])), shape=shape), fitted.intercept_
