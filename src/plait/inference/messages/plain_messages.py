"""Max-product (Viterbi) and sum-product (belief propagation) on forests and polytrees in NumPy, rows side by side.

Notation
--------
family    : a label and its parents, as axes: the label's value, the last parent's, ..., the first parent's; then rows
pair      : weights of a label's two values, shape (2, n_rows)
below     : pair of a label: its evidence and the messages of all factors below it, the larger one 1
message   : pair that a factor, a label with its parents, sends to its target, the member nearest to the root
join      : np.add for sum-product, np.maximum for max-product

Numbers are put together two by two, never by a sum along an axis, whose last bits could depend on how many rows there
are. Probabilities are within [1e-6, 1 - 1e-6], so the larger weight of a message is never tiny.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import log_sigmoid
from plait.inference.messages.message_plan import message_order
from plait.inference.messages.polytree_scores import setting_index, setting_shifts
from plait.joint import GraphDistribution, LinearDistribution
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["draws_given", "family_beliefs", "marginals", "marginals_given", "modes"]

Join = Callable[[Floats, Floats], Floats]


class _Upward(NamedTuple):
    """Messages to the roots: by label the factors' tables, tables times what is below, pairs below, messages."""

    conditionals: list[Floats]
    totals: list[Floats]
    below: list[Floats]
    messages: list[Floats]
    log_scale: Floats


def _scores(model: GraphDistribution) -> Floats:
    """Return the scores of all settings of the first label's parents, then of the second's, (n_rows, n_settings)."""
    if isinstance(model, LinearDistribution):
        index = setting_index(model.graph)
        return np.clip(model.base[:, index.label] + setting_shifts(model, index), -SCORE_LIMIT, SCORE_LIMIT)
    columns = [model.table(label) for label in range(model.n_labels)]
    return np.concatenate(columns, axis=1) if columns else np.empty((model.n_rows, 0))


def _conditionals(model: GraphDistribution) -> list[Floats]:
    """Return P(label | parents) of every label, with the axes of its family."""
    odds = np.exp(np.ascontiguousarray(_scores(model).T))
    zero = 1.0 / (1.0 + odds)
    both, begin, tables = np.stack([zero, odds * zero]), 0, []
    for parents in model.graph.parents:
        end = begin + (1 << len(parents))
        tables.append(both[:, begin:end].reshape((2,) * (1 + len(parents)) + (model.n_rows,)))
        begin = end
    return tables


def _family(model: GraphDistribution, label: int) -> tuple[int, ...]:
    return (label, *model.graph.parents[label][::-1])


def _along(pair: Floats, axis: int, n_axes: int) -> Floats:
    """Return a pair with the axes of a family."""
    return pair.reshape((1,) * axis + (2,) + (1,) * (n_axes - axis - 1) + pair.shape[1:])


def _first(total: Floats, axis: int) -> Floats:
    """Return a table of a family with one axis before all others (`np.moveaxis` takes longer than all the rest)."""
    return total.transpose((axis, *range(axis), *range(axis + 1, total.ndim))) if axis else total


def _joined(total: Floats, axis: int, join: Join) -> Floats:
    """Return the pair of one axis of a family, all others joined."""
    total = _first(total, axis)
    while total.ndim > 2:
        total = join(total[:, 0], total[:, 1])
    return total


def _upward(model: GraphDistribution, join: Join) -> _Upward:
    downward, targets, _ = message_order(model.graph)
    n_labels, nothing = model.n_labels, np.empty(0)
    tables, totals, messages = _conditionals(model), [nothing] * n_labels, [nothing] * n_labels
    below, log_scale = [_evidence(model, k) for k in range(n_labels)], np.zeros(model.n_rows)
    for factor in reversed(downward):
        family, target = _family(model, factor), targets[factor]
        total = tables[factor]
        for axis, member in enumerate(family):
            if member != target:
                total = total * _along(below[member], axis, len(family))
        totals[factor], messages[factor] = total, _joined(total, family.index(target), join)
        pair = below[target] * messages[factor]
        scale = np.maximum(pair[0], pair[1])
        below[target] = pair / scale
        log_scale += np.log(scale)
    return _Upward(tables, totals, below, messages, log_scale)


def _evidence(model: GraphDistribution, label: int) -> Floats:
    pair = np.ones((2, model.n_rows))
    if model.evidence is not None:
        pair[0, model.evidence[:, label] == 1] = 0.0
        pair[1, model.evidence[:, label] == 0] = 0.0
    return pair


def modes(model: GraphDistribution) -> tuple[Labels, Floats]:
    """Return the most probable label vectors (n_rows, n_labels) and their log P; each choice between equals is 0."""
    if not model.graph.edges:
        return _lone_modes(model)
    downward, targets, roots = message_order(model.graph)
    up, rows = _upward(model, np.maximum), np.arange(model.n_rows)
    values, log_prob = np.zeros((model.n_labels, model.n_rows), dtype=np.uint8), np.zeros(model.n_rows)
    for root in roots:
        values[root] = up.below[root][1] > up.below[root][0]
    for factor in downward:
        family, target = _family(model, factor), targets[factor]
        axis, others = family.index(target), [member for member in family if member != target]
        given = values[target] == 1
        options, chances = (
            np.where(given, part[1], part[0]).reshape(1 << len(others), model.n_rows)
            for part in (_first(table[factor], axis) for table in (up.totals, up.conditionals))
        )
        best = options.argmax(axis=0)
        for bit, member in enumerate(reversed(others)):
            values[member] = (best >> bit) & 1
        log_prob += np.log(chances[best, rows])
    return np.ascontiguousarray(values.T), log_prob


def _lone_modes(model: GraphDistribution) -> tuple[Labels, Floats]:
    scores = _scores(model)
    values = (scores > 0).astype(np.uint8)
    if model.evidence is not None:
        values = np.where(model.evidence >= 0, model.evidence, values).astype(np.uint8)
    return values, log_sigmoid(np.where(values == 1, scores, -scores)).sum(axis=1)


def marginals(model: GraphDistribution) -> Floats:
    """Return P(y_k = 1), (n_rows, n_labels), without evidence: parents of a label are independent, so parents first."""
    chances = np.empty((model.n_labels, 2, model.n_rows))
    if not model.graph.edges:
        odds = np.exp(_scores(model))
        return np.asarray(odds / (1.0 + odds))
    tables = _conditionals(model)
    for label in model.graph.order:
        family, total = _family(model, label), tables[label]
        for axis, member in enumerate(family[1:], start=1):
            total = total * _along(chances[member], axis, len(family))
        chances[label] = _joined(total, 0, np.add)
    return np.ascontiguousarray(chances[:, 1].T)


def marginals_given(model: GraphDistribution) -> tuple[Floats, Floats]:
    """Return P(y_k = 1 | evidence), (n_rows, n_labels), and log P(evidence)."""
    up = _upward(model, np.add)
    beliefs, log_evidence = _root_beliefs(model, up)
    for _ in _downward(model, up, beliefs):
        pass
    chances = [pair[1] / (pair[0] + pair[1]) for pair in beliefs]
    return np.stack(chances, axis=1) if chances else np.empty((model.n_rows, 0)), log_evidence


def family_beliefs(model: GraphDistribution) -> tuple[list[Floats], Floats]:
    """Return P(y_parents = setting, y_label = value | evidence) of every label, and log P(evidence).

    One array (n_rows, 2 ** n_parents, 2) for each label.
    """
    up, found = _upward(model, np.add), [np.empty(0)] * model.n_labels
    beliefs, log_evidence = _root_beliefs(model, up)
    for label, total in _downward(model, up, beliefs):
        pair = _joined(total, 0, np.add)
        whole = (total / (pair[0] + pair[1])).reshape(2, 1 << len(model.graph.parents[label]), model.n_rows)
        found[label] = np.ascontiguousarray(whole.T)
    return found, log_evidence


def _root_beliefs(model: GraphDistribution, up: _Upward) -> tuple[list[Floats], Floats]:
    """Return pairs of which those of the roots are beliefs, and log P(evidence)."""
    log_evidence = up.log_scale
    for root in message_order(model.graph)[2]:
        log_evidence = log_evidence + np.log(up.below[root][0] + up.below[root][1])
    return list(up.below), log_evidence


def _downward(model: GraphDistribution, up: _Upward, beliefs: list[Floats]) -> Iterator[tuple[int, Floats]]:
    """Turn pairs into beliefs given all evidence, from the roots down; yield every factor's label and weights."""
    downward, targets, _ = message_order(model.graph)
    for factor in downward:
        family, target = _family(model, factor), targets[factor]
        # What all the rest of the graph says of the target: the factor's own message is taken out.
        rest = beliefs[target] / up.messages[factor]
        total = up.totals[factor] * _along(rest, family.index(target), len(family))
        for axis, member in enumerate(family):
            if member != target:
                pair = _joined(total, axis, np.add)
                beliefs[member] = pair / np.maximum(pair[0], pair[1])
        yield factor, total


def draws_given(model: GraphDistribution, uniforms: Floats) -> Labels:
    """Return draws from P(y | evidence) made of numbers from 0 to 1, (n_rows, n_samples, n_labels).

    Values are drawn from the roots down: all labels of a factor but its target at once, by the number of one of them.
    """
    downward, targets, roots = message_order(model.graph)
    up, numbers = _upward(model, np.add), np.ascontiguousarray(uniforms.transpose(2, 0, 1))
    values = np.zeros(numbers.shape, dtype=np.uint8)
    for root in roots:
        zero, one = up.below[root]
        values[root] = numbers[root] * (zero + one)[:, None] < one[:, None]
    for factor in downward:
        family, target = _family(model, factor), targets[factor]
        others = [member for member in family if member != target]
        if others:
            # The child of a factor that leads up to a parent, else the first parent.
            owner = factor if target != factor else model.graph.parents[factor][0]
            options = _options(up.totals[factor], model.graph.parents[factor], target, factor)
            chosen = _chosen(options, values[target], numbers[owner])
            for bit, member in enumerate(_bits(model.graph.parents[factor], target, factor)):
                values[member] = (chosen >> bit) & 1
    return np.ascontiguousarray(values.transpose(1, 2, 0))


def _bits(parents: tuple[int, ...], target: int, factor: int) -> list[int]:
    """Return which label each bit of an option stands for: the parents, the child in the place of the target."""
    return [factor if parent == target else parent for parent in parents]


def _options(total: Floats, parents: tuple[int, ...], target: int, factor: int) -> Floats:
    """Return weights by value of the target and option, (2, n_options, n_rows)."""
    if target != factor:
        total = np.swapaxes(total, 0, len(parents) - parents.index(target))
    return np.asarray(total.reshape(2, 1 << len(parents), total.shape[-1]))


def _chosen(options: Floats, given: Labels, numbers: Floats) -> Ints:
    """Return the option of every draw: how many of the cumulative shares, the last left out, are at most its number."""
    heights, chosen = [options[:, 0]], np.zeros(numbers.shape, dtype=np.int64)
    for option in range(1, options.shape[1]):
        heights.append(heights[-1] + options[:, option])
    for height in heights[:-1]:
        share = height / heights[-1]
        chosen += np.where(given == 1, share[1][:, None], share[0][:, None]) <= numbers
    return chosen
