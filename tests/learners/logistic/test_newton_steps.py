"""Step lengths on convex functions whose minimum is known."""

import numpy as np

from plait.learners.logistic.newton_steps import step_lengths


def searched(slope, bend, n=5, running=None):
    seen = []

    def slopes(lengths):
        seen.append(lengths.copy())
        return slope(lengths), bend(lengths)

    running = np.ones(n, dtype=bool) if running is None else running
    return step_lengths(slopes, slope(np.zeros(n)), running), seen


def test_a_quadratic_with_its_minimum_at_one_takes_one_look():
    lengths, seen = searched(lambda a: 3 * (a - 1), lambda a: np.full_like(a, 3.0))
    assert lengths.tolist() == [1.0] * 5
    assert len(seen) == 1


def test_short_and_long_steps_are_found():
    best = np.array([0.001, 0.1, 1.0, 5.0, 300.0])
    lengths, _ = searched(lambda a: a - best, np.ones_like)
    assert (np.abs(lengths - best) <= 0.3 * best).all()


def test_sharp_bends_do_not_stall_it():
    best = np.array([1e-4, 0.02, 0.3, 0.9, 3.0])
    scale = 40 / best

    def slope(a):
        return np.tanh(scale * (a - best))

    lengths, seen = searched(slope, lambda a: scale / np.cosh(np.clip(scale * (a - best), -300, 300)) ** 2)
    assert (np.abs(slope(lengths)) <= 0.3).all()
    assert len(seen) <= 20


def test_lanes_that_do_not_run_or_cannot_fall_stay():
    running = np.array([True, False, True, True, True])
    best = np.array([1.0, 1.0, -2.0, 1.0, 0.0])
    lengths, _ = searched(lambda a: a - best, np.ones_like, running=running)
    assert lengths.tolist() == [1.0, 0.0, 0.0, 1.0, 0.0]
