"""Which recorded labels look wrong when the others may be wrong too: the label sets near the recorded one.

For records r of a row, the true set z is taken to be r itself, r with one label flipped, or r with one label swapped
for another that is not recorded:

    P(z | x, r)  is proportional to  P(z | x) w(z, r),

where w(r, r) = 1, a missed label weighs e / (1 - e), a false one f / (1 - f), a swap s / (labels not recorded).
Only ratios to P(r | x) are needed, so any joint serves, without sampling. Conditioning on the other records alone, as
`Posterior.doubts` does, trusts them: where one label is recorded for another, each of the two errors makes the other
look right.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from plait.core.arrays import Floats, Labels
from plait.joint import LabelDistribution
from plait.posterior import Posterior

__all__ = ["ErrorRates", "Suspicions", "partial_suspicions", "suspicions"]


class ErrorRates(NamedTuple):
    """How often records are thought to be wrong: settings, not estimates.

    A model that was trained on the records cannot tell: its likelihood of them is largest where none is wrong.

    Parameters
    ----------
    missed : float
        P(not recorded | there), e.
    false : float
        P(recorded | not there), f.
    swapped : float
        Weight of all swaps of one recorded label for another, s; 0 where errors are known to be single.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> likely = LinearDistribution(LabelGraph([[]]), np.array([[2.0]]), np.zeros((1, 1)))  # 88 % that it is there
    >>> nothing = np.array([[0]], dtype=np.uint8)
    >>> for missed in (0.01, 0.2):  # the more is forgotten, the less a missing record says
    ...     suspicions(likely, nothing, ErrorRates(missed, 0.01, 0.0)).wrong.round(2).item()
    0.07
    0.65
    """

    missed: float
    false: float
    swapped: float


class Suspicions(NamedTuple):
    """What neighbouring label sets say of the records.

    `wrong` is P(label k is not as recorded | x, records), (n_rows, n_labels); `likeliest` the likeliest true set,
    (n_rows, n_labels), the records themselves where nothing near is likelier.

    Attributes
    ----------
    wrong : ndarray of float64, shape (n_rows, n_labels)
        P(label k is not as recorded | x, records).
    likeliest : ndarray of uint8, shape (n_rows, n_labels)
        The likeliest true set.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> sure = LinearDistribution(LabelGraph([[], []]), np.array([[6.0, -6.0]]), np.zeros((2, 2)))
    >>> found = suspicions(sure, np.array([[0, 0]], dtype=np.uint8), ErrorRates(0.05, 0.01, 0.0))
    >>> found.wrong.round(2), found.likeliest
    (array([[0.96, 0.  ]]), array([[1, 0]], dtype=uint8))
    """

    wrong: Floats
    likeliest: Labels


def suspicions(distribution: LabelDistribution, recorded: Labels, rates: ErrorRates) -> Suspicions:
    """Return how probable each record is wrong, and the likeliest set near the recorded one.

    Parameters
    ----------
    distribution : LabelDistribution
        P(y | x) of the rows, from a model that was not trained on them.
    recorded : ndarray of uint8, shape (n_rows, n_labels)
        The records.
    rates : ErrorRates
        How often they are thought to be wrong.

    Returns
    -------
    Suspicions

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> sure = LinearDistribution(LabelGraph([[]]), np.array([[6.0]]), np.zeros((1, 1)))  # 99.8 % that it is there
    >>> forgotten = np.array([[0]], dtype=np.uint8)
    >>> suspicions(sure, forgotten, ErrorRates(missed=0.05, false=0.01, swapped=0.0)).wrong.round(2)
    array([[0.96]])
    """
    flips = distribution.flip_log_ratios(recorded)
    singles = flips + np.where(recorded == 0, logit(rates.missed), logit(rates.false))
    swaps = [] if rates.swapped == 0 else _swaps(distribution, recorded, flips, np.log(rates.swapped))
    top = np.maximum(singles.max(axis=1), 0.0)  # the recorded set itself has weight 1
    for _, rows, onto in swaps:
        top[rows] = np.maximum(top[rows], onto.max(axis=1))
    mass = np.exp(singles - top[:, None])
    total = mass.sum(axis=1) + np.exp(-top)
    for label, rows, onto in swaps:
        weights = np.exp(onto - top[rows, None])
        mass[rows] += weights
        mass[rows, label] += weights.sum(axis=1)
        total[rows] += weights.sum(axis=1)
    return Suspicions(np.minimum(mass / total[:, None], 1.0), _likeliest(recorded, singles, swaps))


_DRAWS = 32  # from which the entropy of the known labels of a row is estimated


def partial_suspicions(answer: Posterior, recorded: Any, rates: ErrorRates) -> tuple[Floats, Labels, Floats]:
    """Return the same of rows in which some labels are unknown, by P(known labels | x); and the rows' surprise.

    Parameters
    ----------
    answer : Posterior
        P(y | x) of the rows, from a model that was not trained on them.
    recorded : ndarray of int8, shape (n_rows, n_labels)
        The records, -1 where a label is unknown.
    rates : ErrorRates
        How often they are thought to be wrong.

    Returns
    -------
    wrong : ndarray of float64, shape (n_rows, n_labels)
        NaN where a label is unknown.
    likeliest : ndarray of uint8, shape (n_rows, n_labels)
        The likeliest set near the recorded one, unknown labels as 0.
    surprise : ndarray of float64, shape (n_rows,)
        log P(known labels | x) less what it is on average over draws from the model.
    """
    wrong, likeliest = np.full(recorded.shape, np.nan), (recorded == 1).astype(np.uint8)
    surprise = np.zeros(len(recorded))
    for row, record in enumerate(recorded):
        known = record >= 0
        near, log_weights = _neighbours(record, rates)
        draws = np.where(known, answer[row].sample(_DRAWS)[0], -1).astype(np.int8)
        evidence = np.vstack([near, draws])
        part = answer[np.full(len(evidence), row)]._changed(evidence=evidence)
        log_probs = part._log_evidence()
        surprise[row] = log_probs[0] - log_probs[len(near) :].mean()
        score = log_probs[: len(near)] + log_weights
        mass = np.exp(score - score.max())
        wrong[row, known] = (mass @ (near != record))[known] / mass.sum()
        likeliest[row] = near[score.argmax()] == 1
    return np.minimum(wrong, 1.0), likeliest, surprise


def _neighbours(record: Any, rates: ErrorRates) -> tuple[Any, Floats]:
    """Return the recorded set first, then those one flip and one swap of known labels away, and their log weights."""
    ones, zeros = np.flatnonzero(record == 1), np.flatnonzero(record == 0)
    changes = [((), 0.0), *(((k,), logit(rates.false)) for k in ones), *(((k,), logit(rates.missed)) for k in zeros)]
    if rates.swapped > 0 and len(zeros):
        share = np.log(rates.swapped) - np.log(len(zeros))
        changes += [((k, j), share) for k in ones for j in zeros]
    near = np.repeat(record[None, :], len(changes), axis=0)
    for place, (labels, _) in enumerate(changes):
        near[place, list(labels)] ^= 1
    return near, np.array([float(weight) for _, weight in changes])


Swaps = list[tuple[int, np.ndarray, Floats]]


def _swaps(distribution: LabelDistribution, recorded: Labels, flips: Floats, log_rate: float) -> Swaps:
    """Return for each label the rows that record it, and the log weights of swapping it for each label they do not."""
    found = []
    for label in np.flatnonzero(recorded.any(axis=0)):
        rows = np.flatnonzero(recorded[:, label])
        without = recorded[rows]
        without[:, label] = 0
        absent = recorded[rows] == 0
        share = log_rate - np.log(np.maximum(absent.sum(axis=1, keepdims=True), 1))
        onto = distribution.take(rows).flip_log_ratios(without) + flips[rows, label, None] + share
        found.append((int(label), rows, np.where(absent, onto, -np.inf)))
    return found


def _likeliest(recorded: Labels, singles: Floats, swaps: Swaps) -> Labels:
    """Return the neighbour of largest weight; of equal ones the recorded set, then a single flip."""
    sets, rows = recorded.copy(), np.arange(len(recorded))
    best, first = np.maximum(singles.max(axis=1), 0.0), singles.argmax(axis=1)
    flipped = singles.max(axis=1) > 0.0
    sets[rows[flipped], first[flipped]] ^= 1
    for label, those, onto in swaps:
        better = onto.max(axis=1) > best[those]
        chosen, other = those[better], onto.argmax(axis=1)[better]
        best[chosen] = onto.max(axis=1)[better]
        sets[chosen] = recorded[chosen]
        sets[chosen, label], sets[chosen, other] = 0, 1
    return sets
