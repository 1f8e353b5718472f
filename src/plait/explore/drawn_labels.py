"""`label_drawing`: where labels stand on the page and which depend on which."""

from collections.abc import Sequence
from typing import Any

from plait.pictures.graph_layouts import level_layout
from plait.posterior.model_view import label_graphs

__all__ = ["label_drawing"]

# More labels or edges than this are shown around one label at a time.
_MOST_LABELS, _MOST_EDGES = 60, 150


def label_drawing(model: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return edges with the weight of the graphs that hold them, and places for few labels.

    Two labels have one edge, in the direction that weighs more where graphs of a mixture disagree.

    Parameters
    ----------
    model : fitted classifier
        With `graph_`, or `graphs_` and their weights.
    names : sequence of str
        Of the labels.

    Returns
    -------
    drawing : dict
        "edges": (parent, child, weight); "places": (column, row) of every label, None where they are too many.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from plait.structure import LabelGraph
    >>> label_drawing(SimpleNamespace(graph_=LabelGraph([[], [0]])), ["sea", "sand"])
    {'edges': [[0, 1, 1.0]], 'places': [[0, 0.0], [1, 0.0]]}
    """
    graphs = label_graphs(model)
    weights: dict[tuple[int, int], float] = {}
    for weight, graph in graphs:
        for parent, child in graph.edges:
            weights[parent, child] = weights.get((parent, child), 0.0) + weight
    edges = [
        [parent, child, round(weight + weights.get((child, parent), 0.0), 4)]
        for (parent, child), weight in weights.items()
        if (weight, parent < child) > (weights.get((child, parent), 0.0), child < parent)
    ]
    places = None
    if len(names) <= _MOST_LABELS and len(edges) <= _MOST_EDGES:
        layout = level_layout(graphs[0][1].parents if graphs else [()] * len(names))
        places = [[column, row] for column, row in zip(layout.columns, layout.row_of, strict=True)]
    return {"edges": edges, "places": places}
