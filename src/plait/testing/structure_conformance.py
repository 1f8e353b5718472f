"""`StructureConformance`: what every structure must do, as tests that an author of a structure derives."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.structure import LabelGraph, PairDependence, Structure

__all__ = ["StructureConformance"]

# Few and many rows, one label and some, with labels that never vary and labels that always hold among them.
_SHAPES = ((1, 1), (1, 4), (2, 3), (5, 1), (7, 2), (12, 5), (20, 7), (40, 6))


class StructureConformance:
    """Tests of a structure. Derive a class and give it structures.

    The tests take a `structure` that serves any number of labels: parametrise the class, or write a fixture of that
    name.

    Examples
    --------
    In a test file, with a structure of one's own:

    >>> import pytest
    >>> from plait.structure import LabelTree
    >>> @pytest.mark.parametrize("structure", [LabelTree()], ids=repr)
    ... class TestMine(StructureConformance):
    ...     pass
    """

    def test_it_is_a_graph_over_all_labels(self, structure: Structure) -> None:
        """A `LabelGraph` is acyclic with parents first: it refuses anything else."""
        for X, Y, pairs in _problems():
            graph = structure.build(X, Y, pairs=pairs, random_state=0)
            assert isinstance(graph, LabelGraph)
            assert graph.n_labels == Y.shape[1]

    def test_the_same_seed_gives_the_same_graph(self, structure: Structure) -> None:
        """A structure has no state: it is the same afterwards, and so is its next graph."""
        for seed, (X, Y, pairs) in enumerate(_problems()):
            before = repr(structure)
            graph = structure.build(X, Y, pairs=pairs, random_state=seed)
            assert repr(structure) == before
            assert structure.build(X, Y, pairs=pairs, random_state=seed) == graph
            assert clone(structure).build(X, Y, pairs=pairs, random_state=seed) == graph
            assert pickle.loads(pickle.dumps(structure)).build(X, Y, pairs=pairs, random_state=seed) == graph

    def test_the_form_of_the_data_changes_nothing(self, structure: Structure) -> None:
        """Dense, sparse, lists and truth values are the same data."""
        for X, Y, pairs in _problems():
            graph = structure.build(X, Y, pairs=pairs, random_state=0)
            forms: tuple[tuple[Any, Any], ...] = (
                (sparse.csr_array(X), sparse.csr_matrix(Y)),
                (X.tolist(), Y.astype(np.bool_)),
                (np.asfortranarray(X), Y.astype(np.float64)),
            )
            for other_X, other_Y in forms:
                assert structure.build(other_X, other_Y, pairs=pairs, random_state=0) == graph

    def test_no_labels_are_a_graph_without_labels(self, structure: Structure) -> None:
        """There is nothing to depend on."""
        assert structure.build(np.zeros((3, 2)), np.zeros((3, 0))) == LabelGraph([])

    def test_pairs_are_asked_for_where_they_are_needed(self, structure: Structure) -> None:
        """`needs_pairs` says so beforehand; it depends on the number of labels alone, and one label has no pairs."""
        assert not structure.needs_pairs(1)
        X, Y, pairs = _problem(20, 5, 0)
        if structure.needs_pairs(5):
            assert "needs pairs to be a PairDependence of 5 labels" in _refusal(lambda: structure.build(X, Y))
        else:
            assert structure.build(X, Y, random_state=0).n_labels == 5
        assert structure.build(X, Y, pairs=pairs, random_state=0).n_labels == 5

    def test_what_does_not_fit_is_refused(self, structure: Structure) -> None:
        """X with other rows than Y, labels that are not 0 and 1, and pairs of other labels."""
        owner = f"{type(structure).__name__} needs "
        X, Y, pairs = _problem(6, 3, 0)
        for refusal in (
            _refusal(lambda: structure.build(X[:5], Y, pairs=pairs)),
            _refusal(lambda: structure.build(X, 2 * Y + 2, pairs=pairs)),
            _refusal(lambda: structure.build(X, Y, pairs=_problem(6, 4, 0)[2])),
        ):
            assert refusal.startswith(owner)

    def test_wrong_parameters_are_named(self, structure: Structure) -> None:
        """Every parameter has rules, from which wrong values are made."""
        assert set(structure.get_params(deep=False)) == set(structure.parameter_rules)
        X, Y, pairs = _problem(6, 3, 0)
        for name, rules in structure.parameter_rules.items():
            for wrong in wrong_values(rules):
                given = clone(structure).set_params(**{name: wrong})
                refusal = _refusal(lambda given=given: given.build(X, Y, pairs=pairs))  # type: ignore[misc]
                assert refusal.startswith(f"{type(structure).__name__} needs {name} to be"), refusal


def _problems() -> list[tuple[Any, Any, PairDependence]]:
    return [_problem(n_rows, n_labels, seed) for seed, (n_rows, n_labels) in enumerate(_SHAPES)]


def _problem(n_rows: int, n_labels: int, seed: int) -> tuple[Any, Any, PairDependence]:
    """Return features, labels, and what a learner might have found about pairs of labels."""
    rng = np.random.default_rng(seed)
    shares = rng.choice([0.0, 0.3, 0.6, 1.0], size=n_labels, p=[0.15, 0.35, 0.35, 0.15])
    Y = (rng.random((n_rows, n_labels)) < shares).astype(np.uint8)
    likelihood, alone = -rng.exponential(10.0, size=(n_labels, n_labels)), -rng.exponential(10.0, size=n_labels)
    directed = rng.normal(0.05, 0.1, size=(n_labels, n_labels))
    return rng.normal(size=(n_rows, 3)), Y, PairDependence(likelihood, alone, directed, n_rows)


def _refusal(call: Callable[[], Any]) -> str:
    """Return the sentence in which a call is refused; it must be."""
    try:
        call()
    except ParameterError as error:
        return str(error)
    raise AssertionError("nothing was refused")
