"""`Conditionals`: probabilities, tables over all settings and pairs, against calls row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.learners import Conditionals, conditionals
from plait.learners.conditionals import checked_n_settings, distinct_pairs, parent_settings_of, stacked
from plait.structure import LabelGraph

WEIGHTS = np.array([0.3, -0.7, 1.9, -0.2])


class Counted(Conditionals):
    """Scores that depend on features and parents in no linear way, with a record of the calls."""

    def __init__(self, graph, n_features, probabilistic=True):
        self.graph, self.n_features, self.probabilistic = graph, n_features, probabilistic
        self.calls = []

    def scores(self, label, X, parent_values):
        assert parent_values.shape == (X.shape[0], len(self.graph.parents[label]))
        self.calls.append((X.shape[0], {tuple(values) for values in parent_values.tolist()}))
        weights = WEIGHTS[: parent_values.shape[1]]
        return np.sin(np.asarray(X.sum(axis=1)).ravel() + label) * (1 + parent_values @ weights) + label

    @property
    def one_by_one(self):
        return lambda label, row, values: float(
            np.sin(row.sum() + label) * (1 + sum(w * v for w, v in zip(WEIGHTS, values, strict=False))) + label
        )


GRAPH = LabelGraph([[], [0], [1, 0], [0, 1, 2]])
FORMS = pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_matrix, sparse.csr_array], ids=["dense", "csr", "array"]
)


def features(n_samples=5, n_features=3):
    return np.random.default_rng(0).normal(size=(n_samples, n_features))


def test_size_and_origin():
    model = Counted(GRAPH, 3)
    assert model.n_labels == 4
    assert model.origin == "Counted"


def test_log_prob_is_the_log_of_the_sigmoid():
    X, model = features(), Counted(GRAPH, 3)
    values = np.array([[0], [1], [0], [1], [1]], dtype=np.uint8)
    odds = np.exp(model.scores(1, X, values))
    np.testing.assert_allclose(np.exp(model.log_prob(1, X, values)), odds / (1 + odds), rtol=1e-13)


def test_margins_are_no_probabilities():
    model = Counted(GRAPH, 3, probabilistic=False)
    with pytest.raises(ParameterError, match=r"^log_prob needs a learner that gives probabilities, but Counted gives"):
        model.log_prob(0, features(), np.zeros((5, 0), dtype=np.uint8))
    assert model.score_table(0, features()).shape == (5, 1)


@FORMS
@pytest.mark.parametrize("n_samples", [0, 1, 5])
@pytest.mark.parametrize("rows_of_a_call", [1, 11, 1 << 14])
def test_a_table_holds_every_setting(monkeypatch, make, n_samples, rows_of_a_call):
    monkeypatch.setattr(conditionals, "_ROWS_OF_A_CALL", rows_of_a_call)
    X, model = features(n_samples), Counted(GRAPH, 3)
    for label, parents in enumerate(GRAPH.parents):
        table = model.score_table(label, make(X))
        assert table.shape == (n_samples, 2 ** len(parents))
        for i, column in np.ndindex(*table.shape):
            values = [column >> t & 1 for t in range(len(parents))]
            np.testing.assert_allclose(table[i, column], model.one_by_one(label, X[i], values), rtol=1e-12)


def test_a_table_asks_for_each_setting_once():
    model = Counted(GRAPH, 3)
    model.score_table(3, features(conditionals._ROWS_OF_A_CALL))
    assert [rows for rows, _ in model.calls] == [conditionals._ROWS_OF_A_CALL] * 8
    assert len({setting for _, settings in model.calls for setting in settings}) == 8
    model.calls.clear()
    model.score_table(3, features(5))
    assert [rows for rows, _ in model.calls] == [40]


def test_a_table_of_too_many_parents_is_refused():
    wide = Counted(LabelGraph([[] for _ in range(21)] + [list(range(21))]), 3)
    with pytest.raises(
        ParameterError, match=r"^Counted.score_table needs a label with at most 20 parents, but label 21"
    ):
        wide.score_table(21, features())


@FORMS
def test_pairs_are_asked_once(make):
    X, model = features(), Counted(GRAPH, 3)
    rng = np.random.default_rng(1)
    rows, values = rng.integers(0, 5, size=200), rng.integers(0, 2, size=(200, 3), dtype=np.uint8)
    scores = model.scores_of_pairs(3, make(X), rows, values)
    expected = [model.one_by_one(3, X[i], setting) for i, setting in zip(rows, values, strict=True)]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)
    assert [rows for rows, _ in model.calls] == [40]


def test_no_pairs():
    model = Counted(GRAPH, 3)
    assert model.scores_of_pairs(3, features(), [], np.zeros((0, 3), dtype=np.uint8)).shape == (0,)


@pytest.mark.parametrize("n_parents", [0, 1, 3, 20])
def test_bit_t_of_the_number_is_the_value_of_parent_t(n_parents):
    numbers = range(2**n_parents) if n_parents < 10 else [0, 1, 2**19, 2**20 - 1]
    settings = parent_settings_of(list(numbers), n_parents)
    assert settings.dtype == np.uint8
    assert settings.tolist() == [[number // 2**t % 2 for t in range(n_parents)] for number in numbers]


def test_too_many_parents_are_refused():
    assert checked_n_settings("Conditionals", 3, 20) == 2**20
    expected = (
        "^Conditionals.score_table needs a label with at most 20 parents, but label 3 has 21. Ask scores_of_pairs"
    )
    with pytest.raises(ParameterError, match=expected):
        checked_n_settings("Conditionals", 3, 21)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_stacked_rows(make):
    X = np.arange(6.0).reshape(2, 3)
    assert stacked(make(X), 3).shape == (6, 3)
    np.testing.assert_array_equal((stacked(make(X), 2) @ np.eye(3)), np.vstack([X, X]))
    kept = make(X)
    assert stacked(kept, 1) is kept


@given(st.data())
def test_distinct_pairs_against_a_dictionary(data):
    n_pairs, n_parents = data.draw(st.integers(0, 30)), data.draw(st.integers(0, 70))
    rows = data.draw(hnp.arrays(np.int64, n_pairs, elements=st.sampled_from([0, 1, 255, 256, 2**40])))
    values = data.draw(hnp.arrays(np.uint8, (n_pairs, n_parents), elements=st.integers(0, 1)))
    first, place = distinct_pairs(rows, values)
    pairs = [(int(row), *setting) for row, setting in zip(rows, values.tolist(), strict=True)]
    assert len({pairs[i] for i in first}) == first.size == len(set(pairs))
    assert [pairs[i] for i in first[place]] == pairs
    assert (np.diff(rows[first]) >= 0).all()
