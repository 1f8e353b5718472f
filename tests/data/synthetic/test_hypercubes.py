import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.data import statistics
from plait.data.synthetic import HYPERCUBE_PRESETS, hypercube_preset, make_hypercubes

SIZES = st.integers(1, 30), st.integers(1, 6), st.integers(1, 20)


@given(*SIZES, st.floats(0, 1), st.integers(0, 99))
def test_kinds_of_features_and_what_they_hold(n_samples, n_labels, n_features, noise, seed):
    made = make_hypercubes(n_samples, n_labels, n_features, noise=noise, random_state=seed)
    data = made.dataset
    assert data.X.shape == (n_samples, n_features)
    assert data.Y.shape == (n_samples, n_labels)
    assert sorted([*made.relevant, *made.irrelevant, *made.redundant]) == list(range(n_features))
    assert set(made.sources) <= set(made.relevant)
    assert len(set(made.sources)) == len(made.redundant)
    np.testing.assert_array_equal(data.X[:, made.redundant], data.X[:, made.sources])
    assert np.abs(data.X).max() <= 1 + 1e-12


@given(*SIZES, st.integers(0, 99))
def test_labels_are_the_cubes_a_row_lies_in(n_samples, n_labels, n_features, seed):
    made = make_hypercubes(n_samples, n_labels, n_features, noise=0, random_state=seed)
    points = made.dataset.X[:, made.relevant]
    for i in range(n_samples):
        for j in range(n_labels):
            distance = max(abs(points[i, k] - made.centers[j, k]) for k in range(len(made.relevant)))
            if abs(distance - made.radii[j]) > 1e-12:  # on a face rounding decides
                assert made.dataset.Y[i, j] == (distance < made.radii[j])
    assert (made.dataset.Y[np.arange(n_samples), made.cubes] == 1).all()
    assert (np.abs(made.centers) + made.radii[:, None] <= 1 + 1e-12).all()


@given(st.integers(1, 40), st.integers(1, 7), st.integers(0, 99))
def test_every_cube_gets_rows_in_proportion_to_its_radius(n_samples, n_labels, seed):
    made = make_hypercubes(n_samples, n_labels, 4, random_state=seed)
    counts = np.bincount(made.cubes, minlength=n_labels)
    shares = [Fraction(n_samples) * Fraction(r) / sum(map(Fraction, made.radii)) for r in made.radii.tolist()]
    rounded = [math.floor(share + Fraction(1, 2)) for share in shares]
    assert counts.sum() == n_samples
    if sum(rounded) == n_samples:
        assert counts.tolist() == rounded
    assert all(abs(count - share) < 2 for count, share in zip(counts.tolist(), shares, strict=True))


def test_without_noise_every_row_has_a_label():
    assert make_hypercubes(500, 10, 8, noise=0, random_state=0).dataset.Y.sum(axis=1).min() >= 1


@pytest.mark.parametrize("noise", [0.02, 0.3])
def test_as_many_labels_are_flipped_as_expected(noise):
    made = make_hypercubes(2000, 20, 8, noise=noise, random_state=0)
    n_flips, n_all = (made.clean != made.dataset.Y).sum(), made.clean.size
    assert abs(n_flips - noise * n_all) < 4 * np.sqrt(n_all * noise * (1 - noise))


def test_radii_have_their_bounds():
    made = make_hypercubes(10, 200, 4, random_state=0)
    assert 0.1 + 1 / 200 <= made.radii.min() < 0.12
    assert 0.78 < made.radii.max() <= 0.8
    fixed = make_hypercubes(10, 200, 4, min_radius=0.3, max_radius=0.3, random_state=0)
    np.testing.assert_allclose(fixed.radii, 0.3, rtol=1e-15, atol=0)
    assert make_hypercubes(10, 1, 4, random_state=0).radii == pytest.approx([0.8], rel=1e-15)


def test_rescaled_copies_reach_from_minus_one_to_one():
    made = make_hypercubes(200, 5, 12, rescale=True, random_state=0)
    copies, sources = made.dataset.X[:, made.redundant], made.dataset.X[:, made.sources]
    np.testing.assert_allclose(copies.min(axis=0), -1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(copies.max(axis=0), 1, rtol=0, atol=1e-12)
    for copy, source in zip(copies.T, sources.T, strict=True):
        np.testing.assert_allclose(np.corrcoef(copy, source)[0, 1], 1, rtol=1e-12, atol=0)
    one_row = make_hypercubes(1, 2, 8, rescale=True, random_state=0)
    np.testing.assert_array_equal(one_row.dataset.X[:, one_row.redundant], one_row.dataset.X[:, one_row.sources])


def test_ratio():
    kinds = [make_hypercubes(3, 2, 12, ratio=ratio, random_state=0) for ratio in ((1, 0, 0), (2, 1, 1), (1, 1, 1))]
    counts = [(len(k.relevant), len(k.irrelevant), len(k.redundant)) for k in kinds]
    assert counts == [(12, 0, 0), (6, 3, 3), (4, 4, 4)]


def test_same_seed_same_bits():
    first, again, other = (make_hypercubes(50, 5, 8, random_state=seed) for seed in (1, 1, 2))
    assert first.dataset == again.dataset
    assert first.dataset != other.dataset


# Printed in [PACC, table 3]: cardinality, distinct label sets, mean imbalance and its coefficient of variation.
PRINTED = {
    "Data40-10": (1.260, 57, 2.235, 0.400),
    "Data80-10": (1.182, 53, 1.466, 0.400),
    "Data120-20": (1.404, 227, 1.810, 0.368),
    "Data160-20": (1.378, 219, 1.698, 0.354),
    "Data400-60": (2.187, 1302, 1.444, 0.214),
    "Data800-60": (2.147, 1302, 1.478, 0.251),
}


@pytest.mark.parametrize("name", HYPERCUBE_PRESETS)
def test_published_data_sets(name):
    draws = [hypercube_preset(name, random_state=seed) for seed in range(12)]
    n_samples, n_features, n_labels = HYPERCUBE_PRESETS[name]
    assert name == f"Data{n_features}-{n_labels}"
    assert all(d.dataset.X.shape == (n_samples, n_features) for d in draws)
    found = [statistics(d.dataset) for d in draws]
    measures = [(f.cardinality, f.distinct, f.mean_ir, f.cvir) for f in found]
    for values, printed in zip(np.array(measures).T, PRINTED[name], strict=True):
        assert abs(np.mean(values) - printed) < 4 * np.std(values, ddof=1)


@pytest.mark.parametrize("name", ["Data160-20", "Data400-60", "Data800-60"])
def test_cubes_rarely_overlap_in_many_dimensions(name):
    made = hypercube_preset(name, random_state=0)
    n_samples, q = made.clean.shape
    assert made.clean.sum() / n_samples < 1.05
    found = made.dataset.Y.sum() / n_samples
    assert abs(found - (1 + 0.02 * (q - 2))) < 0.05 + 4 * np.sqrt(q * 0.02 / n_samples)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_samples": 0}, "n_samples to be an integer of at least 1, but it is 0"),
        ({"n_labels": 2.5}, "n_labels to be an integer"),
        ({"noise": 1.5}, "noise to be a number of at least 0 and at most 1"),
        ({"max_radius": 0.0}, "max_radius to be a number above 0 and at most 1"),
        ({"min_radius": 0.9}, "min_radius to be a number above 0 and at most 0.8 or None, but it is 0.9"),
        ({"ratio": (1, 1)}, "ratio to be three numbers of at least 0"),
        ({"ratio": (0, 1, 1)}, "ratio to be three numbers of at least 0, the first above 0"),
        ({"ratio": (1, 0, 3)}, "at least one for each redundant feature"),
        ({"rescale": 1}, "rescale to be True or False"),
        ({"random_state": "x"}, "random_state to be None, an integer"),
    ],
)
def test_wrong_parameters(change, words):
    with pytest.raises(ParameterError, match=f"make_hypercubes needs .*{words}"):
        make_hypercubes(**({"n_samples": 9, "n_labels": 2, "n_features": 8} | change))


def test_unknown_preset():
    with pytest.raises(ParameterError, match=r"name to be 'Data40-10', .* or 'Data800-60', but it is 'Data1'"):
        hypercube_preset("Data1")
