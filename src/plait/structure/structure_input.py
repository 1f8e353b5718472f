"""`StructureInput`: the checked input of a structure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Bools, Ints
from plait.core.checks import RandomState, check_value
from plait.core.label_forms import read_labels
from plait.core.labels import label_matrix
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, shown
from plait.core.unknown_labels import has_unknown
from plait.structure.co_occurrences import CoOccurrences
from plait.structure.label_information import AnyInformation, CountedLabelInformation, information_of
from plait.structure.pair_dependence import PairDependence

__all__ = ["StructureInput", "checked_input"]


@dataclass(frozen=True, eq=False)
class StructureInput:
    """What structures and orders are made from.

    Parameters
    ----------
    owner : str
        Whose input it is, for errors.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        0/1 labels; a CSR matrix may come to structures with `takes_sparse_labels` only. Of int8, with -1, where some
        are unknown.
    random : Generator
        Where random choices come from.
    pairs : PairDependence, or None
        What a learner found about pairs of labels.
    label_names : sequence of str, or None
        The labels' names.
    counts : CoOccurrences, or None
        In how many rows labels are, and meet, where Y has none of them: for structures with `counts_pairs`.
    """

    owner: str
    X: Any
    Y: Any
    random: np.random.Generator
    pairs: PairDependence | None = None
    label_names: Sequence[str] | None = None
    counts: CoOccurrences | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows behind labels."""
        return int(self.Y.shape[0]) if self.counts is None else self.counts.n_rows

    @property
    def information(self) -> AnyInformation:
        """What labels tell about each other."""
        return information_of(self.Y) if self.counts is None else CountedLabelInformation(self.counts)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.Y.shape[1])

    @property
    def n_ones(self) -> Ints:
        """How many rows have each label, shape (n_labels,)."""
        if self.counts is not None:
            return self.counts.counts
        return np.asarray(((self.Y == 1) if has_unknown(self.Y) else self.Y).sum(axis=0, dtype=np.int64)).ravel()

    @property
    def varies(self) -> Bools:
        """Which labels have both values, shape (n_labels,)."""
        ones = self.n_ones
        known = (self.Y >= 0).sum(axis=0) if has_unknown(self.Y) else self.n_rows
        return np.asarray((ones > 0) & (ones < known))


def checked_input(
    owner: str,
    X: Any,
    Y: Any,
    random_state: Any,
    pairs: PairDependence | None,
    label_names: Sequence[str] | None,
    *,
    sparse_labels: bool = False,
) -> StructureInput:
    """Return the input of a structure, with shapes that fit; values of X are the caller's business."""
    check_value(owner, "random_state", random_state, (RandomState(),))
    features = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    given = read_labels(owner, "Y", Y)
    labels = label_matrix(owner, "Y", given.table, one_column=False, unknown=True)
    labels = labels.toarray() if sparse.issparse(labels) and not sparse_labels else labels
    if features.ndim != 2 or features.shape[0] != labels.shape[0]:
        raise ParameterError(
            f"{owner} needs X and Y to have the same number of rows, but X has shape {features.shape} and Y has "
            f"{labels.shape[0]} rows. Pass rows of the same objects."
        )
    n_labels = labels.shape[1]
    label_names = given.names if label_names is None else label_names
    if label_names is not None and len(label_names) != n_labels:
        raise ParameterError(
            f"{owner} needs label_names to hold {n_labels} names, but it holds {len(label_names)}. "
            "Pass one for each column of Y, or None."
        )
    if pairs is not None and (not isinstance(pairs, PairDependence) or pairs.n_labels != n_labels):
        raise ParameterError(
            f"{owner} needs pairs to be a PairDependence of {n_labels} labels, but it is {shown(pairs)}. "
            "Pass what a learner found for the same columns of Y, or None."
        )
    names = None if label_names is None else [str(name) for name in label_names]
    return StructureInput(owner, features, labels, generator(random_state), pairs, names)
