"""`model_html`: a model in a notebook: scikit-learn's diagram, its parts in sight, and the label graph it learned."""

from html import escape
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from plait.core.sentences import shown
from plait.structure import LabelGraph

__all__ = ["label_graphs", "model_html"]

_PARTS = ("structure", "selector", "learner", "estimator", "inference", "loss")
_MOST_DRAWN = 150


def label_graphs(model: Any) -> list[tuple[float, LabelGraph]]:
    """Return weight and graph of every part of a fitted model, the weightiest first; nothing if it has none."""
    model = getattr(model, "_last", lambda: model)()
    if hasattr(model, "graph_"):
        return [(1.0, model.graph_)]
    graphs = list(getattr(model, "graphs_", ()))
    found = getattr(model, "weights_", ())
    # `AutoJoint` has weights of its learners there, by name.
    weights = np.array([] if isinstance(found, dict) else found, dtype=np.float64)
    if weights.shape != (len(graphs),):  # the weights of something else
        weights = np.full(len(graphs), 1.0 / max(1, len(graphs)))
    order = np.argsort(-weights, kind="stable")
    return [(float(weights[i]), graphs[i]) for i in order]


def model_html(model: Any) -> str:
    """Return the view of a model with `part(name)`.

    Parameters
    ----------
    model : JointModel
        Fitted or not.

    Examples
    --------
    >>> from plait import recipes
    >>> "<th>structure</th>" in model_html(recipes.pcc())
    True
    """
    parts = [(name, _words(model, name)) for name in _PARTS if name in model.get_params(deep=False)]
    rows = "".join(
        f"<tr><th>{name}</th><td style='text-align:left'><code>{escape(words)}</code></td></tr>"
        for name, words in parts
    )
    table = f"<table class='plait-parts'>{rows}</table>" if rows else ""
    return f"{estimator_html_repr(model)}<div class='plait-model'>{table}{_graph(model)}</div>"


def _words(model: Any, name: str) -> str:
    value = model.part(name) if name in model.part_makers else getattr(model, name)
    return shown(value)


def _graph(model: Any) -> str:
    """Return the weightiest label graph with its names; nothing where none was learned or it is too large to draw."""
    graphs = label_graphs(model)
    if not graphs or not graphs[0][1].edges:
        return ""
    weight, graph = graphs[0]
    if graph.n_labels > _MOST_DRAWN:
        return f"<p>A graph of {graph.n_labels} labels and {len(graph.edges)} edges: <code>graph_</code> holds it.</p>"
    which = f"<p>The first of {len(graphs)} label graphs, weight {weight:.2f}.</p>" if len(graphs) > 1 else ""
    names = None if graph.label_names is not None else [str(name) for name in model.label_names_]
    return which + graph.to_html(names)
