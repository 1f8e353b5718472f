"""Oracles and generators for tests, ours and those of extensions.

Takes nothing; hands on random models, hypothesis strategies and plain oracles.
"""

from plait.testing.random_models import (
    enumerated,
    random_evidence,
    random_graph,
    random_linear,
    random_mixture,
    random_tables,
)
from plait.testing.random_polytrees import random_forest_graph, random_polytree
from plait.testing.table_distribution import TableDistribution

__all__ = [
    "TableDistribution",
    "enumerated",
    "random_evidence",
    "random_forest_graph",
    "random_graph",
    "random_linear",
    "random_mixture",
    "random_polytree",
    "random_tables",
]
