"""Scores and probabilities of linear distributions against plain sums."""

import numpy as np
import pytest
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.joint import LabelDistribution, LinearDistribution
from plait.structure import LabelGraph


@pytest.mark.parametrize("q", [127, 128])
def test_sums_of_few_labels_of_many_are_the_product(q):
    rng = np.random.default_rng(0)
    weights, base = np.tril(rng.normal(size=(q, q)), -1), rng.normal(size=(5, q))
    many = LinearDistribution(LabelGraph([list(range(k)) for k in range(q)]), base, weights)
    Y = (rng.random((5, 3, q)) < 0.1).astype(np.uint8)
    scores = base[:, None] + np.einsum("abj,kj->abk", Y, weights)
    expected = -np.logaddexp(0.0, np.where(Y == 1, -scores, scores)).sum(axis=2)
    np.testing.assert_allclose(many.log_prob(Y), expected, rtol=1e-12)
    np.testing.assert_allclose(many.scores_at(Y[:, 0]), scores[:, 0], rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(many.take([3]).log_prob(Y[3:4, 0]), many.log_prob(Y[:, 0])[3:4])


@pytest.mark.parametrize("kernels", ["never", "always"])
@pytest.mark.parametrize("size", [1.0, 10.0, 40.0, 400.0])
def test_flips_are_differences_of_log_probabilities(size, kernels):
    """Also where scores are so large that they are bounded; along any order, and where labels are not touched."""
    rng = np.random.default_rng(1)
    place, q = rng.permutation(36), 36
    parents = [[j for j in range(q) if place[j] < place[k] and (j + k) % 5] for k in range(q)]
    weights, base = np.zeros((q, q)), size * rng.normal(size=(20, q))
    for k, of in enumerate(parents):
        weights[k, of] = size * rng.normal(size=len(of)) / 2
    P = LinearDistribution(LabelGraph(parents), base, weights)
    Y = (rng.random((20, q)) < 0.5).astype(np.uint8)
    with using_kernels(kernels):
        flips = P.flip_log_ratios(Y)
        np.testing.assert_array_equal(P.take([3]).flip_log_ratios(Y[3:4]), flips[3:4])
    np.testing.assert_allclose(flips, LabelDistribution.flip_log_ratios(P, Y), rtol=1e-9, atol=1e-9)
    few = LinearDistribution(P.graph, base, sparse.csr_array(weights))
    np.testing.assert_allclose(few.flip_log_ratios(Y), P.flip_log_ratios(Y), rtol=1e-9, atol=1e-9)
