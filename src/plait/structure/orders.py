"""In which order labels stand in a chain: as given, random, by frequency, by information [OCC, algorithm 2].

A structure takes as `order` a word, an `Order`, or the labels themselves: `ORDER_RULES` says so, `arranged` serves all.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from plait.core.arrays import Array, Floats
from plait.core.checks import Boolean, Constraint, HasMethods, InstanceOf, Interval, Nothing, OneOf, check_parameters
from plait.core.label_numbering import label_numbers
from plait.core.lazy_modules import lazy_module
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError, shown
from plait.core.ties import first_best
from plait.core.unknown_labels import unknown_as_absent
from plait.counts import MeanStdDiscretizer
from plait.structure.label_information import AnyInformation, information_of
from plait.structure.structure_input import StructureInput

__all__ = ["ORDER_RULES", "FrequencyOrder", "GivenOrder", "InformationOrder", "Order", "RandomOrder", "arranged"]

# Only an order by principal components needs it.
_decomposition = lazy_module("sklearn.decomposition")


class Order(BaseEstimator, ABC):
    """Base of all orders: a subclass writes `_arrange(given)` and lists its parameters in `parameter_rules`.

    Examples
    --------
    >>> from plait.structure import FullChain
    >>> class Backwards(Order):
    ...     def _arrange(self, given):
    ...         return list(range(given.n_labels))[::-1]
    >>> FullChain(order=Backwards()).build([[0.0]] * 2, [[0, 1, 1], [1, 0, 1]]).order
    (2, 1, 0)
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}

    # Whether `given.X` is looked at.
    reads_features: ClassVar[bool] = True

    @abstractmethod
    def _arrange(self, given: StructureInput) -> list[int]:
        """Return all labels in order."""

    def arrange(self, given: StructureInput) -> list[int]:
        """Return all labels in order, the first of the chain first.

        Parameters
        ----------
        given : StructureInput
            Features and labels, checked.
        """
        check_parameters(self)
        return self._arrange(given)


class LabelSequence(Constraint):
    """A sequence of labels by number or name."""

    def accepts(self, value: Any) -> bool:
        """Say whether the value can be gone through and is not one word."""
        return isinstance(value, Iterable) and not isinstance(value, str | bytes)

    def describe(self) -> str:
        """Say so."""
        return "a sequence of all labels by number or name"

    def wrong(self) -> list[Any]:
        """Return a number."""
        return [3]


class GivenOrder(Order):
    """The order of the columns of Y, or a given one.

    Parameters
    ----------
    labels : sequence of int or str, optional
        All labels by number or name; by default 0, 1, 2, ...

    Examples
    --------
    >>> from plait.structure import FullChain
    >>> FullChain(order=GivenOrder([2, 0, 1])).build([[0.0]] * 2, [[0, 1, 1], [1, 0, 1]]).order
    (2, 0, 1)
    """

    reads_features: ClassVar[bool] = False
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"labels": (LabelSequence(), Nothing())}

    def __init__(self, labels: Any = None) -> None:
        self.labels = labels

    def _arrange(self, given: StructureInput) -> list[int]:
        if self.labels is None:
            return list(range(given.n_labels))
        order = label_numbers(given.owner, "order", self.labels, given.n_labels, given.label_names)
        if sorted(order) != list(range(given.n_labels)):
            raise ParameterError(
                f"{given.owner} needs order to hold each of {given.n_labels} labels once, but it is "
                f"{shown(list(self.labels))}. Pass a permutation, or None."
            )
        return order


class RandomOrder(Order):
    """Every order is equally likely; the generator comes from the structure's `random_state`.

    Examples
    --------
    >>> from plait.structure import FullChain
    >>> FullChain(order=RandomOrder()).build([[0.0]] * 2, [[0, 1, 1], [1, 0, 1]], random_state=0).order
    (2, 0, 1)
    """

    reads_features: ClassVar[bool] = False

    def _arrange(self, given: StructureInput) -> list[int]:
        return [int(label) for label in given.random.permutation(given.n_labels)]


class FrequencyOrder(Order):
    """The most frequent label first; ties by index.

    Examples
    --------
    >>> from plait.structure import FullChain
    >>> FullChain(order=FrequencyOrder()).build([[0.0]] * 3, [[0, 1], [1, 1], [0, 1]]).order
    (1, 0)
    """

    reads_features: ClassVar[bool] = False

    def _arrange(self, given: StructureInput) -> list[int]:
        return [int(label) for label in np.argsort(-given.n_ones, kind="stable")]


class InformationOrder(Order):
    """A greedy order: next comes the label that shares most information with the labels before it.

    The first label shares most with all others. With the second term, label c also gains from what two labels
    before it, at positions l < k, share once c is known [OCC 47]::

        sum_{k<t} [ mean_m I(Y_c; Y_k | X_m) + (1/k) sum_{l<k} I(Y_k; Y_l | Y_c) ]

    Parameters
    ----------
    features : {"pca", "all"}, default="pca"
        Which X_m are known: principal components of the features, or every feature.
    n_components : int, default=1
        Number of principal components.
    second_term : bool, default=False
        Whether the second term counts. The paper's experiments leave it out.
    discretizer : transformer, optional
        What makes symbols of components or features; `MeanStdDiscretizer()` by default.

    Notes
    -----
    Labels without variation come last. Ties go to the smallest index.

    The program that its authors released has bins of its own:
    `InformationOrder(discretizer=MeanStdDiscretizer(0.5, decimals=3, closed="left"))`.

    All features cost one table of all pairs of labels for each feature. With up to 8 components, from 2,048 labels on,
    only pairs of labels that meet are kept.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> from plait.structure import FullChain
    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.random((2, 500)) < 0.5
    >>> Y = np.column_stack([noise, a, a]).astype(np.uint8)
    >>> FullChain(order=InformationOrder()).build(rng.normal(size=(500, 4)), Y).order
    (1, 2, 0)
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "features": (OneOf(("pca", "all")),),
        "n_components": (Interval(int, 1, None),),
        "second_term": (Boolean(),),
        "discretizer": (HasMethods(("fit", "transform")), Nothing()),
    }

    def __init__(
        self, features: str = "pca", n_components: int = 1, *, second_term: bool = False, discretizer: Any = None
    ) -> None:
        self.features = features
        self.n_components = n_components
        self.second_term = second_term
        self.discretizer = discretizer

    def _arrange(self, given: StructureInput) -> list[int]:
        labels = information_of(given.Y)
        scores = np.where(given.varies, 0.0, -np.inf)
        n_varying = int(given.varies.sum())
        nothing = np.zeros(given.n_labels)
        total, row = self._shared(given, labels) if n_varying > 1 else (nothing, lambda _: nothing)
        order: list[int] = []
        for _ in range(n_varying):
            order.append(first_best(scores + (0.0 if order else total)))
            scores += row(order[-1])
            if self.second_term:
                scores += _second_term(labels, order)
            scores[order[-1]] = -np.inf
        return order + [int(label) for label in np.flatnonzero(~given.varies)]

    def _shared(self, given: StructureInput, labels: AnyInformation) -> tuple[Floats, Callable[[int], Floats]]:
        """Return the mean of I(Y_c;Y_c'|X_m) over what is known, of a label with all others; and its sum over labels.

        Of many labels a row is made when it is asked for, unless there are many columns to be known.
        """
        columns, n_columns = self._columns(given)
        if labels.many and n_columns <= _FEW_COLUMNS:
            return _shared_rows(labels, list(columns))
        if n_columns == 0:
            shared = labels.mutual.copy()
        else:
            shared = np.zeros((labels.n_labels, labels.n_labels))
            for column in progress(columns, "order of labels", total=n_columns):
                shared += labels.given_symbols(column)
            shared /= n_columns
        np.fill_diagonal(shared, 0.0)
        return shared.sum(axis=0), shared.__getitem__

    def _columns(self, given: StructureInput) -> tuple[Iterator[Array], int]:
        """Return the symbols of what is known, column by column, and how many columns there are."""
        X = given.X if self.features == "all" else component_scores(_filled(given), self.n_components)
        if X.shape[1] == 0:
            return iter(()), 0
        discretizer = MeanStdDiscretizer() if self.discretizer is None else clone(self.discretizer)
        symbols = discretizer.fit(X, unknown_as_absent(given.Y)).transform(X)
        if not sparse.issparse(symbols):
            return iter(np.asarray(symbols).T), X.shape[1]
        by_column = symbols.tocsc()
        return (by_column[:, [m]].toarray().ravel() for m in range(X.shape[1])), X.shape[1]


# For so many columns the pairs of labels that meet are kept, symbol by symbol, where there are many labels.
_FEW_COLUMNS = 8


def _shared_rows(labels: AnyInformation, columns: list[Array]) -> tuple[Floats, Callable[[int], Floats]]:
    """Return what `InformationOrder._shared` returns, without a table of all pairs of labels."""
    parts = [labels.rows_given_symbols(column) for column in columns] or [labels.mutual_row]

    def row(label: int) -> Floats:
        found = np.zeros(labels.n_labels)
        for part in parts:
            found += part(label)
        found /= len(parts)
        found[label] = 0.0
        return found

    total = np.zeros(labels.n_labels)
    for label in progress(range(labels.n_labels), "order of labels", total=labels.n_labels):
        total += row(label)
    return total, row


# Numbers beyond it overflow in products of rows.
_LARGE = 1e100


def _filled(given: StructureInput) -> Any:
    """Return X with the mean of its column for NaN, and in units whose squares are finite: components stay the same."""
    values = given.X.data if sparse.issparse(given.X) else given.X
    gaps = np.isnan(values)
    if np.isinf(values).any() or (sparse.issparse(given.X) and gaps.any()):
        raise ParameterError(
            f"{given.owner} needs X without infinity (sparse X without NaN too) for principal components, but it holds "
            'some. Fill them in first, or use InformationOrder(features="all"), where NaN is a symbol.'
        )
    largest = float(np.abs(values).max(initial=0.0, where=~gaps))
    unit = largest if not 1 / _LARGE <= largest <= _LARGE and largest > 0 else 1.0
    if not gaps.any():
        return given.X if unit == 1.0 else given.X / unit
    values = values / unit
    sums, counts = np.where(gaps, 0.0, values).sum(axis=0), (~gaps).sum(axis=0)
    return np.where(gaps, sums / np.maximum(counts, 1), values)


def _second_term(labels: AnyInformation, order: list[int]) -> Floats:
    """Return (1/k) sum_{l<k} I(Y_k;Y_l|Y_c) for the last label k of a chain and all labels c."""
    gains = np.zeros(labels.n_labels)
    if len(order) > 1:
        tables, everything = labels.tables_of(order[-1]), np.arange(labels.n_labels)
        for earlier in order[:-1]:
            tables.add_information(earlier, everything, gains)
        gains /= len(order) - 1
    return gains


def component_scores(X: Any, n_components: int) -> Floats:
    """Return the centred rows of X along the directions of greatest variance, the greatest first.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Numbers.
    n_components : int
        How many directions; fewer come back where rows or features are fewer, or do not vary.

    Returns
    -------
    ndarray of shape (n_samples, at most n_components)
        The sign of a direction is such that its entry of largest size is positive.

    Examples
    --------
    >>> component_scores(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]), 2)
    array([[-2.],
           [ 0.],
           [ 2.]])
    """
    wanted = min(n_components, *X.shape)
    if wanted == 0 or not _varies(X):
        return np.zeros((X.shape[0], 0))
    X = X.astype(np.float64, copy=False)
    if wanted == min(X.shape):
        pca, X = _decomposition.PCA(wanted, svd_solver="full"), X.toarray() if sparse.issparse(X) else X
    else:
        # A fixed start of the Lanczos steps: the same bits every time.
        pca = _decomposition.PCA(wanted, svd_solver="arpack", random_state=0)
    scores = pca.fit_transform(X)
    # What is smaller is rounding of the means, in every cell.
    largest = np.abs(X.data if sparse.issparse(X) else X).max(initial=0.0)
    limit = 4.0 * np.finfo(np.float64).eps * X.shape[0] * np.sqrt(X.shape[1]) * largest
    return np.asarray(scores[:, pca.singular_values_ > limit])


def _varies(X: Any) -> bool:
    if sparse.issparse(X):
        return bool((X.max(axis=0) - X.min(axis=0)).nnz)
    return bool((X[0] != X).any())


_WORDS: dict[str, type[Order]] = {
    "given": GivenOrder,
    "random": RandomOrder,
    "frequency": FrequencyOrder,
    "information": InformationOrder,
}

ORDER_RULES: tuple[Constraint, ...] = (Nothing(), OneOf(tuple(_WORDS)), InstanceOf((Order,)), LabelSequence())
"""What the parameter `order` of a structure may be."""


def reads_features(order: Any) -> bool:
    """Say whether the order that a structure's parameter asks for looks at X."""
    if isinstance(order, str):
        return _WORDS[order].reads_features
    return isinstance(order, Order) and order.reads_features


def arranged(order: Any, given: StructureInput) -> list[int]:
    """Return all labels in the order that a structure's parameter asks for."""
    if order is None:
        return list(range(given.n_labels))
    if isinstance(order, Order):
        return order.arrange(given)
    if isinstance(order, str):
        return _WORDS[order]().arrange(given)
    return GivenOrder(order).arrange(given)
