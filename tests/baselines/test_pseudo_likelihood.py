import numpy as np
import pytest
from scipy import optimize, sparse

from plait.baselines.pseudo_likelihood import PseudoLikelihood
from plait.baselines.truncated_newton import minimize_convex

KINDS = ["none", "constant", "features"]


def made(kind, n=40, d=3, q=4, seed=0, C=0.7, pair_C=0.3, to_sparse=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0).astype(float)
    weights = rng.uniform(0.2, 2.0, size=n)
    return PseudoLikelihood(sparse.csr_matrix(X) if to_sparse else X, Y, weights, C, pair_C, kind), rng


def naive_objective(problem, theta):
    """The definition, by loops over rows, labels and pairs."""
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    (n, d), q = X.shape, problem.Y.shape[1]
    w, b, rest = theta[: q * d].reshape(q, d), theta[q * d : q * d + q], theta[q * d + q :]
    pairs = [(j, k) for j in range(q) for k in range(j + 1, q)] if problem.kind != "none" else []
    c, v = dict(zip(pairs, rest, strict=False)), {}
    if problem.kind == "features":
        v = {pair: rest[len(pairs) + t * d : len(pairs) + (t + 1) * d] for t, pair in enumerate(pairs)}
    loss = 0.0
    for i in range(n):
        for j in range(q):
            score = w[j] @ X[i] + b[j]
            for pair in pairs:
                if j in pair:
                    other = pair[0] + pair[1] - j
                    score += problem.Y[i, other] * (c[pair] + (v[pair] @ X[i] if v else 0.0))
            chance = 1 / (1 + np.exp(-score))
            loss -= problem.weights[i] * np.log(chance if problem.Y[i, j] else 1 - chance)
    # Every pair stands in two regressions, so that half the squares come twice.
    squares = sum(weight**2 for weight in c.values()) + sum((weight**2).sum() for weight in v.values())
    return problem.C * loss + 0.5 * (w**2).sum() + problem.C / problem.pair_strength * squares


@pytest.mark.parametrize("to_sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_objective_is_the_definition(kind, to_sparse):
    problem, rng = made(kind, to_sparse=to_sparse)
    for _ in range(3):
        theta = rng.normal(size=sum(problem.sizes))
        assert problem.objective(theta)[0] == pytest.approx(naive_objective(problem, theta), rel=1e-12)


@pytest.mark.parametrize("to_sparse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_agree_with_finite_differences(kind, to_sparse):
    problem, rng = made(kind, to_sparse=to_sparse)
    theta = rng.normal(size=sum(problem.sizes))
    _, gradient, curvature = problem.objective(theta)
    steps = 1e-5 * np.eye(len(theta))
    numeric = [(problem.objective(theta + h)[0] - problem.objective(theta - h)[0]) / 2e-5 for h in steps]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-6)
    numeric = np.array([(problem.objective(theta + h)[1] - problem.objective(theta - h)[1]) / 2e-5 for h in steps])
    whole = np.array([problem.along(curvature, unit) for unit in np.eye(len(theta))])
    np.testing.assert_allclose(whole, numeric, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(problem.diagonal(curvature), np.diag(whole), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_gathered_are_transposes(kind):
    problem, rng = made(kind)
    theta, values = rng.normal(size=sum(problem.sizes)), rng.normal(size=problem.Y.shape)
    assert (problem.scores(theta) * values).sum() == pytest.approx(theta @ problem.gathered(values), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_minimum_is_that_of_scipy_on_the_plain_objective(kind):
    problem, _ = made(kind, n=25, d=2, q=3)
    plain = optimize.minimize(lambda theta: naive_objective(problem, theta), np.zeros(sum(problem.sizes)), tol=1e-10)
    found = minimize_convex(problem, np.zeros(sum(problem.sizes)), 1e-10, 100)
    assert found.converged
    assert found.value == pytest.approx(plain.fun, rel=1e-9)
    np.testing.assert_allclose(found.theta, plain.x, rtol=1e-3, atol=1e-4)


def test_fields_are_symmetric_and_give_the_same_scores():
    problem, rng = made("features")
    theta = rng.normal(size=sum(problem.sizes))
    field = problem.field(theta)
    pairs = field.pairs(problem.X)
    np.testing.assert_array_equal(pairs, pairs.transpose(0, 2, 1))
    np.testing.assert_array_equal(np.einsum("ijj->ij", pairs), 0)
    given_others = field.scores(problem.X) + np.einsum("ijk,ik->ij", pairs, problem.Y)
    np.testing.assert_allclose(given_others, problem.scores(theta), rtol=1e-12, atol=1e-12)
    constant, rng = made("constant")
    field = constant.field(rng.normal(size=sum(constant.sizes)))
    np.testing.assert_array_equal(field.pair_intercept, field.pair_intercept.T)
    assert field.pair_coef is None
