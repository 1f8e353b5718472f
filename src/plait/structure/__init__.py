"""Say which labels depend on which.

Takes dependence matrices; hands on a `LabelGraph`: `parents[k]` are the labels that label k depends on, `order` is
a sequence of all labels in which parents stand before their children, both 0-based in label order.
"""

from plait.structure.label_graph import LabelGraph

__all__ = ["LabelGraph"]
