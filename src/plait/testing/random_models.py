"""Random graphs, distributions and evidence, and all probabilities of a distribution written out."""

from itertools import product

import numpy as np

from plait.joint import GraphDistribution, LinearDistribution
from plait.joint.distribution import Evidence, Floats, Labels
from plait.structure import LabelGraph
from plait.testing.table_distribution import TableDistribution

__all__ = ["enumerated", "random_evidence", "random_graph", "random_linear", "random_tables"]


def random_graph(n_labels: int, draws: np.random.Generator, density: float = 0.6) -> LabelGraph:
    """Return a graph in a random order where each earlier label is a parent with probability `density`."""
    order = draws.permutation(n_labels)
    parents: list[list[int]] = [[] for _ in range(n_labels)]
    for place, label in enumerate(order):
        parents[label] = [int(j) for j in draws.permutation(order[:place]) if draws.random() < density]
    return LabelGraph(parents, order.tolist())


def random_linear(
    graph: LabelGraph, n_rows: int, draws: np.random.Generator, scale: float = 1.5, probabilistic: bool = True
) -> LinearDistribution:
    """Return a linear distribution with normal base scores and parent coefficients."""
    coef = np.zeros((graph.n_labels, graph.n_labels))
    for label, parents in enumerate(graph.parents):
        coef[label, list(parents)] = scale * draws.normal(size=len(parents))
    base = scale * draws.normal(size=(n_rows, graph.n_labels))
    return LinearDistribution(graph, base, coef, probabilistic=probabilistic)


def random_tables(
    graph: LabelGraph, n_rows: int, draws: np.random.Generator, scale: float = 1.5, probabilistic: bool = True
) -> TableDistribution:
    """Return a distribution with a normal score for every setting of every label's parents."""
    tables = [scale * draws.normal(size=(n_rows, 2 ** len(parents))) for parents in graph.parents]
    return TableDistribution(graph, tables, probabilistic=probabilistic)


def random_evidence(shape: tuple[int, int], draws: np.random.Generator, share: float = 0.3) -> Evidence:
    """Return evidence where each label is known with probability `share`."""
    return np.where(draws.random(shape) < share, draws.integers(0, 2, shape), -1).astype(np.int8)


def enumerated(distribution: GraphDistribution) -> tuple[Labels, Floats]:
    """Return all label vectors (2 ** n_labels, n_labels) and P(y | x) (n_rows, 2 ** n_labels), 0 against evidence.

    Written out label by label from the scores: the oracle of everything that is cleverer.
    """
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
