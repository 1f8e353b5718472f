"""`WeightedCopies`: the rows that an M-step trains on, from posteriors of families (exact) or from completions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Bits, Bools, Floats, Ints, Labels
from plait.core.unknown_labels import has_unknown
from plait.estimators.unknown_labels.completions import completed, live_cells
from plait.inference import all_family_marginals
from plait.inference.messages.message_plan import message_order, takes_messages
from plait.joint import LinearDistribution
from plait.joint.row_streams import row_seeds
from plait.structure import LabelGraph

__all__ = ["WeightedCopies", "expected_copies", "family_copies", "known_log_likelihood"]

# Draws of a row whose likelihood is judged, where its unknown labels are many.
_DRAWS = 200


@dataclass(frozen=True, eq=False)
class WeightedCopies:
    """Copies of rows.

    Parameters
    ----------
    rows : ndarray of int, shape (n_copies,)
        The row of each copy.
    parents : ndarray of shape (n_copies, n_labels)
        Values of labels as parents of others.
    targets, weights : ndarray of shape (n_copies, n_labels)
        P(label = 1) in the copy, and how much the copy counts for the label.
    log_likelihood : ndarray of shape (n_rows,)
        log P(known labels | x).
    """

    rows: Ints
    parents: Floats
    targets: Floats
    weights: Floats
    log_likelihood: Floats


def expected_copies(model: LinearDistribution, missed: Floats | None, seeds: Bits) -> WeightedCopies:
    """Return the copies that an E-step makes: exact on forests and polytrees, by completions on other graphs.

    Parameters
    ----------
    model : LinearDistribution
        P(y | x) with the known labels as its evidence.
    missed : ndarray of shape (n_labels,), or None
        P(a label that is there is recorded as 0); None where all zeros are certain.
    seeds : ndarray of uint64, shape (n_rows,)
        For draws.
    """
    assert model.evidence is not None
    live = live_cells(model.graph, model.evidence >= 0)
    if missed is None and takes_messages(model):
        return family_copies(model, live)
    found = completed(model, np.zeros(model.n_labels) if missed is None else missed, seeds)
    weights = found.weights[:, None] * live[found.rows]
    return WeightedCopies(found.rows, found.values.astype(np.float64), found.targets, weights, found.log_likelihood)


def known_log_likelihood(model: LinearDistribution, Y: Labels, rows: Ints, missed: Floats | None = None) -> Floats:
    """Return log P(known labels | x) of every row: an estimate where unknown ones are many, on graphs with cycles.

    Parameters
    ----------
    model : LinearDistribution
        P(y | x), without evidence.
    Y : ndarray of uint8, or of int8 with -1 for unknown labels, shape (n_rows, n_labels)
        Labels.
    rows : ndarray of int, shape (n_rows,)
        Numbers of the rows, for draws: those of a row are the same for every model.
    missed : ndarray of shape (n_labels,), optional
        P(a label that is there is recorded as 0): then this is log P(records | x).

    Examples
    --------
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> np.exp(known_log_likelihood(model, np.array([[-1, 1]], dtype=np.int8), np.zeros(1, dtype=np.int64))).round(3)
    array([0.726])
    """
    if not has_unknown(Y) and missed is None:
        return model.log_prob(Y)
    known: Any = model.clamp(np.asarray(Y, dtype=np.int8))
    if missed is None and takes_messages(known):
        return all_family_marginals(known)[1]
    seeds = row_seeds(0, int(rows.max(initial=-1)) + 1)[rows]
    missed = np.zeros(model.n_labels) if missed is None else missed
    return completed(known, missed, seeds, draws=_DRAWS).log_likelihood


def family_copies(model: LinearDistribution, live: Bools) -> WeightedCopies:
    """Return one copy of every row for every setting of parents, each family weighed by its posterior.

    A setting is a number whose bit `place[j]` is the value of label j. Parents of one label have different places, so
    that all labels share the copies; of settings that differ only in places a family does not have, one counts.

    Examples
    --------
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> model = model.clamp(np.array([[-1, 1]], dtype=np.int8))
    >>> found = family_copies(model, np.array([[True, True]]))
    >>> found.parents[:, 0].tolist(), found.weights.round(3).tolist(), found.targets.round(3).tolist()
    ([0.0, 1.0], [[1.0, 0.344], [0.0, 0.656]], [[0.656, 1.0], [0.0, 1.0]])
    """
    families, log_likelihood = all_family_marginals(model)
    n_rows, n_labels = model.n_rows, model.n_labels
    places = parent_places(model.graph)
    n_settings = 1 << (max(places, default=-1) + 1)
    parents = np.zeros((n_settings, n_labels))
    for label, place in enumerate(places):
        if place >= 0:
            parents[:, label] = (np.arange(n_settings) >> place) & 1
    weights, targets = np.zeros((n_settings, n_rows, n_labels)), np.zeros((n_settings, n_rows, n_labels))
    for label, (own, family) in enumerate(zip(model.graph.parents, families, strict=True)):
        for setting in range(family.shape[1]):
            number = sum(1 << places[parent] for bit, parent in enumerate(own) if (setting >> bit) & 1)
            mass = family[:, setting].sum(axis=1)
            weights[number, :, label] = mass * live[:, label]
            targets[number, :, label] = np.divide(family[:, setting, 1], mass, out=np.zeros(n_rows), where=mass > 0)
    copy, rows = np.nonzero(weights.any(axis=2))
    targets = np.clip(targets[copy, rows], 0.0, 1.0)
    return WeightedCopies(rows, parents[copy], targets, weights[copy, rows], log_likelihood)


def parent_places(graph: LabelGraph) -> Sequence[int]:
    """Return a place for every label that is a parent, others -1: parents of one label have different ones.

    Examples
    --------
    >>> parent_places(LabelGraph([[], [], [0, 1], [1]]))
    [0, 1, -1, -1]
    """
    places = [-1] * graph.n_labels
    # In the order of messages a family has met those before it in one label only: no more places than parents.
    for family in message_order(graph)[0]:
        taken = {places[parent] for parent in graph.parents[family]}
        for parent in graph.parents[family]:
            if places[parent] < 0:
                places[parent] = next(place for place in range(graph.n_labels) if place not in taken)
                taken.add(places[parent])
    return places
