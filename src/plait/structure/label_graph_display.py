"""`LabelGraphDisplay`: the label graph that a model has learned, or that labels show."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from plait.core.labels import as_targets
from plait.core.sentences import ParameterError
from plait.pictures import Display, draw_graph, layout_of
from plait.structure.label_graph import LabelGraph
from plait.structure.label_tree import LabelTree
from plait.structure.structure import Structure

__all__ = ["LabelGraphDisplay"]


@dataclass(frozen=True, eq=False)
class LabelGraphDisplay(Display):
    """A label graph with names; a display as scikit-learn has them.

    Attributes
    ----------
    graph : LabelGraph
        The graph.
    label_names : tuple of str
        Names of the labels.

    See Also
    --------
    LabelGraph.plot : the same picture of a graph that is at hand.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from plait import recipes
    >>> X, Y = make_multilabel_classification(100, n_classes=3, random_state=0)
    >>> display = LabelGraphDisplay.from_estimator(recipes.bcc(random_state=0).fit(X, Y))
    >>> display.label_names, display.to_svg().startswith("<svg")
    (('y0', 'y1', 'y2'), True)
    """

    graph: LabelGraph
    label_names: tuple[str, ...]

    @classmethod
    def from_estimator(cls, model: Any, *, component: int = 0) -> Self:
        """Return the display of what a fitted model has learned.

        Parameters
        ----------
        model : fitted classifier
            With `graph_`, or `graphs_` of a mixture.
        component : int, default=0
            Which graph of a mixture.
        """
        graphs = [model.graph_] if hasattr(model, "graph_") else list(getattr(model, "graphs_", ()))
        if not 0 <= component < len(graphs):
            raise ParameterError(
                f"LabelGraphDisplay needs component to be below the number of label graphs, {len(graphs)}, "
                f"but it is {component}. Pass a fitted model with a label graph."
            )
        return cls(graphs[component], tuple(str(name) for name in model.label_names_))

    @classmethod
    def from_predictions(cls, Y: Any, *, structure: Structure | None = None) -> Self:
        """Return the display of the dependence between labels, recorded or predicted.

        Parameters
        ----------
        Y : labels in any form that `fit` takes
            Recorded or predicted.
        structure : Structure, optional
            What learns the graph from labels alone; a tree of largest mutual information by default.
        """
        targets = as_targets("LabelGraphDisplay", Y)
        graph = (LabelTree(root=0) if structure is None else structure).build(np.zeros((len(targets.Y), 1)), targets.Y)
        return cls(graph, tuple(str(name) for name in targets.names))

    def to_svg(self) -> str:
        """Return the picture as SVG."""
        graph, title = self.graph, f"{self.graph.n_labels} labels, {len(self.graph.edges)} edges"
        layout = layout_of(graph.parents, graph.children, graph.order, graph.is_polytree)
        return draw_graph(layout, graph.edges, self.label_names, title)

    def plot(self, ax: Any = None) -> Any:
        """Draw the graph with matplotlib and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where; a new figure, large enough for all names, by default.
        """
        return self.graph.plot(self.label_names, ax)
