"""Labels drawn from a Bayesian network whose conditionals are logistic in x and in the parents: a known P(Y | x).

P(y_k = 1 | x, y_parents) = sigmoid(intercept_k + coef_k . x + sum over parents j of parent_coef_kj y_j)

Label sets are counted in lexicographic order: label 0 is the first digit, and 0 comes before 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Labels
from plait.core.checks import Interval, RandomState, check_value
from plait.core.logspace import log_sigmoid
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, complaint, shown
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["LabelNetwork", "make_label_network"]

Parents = tuple[tuple[int, ...], ...]

SHAPES = ("independent", "chain", "tree", "polytree", "full")


_MOST_LABELS = 12  # that are enumerated
_NUMBERS_AT_ONCE = 1 << 22  # of the table rows x label sets


@dataclass(frozen=True, eq=False)
class LabelNetwork:
    """A data set and the distribution its labels were drawn from.

    Attributes
    ----------
    dataset : Dataset
        Normal features, and one label set drawn for each row.
    parents : tuple of tuples of int
        The labels that each label depends on.
    order : tuple of int
        All labels, parents before children.
    coef : ndarray of shape (n_labels, n_features)
        Weights of the features.
    parent_coef : ndarray of shape (n_labels, n_labels)
        Entry (k, j) is the weight of label j for label k; 0 where j is no parent of k.
    intercept : ndarray of shape (n_labels,)
        Constant terms.

    Examples
    --------
    >>> from plait.data.synthetic import make_label_network
    >>> network = make_label_network(100, 2, 3, structure="chain", random_state=0)
    >>> network.parents, network.marginals(network.dataset.X[:1]).round(2)
    (((), (0,), (1,)), array([[0.31, 0.18, 0.54]]))
    """

    dataset: Dataset
    parents: Parents
    order: tuple[int, ...]
    coef: Floats
    parent_coef: Floats
    intercept: Floats

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.parents)

    def log_prob(self, X: Any, Y: Any) -> Floats:
        """Return log P(Y | x) of one label set a row, shape (n_samples,).

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        Y : array or sparse matrix of shape (n_samples, n_labels)
            One label set a row.
        """
        scores = self._feature_scores(X)
        labels = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
        if labels.shape != scores.shape:
            raise DataError(
                f"LabelNetwork.log_prob needs Y to have shape {scores.shape}, but it has {labels.shape}. "
                "Pass one label set a row of X."
            )
        scores = scores + labels @ self.parent_coef.T
        return log_sigmoid(np.where(labels == 1, scores, -scores)).sum(axis=1)

    def probabilities(self, X: Any) -> Floats:
        """Return P of all 2 ** n_labels label sets for every row, in lexicographic order; at most 12 labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        scores, sets = self._feature_scores(X), self._label_sets()
        return np.exp(self._log_table(scores, sets))

    def marginals(self, X: Any) -> Floats:
        """Return P(y_k = 1 | x), shape (n_samples, n_labels); at most 12 labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        scores, sets = self._feature_scores(X), self._label_sets()
        parts = [np.exp(self._log_table(part, sets)) @ sets for part in self._parts(scores)]
        return np.concatenate(parts)

    def mode(self, X: Any) -> Labels:
        """Return the most probable label set of every row, of several the first; at most 12 labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        scores, sets = self._feature_scores(X), self._label_sets()
        best = [self._log_table(part, sets).argmax(axis=1) for part in self._parts(scores)]
        return sets[np.concatenate(best)]

    def sample(self, X: Any, random_state: Any = None) -> Labels:
        """Draw one label set for every row, label by label along `order`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        random_state : int, RandomState, Generator or None
            Seed.
        """
        check_value("LabelNetwork.sample", "random_state", random_state, (RandomState(),))
        return _drawn(self._feature_scores(X), self.parent_coef, self.order, generator(random_state))

    def _feature_scores(self, X: Any) -> Floats:
        matrix = X if sparse.issparse(X) else np.asarray(X)
        if matrix.ndim != 2 or matrix.shape[1] != self.coef.shape[1]:
            raise DataError(
                f"LabelNetwork needs X to have shape (n_samples, {self.coef.shape[1]}), but it has {matrix.shape}. "
                "Pass rows like those of `dataset`."
            )
        return np.asarray(matrix @ self.coef.T) + self.intercept

    def _label_sets(self) -> Labels:
        if self.n_labels > _MOST_LABELS:
            raise ParameterError(
                f"LabelNetwork lists all label sets only for at most {_MOST_LABELS} labels, but there are "
                f"{self.n_labels}. Use log_prob and sample."
            )
        digits = np.arange(self.n_labels)[::-1]
        return ((np.arange(1 << self.n_labels)[:, None] >> digits) & 1).astype(np.uint8)

    def _log_table(self, scores: Floats, sets: Labels) -> Floats:
        """Return log P of every label set for every row of scores, one label at a time to save memory."""
        table = np.zeros((len(scores), len(sets)))
        from_parents = sets @ self.parent_coef.T
        for k in range(self.n_labels):
            # Few sums over parents differ, so few logarithms are needed: first of y_k = 0, then of y_k = 1.
            sums, which = np.unique(from_parents[:, k], return_inverse=True)
            total = scores[:, k, None] + sums
            logs = np.hstack((log_sigmoid(-total), log_sigmoid(total)))
            table += logs[:, which + len(sums) * sets[:, k].astype(np.int64)]
        return table

    def _parts(self, scores: Floats) -> list[Floats]:
        n_parts = -(-len(scores) * (1 << self.n_labels) // _NUMBERS_AT_ONCE)
        return np.array_split(scores, max(n_parts, 1))


def make_label_network(
    n_samples: int,
    n_features: int,
    n_labels: int,
    *,
    structure: str | Sequence[Sequence[int]] = "chain",
    strength: float = 2.0,
    random_state: Any = None,
) -> LabelNetwork:
    """Make a random network over labels, and draw data from it.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        Sizes.
    structure : {"independent", "chain", "tree", "polytree", "full"} or list of lists, default="chain"
        Which labels a label depends on, or the parents of each label.
    strength : float, default=2.0
        How strongly labels depend on their parents: the length of a label's vector of parent weights. With 0 the
        labels are independent given x.
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same network and data every time.

    Returns
    -------
    LabelNetwork

    Examples
    --------
    >>> from plait.data.synthetic import make_label_network
    >>> network = make_label_network(100, 3, 4, structure="chain", random_state=0)
    >>> network.parents
    ((), (0,), (1,), (2,))
    >>> network.probabilities(network.dataset.X[:2]).sum(axis=1).round(12).tolist()
    [1.0, 1.0]
    """
    owner = "make_label_network"
    check_sizes(owner, random_state, n_samples=n_samples, n_features=n_features, n_labels=n_labels)
    check_value(owner, "strength", strength, (Interval(float, 0, 1e6),))
    random = generator(random_state)
    parents = parents_of(owner, structure, n_labels, random)
    order = topological_order(owner, parents)
    coef = random.normal(size=(n_labels, n_features)) / np.sqrt(n_features)
    parent_coef = _parent_coef(parents, strength, random)
    # Parents push up and down by the same amount about one half, so that no label becomes rare far down the network.
    intercept = random.normal(scale=0.5, size=n_labels) - parent_coef.sum(axis=1) / 2
    X = random.normal(size=(n_samples, n_features))
    Y = _drawn(X @ coef.T + intercept, parent_coef, order, random)
    name = f"label network, {structure if isinstance(structure, str) else 'given'}"
    return LabelNetwork(Dataset(X, Y, name=name), parents, order, coef, parent_coef, intercept)


def _parent_coef(parents: Parents, strength: float, random: np.random.Generator) -> Floats:
    matrix = np.zeros((len(parents), len(parents)))
    for k, of_label in enumerate(parents):
        size = random.uniform(0.5, 1.0, len(of_label)) * random.choice([-1.0, 1.0], len(of_label))
        matrix[k, list(of_label)] = strength * size / np.linalg.norm(size) if of_label else size
    return matrix


def _drawn(scores: Floats, parent_coef: Floats, order: Sequence[int], random: np.random.Generator) -> Labels:
    labels = np.zeros(scores.shape, dtype=np.uint8)
    # A logistic draw above -t has probability sigmoid(t). All draws come before the labels, in label order.
    draws = random.logistic(size=scores.shape)
    for k in order:
        labels[:, k] = scores[:, k] + labels @ parent_coef[k] + draws[:, k] > 0
    return labels


def parents_of(owner: str, structure: Any, n_labels: int, random: np.random.Generator) -> Parents:
    """Return the parents of every label, from a shape's name or as they are given.

    In a tree every label but the first has one parent among the labels before it. A polytree is such a tree with
    every edge turned by chance, so that a label may have several parents, never joined by a second path.
    """
    if not isinstance(structure, str):
        return _given(owner, structure, n_labels)
    labels = range(n_labels)
    if structure == "independent":
        return tuple(() for _ in labels)
    if structure == "chain":
        return tuple((k - 1,) if k else () for k in labels)
    if structure == "full":
        return tuple(tuple(range(k)) for k in labels)
    if structure in ("tree", "polytree"):
        edges = [(int(random.integers(k)), k) for k in range(1, n_labels)]
        if structure == "polytree":
            edges = [edge[::-1] if random.random() < 0.5 else edge for edge in edges]
        return tuple(tuple(sorted(parent for parent, child in edges if child == k)) for k in labels)
    must = ", ".join(repr(shape) for shape in SHAPES) + " or a list of parents for each label"
    raise ParameterError(complaint(owner, "structure", must, structure))


def topological_order(owner: str, parents: Parents) -> tuple[int, ...]:
    """Return the labels so that parents come before children, the smallest possible label first."""
    order: list[int] = []
    waiting = set(range(len(parents)))
    while waiting:
        ready = [k for k in waiting if not waiting.intersection(parents[k])]
        if not ready:
            raise ParameterError(
                f"{owner} needs structure to be acyclic, but labels {shown(sorted(waiting))} wait for each other. "
                "Remove one edge among them."
            )
        order.append(min(ready))
        waiting.remove(order[-1])
    return tuple(order)


def _given(owner: str, structure: Sequence[Sequence[int]], n_labels: int) -> Parents:
    try:
        parents = tuple(tuple(int(parent) for parent in of_label) for of_label in structure)
    except (TypeError, ValueError):
        raise ParameterError(complaint(owner, "structure", "a list of parents for each label", structure)) from None
    good = len(parents) == n_labels and all(
        len(set(of_label)) == len(of_label) and all(0 <= parent < n_labels and parent != k for parent in of_label)
        for k, of_label in enumerate(parents)
    )
    if not good:
        must = f"a list of {n_labels} lists of other labels, each from 0 to {n_labels - 1} and named once"
        raise ParameterError(complaint(owner, "structure", must, structure))
    return parents
