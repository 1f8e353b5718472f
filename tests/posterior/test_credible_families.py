"""Credible sets against enumeration: the fewest sets that hold a share of the probability."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.inference import Auto
from plait.joint import LinearDistribution
from plait.posterior import Posterior
from plait.posterior.credible_families import label_families
from plait.structure import LabelGraph
from plait.testing import TableDistribution


class Chain:
    """P(y | x) with the scores of the labels as features, for tests."""

    def __init__(self, n_labels, rng):
        self.graph = LabelGraph(tuple(tuple(range(k)) for k in range(n_labels)))
        self.parent_coef = np.tril(rng.normal(scale=2.0, size=(n_labels, n_labels)), -1)

    def condition(self, X):
        return LinearDistribution(self.graph, np.asarray(X), self.parent_coef)


def chain_posterior(n_rows, n_labels, seed):
    rng = np.random.default_rng(seed)
    joint = Chain(n_labels, rng)
    names = [f"y{k}" for k in range(n_labels)]
    return Posterior(joint, rng.normal(scale=2.0, size=(n_rows, n_labels)), names, Auto())


def enumerated(answer, row):
    """All label sets of a row with their probabilities, the most probable first."""
    q = answer.n_labels
    sets = ((np.arange(2**q)[:, None] >> np.arange(q)) & 1).astype(np.uint8)
    part = answer[np.zeros(2**q, dtype=int) + row]
    p = np.exp(part.log_prob(sets))
    order = np.argsort(-p, kind="stable")
    return sets[order], p[order]


@settings(max_examples=25, deadline=None)
@given(n_labels=st.integers(1, 8), seed=st.integers(0, 10**6), level=st.floats(0.05, 0.999))
def test_credible_sets_are_the_fewest_that_hold_the_level(n_labels, seed, level):
    answer = chain_posterior(3, n_labels, seed)
    families = answer.credible_sets(level)
    assert families.exact.all()
    for row in range(3):
        _, p = enumerated(answer, row)
        needed = int(np.searchsorted(np.cumsum(p), level - 1e-12)) + 1
        assert len(families[row]) == needed
        np.testing.assert_allclose(families.masses[row], p[:needed].sum(), rtol=1e-9)
        found = np.exp(answer[np.zeros(needed, dtype=int) + row].log_prob(families[row]))
        np.testing.assert_allclose(found, p[:needed], rtol=1e-9)
        assert len(np.unique(families[row], axis=0)) == needed


def test_families_grow_with_the_level_and_end_with_all_sets():
    answer = chain_posterior(4, 5, 0)
    sizes = [answer.credible_sets(level).sizes for level in (0.2, 0.6, 0.95, 1.0)]
    assert (np.diff(sizes, axis=0) >= 0).all()
    assert (answer.credible_sets(1.0).masses > 1 - 1e-9).all()


def test_a_family_that_is_cut_says_so():
    answer = chain_posterior(4, 8, 1)
    families = answer.credible_sets(0.999, max_sets=2)
    assert not families.exact.any()
    assert (families.sizes == 2).all()
    assert (families.masses < 0.999).all()


def test_what_is_known_is_in_every_set_and_the_mass_is_conditional():
    answer = chain_posterior(3, 5, 2).given({"y1": 1})
    families = answer.credible_sets(0.9)
    for row in range(3):
        assert (families[row][:, 1] == 1).all()
    assert (families.masses >= 0.9 - 1e-9).all()
    assert (families.masses <= 1 + 1e-9).all()


def test_names_of_a_family():
    answer = chain_posterior(1, 3, 3)
    families = answer.credible_sets(0.5)
    assert families.names(0)[0] == tuple(np.array(answer.label_names)[answer.mode()[0] == 1])


@pytest.mark.parametrize("level", [0.0, 1.5, "most"])
def test_impossible_levels_are_refused(level):
    with pytest.raises(ParameterError, match="credible_sets needs level to be"):
        chain_posterior(1, 2, 0).credible_sets(level)


def test_sets_go_on_where_the_array_is_cut():
    answer = chain_posterior(3, 7, 3)
    families = answer.credible_sets(0.999, max_sets=2)
    for row in range(3):
        sets, p = enumerated(answer, row)
        needed = int(np.searchsorted(np.cumsum(p), 0.999 - 1e-12)) + 1
        assert needed > 2
        assert not families.exact[row]
        np.testing.assert_array_equal(list(families.sets(row)), sets[:needed])
        np.testing.assert_array_equal(families[row], sets[:2])
    everything = list(answer.credible_sets(1.0, max_sets=2).sets(-1))
    assert len(np.unique(everything, axis=0)) == 2**7


class Wavering(TableDistribution):
    """Scores whose last digits depend on how many are asked for at a time, as those of matrix products do."""

    def scores(self, label, rows, parent_values):
        return super().scores(label, rows, parent_values) * (1.0 + 1e-13 * (len(rows) * (label + 3) % 7))


def test_sets_as_probable_as_each_other_come_once_each_in_whatever_order_they_are_found():
    class Equal:
        def condition(self, X):
            tables = [np.ones((len(X), 1 << min(k, 2))) for k in range(7)]
            return Wavering(LabelGraph([range(max(0, k - 2), k) for k in range(7)]), tables)

    answer = Posterior(Equal(), np.zeros((1, 1)), [f"y{k}" for k in range(7)], Auto())
    everything = list(answer.credible_sets(1.0, max_sets=2).sets(0))
    assert len(everything) == len(np.unique(everything, axis=0)) == 2**7


def test_rows_are_answered_when_they_are_looked_at():
    asked = []

    class Watched(Chain):
        def condition(self, X):
            asked.append(len(X))
            return super().condition(X)

    answer = chain_posterior(150, 4, 4)
    answer.joint = Watched(4, np.random.default_rng(0))
    families = answer.credible_sets(0.9)
    assert asked == []
    first = families[130]
    assert 0 < max(asked) <= 64
    before = len(asked)
    assert families[140] is families[140:141][0]
    assert len(asked) == before
    assert "about" in repr(families)
    whole = pickle.loads(pickle.dumps(families))
    np.testing.assert_array_equal(whole[130], first)
    np.testing.assert_array_equal(whole.sizes, [len(family) for family in families])
    with pytest.raises(IndexError):
        families[150]


def test_a_row_of_which_a_rule_takes_no_set_has_its_likeliest_one():
    answer = chain_posterior(4, 3, 1)
    families = label_families(answer, lambda rows, p: (p > 0.0) & (rows[:, None] % 2 == 0), max_sets=100)
    assert [len(family) for family in families] == [8, 1, 8, 1]
    for row in (1, 3):
        sets, p = enumerated(answer, row)
        np.testing.assert_array_equal(families[row], sets[:1])
        np.testing.assert_allclose(families.masses[row], p[0], rtol=1e-9)
        np.testing.assert_array_equal(list(families.sets(row)), sets[:1])


def test_what_is_impossible_is_in_no_family():
    answer = chain_posterior(2, 4, 2).given({"y0": 1})
    families = label_families(answer, lambda rows, p: np.ones(p.shape, dtype=bool), max_sets=100)
    for row in range(2):
        for sets in (families[row], np.array(list(families.sets(row)))):
            assert sets.shape == (8, 4)
            assert (sets[:, 0] == 1).all()
            assert len(np.unique(sets, axis=0)) == 8
