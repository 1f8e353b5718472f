"""Random polytrees and forests: graphs without cycles even when directions are ignored."""

import numpy as np

from plait.structure import LabelGraph

__all__ = ["random_forest_graph", "random_polytree"]


def random_polytree(
    n_labels: int, draws: np.random.Generator, joined: float = 0.9, most_parents: int = 3, reach: int = 50
) -> LabelGraph:
    """Return a random polytree with several components and labels of up to `most_parents` parents.

    Labels come in a random order; each is joined with probability `joined` to one of the `reach` labels before it, in
    a random direction as long as nobody gets more than `most_parents` parents.

    Parameters
    ----------
    n_labels : int
        How many.
    draws : Generator
        Where numbers come from.
    joined : float, default=0.9
        How probable a label is joined to one before it.
    most_parents : int, default=3
        Of a label.
    reach : int, default=50
        How far before it.

    Returns
    -------
    LabelGraph

    Examples
    --------
    >>> random_polytree(30, np.random.default_rng(0)).is_polytree
    True
    """
    parents: list[list[int]] = [[] for _ in range(n_labels)]
    names = [int(label) for label in draws.permutation(n_labels)]
    for place in range(1, n_labels):
        if draws.random() < joined:
            label, other = names[place], names[int(draws.integers(max(0, place - reach), place))]
            down = draws.random() < 0.5 or len(parents[other]) >= most_parents
            (parents[label] if down else parents[other]).append(other if down else label)
    return LabelGraph(parents)


def random_forest_graph(n_labels: int, draws: np.random.Generator, joined: float = 0.9) -> LabelGraph:
    """Return a random forest: every label has at most one parent.

    Parameters
    ----------
    n_labels : int
        How many.
    draws : Generator
        Where numbers come from.
    joined : float, default=0.9
        How probable a label has a parent.

    Returns
    -------
    LabelGraph

    Examples
    --------
    >>> random_forest_graph(30, np.random.default_rng(0)).is_forest
    True
    """
    parents: list[list[int]] = [[] for _ in range(n_labels)]
    names = [int(label) for label in draws.permutation(n_labels)]
    for place in range(1, n_labels):
        if draws.random() < joined:
            parents[names[place]].append(names[int(draws.integers(0, place))])
    return LabelGraph(parents)
