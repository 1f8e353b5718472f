"""Unknown labels at the door: every form of NaN in y, and what estimators do with it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from plait import JointClassifier
from plait.baselines import MLkNN
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.estimators import LabelTreeClassifier
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner
from plait.structure import ConditionalTree, FullChain, Independent, KDependence, LabelTree, Polytree, Trellis

polars = pytest.importorskip("polars")

STRUCTURES = [
    FullChain("information"),
    LabelTree(),
    ConditionalTree(),
    Polytree(),
    Polytree(weights="nmi", test="gtest"),
    KDependence(2, order="frequency"),
    Trellis(),
    Independent(),
]


@pytest.fixture(scope="module")
def data():
    made = make_label_network(300, 4, 5, structure="tree", strength=2.0, random_state=0)
    X, Y = np.asarray(made.dataset.X), np.asarray(made.dataset.Y).astype(np.float64)
    gaps = np.where(np.random.default_rng(0).random(Y.shape) < 0.4, np.nan, Y)
    return made, X, Y, gaps


def quick(structure="chain", **more):
    return JointClassifier(structure, learner=LogisticLearner(), random_state=0, **more)


def same(one, other, X):
    np.testing.assert_array_equal(one.conditionals_.coef_, other.conditionals_.coef_)
    np.testing.assert_array_equal(one.conditionals_.parent_coef_, other.conditionals_.parent_coef_)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_every_form_of_a_gap_is_the_same(data):
    _, X, _, gaps = data
    names, first = [f"y{k}" for k in range(5)], quick().fit(X, gaps)
    frame = pd.DataFrame(gaps, columns=names)
    objects = np.where(np.isnan(gaps), None, gaps.astype(object))
    words = np.where(np.isnan(gaps), None, np.where(gaps == 1, "yes", "no").astype(object))
    # In a CSR matrix what is not stored is 0, and NaN is stored.
    stored = sparse.csr_matrix(gaps)
    forms = {
        "pandas": frame,
        "pandas NA": frame.astype("Int64"),
        "pandas boolean": frame.astype("boolean"),
        "polars": polars.DataFrame({name: [None if v != v else int(v) for v in frame[name]] for name in names}),
        "masked": np.ma.masked_array(np.nan_to_num(gaps).astype(int), np.isnan(gaps)),
        "csr": stored,
        "None": objects,
        "lists": objects.tolist(),
        "words": words,
    }
    for name, form in forms.items():
        found = quick().fit(X, form)
        same(first, found, X)
        assert list(found.label_names_) == names, name


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda each: type(each).__name__)
def test_hiding_nothing_changes_nothing(data, structure):
    _, X, Y, _ = data
    same(quick(structure).fit(X, Y.astype(int)), quick(structure).fit(X, Y), X)


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda each: type(each).__name__)
def test_a_row_without_known_labels_changes_nothing(data, structure):
    _, X, _, gaps = data
    more = np.vstack([np.full((1, 4), 1e3), X, -np.full((2, 4), 1e3)])
    rows = np.vstack([np.full((1, 5), np.nan), gaps, np.full((2, 5), np.nan)])
    same(quick(structure).fit(X, gaps), quick(structure).fit(more, rows), X)
    weights = np.arange(len(gaps)) % 3 + 1.0
    weighted = np.concatenate([[5.0], weights, [1.0, 2.0]])
    same(
        quick(structure).fit(X, gaps, sample_weight=weights),
        quick(structure).fit(more, rows, sample_weight=weighted),
        X,
    )


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda each: type(each).__name__)
def test_unknown_labels_are_better_than_zeros(data, structure):
    made, X, _, gaps = data
    true = made.marginals(X)
    found = quick(structure).fit(X, gaps).predict_proba(X)
    zeros = quick(structure).fit(X, np.nan_to_num(gaps)).predict_proba(X)
    assert np.abs(found - true).mean() < 0.5 * np.abs(zeros - true).mean()


def test_weights_of_rows_are_copies_of_rows(data):
    _, X, _, gaps = data
    weights = np.arange(len(gaps)) % 3
    rows = np.repeat(np.arange(len(gaps)), weights)
    learner = LogisticLearner(standardize=False)
    for structure in (LabelTree(), Polytree(weights="nmi")):  # where nothing is drawn
        weighted = JointClassifier(structure, learner=learner, random_state=0).fit(X, gaps, sample_weight=weights)
        copied = JointClassifier(structure, learner=learner, random_state=0).fit(X[rows], gaps[rows])
        assert weighted.graph_ == copied.graph_
        np.testing.assert_allclose(weighted.conditionals_.coef_, copied.conditionals_.coef_, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    "learner",
    [
        LinearSVMLearner(),
        LinearSVMLearner(calibrate=True),
        SklearnLearner(LogisticRegression()),
        SklearnLearner(KNeighborsClassifier()),  # takes no weights: rows whose label is unknown are left out
    ],
)
def test_learners_without_soft_targets_train_on_known_rows(data, learner):
    _, X, Y, gaps = data
    for structure in (FullChain(), LabelTree()):
        model = JointClassifier(structure, learner=learner, inference="greedy", random_state=0)
        whole = (model.fit(X, Y).predict(X) == Y).mean()
        assert (model.fit(X, gaps).predict(X) == Y).mean() > whole - 0.05


def test_one_label_that_a_row_does_not_know_is_left_out_of_its_fit(data):
    _, X, _, gaps = data
    known = ~np.isnan(gaps[:, 0])
    learner = SklearnLearner(LogisticRegression())
    model = JointClassifier(Independent(), learner=learner).fit(X, gaps)
    alone = LogisticRegression().fit(X[known], gaps[known, 0])
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], alone.predict_proba(X)[:, 1], rtol=1e-9)


def test_a_single_column_may_have_gaps(data):
    _, X, Y, _ = data
    column = np.where(np.arange(len(Y)) % 4 == 0, np.nan, Y[:, 0])
    known = ~np.isnan(column)
    one, other = quick().fit(X, column), quick().fit(X[known], column[known])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    named = pd.Series(np.where(known, np.where(column == 1, "spam", "ham"), None), name="kind")
    assert quick().fit(X, named).classes_.tolist() == ["ham", "spam"]


def test_the_same_bits_every_time_and_for_any_number_of_jobs(data):
    _, X, _, gaps = data
    same(quick().fit(X, gaps), quick(n_jobs=2).fit(X, gaps), X)


def test_a_label_that_nobody_knows_is_even_and_told(data):
    _, X, _, gaps = data
    with pytest.warns(UserWarning, match="knows nothing of 1 label"):
        model = quick().fit(X, np.column_stack([gaps, np.full(len(gaps), np.nan)]))
    np.testing.assert_allclose(model.predict_proba(X)[:, 5], 0.5, rtol=1e-9)


def test_what_cannot_take_gaps_says_so(data):
    _, X, _, gaps = data
    with pytest.raises(ParameterError, match="MLkNN needs every label of y to be known, but it holds NaN"):
        MLkNN().fit(X, gaps)
    with pytest.raises(ParameterError, match=r"LabelTreeClassifier needs every label .* such as JointClassifier\."):
        LabelTreeClassifier().fit(X, gaps)
    with pytest.raises(ParameterError, match=r"where rows come in chunks, .* Pass all rows at once"):
        quick().fit([X[:150], X[150:]], [gaps[:150], gaps[150:]])
    with pytest.raises(ParameterError, match="all of them are NaN"):
        quick().fit(X, np.full_like(gaps, np.nan))
    with pytest.raises(ValueError, match="infinity"):
        quick().fit(X, np.where(np.isnan(gaps), np.inf, gaps))
    with pytest.raises(ParameterError, match="hold only 0 and 1, but it holds 2"):
        quick().fit(X, np.where(gaps == 1, 2, gaps))


@pytest.mark.slow
def test_a_planted_tree_is_recovered_from_half_of_the_labels():
    """Marginals approach the true ones, at most twice as far as with all labels."""
    errors = []
    for n in (250, 1000, 4000, 16_000):
        found = []
        for seed in range(3):
            made = make_label_network(n + 500, 4, 6, structure="tree", random_state=seed)
            X, Y = np.asarray(made.dataset.X), np.asarray(made.dataset.Y).astype(np.float64)
            gaps = np.where(np.random.default_rng(seed).random(Y.shape) < 0.5, np.nan, Y)
            true = made.marginals(X[n:])
            for labels in (gaps, Y):
                model = JointClassifier(LabelTree(), learner=LogisticLearner(C=10.0), random_state=0)
                found.append(np.abs(model.fit(X[:n], labels[:n]).predict_proba(X[n:]) - true).mean())
        errors.append(np.reshape(found, (3, 2)).mean(axis=0))
    hidden, whole = np.transpose(errors)
    print("mean error of marginals, half hidden and with all labels", hidden, whole)
    assert (np.diff(hidden) < 0).all()
    assert (hidden < 2 * whole).all()


def test_score_leaves_out_what_is_unknown(data):
    _, X, Y, gaps = data
    model = quick().fit(X, gaps)
    whole = ~np.isnan(gaps).any(axis=1)
    assert model.score(X, gaps) == model.score(X[whole], Y[whole])
    with pytest.raises(ParameterError, match="needs a row whose labels are all known, but every one holds NaN"):
        model.score(X, np.column_stack([gaps[:, 0] * np.nan, gaps[:, 1:]]))
    for column in (gaps[:, 0], pd.Series(gaps[:, 0]), np.where(np.isnan(gaps[:, 0]), None, gaps[:, 0].astype(object))):
        one, known = quick().fit(X, column), ~np.isnan(gaps[:, 0])
        weights = np.arange(len(X)) % 3
        assert one.score(X, column, weights) == one.score(X[known], Y[known, 0], weights[known])
    with pytest.raises(ParameterError, match="needs y to hold known labels, but all of them are NaN"):
        one.score(X, gaps[:, 0] * np.nan)
