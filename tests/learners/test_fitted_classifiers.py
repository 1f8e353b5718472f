"""`FittedClassifiers`: every way of answering, tables and pairs against single questions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from plait.core.sentences import ParameterError
from plait.features import FeatureMask
from plait.learners import Conditionals, FittedClassifiers, SklearnLearner
from plait.learners.fitted_classifiers import own_features, read_only, with_parents
from plait.structure import LabelGraph

NONE = np.zeros((3, 0), dtype=np.uint8)
ROWS = np.zeros((3, 2))


class Canned:
    """Gives the same answers whatever is asked."""

    def __init__(self, classes=(0, 1), **answers):
        self.classes_ = np.array(classes)
        for method, answer in answers.items():
            setattr(self, method, lambda X, answer=answer: np.asarray(answer)[: X.shape[0]])


def of(estimator, response):
    return FittedClassifiers(LabelGraph([[]]), 2, (estimator,), np.zeros(1), response=response, made_by="Canned")


def test_the_column_of_class_one_and_clipping():
    scores = of(Canned(predict_proba=[[0.8, 0.2], [1, 0], [0, 1]]), "predict_proba").scores(0, ROWS, NONE)
    edge = np.log(1e-6 / (1 - 1e-6))
    np.testing.assert_allclose(scores, [np.log(0.25), edge, -edge], rtol=1e-9)
    swapped = of(Canned((1, 0), predict_proba=[[0.8, 0.2], [1, 0], [0, 1]]), "predict_proba").scores(0, ROWS, NONE)
    np.testing.assert_allclose(swapped, -scores, rtol=1e-9)
    words = of(Canned((False, True), predict_proba=[[0.8, 0.2]] * 3), "predict_proba").scores(0, ROWS, NONE)
    np.testing.assert_allclose(words, np.full(3, np.log(0.25)), rtol=1e-9)
    half = of(Canned(predict_proba=[[0.5, 0.5]] * 3), "predict_proba").scores(0, ROWS, NONE)
    assert half.tolist() == [0, 0, 0]


def test_a_class_that_was_never_met_is_improbable():
    never = of(Canned((0,), predict_proba=[[1.0]] * 3), "predict_proba")
    np.testing.assert_allclose(np.exp(never.log_prob(0, ROWS, NONE)), [1e-6] * 3, rtol=1e-9)


def test_margins_and_decisions():
    one = of(Canned(decision_function=[0.5, -2, 0]), "decision_function")
    assert one.scores(0, ROWS, NONE).tolist() == [0.5, -2, 0]
    assert not one.probabilistic
    two = of(Canned(decision_function=[[1, 3], [2, 0], [1, 1]]), "decision_function")
    assert two.scores(0, ROWS, NONE).tolist() == [2, -2, 0]
    decided = of(Canned(predict=[1, 0, 1]), "predict")
    assert decided.scores(0, ROWS, NONE).tolist() == [1, -1, 1]
    assert (decided.probabilistic, decided.origin) == (False, "Canned")


def test_answers_that_are_no_numbers_are_refused():
    broken = of(Canned(predict_proba=[[0.5, 0.5], [np.nan, np.nan], [1, 0]]), "predict_proba")
    with pytest.raises(
        ParameterError, match=r"^FittedClassifiers needs finite answers, but predict_proba of Canned gave"
    ):
        broken.scores(0, ROWS, NONE)


def test_repr_is_short():
    shown = repr(of(Canned(predict=[1]), "predict"))
    assert shown == "FittedClassifiers(1 labels, 2 features, predict of Canned)"


def test_wrong_columns_are_refused():
    with pytest.raises(ParameterError, match=r"^FittedClassifiers needs X to have 2 columns, but it has 5"):
        of(Canned(predict=[1]), "predict").scores(0, np.zeros((3, 5)), NONE)


def fitted(form, masked):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * (rng.random((40, 3)) < 0.6)
    Y = (X @ rng.normal(size=(3, 4)) + rng.normal(size=(40, 4)) > 0).astype(np.uint8)
    Y[:, 2] = 1
    graph = LabelGraph([[], [0], [0, 1], [2, 0, 1]])
    mask = FeatureMask.by_label([[0], [1, 2], [0], [2]], [[1], [1, 1], [1], [1]], n_features=3) if masked else None
    return form(X), SklearnLearner(DecisionTreeClassifier(random_state=0)).fit(form(X), Y, graph, mask)


@pytest.mark.parametrize("masked", [False, True], ids=["all", "masked"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array], ids=["dense", "csr", "arr"])
def test_tables_and_pairs_are_many_single_questions(form, masked):
    X, model = fitted(form, masked)
    rng = np.random.default_rng(1)
    for label, parents in enumerate(model.graph.parents):
        table = model.score_table(label, X)
        np.testing.assert_array_equal(table, Conditionals.score_table(model, label, X))
        for column in range(2 ** len(parents)):
            setting = np.array([[column >> t & 1 for t in range(len(parents))]] * 40, dtype=np.uint8).reshape(40, -1)
            np.testing.assert_array_equal(table[:, column], model.scores(label, X, setting))
        for n_pairs in (7, 300):
            rows, values = rng.integers(0, 40, size=n_pairs), rng.integers(0, 2, size=(n_pairs, len(parents)))
            columns = values @ (1 << np.arange(len(parents)))
            pairs = model.scores_of_pairs(label, X, rows, values.astype(np.uint8))
            np.testing.assert_array_equal(pairs, table[rows, columns])
    assert model.estimators_[2] is None
    assert np.ptp(model.score_table(2, X)) == 0
    assert np.ptp(model.score_table(3, X)) > 0


def test_no_rows():
    X, model = fitted(np.asarray, True)
    assert model.scores(1, X[:0], np.zeros((0, 1), dtype=np.uint8)).shape == (0,)
    assert model.score_table(3, X[:0]).shape == (0, 8)
    assert model.scores_of_pairs(1, X, [], np.zeros((0, 1), dtype=np.uint8)).shape == (0,)


def test_too_many_parents_are_refused_even_of_a_constant_label():
    graph = LabelGraph([[] for _ in range(21)] + [list(range(21))])
    Y = np.zeros((6, 22), dtype=int)
    model = SklearnLearner(LogisticRegression()).fit(np.ones((6, 1)), Y, graph)
    with pytest.raises(ParameterError, match=r"^FittedClassifiers.score_table needs a label with at most 20 parents"):
        model.score_table(21, np.ones((6, 1)))


X = np.array([[1.0, 0.0, 3.0], [0.0, 5.0, 0.0]])
VALUES = np.array([[1, 0], [0, 1]], dtype=np.uint8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_form_and_type_stay(form, dtype):
    matrix = form(X.astype(dtype))
    joined = with_parents(own_features(matrix, np.array([2, 0])), VALUES)
    assert type(joined) is type(matrix)
    assert joined.dtype == dtype
    dense = joined.toarray() if sparse.issparse(joined) else joined
    np.testing.assert_array_equal(dense, [[3, 1, 1, 0], [0, 0, 0, 1]])
    if sparse.issparse(joined):
        assert joined.format == "csr"
        assert joined.nnz == 4


def test_nothing_is_copied_without_need():
    assert own_features(X, None) is X
    assert with_parents(X, VALUES[:, :0]) is X


def test_parents_alone():
    joined = with_parents(own_features(X, np.array([], dtype=np.int64)), VALUES)
    np.testing.assert_array_equal(joined, VALUES)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_read_only_protects_without_a_copy(form):
    matrix = form(X.copy())
    same = read_only(matrix)
    assert type(same) is type(matrix)
    values, kept = (m.data if sparse.issparse(m) else m for m in (matrix, same))
    assert np.shares_memory(values, kept)
    with pytest.raises(ValueError, match="read-only"):
        kept *= 2
    values *= 2
    np.testing.assert_array_equal(same @ np.eye(3), 2 * X)
