import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.data.synthetic import make_copied_labels, make_independent_labels, make_xor_labels


def bits(*columns):
    """Mutual information of the last column with all the others together, in bits, from counts."""
    n = len(columns[0])

    def entropy(parts):
        counts = np.unique(np.column_stack(parts), axis=0, return_counts=True)[1]
        return -(counts / n * np.log2(counts / n)).sum()

    return entropy(columns[:-1]) + entropy(columns[-1:]) - entropy(columns)


def test_copies_are_all_the_same_and_depend_on_the_features():
    data = make_copied_labels(4000, 3, 5, random_state=0)
    assert (data.Y[:, [0]] == data.Y).all()
    means = [data.X[data.Y[:, 0] == value].mean(axis=0) for value in (0, 1)]
    assert np.linalg.norm(means[1] - means[0]) > 0.5
    still = make_copied_labels(4000, 3, 5, strength=0, random_state=0)
    means = [still.X[still.Y[:, 0] == value].mean(axis=0) for value in (0, 1)]
    assert np.linalg.norm(means[1] - means[0]) < 4 * np.sqrt(3 * 4 / 4000)


def test_exclusive_or_shows_only_in_threes():
    Y = make_xor_labels(400, random_state=0).Y.astype(int)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        np.testing.assert_allclose(bits(Y[:, i], Y[:, j]), 0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(bits(Y[:, 0], Y[:, 1], Y[:, 2]), 1, rtol=1e-12, atol=0)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 7])
def test_exclusive_or_of_any_number_of_rows(n_samples):
    data = make_xor_labels(n_samples, 4, random_state=0)
    assert data.X.shape == (n_samples, 4)
    assert (data.Y[:, 2] == data.Y[:, 0] ^ data.Y[:, 1]).all()


def test_independent_labels_tell_nothing_about_each_other():
    n = 4000
    data = make_independent_labels(n, 2, 4, random_state=0)
    share = data.Y.mean(axis=0)
    assert (share > 0.2 - 0.05).all()
    assert (share < 0.8 + 0.05).all()
    correlations = np.corrcoef(np.hstack([data.X, data.Y]).T) - np.eye(6)
    assert np.abs(correlations).max() < 4 / np.sqrt(n)


MAKERS = [
    lambda seed: make_copied_labels(20, 2, 3, random_state=seed),
    lambda seed: make_xor_labels(20, random_state=seed),
    lambda seed: make_independent_labels(20, 2, 3, random_state=seed),
]


@pytest.mark.parametrize("make", MAKERS)
def test_same_seed_same_bits(make):
    assert make(1) == make(1)
    assert make(1) != make(2)


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (make_copied_labels, {"n_labels": 0}),
        (make_copied_labels, {"strength": -1.0}),
        (make_xor_labels, {"n_features": 0}),
        (make_independent_labels, {"n_samples": 0}),
        (make_independent_labels, {"random_state": "seed"}),
    ],
)
def test_wrong_parameters(make, change):
    sizes = {"n_samples": 5, "n_features": 2} | ({} if make is make_xor_labels else {"n_labels": 2})
    with pytest.raises(ParameterError, match=f"{make.__name__} needs {next(iter(change))} to be"):
        make(**(sizes | change))
