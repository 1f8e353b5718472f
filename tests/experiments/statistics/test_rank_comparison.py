import matplotlib as mpl
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from plait.core.sentences import ParameterError
from plait.experiments.statistics.friedman import friedman_test
from plait.experiments.statistics.rank_comparison import RankComparison, cd_svg, compare_methods, rank_statement
from plait.metrics import scorers

NAMES = ("a", "b", "c", "d", "e")


def scores(gap=1.0, n=25):
    return np.random.default_rng(13).normal(size=(n, 5)) + gap * np.arange(5)


def test_it_joins_the_tests():
    found = compare_methods(scores(), NAMES)
    assert (found.test, found.control) == ("Nemenyi", None)
    assert found.friedman.f == friedman_test(scores()).f
    ranks = found.average_ranks
    for group in found.groups:
        assert np.ptp(ranks[list(group)]) < found.difference
    assert f"F(4, 96) = {found.friedman.f:.4g}" in rank_statement(found)
    assert "the methods differ" in rank_statement(found)


def test_a_control_is_compared_with_all_others():
    found = compare_methods(scores(), NAMES, control="c")
    ranks = found.average_ranks
    assert (found.test, found.control) == ("Bonferroni-Dunn", 2)
    near = {m for m in range(5) if abs(ranks[m] - ranks[2]) < found.difference}
    assert {m for group in found.groups for m in group} == (near if len(near) > 1 else set())
    assert found.difference < compare_methods(scores(), NAMES).difference


def test_losses_turn_the_ranks_round():
    up, down = compare_methods(scores(), NAMES), compare_methods(-scores(), NAMES, higher_is_better=False)
    np.testing.assert_allclose(up.average_ranks, down.average_ranks, rtol=0, atol=0)


def test_noise_shows_no_difference():
    found = compare_methods(scores(gap=0.0), NAMES)
    assert found.groups == (tuple(int(m) for m in np.argsort(found.average_ranks, kind="stable")),)
    assert "no difference is shown" in rank_statement(found)


@pytest.mark.parametrize(("names", "control"), [(NAMES[:4], None), (NAMES, "f")])
def test_bad_names_are_refused(names, control):
    with pytest.raises(ParameterError, match="compare_methods needs"):
        compare_methods(scores(), names, control=control)


def test_it_draws_itself_and_ranks_models():
    mpl.use("Agg")
    found = RankComparison.from_predictions(scores(), NAMES)
    np.testing.assert_array_equal(found.average_ranks, compare_methods(scores(), NAMES).average_ranks)
    assert found._repr_html_() == cd_svg(found)
    ax = found.plot()
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), np.sort(found.average_ranks))
    # A bar is level, below all methods, from the best to the worst of its group.
    bars = [(line.get_xdata(), line.get_ydata()) for line in ax.lines[1:]]
    assert len(bars) == len(found.groups) > 0
    for (across, up), group in zip(bars, found.groups, strict=True):
        np.testing.assert_array_equal(across, found.average_ranks[[group[0], group[-1]]])
        assert up[0] == up[1] > len(NAMES) - 1
    assert len({up[0] for _, up in bars}) == len(bars)
    mpl.pyplot.close("all")
    rng = np.random.default_rng(0)
    problems = []
    for _ in range(3):
        X = rng.normal(size=(60, 2))
        problems.append((X, (X > 0).astype(int)))
    models = {"guess": DummyClassifier(strategy="uniform", random_state=0), "tree": DecisionTreeClassifier()}
    ranked = RankComparison.from_estimator(models, problems, scoring=scorers["exact_match"])
    np.testing.assert_array_equal(ranked.average_ranks, [2.0, 1.0])
