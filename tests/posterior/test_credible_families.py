"""Credible sets against enumeration: the fewest sets that hold a share of the probability."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.inference import Auto
from plait.joint import LinearDistribution
from plait.posterior import Posterior
from plait.structure import LabelGraph


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
