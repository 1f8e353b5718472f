"""Compiled completions of rows with unknown labels: `plait.estimators.unknown_labels.completions` explains them.

Columns stand along the order of the graph.

Notation
--------
base[i, k]        : score of label k where no parent is 1
effects[a, b]     : what label a adds to the score of label b > a when it is 1
evidence[i, k]    : 0, 1, or -1 where unknown
missed[k]         : P(a label that is there is recorded as 0)
live[i, k]        : whether the label's factor counts
"""

import math

import numpy as np

from plait.core.compilation import kernel

__all__ = ["complete_rows"]

_LARGE, _SMALL = 1e200, 1e-200
# Exponentials of numbers up to twice this are finite.
_SPAN = 300.0


@kernel
def _log_sigmoid(score):  # type: ignore[no-untyped-def]
    return min(score, 0.0) - math.log1p(math.exp(-abs(score)))


@kernel
def _clipped(score, limit):  # type: ignore[no-untyped-def]
    return min(max(score, -limit), limit)


@kernel
def _open(evidence, missed, live):  # type: ignore[no-untyped-def]
    return live and (evidence < 0 or (evidence == 0 and missed > 0.0))


@kernel
def _record_log(value, evidence, missed):  # type: ignore[no-untyped-def]
    """Return log P(record | value) of a recorded label."""
    if evidence < 0 or missed == 0.0 or (evidence == 0 and value == 0):
        return 0.0
    return math.log(missed) if evidence == 0 else math.log(1.0 - missed)


@kernel
def _raise_later(k, value, effects, scores):  # type: ignore[no-untyped-def]
    if value == 1:
        for later in range(k + 1, scores.shape[0]):
            scores[later] += effects[k, later]


@kernel
def _enumerate(i, base, effects, evidence, live, missed, limit, count, values, logs, scores):  # type: ignore[no-untyped-def]
    """Fill in all `count` completions of a row and their log P."""
    q = base.shape[1]
    for c in range(count):
        scores[:] = base[i]
        logs[c] = 0.0
        bit = 0
        for k in range(q):
            value = 1 if evidence[i, k] == 1 else 0
            if _open(evidence[i, k], missed[k], live[i, k]):
                value = (c >> bit) & 1
                bit += 1
            values[c, k] = value
            if live[i, k]:
                score = _clipped(scores[k], limit)
                logs[c] += _log_sigmoid(score if value == 1 else -score) + _record_log(value, evidence[i, k], missed[k])
            _raise_later(k, value, effects, scores)


@kernel
def _draw(i, base, effects, evidence, live, missed, limit, uniforms, drawn, logs, scores):  # type: ignore[no-untyped-def]
    """Fill in draws of a row, recorded labels clamped, and their log weights."""
    q = base.shape[1]
    for c in range(drawn.shape[0]):
        scores[:] = base[i]
        logs[c] = 0.0
        for k in range(q):
            value = 1 if evidence[i, k] == 1 else 0
            if live[i, k]:
                score = _clipped(scores[k], limit)
                if _open(evidence[i, k], missed[k], live[i, k]):
                    p = 1.0 / (1.0 + math.exp(-score))
                    if evidence[i, k] == 0:
                        silent = p * missed[k] + 1.0 - p
                        logs[c] += math.log(silent)
                        p = p * missed[k] / silent
                    value = 1 if uniforms[i, c * q + k] < p else 0
                else:
                    logs[c] += _log_sigmoid(score if value == 1 else -score)
                    logs[c] += _record_log(value, evidence[i, k], missed[k])
            drawn[c, k] = value
            _raise_later(k, value, effects, scores)


@kernel
def _resample(drawn, logs, start, most, values, weights):  # type: ignore[no-untyped-def]
    """Keep `most` draws by systematic resampling, equal picks once with their share; return log of the mean weight."""
    n_draws, top = logs.shape[0], logs.max()
    total = 0.0
    for c in range(n_draws):
        logs[c] = math.exp(logs[c] - top)
        total += logs[c]
    height, pick, last, place = logs[0] / total, 0, -1, -1
    weights[:] = 0.0
    for m in range(most):
        point = (m + start) / most
        while point > height and pick < n_draws - 1:
            pick += 1
            height += logs[pick] / total
        if pick != last:
            place += 1
            last = pick
            values[place] = drawn[pick]
        weights[place] += 1.0 / most
    return top + math.log(total / n_draws)


@kernel
def _soften(i, base, effects, factors, evidence, live, missed, limit, values, targets, scores, chances):  # type: ignore[no-untyped-def]
    """Fill in P(label | all other labels of the completion) of labels that are open, the others as they are."""
    q = base.shape[1]
    scores[:] = base[i]
    for k in range(q):
        _raise_later(k, values[k], effects, scores)
        sign = 1.0 if values[k] == 1 else -1.0
        chances[k] = math.exp(-sign * _clipped(scores[k], _SPAN))
    least, largest = math.exp(-limit), math.exp(limit)
    for k in range(q):
        targets[k] = values[k]
        if not _open(evidence[i, k], missed[k], live[i, k]):
            continue
        # The odds of the other value, from its own factor and from those of its children.
        sign = 1.0 if values[k] == 1 else -1.0
        total = -sign * _clipped(scores[k], limit)
        if evidence[i, k] == 0:
            total -= sign * math.log(missed[k])
        product = 1.0
        for c in range(k + 1, q):
            if effects[k, c] != 0.0 and live[i, c]:
                now = min(max(chances[c], least), largest)
                up = (values[k] == 1) != (values[c] == 1)
                moved = chances[c] / factors[k, c] if up else chances[c] * factors[k, c]
                product *= (1.0 + now) / (1.0 + min(max(moved, least), largest))
                if product > _LARGE or product < _SMALL:
                    total += math.log(product)
                    product = 1.0
        total += math.log(product)
        other = 1.0 / (1.0 + math.exp(-_clipped(total, _SPAN)))
        targets[k] = 1.0 - other if values[k] == 1 else other


@kernel
def complete_rows(  # type: ignore[no-untyped-def]
    base, effects, evidence, live, missed, uniforms, limit, values, targets, weights, log_likelihood
):
    """Fill in completions (n, most, q), their targets and weights (n, most), and log P(evidence) (n,)."""
    n, most, q = values.shape
    n_draws = (uniforms.shape[1] - 1) // q
    drawn, logs = np.zeros((n_draws, q), np.uint8), np.zeros(max(n_draws, most))
    scores, chances = np.zeros(q), np.zeros(q)
    factors = np.exp(np.minimum(np.maximum(effects, -_SPAN), _SPAN))
    for i in range(n):
        n_open = 0
        for k in range(q):
            n_open += 1 if _open(evidence[i, k], missed[k], live[i, k]) else 0
        if n_open < 60 and (1 << n_open) <= most:
            count = 1 << n_open
            _enumerate(i, base, effects, evidence, live, missed, limit, count, values[i], logs, scores)
            top, total = logs[:count].max(), 0.0
            for c in range(count):
                weights[i, c] = math.exp(logs[c] - top)
                total += weights[i, c]
            weights[i, :count] /= total
            weights[i, count:] = 0.0
            log_likelihood[i] = top + math.log(total)
        else:
            _draw(i, base, effects, evidence, live, missed, limit, uniforms, drawn, logs[:n_draws], scores)
            start = uniforms[i, n_draws * q]
            log_likelihood[i] = _resample(drawn, logs[:n_draws], start, most, values[i], weights[i])
        for c in range(most):
            if weights[i, c] > 0.0:
                given = (base, effects, factors, evidence, live, missed, limit)
                _soften(i, *given, values[i, c], targets[i, c], scores, chances)
