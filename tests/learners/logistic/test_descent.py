"""The descent: its curves and curvature pairs against plain formulas, and near the optimum whatever the problems."""

import numpy as np
import pytest
from scipy.special import expit

from plait.core.kernel_policy import using_kernels
from plait.learners.logistic._descent_kernels import curve_along_step
from plait.learners.logistic.descent import MEMORY, CurvaturePairs, Descent, DescentTask, plain_curve
from plait.learners.logistic.logistic_batch import Batch
from plait.learners.logistic.logistic_design import prepared_design
from plait.learners.logistic.logistic_solver import solve_dense


@pytest.mark.parametrize("curves", [plain_curve, curve_along_step])
@pytest.mark.parametrize(("kind", "rtol"), [(np.float32, 2e-5), (np.float64, 1e-12)])
@pytest.mark.parametrize("n_samples", [77, 9000])
def test_curve_along_a_step(kind, rtol, curves, n_samples):
    rng = np.random.default_rng(1)
    scores, change = (rng.normal(scale=4, size=(3, n_samples)).astype(kind) for _ in range(2))
    scores[0, :4] = [40, -40, 200, -200]
    targets = (rng.random((2, n_samples)) < 0.4).astype(kind)
    weights = rng.gamma(1.0, size=(2, n_samples)).astype(kind)
    target_of, weight_of = np.array([0, 1, 1]), np.array([1, 0, 1])
    length, residual, curve = np.array([0.5, 1.0, 0.0], kind), np.full_like(scores, 9), np.full((3, 4), 9, kind)
    curves(scores, change, np.array([0, 2]), length, targets, target_of, weights, weight_of, residual, curve)
    for j in (0, 2):
        z, d = (scores[j] + length[j] * change[j]).astype(float), change[j].astype(float)
        y, w, p = targets[target_of[j]], weights[weight_of[j]].astype(float), expit(z)
        s = w * p * (1 - p)
        np.testing.assert_allclose(residual[j], w * (p - y), rtol=rtol, atol=rtol)
        expected = [(w * (p - y)) @ d, s @ d**2, w @ (np.logaddexp(0, z) - y * z), s.sum()]
        np.testing.assert_allclose(curve[j], expected, rtol=rtol, atol=rtol * n_samples)
    assert (residual[1] == 9).all()
    assert (curve[1] == 9).all()


def updated(H, step, change):
    """The update of BFGS: H = V' H V + s s' / (s'y)."""
    V = np.eye(len(step)) - np.outer(change, step) / (step @ change)
    return V.T @ H @ V + np.outer(step, step) / (step @ change)


@pytest.mark.parametrize("taken", [0, 1, 4, MEMORY, MEMORY + 3])
def test_directions_are_those_of_all_updates(taken):
    """The matrix that [Nocedal1980] builds pair by pair, from the last pairs; problems end after different steps."""
    rng = np.random.default_rng(2)
    size, known = 17, [[], []]
    pairs = CurvaturePairs((2, size), np.float64)
    for t in range(taken):
        step = rng.normal(size=(2, size))
        change = 1.5 * step + 0.3 * rng.normal(size=step.shape)
        for problem in range(2):
            known[problem].append((step[problem], change[problem]))
        pairs.add(step, change)
        if t == 2:  # the second problem stays where it is for a step
            pairs.put(np.array([1]), first := pairs.of(np.array([1])))
            assert first.taken.tolist() == [3]
    gradient = rng.normal(size=(2, size))
    found = pairs.direction(gradient, lambda values: 0.7 * values)
    for problem in range(2):
        H = 0.7 * np.eye(size)
        for step, change in known[problem][-MEMORY:]:
            H = updated(H, step, change)
        np.testing.assert_allclose(found[problem], -H @ gradient[problem], rtol=1e-8, atol=1e-10)


def test_problems_with_pairs_of_different_ages_side_by_side():
    rng = np.random.default_rng(3)
    pairs, older, H = CurvaturePairs((2, 5), np.float64), CurvaturePairs((1, 5), np.float64), 0.5 * np.eye(5)
    for _ in range(MEMORY + 2):
        step = rng.normal(size=(1, 5))
        older.add(step, 2 * step)
    step = rng.normal(size=(2, 5))
    pairs.add(step, 3 * step)
    pairs.put(np.array([1]), older)
    gradient = rng.normal(size=(2, 5))
    found = pairs.direction(gradient, lambda values: 0.5 * values)
    np.testing.assert_allclose(found[0], -updated(H, step[0], 3 * step[0]) @ gradient[0], rtol=1e-10)
    np.testing.assert_allclose(found[1], older.direction(gradient[1:], lambda values: 0.5 * values)[0], rtol=1e-12)
    pairs.forget()
    np.testing.assert_array_equal(pairs.direction(gradient, lambda values: 0.5 * values), -0.5 * gradient)


def test_a_change_lost_in_rounding_is_not_remembered():
    pairs, step = CurvaturePairs((2, 4), np.float64), np.ones((2, 4))
    pairs.add(step, np.array([[2.0] * 4, [0.0] * 4]))
    gradient = np.arange(8.0).reshape(2, 4)
    found = pairs.direction(gradient, lambda values: values)
    np.testing.assert_array_equal(found[1], -gradient[1])
    assert (found[0] != -gradient[0]).any()


def drawn(seed=0, n_rows=300, n_columns=12, n_labels=20):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)) @ rng.normal(size=(n_columns, n_columns))
    Y = (X @ rng.normal(size=(n_columns, n_labels)) + 3 * rng.logistic(size=(n_rows, n_labels)) > 1).astype(np.uint8)
    return X, Y


def objectives(design, batch, coef, intercept):
    z = design.rows(np.dtype(np.float64)).values[:, : design.n_columns] @ coef.T + intercept
    y = batch.targets[:, batch.columns]
    weights = 1.0 if batch.weights is None else batch.weights[:, batch.weight_columns]
    losses = weights * (np.logaddexp(0, z) - y * z)
    return batch.strengths * losses.sum(axis=0) + 0.5 * (coef**2).sum(axis=1)


@pytest.mark.parametrize("policy", ["never", "always"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_near_the_optimum_in_few_steps(weighted, masked, intercept, policy):
    X, Y = drawn()
    rng = np.random.default_rng(1)
    support = (rng.random((20, 12)) < 0.7) | (np.arange(12) < 6) if masked else None
    weights = rng.uniform(0, 2, size=Y.shape) if weighted else None
    batch = Batch.of(Y, 10.0 ** rng.integers(-2, 2, size=20), None, weights, None, support, None)
    with using_kernels(policy):
        design = prepared_design(X, standardize=False, fit_intercept=intercept)
        exact = solve_dense(design, batch, tol=1e-13, max_iter=500, dtype="float64")
        for tol, dtype in [(1e-3, "auto"), (1e-6, "auto"), (1e-6, "float32"), (1e-9, "auto")]:
            found = solve_dense(design, batch, tol=tol, max_iter=100, dtype=dtype)
            least = objectives(design, batch, exact.coef, exact.intercept)
            near = objectives(design, batch, found.coef, found.intercept)
            assert (near <= least * (1 + tol)).all()
            assert (near >= least * (1 - 1e-12)).all()
            assert found.converged.all()
            assert (found.n_iter <= 30).all()
            if support is not None:
                assert not found.coef[~support].any()
            if not intercept:
                assert not found.intercept.any()


def test_more_columns_than_an_inverse_is_worth():
    """Every pair of limits on the way: no level inverses at all, and none for columns that are not shared."""
    X, Y = drawn(n_labels=4)
    support = np.arange(12) != np.array([[1], [2], [3], [4]])
    for masked in (None, support):
        batch = Batch.of(Y, 1.0, None, None, None, masked, None)
        design, narrow = prepared_design(X), prepared_design(X)
        narrow.widest_shared = narrow.widest_own = 5
        assert narrow.preconditioner(np.dtype(np.float64), np.ones(4), masked, batch.shared_columns())._levels is None
        found, plain = (solve_dense(each, batch, tol=1e-12, max_iter=300, dtype="auto") for each in (narrow, design))
        np.testing.assert_allclose(found.coef, plain.coef, rtol=1e-4, atol=1e-6)


class OneColumn:
    """A matrix of one column for `DescentTask`."""

    def __init__(self, values):
        self.values = values

    def scores(self, coefficients, rows):
        return coefficients @ self.values[None]

    def gradients(self, residual, rows):
        return residual @ self.values[:, None]


class Unit:
    """The identity as a preconditioner."""

    dtype = np.dtype(np.float64)

    def apply(self, values, rows, curvature):
        return values


def test_no_step_goes_uphill():
    """Far beyond the minimum the slope is that of one row alone: small, where the objective is high."""
    values, targets = np.full(11, 20.0), np.ones((1, 11))
    targets[0, 0] = 0.0
    own = np.zeros(1, dtype=np.int64)
    weights, penalty = np.ones((1, 11)), np.full((1, 1), 1e-3)
    task = DescentTask(OneColumn(values), Unit(), targets, own, weights, own, penalty, compiled=False)
    descent = Descent(task, np.zeros((1, 1)), np.array([50]))
    before = descent.objective[0]
    descent.run(1e-12, 1)
    assert descent.objective[0] < before
    descent.run(1e-12, 49)
    np.testing.assert_allclose(20 * descent.found, np.log(10.0), rtol=1e-4)


def test_a_problem_gets_the_same_direction_whatever_others_have_seen():
    """As many pairs as it has itself, although those beside it have more, or none."""
    draws, size = np.random.default_rng(0), 33
    pairs = CurvaturePairs((9, size), np.float32)
    for problem in range(9):
        alone = CurvaturePairs((1, size), np.float32)
        for _ in range(problem + 2 * (problem == 8)):
            step = draws.normal(size=(1, size)).astype(np.float32)
            alone.add(step, (step * draws.uniform(0.5, 2.0, size)).astype(np.float32))
        pairs.put(np.array([problem]), alone)
    gradient = draws.normal(size=(9, size)).astype(np.float32)
    together = pairs.direction(gradient, lambda values: 0.7 * values)
    for some in ([0], [3], [8], [2, 5], [7, 1, 4]):
        part = pairs.of(np.array(some)).direction(gradient[some], lambda values: 0.7 * values)
        np.testing.assert_array_equal(part, together[some])
