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
from plait.learners.partitioned import checked_parts, newton_rounds
from plait.learners.training.column_scaling import ColumnMoments, column_scales
from plait.structure import LabelTree

TEXT = make_tagged_text(600, 150, 8, random_state=0)
TABLE = make_label_network(500, 6, 5, random_state=0).dataset


def in_parts(data, sizes=(200, 1, 150)):
    """Return chunks of a data set, a chunk of one row among them."""
    return [(data.X[rows], data.Y[rows]) for rows in np.split(np.arange(data.n_samples), np.cumsum(sizes))]


def objectives(data, found, learner, C=None):
    """Return C * sum of log-losses + 1/2 ||w||^2 of every label, by its definition."""
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    scores = found.recorded_scores(data.X, Y.astype(np.uint8))
    weights = np.ones(Y.shape)
    if learner.class_weight == "balanced":
        ones = Y.mean(axis=0)
        weights = np.where(Y == 1, 0.5 / ones, 0.5 / (1 - ones))
    losses = weights * (np.logaddexp(0, scores) - Y * scores)
    scales = column_scales(data.X, learner.standardize)
    parents = np.asarray(found.parent_coef_) * (Y.std(axis=0) if learner.scale_parents else 1.0)
    C = found.C_ if C is None else C
    return C * losses.sum(axis=0) + 0.5 * (np.square(found.coef_ * scales).sum(axis=1) + np.square(parents).sum(axis=1))


@pytest.mark.parametrize("data", [TEXT, TABLE], ids=["sparse", "dense"])
@pytest.mark.parametrize(
    "learner",
    [
        LogisticLearner(),
        LogisticLearner(C=100.0, standardize=False),
        LogisticLearner(C="cv", standardize="balanced"),
        LogisticLearner(class_weight="balanced", scale_parents=True, standardize=True),
        LogisticLearner(fit_intercept=False),
    ],
    ids=["plain", "weak", "cv", "balanced", "no intercept"],
)
def test_objective_is_that_in_memory(data, learner):
    """Within 1e-6 of the objective of all rows in memory, with the same graph and the same penalties."""
    whole = recipes.bcc(learner=learner, random_state=0).fit(data.X, data.Y)
    parts = recipes.bcc(learner=learner, random_state=0).fit(in_parts(data))
    assert parts.graph_.parents == whole.graph_.parents
    assert np.array_equal(parts.conditionals_.C_, whole.conditionals_.C_, equal_nan=True)
    ours, theirs = (objectives(data, model.conditionals_, learner) for model in (parts, whole))
    assert np.allclose(ours, theirs, rtol=1e-6, atol=0)
    assert np.allclose(parts.predict_proba(data.X), whole.predict_proba(data.X), rtol=0, atol=2e-3)


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
    """Weights are refused; another learner reads small chunks into memory and says so."""
    with pytest.raises(ParameterError, match="sample_weight to be None where rows come in chunks"):
        recipes.br(learner=LogisticLearner()).fit(in_parts(TABLE), sample_weight=np.ones(500))
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


def test_given_features_and_unused_names():
    """Features that are given need no sample."""
    mask = np.zeros((8, 150), dtype=bool)
    mask[:, :30] = True
    model = JointClassifier("independent", GivenFeatures(mask), LogisticLearner()).fit(in_parts(TEXT))
    assert not model.conditionals_.coef_[:, 30:].any()


def test_structures_count_all_labels_or_say_that_they_do_not(monkeypatch):
    monkeypatch.setattr(checked_parts, "SAMPLED_ROWS", 60)
    model = JointClassifier(LabelTree(root=0), learner="logistic", random_state=0)
    whole = model.fit(TABLE.X, TABLE.Y).graph_.parents
    assert model.fit(in_parts(TABLE)).graph_.parents == whole
    monkeypatch.setattr(checked_parts, "LABEL_BYTES", 0)
    with pytest.warns(UserWarning, match="LabelTree counts labels on a sample of 60 of 500 rows"):
        model.fit(in_parts(TABLE))
