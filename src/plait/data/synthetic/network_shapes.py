"""Which labels a label depends on: named shapes, and the order in which a network can be drawn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.core.sentences import ParameterError, complaint, shown

__all__ = ["SHAPES", "Parents", "parents_of", "topological_order"]

Parents = tuple[tuple[int, ...], ...]

SHAPES = ("independent", "chain", "tree", "polytree", "full")


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
