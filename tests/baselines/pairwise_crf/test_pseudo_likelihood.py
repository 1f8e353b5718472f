import numpy as np
import pytest
from scipy import optimize, sparse

from plait.baselines.pairwise_crf.pseudo_likelihood import PseudoLikelihood, _start, minimize_convex, trained_crf

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


CHOICE = {"C": 1.0, "pair_C": 1.0, "kind": "constant", "standardize": "auto", "tol": 1e-11, "max_iter": 100}


def problem(n=120, d=4, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1, 10, 0.1, 3] + [0, 5, 0, -3]
    Y = (X / [1, 10, 0.1, 3] @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.5).astype(np.uint8)
    return X, Y, rng.uniform(0.2, 3.0, size=n)


@pytest.mark.parametrize("kind", ["none", "constant", "features"])
def test_weights_come_in_units_of_the_columns(kind):
    X, Y, _ = problem()
    field, _, converged = trained_crf(X, Y, None, **(CHOICE | {"kind": kind}))
    assert converged
    plain = PseudoLikelihood(X / X.std(axis=0), Y.astype(float), np.ones(120), 1.0, 1.0, kind)
    theirs = plain.field(minimize_convex(plain, np.zeros(sum(plain.sizes)), 1e-11, 100).theta)
    np.testing.assert_allclose(field.scores(X), theirs.scores(plain.X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(field.pairs(X), theirs.pairs(plain.X), rtol=1e-5, atol=1e-6)


def test_the_start_is_close_to_the_end():
    X, Y, weights = problem()
    plain = PseudoLikelihood(X / X.std(axis=0), Y.astype(float), weights, 1.0, 1.0, "constant")
    end = minimize_convex(plain, np.zeros(sum(plain.sizes)), 1e-10, 100)
    nothing, begun = plain.objective(np.zeros(sum(plain.sizes)))[0], plain.objective(_start(plain))[0]
    assert end.value <= begun < end.value + 0.05 * (nothing - end.value)
    assert minimize_convex(plain, _start(plain), 1e-10, 100).n_iter < end.n_iter


def test_the_start_without_pairs_is_the_end():
    X, Y, weights = problem()
    plain = PseudoLikelihood(X / X.std(axis=0), Y.astype(float), weights, 1.0, 1.0, "none")
    end = minimize_convex(plain, np.zeros(sum(plain.sizes)), 1e-11, 100)
    np.testing.assert_allclose(_start(plain), end.theta, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["constant", "features"])
def test_a_weight_is_a_repetition(kind):
    X, Y, _ = problem(n=60)
    times = np.random.default_rng(1).integers(1, 4, size=60)
    one = trained_crf(X, Y, times.astype(float), **(CHOICE | {"kind": kind}))[0]
    two = trained_crf(X.repeat(times, axis=0), Y.repeat(times, axis=0), None, **(CHOICE | {"kind": kind}))[0]
    np.testing.assert_allclose(one.scores(X), two.scores(X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(one.pairs(X), two.pairs(X), rtol=1e-6, atol=1e-7)


def test_weights_and_strength_trade_places():
    X, Y, weights = problem()
    one = trained_crf(X, Y, 4.0 * weights, **CHOICE)[0]
    two = trained_crf(X, Y, weights, **(CHOICE | {"C": 4.0, "pair_C": 4.0}))[0]
    np.testing.assert_allclose(one.pair_intercept, two.pair_intercept, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(one.coef, two.coef, rtol=1e-6, atol=1e-8)


def test_a_weak_strength_for_pairs_makes_them_small_and_leaves_binary_relevance():
    X, Y, _ = problem()
    alone = trained_crf(X, Y, None, **(CHOICE | {"kind": "none"}))[0]
    field = trained_crf(X, Y, None, **(CHOICE | {"pair_C": 1e-9}))[0]
    assert 0 < np.abs(field.pair_intercept).max() < 1e-6
    np.testing.assert_allclose(field.scores(X), alone.scores(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["none", "constant", "features"])
def test_labels_with_one_value_have_no_pairs(kind):
    X, Y, weights = problem()
    Y[:, 1], Y[:, 3] = 0, 1
    field = trained_crf(X, Y, weights, **(CHOICE | {"kind": kind}))[0]
    assert not field.coef[[1, 3]].any()
    assert not field.pair_intercept[[1, 3]].any()
    laplace = np.array([1.0, weights.sum() + 1.0]) / (weights.sum() + 2.0)
    np.testing.assert_allclose(1 / (1 + np.exp(-field.intercept[[1, 3]])), laplace, rtol=1e-12)
    without = trained_crf(X, Y[:, [0, 2]], weights, **(CHOICE | {"kind": kind}))[0]
    np.testing.assert_allclose(field.coef[[0, 2]], without.coef, rtol=1e-9, atol=1e-12)
    assert trained_crf(X, np.zeros_like(Y), None, **(CHOICE | {"kind": kind}))[2]


@pytest.mark.parametrize("kind", ["constant", "features"])
def test_sparse_rows_give_the_same(kind):
    X, Y, weights = problem()
    X[np.abs(X) < 0.7] = 0
    dense = trained_crf(X, Y, weights, **(CHOICE | {"kind": kind}))[0]
    thin = trained_crf(sparse.csr_matrix(X), Y, weights, **(CHOICE | {"kind": kind}))[0]
    np.testing.assert_allclose(thin.coef, dense.coef, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(thin.pairs(X), dense.pairs(X), rtol=1e-6, atol=1e-7)


class Bowl:
    """A quadratic with a known minimum, and a steep wall that makes full Newton steps too long."""

    def __init__(self, n=12, wall=0.0, spread=1e4, seed=0):
        rng = np.random.default_rng(seed)
        turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
        self.matrix = turn @ np.diag(np.geomspace(1.0, spread, n)) @ turn.T
        self.goal, self.wall = rng.normal(size=n), wall

    def objective(self, theta):
        apart = theta - self.goal
        edge = np.sqrt(1.0 + apart**2)
        value = 0.5 * apart @ self.matrix @ apart + self.wall * (edge - 1.0).sum() + 3.0
        return value, self.matrix @ apart + self.wall * apart / edge, self.wall / edge**3

    def along(self, curvature, direction):
        return self.matrix @ direction + curvature * direction

    def diagonal(self, curvature):
        return np.diag(self.matrix) + curvature


@pytest.mark.parametrize("wall", [0.0, 1e6])
@pytest.mark.parametrize("start", [0.0, 100.0])
def test_it_finds_the_minimum_to_the_last_digits(wall, start):
    bowl = Bowl(wall=wall)
    found = minimize_convex(bowl, np.full(12, start), 1e-12, 100)
    assert found.converged
    np.testing.assert_allclose(found.theta, bowl.goal, rtol=1e-7, atol=1e-9)
    assert found.value == pytest.approx(3.0, rel=1e-12)


def test_it_says_that_it_did_not_get_there():
    bowl = Bowl(wall=1e6)
    found = minimize_convex(bowl, np.full(12, 100.0), 1e-12, 1)
    assert not found.converged
    assert found.n_iter == 1
    assert found.value < bowl.objective(np.full(12, 100.0))[0]


def test_a_start_at_the_minimum_takes_no_step():
    bowl = Bowl()
    found = minimize_convex(bowl, bowl.goal, 1e-9, 100)
    assert found.converged
    assert found.n_iter == 0


def test_no_numbers_at_all():
    class Nothing(Bowl):
        def __init__(self):
            self.matrix, self.goal, self.wall = np.empty((0, 0)), np.empty(0), 0.0

    assert minimize_convex(Nothing(), np.empty(0), 1e-9, 10).converged
