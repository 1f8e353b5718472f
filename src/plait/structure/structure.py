"""`Structure`: the base of all structures, which checks the input and hands on a `LabelGraph`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from plait.core.arrays import Ints
from plait.core.checks import Constraint, check_parameters
from plait.core.sentences import ParameterError
from plait.structure.label_graph import LabelGraph
from plait.structure.pair_dependence import PairDependence
from plait.structure.structure_input import StructureInput, checked_input

__all__ = ["Structure"]


class Structure(BaseEstimator, ABC):
    """Base of all structures: a subclass writes `_build(given)` and lists its parameters in `parameter_rules`.

    A structure is a recipe without state: `build` hands on the graph and leaves the structure as it was. `_build` gets
    a `StructureInput` (`given.X`, `given.Y`, `given.n_labels`, `given.varies`, `given.random`, `given.pairs`,
    `given.label_names`), all of it checked, and returns a `LabelGraph`.

    A structure that is made from what a learner finds about pairs of labels also writes `needs_pairs(n_labels)`, and
    has a parameter or class attribute `folds`; with `candidate_parents(Y)` it may leave pairs out.

    Attributes
    ----------
    folds : int, float or None
        How rows are held out from the learner that finds out about pairs: a number of folds, a share of the rows, or
        None, where it is scored on the rows it was trained on.

    Examples
    --------
    >>> class Star(Structure):
    ...     def _build(self, given):
    ...         return LabelGraph([[], *([0] for _ in range(given.n_labels - 1))])
    >>> Star().build([[0.0], [1.0]], [[0, 1, 1], [1, 0, 1]]).parents
    ((), (0,), (0,))
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}
    folds: float | None = None
    # Whether it looks at nothing but labels and pairs, apart from what an order of its looks at.
    counts_labels: ClassVar[bool] = False
    # Whether the numbers of rows that labels are in, and meet in, are all of these: `given.counts` may stand for Y.
    counts_pairs: ClassVar[bool] = False
    # Whether `given.Y` may be a CSR matrix.
    takes_sparse_labels: ClassVar[bool] = False

    @abstractmethod
    def _build(self, given: StructureInput) -> LabelGraph:
        """Build the graph from checked input; `given.pairs` is there if `needs_pairs` says so."""

    def needs_pairs(self, n_labels: int) -> bool:
        """Say whether `build` needs what a learner finds about pairs of so many labels.

        Parameters
        ----------
        n_labels : int
            How many labels there are.
        """
        return False

    def candidate_parents(self, Y: Any) -> list[Ints] | None:
        """Return the labels of which a learner finds out what they tell about each label; None for all of them.

        Parameters
        ----------
        Y : ndarray of shape (n_samples, n_labels)
            Checked labels.
        """
        return None

    def build(
        self,
        X: Any,
        Y: Any,
        *,
        pairs: PairDependence | None = None,
        random_state: Any = None,
        label_names: Sequence[str] | None = None,
    ) -> LabelGraph:
        """Say which labels each label depends on.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        Y : array or sparse matrix of shape (n_samples, n_labels)
            0/1 labels.
        pairs : PairDependence, optional
            What a learner found about pairs of labels on rows held out; needed if `needs_pairs(n_labels)`.
        random_state : int, RandomState, Generator or None, default=None
            Where random orders and roots come from; an integer gives the same graph every time.
        label_names : sequence of str, optional
            Names of the labels, for parameters that name them.

        Returns
        -------
        graph : LabelGraph
        """
        check_parameters(self)
        owner = type(self).__name__
        form = random_state, pairs, label_names
        given = checked_input(owner, X, Y, *form, sparse_labels=self.takes_sparse_labels)
        if pairs is None and self.needs_pairs(given.n_labels):
            raise ParameterError(
                f"{owner} needs pairs to be a PairDependence of {given.n_labels} labels, but it is None. "
                "Pass what a learner found on rows held out; JointClassifier does so by itself."
            )
        return self.build_checked(given)

    def build_checked(self, given: StructureInput) -> LabelGraph:
        """Build the graph from input that has been checked, `pairs` among it where `needs_pairs` says so.

        For callers that build many graphs from rows they have checked once, with parameters that `check_parameters`
        has seen.

        Parameters
        ----------
        given : StructureInput
            What the graph is built from.
        """
        graph = self._build(given)
        return graph if given.label_names is None else graph.named(given.label_names)
