"""ReliefF on label sets as classes, rare sets left out [Kononenko1994; Read2008; Reyes2015].

Nearest neighbours of rows with few distinct values have many ties. Columns are scaled so that differences between
rows are whole numbers: distances are the same to the last bit for dense and sparse rows and any order of adding, so
that ties stay ties.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances_chunked

from plait.core.arrays import Bools, Floats, Ints
from plait.core.checks import InstanceOf, Interval, Nothing, RandomState
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.progress_bar import progress
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, complaint
from plait.core.unknown_labels import has_unknown
from plait.features.engine.columns import as_numbers, column_bounds
from plait.features.engine.ranking import stable_ranking
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import Selector
from plait.structure import LabelGraph

__all__ = ["PrunedReliefF"]

_count_kernels = lazy_module("plait.features.engine._count_kernels")


class PrunedReliefF(Selector):
    """PPT + ReliefF: features that tell near rows with other label sets apart.

    Every frequent label set is a class, rows with rare ones are left out, and ReliefF weighs the features. Use it when
    features matter only together (ReliefF sees interactions that one-by-one measures miss) and label sets repeat;
    with most label sets unique it sees few rows.

    Where labels are unknown, a row is compared by the set of those it knows with the rows that know these labels too,
    and sets are rare among them; with many labels hardly any do, and `ReliefF` sees more.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to keep.
    pruning : int, default=3
        Label sets seen at most so often are left out; lowered where none would remain.
    n_neighbors : int, default=10
        Nearest rows of each class.
    n_samples : int or None, default=None
        How many rows to draw for the weighting; None takes all, and then nothing is random.
    nominal : sequence of bool, int or str, optional
        Columns whose values are names, so that different values differ by 1: a mask, their numbers, or their names in a
        data frame.
    random_state : int, RandomState, Generator or None, default=None
        For the drawing of rows.
    n_jobs : int, optional
        Threads; the result is the same for any number.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        ReliefF weights, between -1 and 1.

    References
    ----------
    [Kononenko1994] Kononenko: Estimating attributes: analysis and extensions of RELIEF, 1994.
    [Read2008] Read: A pruned problem transformation method for multi-label classification, 2008.

    Examples
    --------
    Only both first features together tell the label.

    >>> X = np.array([[0, 0, 0.1], [0, 1, 0.2], [1, 0, 0.1], [1, 1, 0.2]] * 4)
    >>> Y = (X[:, [0]] != X[:, [1]]).astype(int)
    >>> PrunedReliefF(n_features=2, n_neighbors=3).fit(X, Y).ranking_
    array([0, 1])
    """

    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {
        "n_features": SIZE_RULES,
        "pruning": (Interval(int, 0, None),),
        "n_neighbors": (Interval(int, 1, None),),
        "n_samples": (Interval(int, 1, None), Nothing()),
        "nominal": (InstanceOf((list, tuple, np.ndarray)), Nothing()),
        "random_state": (RandomState(),),
        "n_jobs": (Interval(int, None, None), Nothing()),
    }

    def __init__(
        self,
        n_features: Any = "sqrt",
        pruning: int = 3,
        n_neighbors: int = 10,
        n_samples: int | None = None,
        nominal: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features = n_features
        self.pruning = pruning
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.nominal = nominal
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        numbers = as_numbers(type(self).__name__, X)
        self.weights_ = self._weights(numbers, Y)
        low, high = column_bounds(numbers)
        wanted = n_wanted(self.n_features, *numbers.shape)
        self._warn_if_fewer(int((high > low).sum()), wanted)
        ranking = stable_ranking(np.where(high > low, self.weights_, -np.inf))[:wanted]
        return FeatureMask.shared(ranking, self.weights_[ranking], Y.shape[1], numbers.shape[1])

    def _weights(self, numbers: Any, Y: Any) -> Floats:
        nominal = self._nominal_columns(numbers.shape[1])
        parts = label_set_parts(Y, self.pruning)
        judged = np.repeat(np.arange(len(parts)), [own.size for _, _, own in parts])
        places = np.concatenate([own for _, _, own in parts])
        sampled = self._sampled(judged.size)
        weights = np.zeros(numbers.shape[1])
        for part in np.unique(judged[sampled]):
            kept, classes, _ = parts[part]
            rows = places[sampled[judged[sampled] == part]]
            differences = WholeDifferences.of(numbers[kept], nominal)
            found = relieff_weights(differences, classes, rows, self.n_neighbors, self.n_jobs)
            weights += rows.size / sampled.size * found
        return weights

    def _nominal_columns(self, n_columns: int) -> Bools:
        mask = np.zeros(n_columns, dtype=np.bool_)
        known = {name: column for column, name in enumerate(getattr(self, "feature_names_in_", ()))}
        given = [] if self.nominal is None else [known.get(_plain(each), _plain(each)) for each in self.nominal]
        if len(given) == n_columns and all(isinstance(each, bool) for each in given):
            return np.array(given)
        if not all(Interval(int, 0, n_columns - 1).accepts(each) for each in given):
            must = f"a mask of {n_columns} columns, their numbers or their names"
            raise ParameterError(complaint(type(self).__name__, "nominal", must, self.nominal))
        mask[np.array(given, dtype=np.int64)] = True
        return mask

    def _sampled(self, n_rows: int) -> Ints:
        if self.n_samples is None or self.n_samples >= n_rows:
            return np.arange(n_rows)
        return np.sort(generator(self.random_state).choice(n_rows, self.n_samples, replace=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def label_set_classes(Y: Any, pruning: int = 0) -> Ints:
    """Return the class of each row, numbered by first occurrence; -1 where the label set is too rare.

    Parameters
    ----------
    Y : ndarray or CSR matrix of shape (n_samples, n_labels)
        0/1 labels without stored zeros.
    pruning : int, default=0
        Label sets seen at most so often are dropped; 0 keeps all. Where that would drop every row, it is lowered
        until the most frequent sets are left.

    Examples
    --------
    >>> label_set_classes(np.array([[1, 0], [0, 1], [1, 0], [1, 0], [0, 1], [1, 1]]), pruning=1)
    array([ 0,  1,  0,  0,  1, -1])
    """
    sets = _numbered_sets(Y)
    return _frequent(sets, min(pruning, np.bincount(sets).max(initial=1) - 1))


def _numbered_sets(Y: Any) -> Ints:
    rows = sparse.csr_matrix(Y)
    rows.sort_indices()
    seen: dict[bytes, int] = {}
    sets = (rows.indices[start:end].tobytes() for start, end in pairwise(rows.indptr))
    return np.array([seen.setdefault(label_set, len(seen)) for label_set in sets], dtype=np.int64)


def _frequent(sets: Ints, pruning: int) -> Ints:
    frequent = np.bincount(sets) > pruning
    return np.where(frequent, np.cumsum(frequent) - 1, -1)[sets]


def label_set_parts(Y: Any, pruning: int = 0) -> list[tuple[Ints, Ints, Ints]]:
    """Return rows that can be compared, by the labels that are known: one part where all are.

    For every set of labels that some rows know, neither more nor less: all rows that know these labels, without those
    whose values there are rare; the classes of these rows; and the places among them of the rows that know no more.

    Examples
    --------
    The last two rows are compared with each other and the first, which knows more, by the first label alone.

    >>> Y = np.array([[1, 1], [1, -1], [0, -1]], dtype=np.int8)
    >>> [[each.tolist() for each in part] for part in label_set_parts(Y)]
    [[[0, 1, 2], [0, 0, 1], [1, 2]], [[0], [0], [0]]]
    """
    if not has_unknown(Y):
        classes = label_set_classes(Y, pruning)
        kept = np.flatnonzero(classes >= 0)
        return [(kept, classes[kept], np.arange(kept.size))]
    known = Y >= 0
    patterns, owner = np.unique(known, axis=0, return_inverse=True)
    able = [np.flatnonzero(known[:, pattern].all(axis=1)) for pattern in patterns]
    sets = [_numbered_sets(Y[rows][:, pattern]) for rows, pattern in zip(able, patterns, strict=True)]
    lowered = min(pruning, max(int(np.bincount(each).max()) for each in sets) - 1)
    parts = []
    for number, (rows, each) in enumerate(zip(able, sets, strict=True)):
        classes = _frequent(each, lowered)
        kept = rows[classes >= 0]
        parts.append((kept, classes[classes >= 0], np.flatnonzero(owner.ravel()[kept] == number)))
    return parts


# MiB of distances held at one time.
_WORKING_MEMORY = 64
# Differences (rows x neighbours x classes x columns) from which on kernels pay: NumPy takes some 3 ns for each.
_MANY_DIFFERENCES = 1 << 25


def relieff_weights(
    differences: "WholeDifferences", classes: Ints, rows: Ints, n_neighbors: int, n_jobs: int | None = None
) -> Floats:
    """Return the ReliefF weight of every column.

    For each sampled row: minus the mean difference to its nearest rows of the same class, plus, for each other class
    c, P(c) / (1 - P(own class)) times the mean difference to its nearest rows of class c; averaged over sampled rows.

    Parameters
    ----------
    differences : WholeDifferences
        The rows; neighbours are those with the smallest sum of differences, ties by row index.
    classes : ndarray of int
        Class of each row, from 0.
    rows : ndarray of int
        Which rows are sampled.
    n_neighbors : int
        Neighbours from each class; where a class has fewer, those it has.
    n_jobs : int, optional
        Threads for the distances; the weights are the same for any number.
    """
    values = differences.values
    priors = np.bincount(classes) / classes.size
    parts = np.zeros(values.shape[1])
    nearest = np.empty((priors.size, n_neighbors))
    chunks = pairwise_distances_chunked(
        values[rows], values, metric="manhattan", n_jobs=n_jobs, working_memory=_WORKING_MEMORY
    )
    pays = kernels_pay(rows.size * n_neighbors * priors.size * values.shape[1], _MANY_DIFFERENCES)
    first = 0
    for distances in progress(chunks, "ReliefF, blocks of rows"):
        own = rows[first : first + distances.shape[0]]
        if not pays:
            _add_plainly(values, distances, own, classes, priors, n_neighbors, parts)
            first += own.size
            continue
        neighbours = np.empty((own.size, priors.size, n_neighbors), dtype=np.int64)
        _count_kernels.nearest_by_class(distances, own, classes, neighbours, nearest)
        _add(values, own, classes, priors, neighbours, parts)
        first += own.size
    weights = np.bincount(differences.owner, weights=parts, minlength=differences.owner.max(initial=-1) + 1)
    return weights / (differences.unit * max(rows.size, 1))


def _add_plainly(
    values: Any, distances: Floats, own: Ints, classes: Ints, priors: Floats, n_neighbors: int, parts: Floats
) -> None:
    """Add the differences to misses and take off those to hits, row by row, class by class, the nearest first."""
    values = values.toarray() if sparse.issparse(values) else values
    distances[np.arange(own.size), own] = np.inf
    members = [np.flatnonzero(classes == c) for c in range(priors.size)]
    # Ties by row index; the row itself stands last in its class.
    nearest = [rows[np.argsort(distances[:, rows], axis=1, kind="stable")[:, :n_neighbors]] for rows in members]
    for i, row in enumerate(own):
        mine = classes[row]
        others: list[Ints] = []
        factors: list[Floats] = []
        for c, rows in enumerate(nearest):
            n_found = min(members[c].size - int(c == mine), n_neighbors)
            n = max(n_found, 1)
            others.append(rows[i, :n_found])
            factors.append(np.full(n_found, -1.0 / n if c == mine else priors[c] / ((1.0 - priors[mine]) * n)))
        terms = np.concatenate(factors)[:, None] * np.abs(values[row] - values[np.concatenate(others)])
        # One after the other, so that blocks of rows change nothing.
        parts[:] = np.add.accumulate(np.vstack((parts, terms)))[-1]


def _add(values: Any, own: Ints, classes: Ints, priors: Any, neighbours: Ints, parts: Any) -> None:
    if sparse.issparse(values):
        _count_kernels.add_differences_sparse(
            values.indptr, values.indices, values.data, own, classes, priors, neighbours, parts
        )
    else:
        _count_kernels.add_differences_dense(np.ascontiguousarray(values), own, classes, priors, neighbours, parts)


# A multiple of 1 to 16: steps of small whole numbers, such as 1/3 of a range, come out exact.
_MANY_DIVISORS = 720720
_LARGEST_SUM = 1 << 52


@dataclass(frozen=True, eq=False)
class WholeDifferences:
    """A matrix in which the difference of two rows is the sum of |a - b| over columns, in units of 1 / unit.

    Parameters
    ----------
    values : ndarray or CSR matrix of shape (n_samples, n_parts)
        Whole numbers as `float64`; every sum of differences stays below 2**53.
    owner : ndarray of int, shape (n_parts,)
        The original column of each part: a numeric column has one, a nominal one has several.
    unit : int
        A difference of `unit` is the whole range of a numeric column, or two different nominal values.
    """

    values: Any
    owner: Ints
    unit: int

    @classmethod
    def of(cls, X: Any, nominal: Bools) -> "WholeDifferences":
        """Scale a matrix of numbers, dense or CSR, with the given columns taken as names of things."""
        unit = _MANY_DIVISORS
        while unit * 2 * (X.shape[1] + 1) <= _LARGEST_SUM:
            unit *= 2
        numeric = np.flatnonzero(~nominal)
        parts = [_ranged(X[:, numeric], unit)]
        owners = [numeric]
        for column in np.flatnonzero(nominal):
            parts.append(_named(X[:, [column]], unit // 2))
            owners.append(np.full(parts[-1].shape[1], column))
        return cls(_side_by_side(parts), np.concatenate(owners), unit)


def _side_by_side(parts: list[Any]) -> Any:
    if not sparse.issparse(parts[0]):
        return parts[0] if len(parts) == 1 else np.hstack(parts)
    rows = sparse.csr_matrix(sparse.hstack(parts, format="csr"))
    rows.sort_indices()
    if rows.nnz < 1 << 31:  # scikit-learn's distances take no wider numbers
        rows.indptr, rows.indices = rows.indptr.astype(np.int32), rows.indices.astype(np.int32)
    return rows


def _ranged(X: Any, unit: int) -> Any:
    """Return (x - shift) / range in units; a column without zeros is shifted to start at 0, others need no shift."""
    low, high = column_bounds(X) if X.shape[1] else (np.zeros(0), np.zeros(0))
    width = np.where(high > low, high - low, np.inf)
    if not sparse.issparse(X):
        shift = np.where((X != 0).all(axis=0), low, 0.0)
        return np.rint((X - shift) / width * unit)
    filled = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    shift = np.where(filled, low, 0.0)
    scaled = X.copy()
    scaled.data = np.rint((X.data - shift[X.indices]) / width[X.indices] * unit)
    scaled.eliminate_zeros()
    return scaled


def _named(column: Any, half: int) -> Any:
    """Return indicators, half a unit each, of every value but 0, and of "not 0".

    Two different values differ in two indicators: those of both, or that of one and "not 0". Rows with 0 stay empty.
    """
    if sparse.issparse(column):
        values, numbers = np.unique(column.data, return_inverse=True)
        rows = np.repeat(np.arange(column.shape[0]), np.diff(column.indptr))
        places = np.concatenate((numbers, np.full(numbers.size, values.size)))
        shape = (column.shape[0], values.size + 1)
        return sparse.csr_matrix((np.full(places.size, float(half)), (np.tile(rows, 2), places)), shape=shape)
    values = np.unique(column[column != 0])
    return half * np.hstack((column == values, column != 0)).astype(np.float64)
