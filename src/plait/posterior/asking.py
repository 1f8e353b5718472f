"""Which unknown label to ask next: what an answer would be worth.

With known labels y_O, an unknown label k and the most probable set `mode` given y_O:

    set       max of P(y | y_O, x) over y with y_k != mode_k: what asking k adds to the expected P(most probable set)
    plan      the same a question, of the plan of one or more questions in which it is largest: where no single answer
              tells much, several may [Frazier2010]. The value of a row; of its labels the most uncertain is asked
    entropy   H(Y_k | y_O, x): the expected drop of the entropy of all unknown labels
    others    I(Y_k; other unknown labels | y_O, x): the part of it that concerns other labels
    hamming   sum_j E max(P(Y_j | Y_k), 1 - P(Y_j | Y_k)) - max(p_j, 1 - p_j): labels right that are wrong now

References
----------
[Frazier2010] Frazier and Powell: Paradoxes in learning and the marginal value of information, 2010.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from plait.core.arrays import Floats, Ints
from plait.core.sentences import ParameterError
from plait.posterior.credible_families import deepen
from plait.posterior.likely_sets import LikelySets

__all__ = ["ASKED_BY", "LabelsToAsk", "labels_to_ask"]

ASKED_BY = ("plan", "set", "entropy", "others", "hamming")

# Answers that are not known yet are averaged over; beyond these many branches the likelier answer is taken.
_MOST_BRANCHES = 16
_MOST_ENUMERATED = 15
_MOST_TIED = 64  # sets as probable as the second that are looked at
_MOST_PLANNED = 64  # likeliest sets that plans are to tell apart
_BLOCK = 1 << 20  # cells of the tables of plans that are made at once


class LabelsToAsk(NamedTuple):
    """The labels to ask of every row, the most valuable first.

    `labels` (n_rows, k) are label numbers, -1 where nothing is left to ask; `names` the same as names, None there;
    `values` what each answer is worth; `probabilities` how probable the label is now.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_rows, k)
        Numbers of labels; -1 where nothing is left to ask.
    names : ndarray of str, shape (n_rows, k)
        Their names; None there.
    values : ndarray of float64, shape (n_rows, k)
        What each answer is worth.
    probabilities : ndarray of float64, shape (n_rows, k)
        How probable the labels are now.

    Examples
    --------
    >>> from plait import recipes
    >>> model = recipes.pcc().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [[0, 0], [0, 1], [1, 1], [1, 0]] * 9)
    >>> model.joint([[0.0], [1.5]]).ask().names
    array([['y1'],
           ['y0']], dtype=object)
    """

    labels: Ints
    names: Any
    values: Floats
    probabilities: Floats


def labels_to_ask(answer: Any, k: int, by: str) -> LabelsToAsk:
    """Return the k unknown labels of every row whose answers are worth most, each after the ones before it.

    Parameters
    ----------
    answer : Posterior
        P(y | x) of the rows, with what is known.
    k : int
        How many labels.
    by : {"plan", "set", "entropy", "others", "hamming"}
        What an answer is worth.
    """
    marginals = answer.marginals()
    asked = np.zeros(marginals.shape, dtype=np.bool_) if answer.evidence is None else answer.evidence >= 0
    labels = np.full((len(answer), k), -1, dtype=np.int64)
    values, probabilities = np.full((len(answer), k), np.nan), np.full((len(answer), k), np.nan)
    branches = [(np.ones(len(answer)), answer)]
    for place in range(min(k, answer.n_labels)):
        if by == "set" and place == 0 and k == 1:
            worth = _runners_up(answer)
        else:
            worth = np.sum([weight[:, None] * _values(part, by) for weight, part in branches], axis=0)
        best = _largest(worth, marginals, asked)
        rows = np.flatnonzero(~asked.all(axis=1))
        labels[rows, place], values[rows, place] = best[rows], worth[rows, best[rows]]
        probabilities[rows, place] = marginals[rows, best[rows]]
        asked[rows, best[rows]] = True
        if place + 1 < k:
            branches = [branch for old in branches for branch in _answered(*old, rows, best, len(branches))]
    names = np.array([*answer.label_names, None], dtype=object)[labels]
    return LabelsToAsk(labels, names, values, probabilities)


def _largest(worth: Floats, marginals: Floats, asked: Any) -> Ints:
    """Return the label of largest worth; of equal ones the most uncertain, then the first."""
    tied = worth >= np.where(asked, -np.inf, worth).max(axis=1, keepdims=True) * (1 - 1e-9) - 1e-15
    uncertain = np.where(tied & ~asked, _binary_entropy(marginals), -1.0)
    return uncertain.argmax(axis=1)


def _answered(weight: Floats, part: Any, rows: Ints, label: Ints, n_branches: int) -> list[tuple[Floats, Any]]:
    """Return the branches of a posterior once a label of each row is known, with their probabilities."""
    p = part.marginals()[rows, label[rows]]
    likelier = (p > 0.5).astype(np.float64)
    values = [likelier] if 2 * n_branches > _MOST_BRANCHES else [np.zeros(len(rows)), np.ones(len(rows))]
    branches = []
    for value in values:
        share = weight.copy()
        if len(values) == 2:
            share[rows] *= np.where(value == 1, p, 1 - p)
        branches.append((share, _known(part, rows, label[rows], value)))
    return branches


def _known(part: Any, rows: Ints, labels: Ints, values: Any) -> Any:
    evidence = np.full((len(part), part.n_labels), np.nan)
    evidence[rows, labels] = values
    return part.given(evidence)


def _values(answer: Any, by: str) -> Floats:
    """Return what the answer for each label is worth, (n_rows, n_labels); of known labels anything."""
    if by == "entropy":
        return _binary_entropy(answer.marginals())
    if by == "plan":
        likely = answer.top(int(min(_MOST_PLANNED, 2.0**answer.n_labels)))
        step = max(1, _BLOCK // (2 * _MOST_PLANNED * answer.n_labels))
        blocks = [slice(first, first + step) for first in range(0, len(answer), step)]
        return np.concatenate([planned_gains(likely.vectors[rows], likely.probabilities[rows]) for rows in blocks])
    known = np.zeros((len(answer), answer.n_labels), bool) if answer.evidence is None else answer.evidence >= 0
    if by == "set":
        return _second_sets(answer, known)
    return _settled_labels(answer, known) if by == "hamming" else _information(answer)


def planned_gains(sets: Any, probabilities: Floats) -> Floats:
    """Return the gain in the expected P(most probable set) a question, of a row's best plan; 0 of labels without doubt.

    A plan is made label by label, the next one where the sum of P(most probable set) over all answers is largest.

    Parameters
    ----------
    sets : ndarray of shape (n_rows, n_sets, n_labels)
        Label sets of every row, the most probable first.
    probabilities : ndarray of shape (n_rows, n_sets)
        Of these.

    Returns
    -------
    ndarray of shape (n_rows, n_labels)
        The same for all labels in which sets of a row differ.

    Examples
    --------
    >>> sets = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]])
    >>> planned_gains(sets, np.array([[0.4, 0.25, 0.25, 0.1]])).round(3)
    array([[0.3, 0.3, 0. ]])
    """
    n_rows, n_sets, n_labels = sets.shape
    bits, rows, labels = sets.astype(np.int64), np.arange(n_rows), np.arange(n_labels)
    # Sets with the same answers so far go by the number of the most probable of them.
    alike = np.zeros((n_rows, n_sets), dtype=np.int64)
    chosen = np.zeros((n_rows, n_labels), np.bool_)
    best, before = np.zeros(n_rows), probabilities[:, 0].copy()
    for n_asked in range(1, n_labels + 1):
        answers = 2 * alike[:, :, None] + bits
        tops = np.zeros((n_rows, n_labels, 2 * n_sets))
        np.maximum.at(tops, (rows[:, None, None], labels, answers), probabilities[:, :, None])
        gains = np.where(chosen, -1.0, tops.sum(axis=2))
        label = gains.argmax(axis=1)
        total = gains[rows, label]
        if not (total > before * (1 + 1e-12)).any():
            break
        before = np.maximum(before, total)
        chosen[rows, label] = True
        best = np.maximum(best, (total - probabilities[:, 0]) / n_asked)
        codes, first = answers[rows, :, label], np.full((n_rows, 2 * n_sets), n_sets)
        np.minimum.at(first, (rows[:, None], codes), np.arange(n_sets))
        alike = first[rows[:, None], codes]
    differ = ((bits != bits[:, :1]) & (probabilities > 0)[:, :, None]).any(axis=1)
    return np.where(differ, best[:, None], 0.0)


def _runners_up(answer: Any) -> Floats:
    """Return P(second set) where a label differs between it, or a set as probable, and the most probable set; else 0.

    No label is worth more than these to ask, so the best one is found by one search instead of one for each label.
    """
    worth = np.zeros((len(answer), answer.n_labels))

    def passed(rows: Ints, likely: LikelySets, whole: bool, _: Any) -> Any:
        p = likely.probabilities[:, 1:2] if likely.probabilities.shape[1] > 1 else np.zeros((len(rows), 1))
        tied = (likely.probabilities >= p * (1 - 1e-9)) & (likely.probabilities > 0)
        differs = (likely.vectors != likely.vectors[:, :1]) & tied[:, :, None]
        worth[rows] = np.where(differs.any(axis=1), p, 0.0)
        return ~tied[:, -1] | whole

    deepen(answer, _MOST_TIED, passed, first=4)
    return worth


def _second_sets(answer: Any, known: Any) -> Floats:
    """Return the probability of the best set in which each label has the other value than in the most probable set."""
    mode, worth = answer.mode(), np.zeros(known.shape)
    for label in range(answer.n_labels):
        rows = np.flatnonzero(~known[:, label])
        if len(rows):
            part = answer[rows]
            other = _known(part, np.arange(len(rows)), np.full(len(rows), label), 1 - mode[rows, label]).mode()
            worth[rows, label] = np.exp(part.log_prob(other))
    return worth


def _settled_labels(answer: Any, known: Any) -> Floats:
    now, worth = answer.marginals(), np.zeros(known.shape)
    for label in range(answer.n_labels):
        rows = np.flatnonzero(~known[:, label])
        if len(rows):
            part, p = answer[rows], now[rows, label]
            after = np.zeros(len(rows))
            for value, share in ((0, 1 - p), (1, p)):
                q = _known(part, np.arange(len(rows)), np.full(len(rows), label), np.full(len(rows), value)).marginals()
                after += share * np.maximum(q, 1 - q).sum(axis=1)
            worth[rows, label] = after - np.maximum(now[rows], 1 - now[rows]).sum(axis=1)
    return worth


def _information(answer: Any) -> Floats:
    """Return I(Y_k; the other labels) by enumeration of all label sets."""
    q = answer.n_labels
    if q > _MOST_ENUMERATED:
        raise ParameterError(
            f'ask needs at most {_MOST_ENUMERATED} labels for by="others", which enumerates label sets, but there are '
            f'{q}. Use by="entropy".'
        )
    sets = ((np.arange(2**q)[:, None] >> np.arange(q)) & 1).astype(np.uint8)
    worth = np.empty((len(answer), q))
    for row in range(len(answer)):
        p = np.exp(answer[np.full(2**q, row)].log_prob(sets))
        whole = -xlogy(p, p).sum()
        for label in range(q):
            pairs = p.reshape(2 ** (q - 1 - label), 2, 2**label)
            own, rest = pairs.sum(axis=(0, 2)), pairs.sum(axis=1)
            worth[row, label] = -xlogy(own, own).sum() - xlogy(rest, rest).sum() - whole
    return worth


def _binary_entropy(p: Floats) -> Floats:
    return np.asarray(-xlogy(p, p) - xlogy(1 - p, 1 - p))
