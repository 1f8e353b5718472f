"""Labels that tell most about those before them first [OCC, algorithm 2; OCC 46-47]."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import clone

from plait.core.arrays import Floats
from plait.core.checks import Boolean, Constraint, HasMethods, Interval, Nothing, OneOf
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError
from plait.core.ties import first_best
from plait.counts import MeanStdDiscretizer
from plait.information import conditional_mutual_information_matrix
from plait.structure.label_information import LabelInformation
from plait.structure.orders.order import Order
from plait.structure.principal_components import component_scores
from plait.structure.structure_input import StructureInput

__all__ = ["InformationOrder"]


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

    All features cost one table of all pairs of labels for each feature.

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
        labels = LabelInformation(given.Y)
        scores = np.where(given.varies, 0.0, -np.inf)
        shared = self._shared(given, labels) if given.varies.sum() > 1 else np.zeros((given.n_labels,) * 2)
        order: list[int] = []
        for _ in range(int(given.varies.sum())):
            order.append(first_best(scores + (0.0 if order else shared.sum(axis=0))))
            scores += shared[order[-1]]
            if self.second_term:
                scores += _second_term(labels, order)
            scores[order[-1]] = -np.inf
        return order + [int(label) for label in np.flatnonzero(~given.varies)]

    def _shared(self, given: StructureInput, labels: LabelInformation) -> Floats:
        """Return the mean of I(Y_c;Y_c'|X_m) over what is known; 0 on the diagonal."""
        columns, n_columns = self._columns(given)
        if n_columns == 0:
            shared = labels.mutual.copy()
        else:
            shared = np.zeros((labels.n_labels, labels.n_labels))
            for column in progress(columns, "order of labels", total=n_columns):
                shared += conditional_mutual_information_matrix(labels.codes, None, column, pairs=labels.pairs)
            shared /= n_columns
        np.fill_diagonal(shared, 0.0)
        return shared

    def _columns(self, given: StructureInput) -> tuple[Iterator[npt.NDArray[Any]], int]:
        """Return the symbols of what is known, column by column, and how many columns there are."""
        X = given.X if self.features == "all" else component_scores(_finite(given), self.n_components)
        if X.shape[1] == 0:
            return iter(()), 0
        discretizer = MeanStdDiscretizer() if self.discretizer is None else clone(self.discretizer)
        symbols = discretizer.fit(X, given.Y).transform(X)
        if not sparse.issparse(symbols):
            return iter(np.asarray(symbols).T), X.shape[1]
        by_column = symbols.tocsc()
        return (by_column[:, [m]].toarray().ravel() for m in range(X.shape[1])), X.shape[1]


def _finite(given: StructureInput) -> Any:
    values = given.X.data if sparse.issparse(given.X) else given.X
    if not np.isfinite(values).all():
        raise ParameterError(
            f"{given.owner} needs X without NaN or infinity for principal components, but it holds some. "
            'Fill them in first, or use InformationOrder(features="all"), where NaN is a symbol.'
        )
    return given.X


def _second_term(labels: LabelInformation, order: list[int]) -> Floats:
    """Return (1/k) sum_{l<k} I(Y_k;Y_l|Y_c) for the last label k of a chain and all labels c."""
    gains = np.zeros(labels.n_labels)
    if len(order) > 1:
        tables, everything = labels.tables_of(order[-1]), np.arange(labels.n_labels)
        for earlier in order[:-1]:
            tables.add_information(earlier, everything, gains)
        gains /= len(order) - 1
    return gains
