"""Rows in parts reach the objective of all rows in memory, whatever the parts, the structure and the penalty."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from plait import JointClassifier, recipes
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network, make_tagged_text
from plait.features import MLIG, GivenFeatures
from plait.learners import LogisticLearner, SklearnLearner
from plait.learners.partitioned import checked_parts, newton_rounds, row_part
from plait.learners.training.column_scaling import ColumnMoments, column_scales
from plait.structure import KDependence, LabelTree, Polytree

TEXT = make_tagged_text(600, 150, 8, random_state=0)
TABLE = make_label_network(500, 6, 5, random_state=0).dataset


def in_parts(data, sizes=(200, 1, 150)):
    """Return chunks of a data set, a chunk of one row among them."""
    return [(data.X[rows], data.Y[rows]) for rows in np.split(np.arange(data.n_samples), np.cumsum(sizes))]


def objectives(data, found, learner, C=None, sample_weight=None):
    """Return C * sum of weighted log-losses + 1/2 ||w||^2 of every label, by its definition."""
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    scores = found.recorded_scores(data.X, Y.astype(np.uint8))
    rows = np.ones(len(Y)) if sample_weight is None else sample_weight
    weights = np.tile(rows[:, None], Y.shape[1])
    if learner.class_weight == "balanced":
        ones = np.average(Y, axis=0, weights=rows)
        weights = weights * np.where(Y == 1, 0.5 / ones, 0.5 / (1 - ones))
    losses = weights * (np.logaddexp(0, scores) - Y * scores)
    scales = column_scales(data.X, learner.standardize, sample_weight)
    shares = np.average(Y, axis=0, weights=rows)
    parents = np.asarray(found.parent_coef_) * (np.sqrt(shares * (1 - shares)) if learner.scale_parents else 1.0)
    C = found.C_ if C is None else C
    return C * losses.sum(axis=0) + 0.5 * (np.square(found.coef_ * scales).sum(axis=1) + np.square(parents).sum(axis=1))


LEARNERS = {
    "plain": LogisticLearner(),
    "weak": LogisticLearner(C=100.0, standardize=False),
    "cv": LogisticLearner(C="cv", standardize="balanced"),
    "balanced": LogisticLearner(class_weight="balanced", scale_parents=True, standardize=True),
    "no intercept": LogisticLearner(fit_intercept=False),
}


@pytest.mark.parametrize("data", [TEXT, TABLE], ids=["sparse", "dense"])
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_objective_is_that_in_memory(data, learner):
    """Within 1e-6 of the objective of all rows in memory, with the same graph and the same penalties."""
    whole = recipes.bcc(learner=learner, random_state=0).fit(data.X, data.Y)
    parts = recipes.bcc(learner=learner, random_state=0).fit(in_parts(data))
    assert parts.graph_.parents == whole.graph_.parents
    assert np.array_equal(parts.conditionals_.C_, whole.conditionals_.C_, equal_nan=True)
    ours, theirs = (objectives(data, model.conditionals_, learner) for model in (parts, whole))
    assert np.allclose(ours, theirs, rtol=1e-6, atol=0)
    assert np.allclose(parts.predict_proba(data.X), whole.predict_proba(data.X), rtol=0, atol=2e-3)


def weights_for(data):
    """Return uneven weights, a fifth of them 0."""
    rng = np.random.default_rng(0)
    return np.where(rng.random(data.n_samples) < 0.2, 0.0, rng.uniform(0.2, 3.0, data.n_samples))


@pytest.mark.parametrize("data", [TEXT, TABLE], ids=["sparse", "dense"])
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_weighted_objective_is_that_in_memory(data, learner):
    """With weights too, given as one array or as one for each chunk; one of the chunks weighs nothing."""
    weights = weights_for(data)
    weights[200:201] = 0.0
    pieces = np.split(weights, np.cumsum((200, 1, 150)))
    whole, parts = (recipes.bcc(learner=learner, random_state=0) for _ in range(2))
    whole.fit(data.X, data.Y, sample_weight=weights)
    parts.fit(in_parts(data), sample_weight=weights)
    assert parts.graph_.parents == whole.graph_.parents
    assert np.array_equal(parts.conditionals_.C_, whole.conditionals_.C_, equal_nan=True)
    ours, theirs = (objectives(data, model.conditionals_, learner, None, weights) for model in (parts, whole))
    assert np.allclose(ours, theirs, rtol=1e-6, atol=0)
    again = recipes.bcc(learner=learner, random_state=0).fit(in_parts(data), sample_weight=pieces)
    assert np.array_equal(again.conditionals_.coef_, parts.conditionals_.coef_)


@pytest.mark.parametrize("selector", [None, MLIG(n_features=3)])
def test_whole_weights_are_copies(selector, monkeypatch):
    """A row of weight 3 stands three times: in structures, in what is counted on a sample, and in the objective."""
    weights = np.random.default_rng(0).integers(0, 4, 500)
    model = JointClassifier(LabelTree(root=0), selector, LogisticLearner(standardize="balanced", tol=1e-10))
    weighed = model.fit(in_parts(TABLE), sample_weight=weights)
    graph, mask, found = weighed.graph_, weighed.mask_, weighed.conditionals_
    copies = model.fit(np.repeat(TABLE.X, weights, axis=0), np.repeat(TABLE.Y, weights, axis=0))
    assert graph.parents == copies.graph_.parents
    assert mask is None or np.array_equal(mask.support, copies.mask_.support)
    assert np.allclose(found.coef_, copies.conditionals_.coef_, rtol=0, atol=1e-4)
    monkeypatch.setattr(checked_parts, "SAMPLED_ROWS", 60)
    assert model.set_params(selector=None).fit(in_parts(TABLE), sample_weight=weights).graph_.parents == graph.parents


def test_labels_that_are_constant_where_rows_weigh_something():
    """They have the estimate of the rows that count; rounding of sums of weights makes no difference."""
    Y, weights = TABLE.Y.copy(), np.random.default_rng(0).uniform(0.1, 0.3, 500)
    Y[:, 0], Y[:, 1] = 1, 0
    Y[:50, 0], weights[:50] = 0, 0.0
    whole = recipes.br(learner=LogisticLearner()).fit(TABLE.X, Y, sample_weight=weights)
    parts = recipes.br(learner=LogisticLearner()).fit([TABLE.X[:300], TABLE.X[300:]], [Y[:300], Y[300:]], weights)
    assert not parts.conditionals_.coef_[:2].any()
    assert np.allclose(parts.conditionals_.intercept_[:2], whole.conditionals_.intercept_[:2], rtol=1e-9)


BAD_WEIGHTS = {
    "too few": (np.ones(400), "needs sample_weight"),
    "too many": (np.ones(600), r"sample_weight to have shape \(500,\), but it has \(600,\)"),
    "negative": (np.full(500, -1.0), "a finite number of at least 0"),
    "NaN": (np.full(500, np.nan), "a finite number of at least 0"),
    "two dimensions": (np.ones((500, 5)), "sample_weight"),
    "nothing": (np.zeros(500), "at least one row that weighs something"),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights(case):
    """One sentence says what is wrong."""
    weights, says = BAD_WEIGHTS[case]
    with pytest.raises(ParameterError, match=says):
        recipes.br(learner=LogisticLearner()).fit(in_parts(TABLE), sample_weight=weights)


RECIPES = {
    "br": recipes.br,
    "cc": recipes.cc,
    "kcc": lambda **form: recipes.kcc(k=2, **form),
    "pcc": recipes.pcc,
    "pacc": recipes.pacc,
    "ctbn": recipes.ctbn,
}


@pytest.mark.parametrize("name", RECIPES)
def test_structures(name):
    """Structures by counts, by an order and by held-out pairs are those of all rows."""
    whole = RECIPES[name](learner=LogisticLearner(), random_state=0).fit(TABLE.X, TABLE.Y)
    parts = RECIPES[name](learner=LogisticLearner(), random_state=0).fit(in_parts(TABLE))
    assert parts.graph_.parents == whole.graph_.parents
    assert np.allclose(parts.predict_proba(TABLE.X), whole.predict_proba(TABLE.X), rtol=0, atol=2e-3)


def test_selected_features():
    """Features are chosen on the sample, here all rows; other coefficients stay 0."""
    form = {"structure": "independent", "selector": MLIG(n_features=20), "learner": LogisticLearner()}
    whole, parts = JointClassifier(**form).fit(TEXT.X, TEXT.Y), JointClassifier(**form).fit(in_parts(TEXT))
    assert np.array_equal(parts.mask_.support, whole.mask_.support)
    assert not parts.conditionals_.coef_[~whole.mask_.support].any()
    ours, theirs = (objectives(TEXT, model.conditionals_, LogisticLearner()) for model in (parts, whole))
    assert np.allclose(ours, theirs, rtol=1e-6, atol=0)


def test_panels_refill(monkeypatch):
    """Few labels at a time, others taking the places of those that are solved, change nothing beyond the tolerance."""
    whole = LogisticLearner().fit(in_parts(TEXT))
    monkeypatch.setattr(newton_rounds, "PANEL_BYTES", 3 * (96 * 150 + 64 * (1 << 14)))
    narrow = LogisticLearner().fit(in_parts(TEXT))
    assert np.allclose(
        objectives(TEXT, narrow, LogisticLearner()), objectives(TEXT, whole, LogisticLearner()), rtol=1e-6
    )


def test_constant_and_absent_labels():
    """A label of one value has its Laplace estimate; as a parent it says nothing."""
    Y = np.column_stack([TABLE.Y, np.zeros(500, int), np.ones(500, int)])
    whole = recipes.cc(learner=LogisticLearner(), random_state=0).fit(TABLE.X, Y)
    parts = recipes.cc(learner=LogisticLearner(), random_state=0).fit(
        [TABLE.X[:300], TABLE.X[300:]], [Y[:300], Y[300:]]
    )
    assert np.allclose(parts.conditionals_.intercept_[-2:], whole.conditionals_.intercept_[-2:], rtol=1e-12)
    assert np.allclose(parts.predict_proba(TABLE.X), whole.predict_proba(TABLE.X), rtol=0, atol=2e-3)


def test_thresholds_and_names():
    """A loss of thresholds finds them on the sample; names of frames are kept."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(TABLE.X, columns=list("abcdef"))
    Y = pandas.DataFrame(TABLE.Y, columns=list("pqrst"))
    model = recipes.br(loss="micro_f1", learner=LogisticLearner(), random_state=0)
    parts = model.fit([X[:300], X[300:]], [Y[:300], Y[300:]])
    assert parts.label_names_.tolist() == list("pqrst")
    assert parts.feature_names_in_.tolist() == list("abcdef")
    assert 0 < parts.thresholds_["micro_f1"] < 1
    assert parts.predict(X).shape == (500, 5)


BAD = {
    "other features": ([TABLE.X, TABLE.X[:, :5]], [TABLE.Y, TABLE.Y], "same features, but one has 5"),
    "other labels": ([TABLE.X, TABLE.X], [TABLE.Y, TABLE.Y[:, :4]], "same labels, but one has 4"),
    "other rows": ([TABLE.X], [TABLE.Y[:10]], "same number of rows, but a chunk has 500 and 10"),
    "no labels": ([TABLE.X], None, "needs y for every chunk"),
    "one column": ([TABLE.X], [TABLE.Y[:, 0]], "one column for each label"),
    "not 0 or 1": ([TABLE.X], [TABLE.Y + 1], "to hold only 0 and 1"),
    "NaN": ([np.full((500, 6), np.nan)], [TABLE.Y], "NaN"),
    "too large": ([1e20 * TABLE.X], [TABLE.Y], "numbers of at most 1e"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_chunks(case):
    """One sentence says what is wrong."""
    X, y, says = BAD[case]
    with pytest.raises(ValueError, match=says):
        recipes.br(learner=LogisticLearner(standardize=False)).fit(X, y)


def test_what_is_not_served():
    """Another learner reads small chunks into memory and says so."""
    with pytest.warns(UserWarning, match="read into this process"):
        recipes.br(learner=SklearnLearner(GaussianNB())).fit(in_parts(TABLE))


@pytest.mark.parametrize("standardize", [True, False, "auto", "balanced"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_scales_of_parts(standardize, kind):
    """Scales from added moments are those of all rows, whatever the columns hold."""
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.normal(1e4, 1.0, 90),
            rng.integers(0, 2, 90),
            rng.poisson(0.2, 90) * 3.0,
            np.full(90, 7.0),
            np.zeros(90),
            np.full(90, 1e7),
        ]
    )
    parts = [ColumnMoments.of(kind(X[rows])) for rows in (slice(0, 1), slice(1, 50), slice(50, 90))]
    assert np.allclose((parts[0] + parts[1] + parts[2]).scales(standardize), column_scales(X, standardize), rtol=1e-9)
    weights, nothing = rng.uniform(0.1, 2.0, 90), ColumnMoments.of(kind(X[:0]))
    pieces = [ColumnMoments.of(kind(X[rows]), weights[rows]) for rows in (slice(0, 50), slice(50, 90))]
    found = (nothing + pieces[0] + pieces[1] + nothing).scales(standardize)
    assert np.allclose(found, column_scales(X, standardize, weights), rtol=1e-9)


def test_given_features_and_unused_names():
    """Features that are given need no sample."""
    mask = np.zeros((8, 150), dtype=bool)
    mask[:, :30] = True
    model = JointClassifier("independent", GivenFeatures(mask), LogisticLearner()).fit(in_parts(TEXT))
    assert not model.conditionals_.coef_[:, 30:].any()


def test_structures_count_all_labels_or_say_that_they_do_not(monkeypatch):
    monkeypatch.setattr(checked_parts, "SAMPLED_ROWS", 60)
    model = JointClassifier(KDependence(2), learner="logistic", random_state=0)
    whole = model.fit(TABLE.X, TABLE.Y).graph_.parents
    assert model.fit(in_parts(TABLE)).graph_.parents == whole
    n_bytes = 5 * int(TABLE.Y.sum()) + 8 * 500
    for share, n_rows in ((0, 60), (0.5, 250)):
        monkeypatch.setattr(checked_parts, "LABEL_BYTES", share * n_bytes)
        with pytest.warns(UserWarning, match=f"KDependence counts labels on a sample of {n_rows} of 500 rows"):
            model.fit(in_parts(TABLE))


@pytest.mark.parametrize("weights", [None, "copies", "shares"])
@pytest.mark.parametrize("structure", [LabelTree(root=0), Polytree("nmi"), Polytree("nmi", test="gtest")], ids=str)
def test_pairs_are_counted_where_rows_lie(monkeypatch, structure, weights):
    """However many labels and rows there are: nothing is gathered, and the graph is that of all rows in memory."""
    monkeypatch.setattr(checked_parts, "SAMPLED_ROWS", 60)
    monkeypatch.setattr(checked_parts, "LABEL_BYTES", 0)
    monkeypatch.setattr(checked_parts, "gathered_labels", None)
    given = {None: None, "copies": np.arange(500) % 4, "shares": weights_for(TABLE)}[weights]
    model = JointClassifier(structure, learner="logistic", random_state=0)
    whole = model.fit(TABLE.X, TABLE.Y, sample_weight=given).graph_.parents
    assert any(whole)
    assert model.fit(in_parts(TABLE), sample_weight=given).graph_.parents == whole


@pytest.mark.parametrize("data", [TEXT, TABLE], ids=["sparse", "dense"])
@pytest.mark.parametrize("rows_at_once", [64, 101])
def test_blocks_of_rows_are_added_up(data, rows_at_once, monkeypatch):
    learner = LogisticLearner(C=10.0, tol=1e-8)
    chunks = list(zip(*in_parts(data), strict=True))
    whole, parts = recipes.br(learner=learner).fit(*chunks), recipes.br(learner=learner)
    monkeypatch.setattr(row_part, "_ROWS", rows_at_once)
    parts.fit(*chunks)
    np.testing.assert_allclose(parts.conditionals_.coef_, whole.conditionals_.coef_, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(parts.conditionals_.intercept_, whole.conditionals_.intercept_, rtol=1e-3, atol=1e-5)
