"""What a search along a chain asks of a distribution: an order, and scores of the next label for given prefixes."""

import numpy as np

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import log_sigmoid
from plait.core.sentences import ParameterError
from plait.inference.margins import refuse_margins
from plait.joint import GraphDistribution, LabelDistribution

__all__ = ["child_log_probs", "next_scores", "require_probabilities", "require_tree"]


def require_tree(owner: str, distribution: LabelDistribution) -> GraphDistribution:
    """Return the distribution if its labels can be decided one after the other, else raise."""
    if not isinstance(distribution, GraphDistribution):
        raise ParameterError(
            f"{owner} needs a distribution over a label graph, but it is a {type(distribution).__name__}, which has no "
            "order of labels to walk along. Use BestFirst() or Annealing() for a mixture, else MonteCarlo()."
        )
    return distribution


def require_probabilities(owner: str, distribution: LabelDistribution) -> GraphDistribution:
    """Return the distribution if its labels can be decided one after the other by probabilities, else raise."""
    refuse_margins(owner, distribution)
    return require_tree(owner, distribution)


def next_scores(tree: GraphDistribution, label: int, rows: Ints, vectors: Labels) -> Floats:
    """Return the scores of one label for prefixes: row numbers, and vectors (m, n_labels) filled up to the label.

    The only place where a search asks the distribution: one that depends on whole prefixes instead of parents would
    be asked here.
    """
    return tree.scores(label, rows, vectors[:, list(tree.graph.parents[label])])


def child_log_probs(tree: GraphDistribution, label: int, rows: Ints, scores: Floats) -> tuple[Floats, Floats]:
    """Return log P(label = 0) and log P(label = 1) for prefixes; -inf for a value that contradicts the evidence."""
    zero, one = log_sigmoid(-scores), log_sigmoid(scores)
    if tree.evidence is not None:
        known = tree.evidence[rows, label]
        zero[known == 1] = -np.inf
        one[known == 0] = -np.inf
    return zero, one
