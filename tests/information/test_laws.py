"""The identities of information theory, on random discrete data, with and without weights."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.information import (
    conditional_entropy,
    conditional_mutual_information,
    entropy,
    interaction_information,
    mutual_information,
    normalized_mutual_information,
    symmetric_uncertainty,
)

SMALL = {"rel": 1e-12, "abs": 1e-12}
EXACT = {"rel": 0, "abs": 0}


def close(weights):
    """Exact for counts and whole weights, up to rounding for others."""
    return SMALL if weights is not None and weights.dtype == np.float64 else EXACT


def counted(weights):
    return slice(None) if weights is None else weights > 0


@st.composite
def variables(draw, n_variables=3, most=60):
    n = draw(st.integers(1, most))
    sizes = draw(st.lists(st.integers(1, 4), min_size=n_variables, max_size=n_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [rng.integers(0, size, n) for size in sizes]
    # Variables that depend on each other are more telling than independent ones.
    mix = rng.random(n) < 0.5
    columns[-1] = np.where(mix, columns[0], columns[-1])
    weights = draw(st.sampled_from([None, "whole", "float"]))
    given_weights = {None: None, "whole": rng.integers(0, 3, n) + (np.arange(n) == 0), "float": rng.random(n) + 1e-3}
    return columns, given_weights[weights]


@given(variables())
def test_chain_rule(drawn):  # [OCC 26]
    (a, b, c), w = drawn
    left = mutual_information(a, np.column_stack((b, c)), weights=w)
    right = mutual_information(a, b, weights=w) + conditional_mutual_information(a, c, b, weights=w)
    assert left == pytest.approx(right, **SMALL)


@given(variables())
def test_the_gain_by_a_condition_is_symmetric(drawn):  # [OCC, theorem 2]
    (a, b, c), w = drawn
    left = conditional_mutual_information(a, b, c, weights=w) - mutual_information(a, b, weights=w)
    right = conditional_mutual_information(a, c, b, weights=w) - mutual_information(a, c, weights=w)
    assert left == pytest.approx(right, **SMALL)


@given(variables())
def test_redundancy_identity(drawn):  # [OCC 41]
    (y, x_n, x_m), w = drawn
    left = conditional_mutual_information(y, x_n, x_m, weights=w)
    right = (
        mutual_information(y, x_n, weights=w)
        + conditional_mutual_information(x_m, x_n, y, weights=w)
        - mutual_information(x_m, x_n, weights=w)
    )
    assert left == pytest.approx(right, **SMALL)


@given(variables())
def test_relevance_and_gain_make_the_joint_information(drawn):
    (y, x_n, x_m), w = drawn
    left = mutual_information(x_m, y, weights=w) + conditional_mutual_information(y, x_n, x_m, weights=w)
    assert left == pytest.approx(mutual_information(np.column_stack((x_m, x_n)), y, weights=w), **SMALL)


@given(variables(n_variables=5, most=40))
@settings(max_examples=30)
def test_joint_dependency_expands_into_interactions(drawn):  # [SCLS 5-9]
    (f, *labels), w = drawn
    for n_labels in range(1, 5):
        some = labels[:n_labels]
        expansion = sum(
            (-1) ** (len(chosen) + 1) * interaction_information(f, *chosen, weights=w)
            for size in range(1, n_labels + 1)
            for chosen in combinations(some, size)
        )
        assert mutual_information(f, np.column_stack(some), weights=w) == pytest.approx(expansion, rel=1e-11, abs=1e-11)


@given(variables())
def test_averaging_form(drawn):  # [OCC 44]
    (a, b, _), w = drawn
    p = np.full(a.size, 1 / a.size) if w is None else w / w.sum()
    both = np.array([p[(a == a[i]) & (b == b[i])].sum() for i in range(a.size)])
    alone = np.array([p[a == a[i]].sum() * p[b == b[i]].sum() for i in range(a.size)])
    seen = p > 0
    average = (p[seen] * np.log(both[seen] / alone[seen])).sum()
    assert mutual_information(a, b, weights=w, base="e") == pytest.approx(average, **SMALL)


@given(variables())
def test_symmetry_and_bounds(drawn):
    (a, b, c), w = drawn
    for measure in (mutual_information, symmetric_uncertainty, normalized_mutual_information):
        assert measure(a, b, weights=w) == pytest.approx(measure(b, a, weights=w), **close(w))
    h_a, h_b = entropy(a, weights=w), entropy(b, weights=w)
    slack = 1 + close(w)["rel"]
    assert 0 <= mutual_information(a, b, weights=w) <= min(h_a, h_b) * slack
    assert 0 <= conditional_mutual_information(a, b, c, weights=w) <= conditional_entropy(a, c, weights=w) * slack
    assert 0 <= symmetric_uncertainty(a, b, weights=w) <= 1
    assert 0 <= normalized_mutual_information(a, b, weights=w) <= 1
    assert max(h_a, h_b) <= entropy(a, b, weights=w) * slack <= (h_a + h_b) * (1 + 1e-12) ** 2


@given(variables())
def test_a_variable_with_itself_and_with_a_constant(drawn):
    (a, _, c), w = drawn
    h = entropy(a, weights=w)
    constant = np.full(a.size, "x")
    assert mutual_information(a, a, weights=w) == pytest.approx(h, **close(w))
    itself = conditional_mutual_information(a, a, c, weights=w)
    assert itself == pytest.approx(conditional_entropy(a, c, weights=w), **close(w))
    assert normalized_mutual_information(a, a, weights=w) == pytest.approx(float(np.ptp(a[counted(w)]) > 0), **close(w))
    assert symmetric_uncertainty(a, a, weights=w) == pytest.approx(float(np.ptp(a[counted(w)]) > 0), **close(w))
    assert mutual_information(a, constant, weights=w) == pytest.approx(0.0, **close(w))


@given(variables(), st.randoms(use_true_random=False))
def test_names_of_symbols_do_not_matter(drawn, random):
    (a, b, c), w = drawn
    names = ["red", "green", "blue", "grey"]
    random.shuffle(names)
    renamed = np.array(names)[a]
    for measure, others in (
        (entropy, ()),
        (mutual_information, (b,)),
        (conditional_mutual_information, (b, c)),
        (interaction_information, (b, c)),
    ):
        before, after = measure(a, *others, weights=w), measure(renamed, *others, weights=w)
        assert after == pytest.approx(before, **close(w))
