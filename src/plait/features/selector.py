"""What all selectors share: the contract `select(X, Y, graph) -> FeatureMask` and the scikit-learn transformer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from plait.core.arrays import Bools
from plait.core.checks import Constraint, HasMethods, Nothing, OneOf, check_parameters
from plait.core.label_forms import read_labels
from plait.core.labels import as_label_matrix, holds_gaps
from plait.core.plain_rejections import plainly_rejected
from plait.core.sentences import ParameterError, shown, warn_user
from plait.core.unknown_labels import known_cells, unknown_as_absent
from plait.counts import Codes, PackedCodes, SparseCodes, encode
from plait.features.feature_mask import FeatureMask
from plait.structure import LabelGraph

__all__ = ["DISCRETIZER_RULES", "InformationSelector", "SelectionWarning", "Selector"]


DISCRETIZER_RULES: tuple[Constraint, ...] = (
    HasMethods(("fit", "transform")),
    OneOf(("passthrough",)),
    Nothing(),
)


class SelectionWarning(UserWarning):
    """A selector could not do all that was asked, and did what it could."""


class Selector(SelectorMixin, BaseEstimator, ABC):
    """Base of all selectors: a subclass writes `_select(X, Y, graph)`, and lists its parameters in `parameter_rules`.

    `_select` gets X as a checked dense float or CSR matrix (or codes), Y as `uint8` (dense or CSR) and a graph that
    fits Y, and returns a `FeatureMask`. What a selector can do it declares by class attributes:

    label_specific : bool
        Whether every label always has features of its own. A selector that can do both has a parameter `scope`.
    uses_graph : bool
        Whether features depend on the graph; otherwise it changes nothing.
    n_stages : int
        1, or 2 where a first choice is made before the graph is known, so that the graph can be learnt on it. A
        selector of two stages also writes `first_stage(X, Y)` and `second_stage(X, Y, graph, candidates)`.
    discretizes : bool
        Whether numbers are made symbols first, by a parameter `discretizer` (see `InformationSelector`).
    takes_unknown_labels : bool
        Whether y may hold NaN, for labels that are not known: then `_select` may get Y as dense `int8` with -1 for
        these, and every count is over the rows that know its labels.

    Attributes
    ----------
    mask_ : FeatureMask
        What each label keeps.
    ranking_ : ndarray of int, or list of them
        Features in the order chosen; a list with one array for each label where features are chosen by label.
    scores_ : ndarray of float, or list of them
        The criterion's values, shaped like `ranking_`.
    n_labels_ : int
        Number of labels seen at fit.

    Examples
    --------
    >>> import numpy as np
    >>> class Widest(Selector):
    ...     def __init__(self, n_features=1):
    ...         self.n_features = n_features
    ...     def _select(self, X, Y, graph):
    ...         return self._global(np.argsort(-np.ptp(X, axis=0)))
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}
    label_specific: ClassVar[bool] = False
    uses_graph: ClassVar[bool] = False
    n_stages: ClassVar[int] = 1
    discretizes: ClassVar[bool] = False
    takes_unknown_labels: ClassVar[bool] = False

    @abstractmethod
    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        """Choose features; X is a checked dense float or CSR matrix or codes, Y `uint8`, the graph fits Y."""

    def select(self, X: Any, Y: Any, graph: LabelGraph | None = None) -> FeatureMask:
        """Return the features of every label, without fitting the transformer.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Codes of shape (n_samples, n_features)
            Features; `plait.counts.Codes` are taken as already discretised by selectors that discretise.
        Y : array or sparse matrix of shape (n_samples, n_labels)
            0/1 labels, or one column of classes.
        graph : LabelGraph, optional
            Which labels each label depends on; by default no label depends on any other.
        """
        if isinstance(X, SparseCodes | PackedCodes):
            check_parameters(self)
            labels, fitting = self._targets(Y, graph)
            if labels.shape[0] != X.n_rows:
                raise ParameterError(
                    f"{type(self).__name__} needs X and Y to have the same number of rows, but X has {X.n_rows} and "
                    f"Y has {labels.shape[0]}. Pass rows of the same objects."
                )
            return self._select(X, labels, fitting)
        return clone(self).fit(X, Y, graph=graph).mask_

    def first_stage(self, X: Any, Y: Any) -> FeatureMask | None:
        """Return what each label keeps before the graph is known; None for a selector of one stage.

        Parameters
        ----------
        X : array, sparse matrix or codes, shape (n_samples, n_features)
            Features.
        Y : array or sparse matrix of shape (n_samples, n_labels)
            Labels.
        """
        return None

    def second_stage(self, X: Any, Y: Any, graph: LabelGraph | None, candidates: FeatureMask | None) -> FeatureMask:
        """Return the features of every label once the graph is known.

        Parameters
        ----------
        X, Y, graph : as for `select`
        candidates : FeatureMask or None
            What `first_stage` returned.
        """
        return self.select(X, Y, graph)

    def fit(self, X: Any, y: Any, graph: LabelGraph | None = None) -> "Selector":
        """Choose features.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array or sparse matrix of shape (n_samples, n_labels)
            0/1 labels, or one column of classes; of selectors with `takes_unknown_labels` NaN where a label is unknown.
        graph : LabelGraph, optional
            Which labels each label depends on; by default no label depends on any other.

        Returns
        -------
        self
        """
        check_parameters(self)
        allow_nan = self.__sklearn_tags__().input_tags.allow_nan
        y = None if y is None else read_labels(type(self).__name__, "y", y).table
        form: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan" if allow_nan else True}
        gaps = y is not None and holds_gaps(y)
        targets = self._targets(y, graph) if gaps else None
        with plainly_rejected(type(self).__name__, X, nan_allowed=allow_nan):
            if targets is None:
                X, y = validate_data(self, X, y, multi_output=True, **form)
            else:
                X = validate_data(self, X, **form)
        if targets is None:
            self.mask_ = self._select(X, *self._targets(y, graph))
        else:
            self.mask_ = self._select_known(X, *targets)
        by_label = self.mask_.label_specific
        self.ranking_ = list(self.mask_.rankings) if by_label else self.mask_.rankings[0]
        self.scores_ = list(self.mask_.scores) if by_label else self.mask_.scores[0]
        self.n_labels_ = self.mask_.n_labels
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns of the features that any label keeps, shape (n_samples, n_kept)."""
        with plainly_rejected(type(self).__name__, X, nan_allowed=self.__sklearn_tags__().input_tags.allow_nan):
            return super().transform(X)

    def _select_known(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        """Choose features where labels are unknown: rows of which none is known change nothing."""
        check_consistent_length(X, Y)
        rows = np.flatnonzero(known_cells(Y).any(axis=1))
        if not len(rows):
            raise ParameterError(
                f"{type(self).__name__} needs y to hold known labels, but all of them are NaN. Pass some of 0 and 1."
            )
        return self._select(X if len(rows) == len(Y) else X[rows], Y[rows], graph)

    def _targets(self, Y: Any, graph: LabelGraph | None) -> tuple[Any, LabelGraph]:
        labels = as_label_matrix(type(self).__name__, Y, unknown=self.takes_unknown_labels)
        if graph is None:
            return labels, LabelGraph([[]] * labels.shape[1])
        if not isinstance(graph, LabelGraph) or graph.n_labels != labels.shape[1]:
            raise ParameterError(
                f"{type(self).__name__} needs graph to be a LabelGraph over {labels.shape[1]} labels, but it is "
                f"{shown(graph)}. Build it from as many parent lists as Y has columns, or pass None."
            )
        return labels, graph

    def _get_support_mask(self) -> Bools:
        """Return the features that any label keeps."""
        check_is_fitted(self)
        return np.asarray(self.mask_.support.any(axis=0))

    def _warn_if_fewer(self, found: int, wanted: int, what: str = "features that vary") -> None:
        if found < wanted:
            warn_user(
                f"{type(self).__name__} was asked for {wanted} features, but there are only {found} {what}; "
                "it chose those.",
                SelectionWarning,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class InformationSelector(Selector):
    """Base of selectors that count symbols: numbers are discretised first, by `discretizer`.

    `discretizer` is a transformer, "passthrough" to take every distinct value as a symbol, or None for the
    selector's own default (`_default_discretizer`).

    Examples
    --------
    >>> import numpy as np
    >>> from plait.features import MIM
    >>> issubclass(MIM, InformationSelector)
    True
    >>> X = np.array([[0, 5], [0, 1], [1, 5], [1, 1]])
    >>> MIM(n_features=1).fit(X, [[0], [0], [1], [1]]).ranking_.tolist()
    [0]
    """

    discretizes: ClassVar[bool] = True
    discretizer: Any

    @abstractmethod
    def _default_discretizer(self) -> Any:
        """Return the discretiser used when none is given; it must keep columns of 0 and 1 as they are."""

    def _codes(self, X: Any, Y: Any) -> Codes:
        """Return the features as symbols, learned from these rows only."""
        if isinstance(X, SparseCodes | PackedCodes):
            return X
        if isinstance(self.discretizer, str) or (self.discretizer is None and _only_zeros_and_ones(X)):
            return encode(X)
        given = self._default_discretizer() if self.discretizer is None else clone(self.discretizer)
        return encode(given.fit(X, unknown_as_absent(Y)).transform(X))


def _only_zeros_and_ones(X: Any) -> bool:
    # A few rows first: numbers are mostly seen there, and the rest need not be read.
    parts = (X.data,) if sparse.issparse(X) else (X[:64], X)
    return all(bool(((part == 0) | (part == 1)).all()) for part in parts)
