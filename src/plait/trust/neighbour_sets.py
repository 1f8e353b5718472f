"""Which recorded labels look wrong when the others may be wrong too: the label sets near the recorded one.

For records r of a row, the true set z is taken to be r itself, r with one label flipped, or r with one label swapped
for another that is not recorded:

    P(z | x, r)  is proportional to  P(z | x) w(z, r),

where w(r, r) = 1, a missed label weighs e / (1 - e), a false one f / (1 - f), a swap s / (labels not recorded).
Only ratios to P(r | x) are needed, so any joint serves, without sampling. Conditioning on the other records alone, as
`Posterior.doubts` does, trusts them: where one label is recorded for another, each of the two errors makes the other
look right.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from plait.core.arrays import Floats, Labels
from plait.joint import LabelDistribution

__all__ = ["ErrorRates", "Suspicions", "suspicions"]


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
    """

    missed: float
    false: float
    swapped: float


class Suspicions(NamedTuple):
    """What neighbouring label sets say of the records.

    `wrong` is P(label k is not as recorded | x, records), (n_rows, n_labels); `likeliest` the likeliest true set,
    (n_rows, n_labels), the records themselves where nothing near is likelier.
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
