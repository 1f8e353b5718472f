import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from plait.core.sentences import ParameterError
from plait.inference import exact_marginals, sample_given
from plait.inference.search.label_tables import vector_numbers
from plait.joint import LinearDistribution, MixtureDistribution, row_seeds
from plait.structure import LabelGraph
from plait.testing import enumerated, random_evidence, random_linear, random_mixture, random_polytree, random_tables

pytestmark = pytest.mark.usefixtures("path")


def assert_drawn_from(model, vectors):
    """Chi-square over all label vectors that are expected at least five times."""
    n_samples, n_labels = vectors.shape[1:]
    _, probabilities = enumerated(model)
    for row, p in enumerate(probabilities / probabilities.sum(axis=1, keepdims=True)):
        counts = np.bincount(vector_numbers(vectors[row]), minlength=2**n_labels)
        assert (counts[p == 0.0] == 0).all()
        often = p * n_samples >= 5
        expected, seen = p[often] * n_samples, counts[often]
        rest = n_samples - expected.sum()
        square = ((seen - expected) ** 2 / expected).sum() + (
            (n_samples - seen.sum() - rest) ** 2 / rest if rest > 5 else 0
        )
        assert square <= stats.chi2.ppf(1 - 1e-6, often.sum())


@pytest.mark.parametrize("made", [random_linear, random_tables])
@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_draws_follow_the_distribution_given_the_evidence(made, share, seed):
    draws = np.random.default_rng(seed)
    model = made(random_polytree(6, draws, reach=3), 3, draws, 1.0)
    model = model.clamp(random_evidence((3, 6), draws, share)) if share else model
    assert_drawn_from(model, sample_given(model, 20_000, random_state=seed))


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_draws_of_mixtures_follow_them_given_the_evidence(share, seed):
    draws = np.random.default_rng(seed)
    model = random_mixture([random_polytree(5, draws) for _ in range(3)], 3, draws, 2.0)
    model = MixtureDistribution(np.log([0.6, 0.4]), [model, model.components[0]])
    model = model.clamp(random_evidence((3, 5), draws, share)) if share else model
    assert_drawn_from(model, sample_given(model, 20_000, random_state=seed))


@pytest.mark.parametrize("mixed", [False, True])
def test_a_row_draws_the_same_whatever_rows_stand_beside_it(mixed):
    draws, seeds = np.random.default_rng(5), row_seeds(1, 8)
    model = random_tables(random_polytree(6, draws), 8, draws)
    if mixed:
        model = random_mixture([random_polytree(6, draws) for _ in range(3)], 8, draws)
    model = model.clamp(random_evidence((8, 6), draws, 0.2))
    whole = sample_given(model, 40, random_state=1)
    for rows in (slice(0, 3), slice(3, 8)):
        np.testing.assert_array_equal(sample_given(model.take(rows), 40, random_state=seeds[rows]), whole[rows])


@given(st.integers(0, 2**32), st.integers(1, 30), st.floats(0, 1))
@settings(max_examples=40)
def test_known_labels_are_kept(seed, n_labels, share):
    draws = np.random.default_rng(seed)
    known = random_evidence((2, n_labels), draws, share)
    model = random_linear(random_polytree(n_labels, draws), 2, draws, 3.0).clamp(known)
    vectors = sample_given(model, 50, random_state=seed)
    assert ((known[:, None] < 0) | (vectors == known[:, None])).all()


def test_evidence_that_is_hardly_possible():
    """A known child of probability 1e-6 under one parent: importance weights would need a million draws."""
    coef = np.array([[0.0, 0.0], [-26.0, 0.0]])
    model = LinearDistribution(LabelGraph([[], [0]]), np.array([[9.0, 13.0]]), coef)
    known = model.clamp(np.array([[-1, 1]], dtype=np.int8))
    share = sample_given(known, 40_000, random_state=0)[0, :, 0].mean()
    truth = exact_marginals(known)[0][0, 0]
    assert abs(share - truth) <= 5 * np.sqrt(truth * (1 - truth) / 40_000)


def test_marginals_of_a_large_model():
    draws = np.random.default_rng(3)
    model = random_linear(random_polytree(300, draws), 40, draws)
    model = model.clamp(random_evidence((40, 300), draws, 0.2))
    shares = sample_given(model, 2000, random_state=1).mean(axis=1)
    truth, _ = exact_marginals(model)
    assert (np.abs(shares - truth) <= 6 * np.sqrt(truth * (1 - truth) / 2000) + 1e-3).all()


def test_an_integer_gives_the_same_draws_whatever_the_blocks(monkeypatch):
    draws = np.random.default_rng(4)
    model = random_tables(random_polytree(7, draws), 50, draws)
    whole = sample_given(model, 11, random_state=5)
    monkeypatch.setattr("plait.inference.polytree_sampling._NUMBERS", 11 * 7 * 3)
    monkeypatch.setattr("plait.inference.messages.polytree_scores._TABLE_SIZE", 200)
    np.testing.assert_array_equal(sample_given(model, 11, random_state=5), whole)
    assert not np.array_equal(sample_given(model, 11, random_state=6), whole)


def test_no_rows_and_a_wrong_number():
    model = random_linear(LabelGraph([[], [0]]), 0, np.random.default_rng(0))
    assert sample_given(model, 3).shape == (0, 3, 2)
    with pytest.raises(ParameterError, match="sample_given needs n_samples to be an integer of at least 1"):
        sample_given(model, 0)
