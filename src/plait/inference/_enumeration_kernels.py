"""Loops over all label vectors of a row: arrays in, arrays out, the caller allocates.

Notation
--------
prefix    : values of the first t labels of the order as one number, the first label its highest bit
setting   : where a label's probabilities stand in the tables for given values of its parents
off, on   : tables of P(label = 0 | parents) and P(label = 1 | parents), shape (n_rows, n_settings)
number    : a label vector as one number, label 0 its highest bit
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = ["fill_settings", "number_of_prefix", "sum_by_label", "vector_probabilities"]


@kernel
def number_of_prefix(order, numbers):  # type: ignore[no-untyped-def]
    """Write the label vector's number of every whole prefix."""
    n_labels = order.size
    numbers[0] = 0
    for t in range(n_labels):
        bit = np.int64(1) << (n_labels - 1 - order[t])
        for prefix in range((np.int64(1) << t) - 1, -1, -1):
            number = numbers[prefix]
            numbers[2 * prefix + 1] = number | bit
            numbers[2 * prefix] = number


@kernel
def fill_settings(parent_places, starts, n_parents, settings):  # type: ignore[no-untyped-def]
    """Write the setting of the t-th label after every prefix, at `2 ** t - 1 + prefix`.

    `parent_places[t, a]` is the place in the order of its a-th parent, `starts[t]` where its tables begin.
    """
    for t in range(starts.size):
        for prefix in range(np.int64(1) << t):
            setting = starts[t]
            for a in range(n_parents[t]):
                setting += ((prefix >> (t - 1 - parent_places[t, a])) & 1) << a
            settings[(np.int64(1) << t) - 1 + prefix] = setting


@kernel
def vector_probabilities(off, on, settings, numbers, work, probabilities):  # type: ignore[no-untyped-def]
    """Write P(y | x) of all label vectors of every row, in the order of their numbers.

    The prefixes of one length are turned into those of the next in place, from the last to the first.
    """
    n_rows, n_all = probabilities.shape
    for row in range(n_rows):
        work[0] = 1.0
        length = 1
        while length < n_all:
            for prefix in range(length - 1, -1, -1):
                weight = work[prefix]
                setting = settings[length - 1 + prefix]
                work[2 * prefix + 1] = weight * on[row, setting]
                work[2 * prefix] = weight * off[row, setting]
            length *= 2
        for prefix in range(n_all):
            probabilities[row, numbers[prefix]] = work[prefix]


@kernel
def sum_by_label(probabilities, work, total, by_label):  # type: ignore[no-untyped-def]
    """Write the sum over all label vectors, and over those with each label, of every row.

    The vectors with label 0 are the second half; adding it to the first leaves a table of one label less.
    """
    n_rows, n_all = probabilities.shape
    for row in range(n_rows):
        work[:] = probabilities[row]
        half = n_all // 2
        label = 0
        while half >= 1:
            upper = 0.0
            for place in range(half):
                upper += work[half + place]
                work[place] += work[half + place]
            by_label[row, label] = upper
            half //= 2
            label += 1
        total[row] = work[0]
