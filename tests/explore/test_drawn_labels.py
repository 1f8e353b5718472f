"""What is drawn of a label graph: one edge for two labels, however many graphs hold it."""

from types import SimpleNamespace

from plait.explore.drawn_labels import label_drawing
from plait.structure import LabelGraph


def test_two_labels_have_one_edge_with_the_weights_of_both_directions():
    # a -> b twice and b -> a once; b -> c in all; c -> d, and d -> c: a tie goes down.
    graphs = [LabelGraph([[], [0], [1], [2]]), LabelGraph([[], [0], [1, 3], []]), LabelGraph([[1], [], [1], []])]
    edges = label_drawing(SimpleNamespace(graphs_=graphs), list("abcd"))["edges"]
    assert sorted(edges) == [[0, 1, 1.0], [1, 2, 1.0], [2, 3, 0.6667]]
