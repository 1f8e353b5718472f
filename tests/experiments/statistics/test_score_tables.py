import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.experiments.statistics.score_tables import method_ranks, score_table


def naive_ranks(row, higher_is_better):
    values = [-v if higher_is_better else v for v in row]
    return [1 + sum(o < v for o in values) + (sum(o == v for o in values) - 1) / 2 for v in values]


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_ranks_count_the_better_and_share_ties(higher_is_better):
    scores = np.random.default_rng(0).integers(0, 5, (40, 6)) / 4
    ranks = method_ranks(scores, higher_is_better=higher_is_better)
    np.testing.assert_allclose(ranks, [naive_ranks(row, higher_is_better) for row in scores], rtol=0, atol=0)
    np.testing.assert_allclose(ranks.sum(axis=1), 6 * 7 / 2, rtol=1e-14)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([0.5, 0.6], "axes"),
        ([[0.5, 0.6]], "at least 2 data sets"),
        ([[0.5], [0.6]], "at least 2 data sets and 2 methods"),
        ([[0.5, 0.6], [0.5, np.nan]], "data set 1 and method 1 is missing"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(scores, words):
    with pytest.raises(ParameterError, match=words):
        score_table("friedman_test", scores)
