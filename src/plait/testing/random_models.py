"""Random graphs, distributions and evidence, and all probabilities of a distribution written out."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.joint import GraphDistribution, LabelDistribution, LinearDistribution, MixtureDistribution
from plait.joint.distribution import Evidence
from plait.structure import LabelGraph
from plait.testing.table_distribution import TableDistribution

__all__ = ["enumerated", "random_evidence", "random_graph", "random_linear", "random_mixture", "random_tables"]


def random_graph(n_labels: int, draws: np.random.Generator, density: float = 0.6) -> LabelGraph:
    """Return a graph in a random order where each earlier label is a parent with probability `density`.

    Parameters
    ----------
    n_labels : int
        How many.
    draws : Generator
        Where numbers come from.
    density : float, default=0.6
        How probable an edge is.

    Returns
    -------
    LabelGraph

    Examples
    --------
    >>> import numpy as np
    >>> random_graph(3, np.random.default_rng(0)).parents
    ((2,), (), ())
    """
    order = draws.permutation(n_labels)
    parents: list[list[int]] = [[] for _ in range(n_labels)]
    for place, label in enumerate(order):
        parents[label] = [int(j) for j in draws.permutation(order[:place]) if draws.random() < density]
    return LabelGraph(parents, order.tolist())


def random_linear(
    graph: LabelGraph, n_rows: int, draws: np.random.Generator, scale: float = 1.5, probabilistic: bool = True
) -> LinearDistribution:
    """Return a linear distribution with normal base scores and parent coefficients.

    Parameters
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    n_rows : int
        How many.
    draws : Generator
        Where numbers come from.
    scale : float, default=1.5
        Standard deviation of scores and coefficients.
    probabilistic : bool, default=True
        Whether scores are log-odds.

    Returns
    -------
    LinearDistribution

    Examples
    --------
    >>> import numpy as np
    >>> from plait.structure import LabelGraph
    >>> random_linear(LabelGraph([[], [0]]), 3, np.random.default_rng(0)).base.shape
    (3, 2)
    """
    coef = np.zeros((graph.n_labels, graph.n_labels))
    for label, parents in enumerate(graph.parents):
        coef[label, list(parents)] = scale * draws.normal(size=len(parents))
    base = scale * draws.normal(size=(n_rows, graph.n_labels))
    return LinearDistribution(graph, base, coef, probabilistic=probabilistic)


def random_tables(
    graph: LabelGraph, n_rows: int, draws: np.random.Generator, scale: float = 1.5, probabilistic: bool = True
) -> TableDistribution:
    """Return a distribution with a normal score for every setting of every label's parents.

    Parameters
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    n_rows : int
        How many.
    draws : Generator
        Where numbers come from.
    scale : float, default=1.5
        Standard deviation of scores.
    probabilistic : bool, default=True
        Whether scores are log-odds.

    Returns
    -------
    TableDistribution

    Examples
    --------
    >>> import numpy as np
    >>> from plait.structure import LabelGraph
    >>> random_tables(LabelGraph([[], [0]]), 3, np.random.default_rng(0)).n_labels
    2
    """
    tables = [scale * draws.normal(size=(n_rows, 2 ** len(parents))) for parents in graph.parents]
    return TableDistribution(graph, tables, probabilistic=probabilistic)


def random_mixture(
    graphs: Sequence[LabelGraph], n_rows: int, draws: np.random.Generator, scale: float = 1.5
) -> MixtureDistribution:
    """Return a mixture with a component for each graph, linear ones and tables by turns, and random weights.

    Parameters
    ----------
    graphs : sequence of LabelGraph
        One for each component.
    n_rows : int
        How many.
    draws : Generator
        Where numbers come from.
    scale : float, default=1.5
        Standard deviation of scores and coefficients.

    Returns
    -------
    MixtureDistribution

    Examples
    --------
    >>> import numpy as np
    >>> from plait.structure import LabelGraph
    >>> random_mixture([LabelGraph([[], [0]]), LabelGraph([[1], []])], 3, np.random.default_rng(0)).n_labels
    2
    """
    parts = [
        random_tables(graph, n_rows, draws, scale) if c % 2 else random_linear(graph, n_rows, draws, scale)
        for c, graph in enumerate(graphs)
    ]
    return MixtureDistribution(np.log(draws.dirichlet(np.ones(len(parts)))), parts)


def random_evidence(shape: tuple[int, int], draws: np.random.Generator, share: float = 0.3) -> Evidence:
    """Return evidence where each label is known with probability `share`.

    Parameters
    ----------
    shape : (int, int)
        Rows and labels.
    draws : Generator
        Where numbers come from.
    share : float, default=0.3
        How many labels are known.

    Returns
    -------
    ndarray of int8

    Examples
    --------
    >>> import numpy as np
    >>> random_evidence((2, 4), np.random.default_rng(0))
    array([[-1,  1,  1,  1],
           [-1, -1, -1, -1]], dtype=int8)
    """
    return np.where(draws.random(shape) < share, draws.integers(0, 2, shape), -1).astype(np.int8)


def enumerated(distribution: LabelDistribution) -> tuple[Labels, Floats]:
    """Return all label vectors (2 ** n_labels, n_labels) and P(y | x) (n_rows, 2 ** n_labels), 0 against evidence.

    Written out label by label from the scores, for a mixture component by component: the oracle of everything that is
    cleverer.

    Parameters
    ----------
    distribution : GraphDistribution or MixtureDistribution
        At most about 15 labels.

    Returns
    -------
    (ndarray of uint8, ndarray of float64)

    Examples
    --------
    >>> import numpy as np
    >>> from plait.structure import LabelGraph
    >>> from plait.testing import random_linear
    >>> sets, probabilities = enumerated(random_linear(LabelGraph([[], [0]]), 1, np.random.default_rng(0)))
    >>> sets.tolist(), probabilities.sum().round(6)
    ([[0, 0], [0, 1], [1, 0], [1, 1]], np.float64(1.0))
    """
    if isinstance(distribution, MixtureDistribution):
        parts = [enumerated(part) for part in distribution.components]
        weights = np.exp(distribution.log_weights)
        return parts[0][0], sum(weight * part[1] for weight, part in zip(weights, parts, strict=True))
    assert isinstance(distribution, GraphDistribution)
    return _written_out(distribution)


def _written_out(distribution: GraphDistribution) -> tuple[Labels, Floats]:
    vectors = np.array(list(product((0, 1), repeat=distribution.n_labels)), dtype=np.uint8)
    probabilities = np.ones((distribution.n_rows, len(vectors)))
    for row in range(distribution.n_rows):
        rows = np.full(len(vectors), row)
        for label, parents in enumerate(distribution.graph.parents):
            one = 1.0 / (1.0 + np.exp(-distribution.scores(label, rows, vectors[:, list(parents)])))
            probabilities[row] *= np.where(vectors[:, label] == 1, one, 1.0 - one)
        if distribution.evidence is not None:
            known = distribution.evidence[row]
            probabilities[row, ((known >= 0) & (known != vectors)).any(axis=1)] = 0.0
    return vectors, probabilities
