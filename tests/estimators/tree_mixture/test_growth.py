from dataclasses import replace

import numpy as np
import pytest

from plait.data.synthetic import make_label_network
from plait.estimators.tree_mixture.em import Steps
from plait.estimators.tree_mixture.growth import GrowingMixture, Growth, grown_again
from plait.estimators.tree_mixture.tree_starts import StartedMixture
from plait.learners import LogisticLearner
from plait.structure import LabelGraph

GRAPHS = [LabelGraph([[], [0], [1]]), LabelGraph([[2], [], [1]]), LabelGraph([[], [0], [0]])]


def growth(learner=None, max_components=20, max_iter=50):
    def build(learner, X, Y, weights, seed):
        return GRAPHS[seed % 3]

    return Growth(learner or LogisticLearner(), build, max_components, 1 / 3, 1e-5, max_iter, None)


def problem(n=90):
    data = make_label_network(n, 3, 3, structure="tree", strength=3.0, random_state=0).dataset
    return data.X, data.Y


class Scripted(GrowingMixture):
    """Rows held out are as likely as the script says, by the number of trees tried."""

    def script(self, rows):
        self.values = iter(rows)
        return self

    def _held_out(self, mixture):
        return np.asarray(next(self.values), dtype=float)


def kept(rows, **settings):
    X, Y = problem()
    found = Scripted(growth(**settings), X, Y, None, 0).script(rows)
    tried = 0
    for seed in found.seeds:
        if not found.done:
            found.add_tree(seed)
            tried += 1
    return len(found.mixture.weights), tried, found.history


def test_a_tree_in_vain_does_not_end_the_growth():
    sums = [-4.0, -5.0, -6.0, -3.0, -5.0, -5.0, -5.0, -5.0, -5.0, -1.0]
    assert kept([[value / 2] * 2 for value in sums]) == (4, 9, [-4.0, -3.0])


def test_losses_within_a_standard_error_are_no_losses():
    # The difference sums to -1; its standard error is sqrt(2) * 1.5.
    first, worse = [-1.0, -1.0], [-3.0, 0.0]
    assert kept([first, worse, worse], max_components=3) == (3, 3, [-2.0])
    clearly = [-1.6, -1.4]  # sums to -1 too, but the standard error is sqrt(2) * 0.1
    assert kept([first, clearly, clearly], max_components=3) == (1, 3, [-2.0])


def test_a_mixture_grown_again_has_the_graphs_and_gains_with_every_step():
    X, Y = problem()
    rows = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    found = grown_again(growth(LogisticLearner(C="cv")), GRAPHS, X, Y, rows, 3)
    assert [part.graph for part in found.conditionals] == GRAPHS
    assert (np.diff(found.objectives) > -1e-9 * abs(found.objectives[0])).all()
    assert len(found.objectives) <= 4 + 3 + 1
    once = grown_again(growth(max_iter=1), GRAPHS, X, Y, None, 3)
    assert len(once.objectives) == 2


def test_one_graph_grown_again_is_a_plain_fit():
    X, Y = problem()
    found = grown_again(growth(LogisticLearner(0.3)), GRAPHS[:1], X, Y, None, 0)
    plain = LogisticLearner(0.3).fit(X, Y, GRAPHS[0])
    np.testing.assert_allclose(found.conditionals[0].coef_, plain.coef_, rtol=1e-5, atol=1e-7)
    assert found.weights == pytest.approx([1.0], rel=1e-12)


class ScriptedStarts(StartedMixture):
    script, _held_out = Scripted.script, Scripted._held_out


# The best step is the second; three more in vain end it.
STEPS = [-0.5, 0.5, 0.4, 0.3, 0.2]


def test_a_started_mixture_takes_the_steps_that_made_rows_held_out_likelier():
    X, Y = problem()
    settings = replace(growth(max_components=4), tol=1e-12, n_starts=3)
    # The single tree, the start, its steps, and the best one once more.
    found = ScriptedStarts(settings, X, Y, None, 0).script([[value] for value in [0.0, -1.0, *STEPS, 0.5]])
    for seed in found.seeds:
        found.add_tree(seed)
    assert next(found.values, None) is None
    assert found._n_steps == 2
    assert len(found.mixture.weights) == 4
    assert found.history == [0.0, 0.5]


def test_a_grown_mixture_takes_the_steps_that_make_rows_held_out_likelier():
    X, Y = problem()
    settings = replace(growth(max_components=2), tol=1e-12)
    # Two trees, and the mixture once more before its steps.
    found = Scripted(settings, X, Y, None, 0).script([[value] for value in [0.0, 1.0, -1.0, *STEPS]])
    for seed in found.seeds[:2]:
        found.add_tree(seed)
    assert found.steps_left() == 2
    assert next(found.values, None) is None


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_em_takes_as_many_steps_as_it_may(max_iter):
    X, Y = problem()
    settings = growth()
    start = replace(grown_again(settings, GRAPHS[:2], X, Y, None, 0), objectives=(), log_likelihoods=())
    found = settings.steps(LogisticLearner(), X, Y, np.ones(len(Y))).converged(start, 0.0, max_iter)
    # One value before the first step.
    assert len(found.objectives) == max_iter + 1


def test_em_moves_mixtures_between_trees_and_not_the_first_one(monkeypatch):
    X, Y = problem()
    sizes, path = [], Steps.path
    monkeypatch.setattr(Steps, "path", lambda *given: sizes.append(len(given[1].weights)) or path(*given))
    grown_again(growth(), GRAPHS, X, Y, None, 0)
    assert sizes == [2, 3]
