"""A mixture over graphs as the kernels read it: the components' graphs as arrays, conditionals as tables."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints, Labels
from plait.core.lazy_modules import lazy_module
from plait.inference.messages.message_plan import CHEAP_PARENTS, families_of, takes_messages
from plait.inference.messages.polytree_scores import setting_index, setting_shifts
from plait.inference.search.label_tables import table_serves
from plait.joint import GraphDistribution, LabelDistribution, LinearDistribution, MixtureDistribution
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.structure import LabelGraph

__all__ = ["MixtureGraphs", "as_mixture", "parts_take_messages", "has_tables", "takes_messages", "tables_in_blocks"]

_kernels = lazy_module("plait.inference.messages._mixtures")


# A graph with more settings of parents has tables that cost more than the other ways.
_MOST_SETTINGS = 10_000
# Tables of so many numbers are held at once (64 MiB).
_TABLE_SIZE = 1 << 23


class MixtureGraphs(NamedTuple):
    """The graphs of a mixture's components, labels in their own numbering.

    Parameters
    ----------
    entry : ndarray of int64, shape (n_components, n_labels)
        Where the settings of each label's parents begin among those of all labels and components.
    first : ndarray of int64, shape (n_components, n_labels + 1)
        Where the parents of each label begin in `parents`.
    parents : ndarray of int64
        Parents of all labels.
    begin : ndarray of int64, shape (n_labels * n_components,)
        Twice the same, component after component for each label.
    first_link : ndarray of int64, shape (n_labels + 1,)
        Where the children of each label, in all components, begin in the following three.
    link_place, link_part, link_step : ndarray of int64
        n_components * child + component; the component; and by how much the place of the child's conditionals in the
        tables moves when the label becomes 1.
    order : ndarray of int64, shape (n_components, n_labels)
        In which order factors (a label with its parents) send messages to the roots; empty unless all are polytrees.
    target, slot : ndarray of int64, shape (n_components, n_labels)
        The label to which each label's factor sends, and which parent that is; -1 for the label itself.
    root : ndarray of bool, shape (n_components, n_labels)
        One label of each part of each graph.
    """

    entry: Ints
    first: Ints
    parents: Ints
    begin: Ints
    first_link: Ints
    link_place: Ints
    link_part: Ints
    link_step: Ints
    order: Ints
    target: Ints
    slot: Ints
    root: npt.NDArray[np.bool_]


def as_mixture(distribution: LabelDistribution) -> MixtureDistribution:
    """Return a mixture without mixtures among its components; of anything else, the mixture of it alone."""
    if isinstance(distribution, MixtureDistribution):
        return distribution.flattened()
    return MixtureDistribution([0.0], [distribution])


def has_tables(distribution: LabelDistribution) -> bool:
    """Say whether the conditionals of a row are few enough to be written out."""
    if not isinstance(distribution, GraphDistribution):
        return False
    sizes = [len(group) for group in distribution.graph.parents]
    n_settings = sum(1 << size for size in sizes)
    return max(sizes, default=0) <= CHEAP_PARENTS and n_settings <= _MOST_SETTINGS + 4 * len(sizes)


def parts_take_messages(distribution: LabelDistribution) -> bool:
    """Say whether a distribution is a mixture on whose components messages are exact and cheap."""
    if not isinstance(distribution, MixtureDistribution):
        return False
    return all(takes_messages(part) for part in distribution.flattened().components)


def tables_in_blocks(mixture: MixtureDistribution) -> Iterator[tuple[slice, MixtureGraphs, Floats]]:
    """Return slices of rows, the graphs, and log P(y_k | parents) of all components, settings and both values.

    Column 2 * (entry + setting) + value; at most 64 MiB at once. The evidence is left aside.
    """
    parts = [part for part in mixture.components if isinstance(part, GraphDistribution)]
    graphs = _graphs(tuple(part.graph for part in parts))
    n_settings = sum(1 << len(group) for part in parts for group in part.graph.parents)
    step = max(1, _TABLE_SIZE // max(1, 2 * n_settings))
    for begin in range(0, mixture.n_rows, step):
        rows = slice(begin, min(begin + step, mixture.n_rows))
        logs = np.empty((rows.stop - rows.start, 2 * n_settings))
        for entry, part in zip(graphs.entry, parts, strict=True):
            _fill(part.take(rows), entry, logs)
        yield rows, graphs, logs


def _fill(part: GraphDistribution, entry: Ints, logs: Floats) -> None:
    """Write the tables of one component; those of a linear one at once."""
    if not isinstance(part, LinearDistribution):
        for label in range(part.n_labels):
            _kernels.fill_logs(part.table(label), 2 * entry[label], logs)
    elif part.n_labels:
        index = setting_index(part.graph)
        base, shifts = np.ascontiguousarray(part.base, dtype=np.float64), setting_shifts(part, index)
        _kernels.fill_linear_logs(base, index.label, shifts, SCORE_LIMIT, 2 * entry[0], np.empty(shifts.size), logs)


@lru_cache(maxsize=32)
def _graphs(graphs: tuple[LabelGraph, ...]) -> MixtureGraphs:
    n_labels = graphs[0].n_labels
    sizes = np.array([[len(group) for group in graph.parents] for graph in graphs], dtype=np.int64)
    sizes = sizes.reshape(len(graphs), n_labels)
    settings = np.cumsum(np.concatenate([[0], (1 << sizes).ravel()]))[:-1].reshape(sizes.shape).astype(np.int64)
    return MixtureGraphs(
        settings,
        _starts(sizes),
        np.array([parent for graph in graphs for group in graph.parents for parent in group], dtype=np.int64),
        np.ascontiguousarray(2 * settings.T).ravel(),
        *_links(graphs, n_labels),
        *_messages(graphs, n_labels),
    )


def _starts(sizes: Ints) -> Ints:
    """Return where groups of these sizes begin, one row after the other, and where the last of each row ends."""
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    before = np.concatenate([[0], sizes.sum(axis=1).cumsum()[:-1]])
    return np.column_stack([before, ends]).astype(np.int64)


def _links(graphs: tuple[LabelGraph, ...], n_labels: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the children of every label in all components, label after label."""
    links: list[list[tuple[int, int, int]]] = [[] for _ in range(n_labels)]
    for c, graph in enumerate(graphs):
        for child, parents in enumerate(graph.parents):
            for bit, parent in enumerate(parents):
                links[parent].append((len(graphs) * child + c, c, 2 << bit))
    first = np.cumsum([0, *(len(group) for group in links)]).astype(np.int64)
    flat = np.array([link for group in links for link in group], dtype=np.int64).reshape(-1, 3)
    place, part, step = flat.T.copy()
    return first, place, part, step


def _messages(graphs: tuple[LabelGraph, ...], n_labels: int) -> tuple[Ints, Ints, Ints, npt.NDArray[np.bool_]]:
    """Return the order of messages, their targets, slots and the roots, in the labels' own numbering."""
    if not all(graph.is_polytree for graph in graphs):
        none = np.empty((len(graphs), 0), dtype=np.int64)
        return none, none, none, none.astype(np.bool_)
    shape = (len(graphs), n_labels)
    order, target, slot = (np.empty(shape, dtype=np.int64) for _ in range(3))
    root = np.zeros(shape, dtype=np.bool_)
    for c, graph in enumerate(graphs):
        plan = families_of(graph)
        order[c] = plan.label
        target[c, plan.label] = plan.label[plan.target]
        slot[c, plan.label] = plan.slot
        root[c, plan.label[plan.roots]] = True
    return order, target, slot, root


def vector_log_probs(distribution: LabelDistribution, vectors: Labels) -> Floats:
    """Return log P of vectors (n_rows, m, n_labels) that agree with the evidence; of a mixture by its tables."""
    if not isinstance(distribution, MixtureDistribution):
        return distribution.log_prob(vectors)
    mixture = distribution.flattened()
    if table_serves(mixture) or not all(has_tables(part) for part in mixture.components):
        return mixture.log_prob(vectors)
    logs = np.empty(vectors.shape[:2])
    for rows, graphs, tables in tables_in_blocks(mixture):
        _kernels.score_rows(graphs, mixture.log_weights, tables, np.ascontiguousarray(vectors[rows]), logs[rows])
    return logs
