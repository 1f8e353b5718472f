"""What features say about labels of which some are unknown: a label counts in the rows that know it.

Notation
--------
f, s  : features; s is known beside f
l, k  : labels; n is the number of rows that know all labels of a term
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from plait.core.arrays import Bools, Floats, Ints
from plait.core.ties import first_best
from plait.core.unknown_labels import UNKNOWN, has_unknown
from plait.counts import Codes, encode, joint_counts
from plait.features.engine.column_pairs import ColumnPairs
from plait.features.engine.criterion import Choice, Chosen, GeneralCriterion
from plait.structure.label_information import FEWEST_ROWS, KnownLabelInformation

__all__ = ["KnownLabels", "KnownTables", "LabelCodes", "coded_labels", "search_known"]

# Cells (plane of a feature, label) that are worked on at a time.
_BLOCK_CELLS = 1 << 22


class KnownLabels:
    """Labels of which some are unknown, in the place of codes of labels.

    Parameters
    ----------
    Y : ndarray of int8, shape (n_rows, n_labels)
        0, 1, or -1 where unknown.
    """

    def __init__(self, Y: Any) -> None:
        self.n_rows, self.n_labels = Y.shape
        self.ones, self.known = Y == 1, Y >= 0

    def tables(self, x: Codes) -> "KnownTables":
        """Return what features say about these labels."""
        return KnownTables(x, self)

    @cached_property
    def uncertainty(self) -> Floats:
        """2 I(l;k) / (H(l) + H(k)) of all pairs of labels, (n_labels, n_labels)."""
        return KnownLabelInformation(np.where(self.known, self.ones, UNKNOWN).astype(np.int8)).symmetric


LabelCodes: TypeAlias = Codes | KnownLabels


def coded_labels(Y: Any) -> LabelCodes:
    """Return labels as counts read them.

    Examples
    --------
    >>> coded_labels(np.array([[1, -1]], dtype=np.int8)).known.tolist()
    [[True, False]]
    """
    return KnownLabels(Y) if has_unknown(Y) else encode(Y)


class KnownTables:
    """Mutual information of features and labels, in bits, each term in the rows that know all its labels.

    Fewer than 5 such rows tell nothing.

    Parameters
    ----------
    x : SparseCodes or PackedCodes
        Features.
    labels : KnownLabels
        Labels of the same rows.

    Examples
    --------
    >>> Y = np.array([[0], [1]] * 3 + [[-1]], dtype=np.int8)
    >>> tables = KnownLabels(Y).tables(encode([[0, 1], [1, 1]] * 3 + [[1, 0]]))
    >>> tables.relevance.tolist()  # the second feature varies in a row only that does not know the label
    [[1.0], [0.0]]
    """

    def __init__(self, x: Codes, labels: KnownLabels) -> None:
        self._x, self._labels = x, labels
        counts = np.arange(x.n_rows + 1, dtype=np.float64)
        self._contents = counts * np.log2(np.maximum(counts, 1.0))

    @cached_property
    def relevance(self) -> Floats:
        """I(f;l), (n_features, n_labels)."""
        return self._means(self._shared(self._labels.ones, self._labels.known), self._labels.known)

    @cached_property
    def uncertainty(self) -> Floats:
        """2 I(f;l) / (H(f) + H(l)), (n_features, n_labels)."""
        total = self.feature_entropies + self.label_entropies
        return np.divide(2.0 * self.relevance, total, out=np.zeros_like(total), where=total > 0)

    @cached_property
    def feature_entropies(self) -> Floats:
        """H(f) in the rows that know l, (n_features, n_labels)."""
        return self._means(self._varied(self._labels.known), self._labels.known)

    @cached_property
    def label_entropies(self) -> Floats:
        """H(l), (n_labels,)."""
        ones, known = self._labels.ones.sum(axis=0), self._labels.known.sum(axis=0)
        table = self._contents
        return self._means((table[known] - table[ones] - table[known - ones])[None], self._labels.known)[0]

    def relevance_given(self, column: int, labels: Sequence[int] | None = None) -> Floats:
        """Return I(f;l|s) for a feature s and every feature f, (n_features, number of labels)."""
        some = slice(None) if labels is None else list(labels)
        ones, known = self._labels.ones[:, some], self._labels.known[:, some]
        parts = (self._shared(ones & rows[:, None], known & rows[:, None]) for rows in self._symbols(column))
        return self._means(sum(parts, np.zeros((self._x.vocabulary.n_columns, ones.shape[1]))), known)

    def given_feature(self, column: int) -> Floats:
        """Return the sum of I(f;l|s) over all labels l, for a feature s and every feature f."""
        return np.asarray(self.relevance_given(column).sum(axis=1))

    def pair_interactions(self) -> Floats:
        """Return the sum of I(f;k) - I(f;k|l) over all pairs of labels l < k, for every feature f."""
        total = np.zeros(self._x.vocabulary.n_columns)
        for label in range(self._labels.n_labels - 1):
            ones, behind = self._labels.ones[:, [label]], slice(label + 1, None)
            both = self._labels.known[:, behind] & self._labels.known[:, [label]]
            amounts = self._shared(self._labels.ones[:, behind] & both, both)
            for rows in (both & ones, both & ~ones):
                amounts -= self._shared(self._labels.ones[:, behind] & rows, rows)
            total += self._means(amounts, both).sum(axis=1)
        return total

    def between_labels(self, label: int, other: int) -> Floats:
        """Return I(l;k|f) of two labels for every feature f, (n_features,)."""
        both = self._labels.known[:, label] & self._labels.known[:, other]
        one, two = self._labels.ones[:, label], self._labels.ones[:, other]
        cells = [both & (one == a) & (two == b) for a in (False, True) for b in (False, True)]
        margins = [both & (one == a) for a in (False, True)] + [both & (two == b) for b in (False, True)]
        columns = np.column_stack([*cells, *margins, both])
        found = np.concatenate([self._within(x, columns) for x in self._blocks(columns.shape[1])])
        amount = found[:, :4].sum(axis=1) - found[:, 4:8].sum(axis=1) + found[:, 8]
        return self._means(np.maximum(amount, 0.0)[:, None], both[:, None])[:, 0]

    def _means(self, amounts: Floats, known: Bools) -> Floats:
        """Return amounts a row; 0 where too few rows are known."""
        rows = known.sum(axis=0)
        return np.where(rows >= FEWEST_ROWS, amounts / np.maximum(rows, 1), 0.0)

    def _shared(self, ones: Bools, known: Bools) -> Floats:
        """Return n I(f;l) in the rows that are known, (n_features, number of labels)."""
        sizes, of_ones = known.sum(axis=0), ones.sum(axis=0)
        table = self._contents
        rest = table[sizes] - table[of_ones] - table[sizes - of_ones]
        found = []
        for x in self._blocks(3 * ones.shape[1]):
            inside, alone = self._within(x, ones) + self._within(x, known & ~ones), self._within(x, known)
            found.append(np.maximum(inside - alone + rest, 0.0))
        return np.concatenate([np.zeros((0, ones.shape[1])), *found])

    def _varied(self, known: Bools) -> Floats:
        """Return n H(f) in the rows that are known."""
        found = [self._within(x, known) for x in self._blocks(known.shape[1])]
        return self._contents[known.sum(axis=0)] - np.concatenate([np.zeros((0, known.shape[1])), *found])

    def _within(self, x: Codes, rows: Bools) -> Floats:
        """Return the sums of c log2 c over the symbols of each feature in each set of rows."""
        cells = joint_counts(x, encode(rows.view(np.uint8)))
        starts = x.vocabulary.offsets[:-1]
        zeros = rows.sum(axis=0) - np.add.reduceat(cells, starts, axis=0)
        return np.asarray(np.add.reduceat(self._contents[cells], starts, axis=0) + self._contents[zeros])

    def _blocks(self, n_columns: int) -> Iterator[Codes]:
        """Yield features, some at a time."""
        offsets, first = self._x.vocabulary.offsets, 0
        while first < offsets.size - 1:
            most = offsets[first] + max(_BLOCK_CELLS // max(n_columns, 1), 1)
            last = max(int(np.searchsorted(offsets, most, side="right")) - 1, first + 1)
            yield self._x.columns(first, last)
            first = last

    def _symbols(self, column: int) -> Iterator[Bools]:
        """Yield the rows of every symbol of a feature, of 0 last."""
        planes = self._x.columns(column, column + 1).indicators() == 1
        yield from planes
        yield np.asarray(~planes.any(axis=0))


def search_known(
    criterion: GeneralCriterion,
    x: Codes,
    labels: KnownLabels,
    parents: Sequence[Sequence[int]],
    n_wanted: int,
    by_label: bool,
) -> list[Chosen]:
    """Return what `criterion_search.search` does, every term of a label in the rows that know its labels."""
    tables = labels.tables(x)
    pairs = ColumnPairs(x) if criterion.marginal else None
    groups = [[label] for label in range(labels.n_labels)] if by_label else [list(range(labels.n_labels))]
    return [_chosen(criterion, tables, pairs, parents, group, n_wanted) for group in groups]


def _chosen(
    criterion: GeneralCriterion,
    tables: KnownTables,
    pairs: ColumnPairs | None,
    parents: Sequence[Sequence[int]],
    group: list[int],
    n_wanted: int,
) -> tuple[Ints, Floats]:
    """Return the features that some labels choose together."""
    relevance = tables.relevance[:, group]
    choice = Choice(len(relevance), n_wanted)
    choice.relevance += relevance.sum(axis=1)
    choice.base += choice.relevance
    for label in group:
        beta = criterion.beta_of(len(parents[label]))
        for parent in parents[label] if beta else ():
            choice.base += beta * tables.between_labels(label, parent)
    choice.open(criterion, np.arange(len(relevance)))
    gammas = criterion.gammas(n_wanted)
    for step in range(choice.n_chosen, n_wanted):
        if step > 0 and gammas[step] != 0.0:
            last = int(choice.ranking[step - 1])
            if pairs is not None:
                choice.sums -= len(group) * pairs.bits * pairs.shared_with(last)
            else:  # I(l;s|f) = I(f;l|s) + I(s;l) - I(f;l)
                choice.sums += (tables.relevance_given(last, group) + relevance[last] - relevance).sum(axis=1)
        scores = choice.base + gammas[step] * choice.sums
        best = first_best(scores)
        choice.choose(best, scores[best])
    return choice.ranking, choice.scores
