from inspect import isabstract

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils import check_array

import plait
from plait import features, recipes
from plait.baselines import MLkNN
from plait.core.naming import registry
from plait.core.plain_rejections import plainly_rejected
from plait.core.sentences import ParameterError
from plait.counts import MeanStdDiscretizer
from plait.features import LLSF, MDDM, SCLS, Selector
from plait.learners import SklearnLearner

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = (RNG.random((30, 3)) < 0.5).astype(int)
CLASSIFIERS = [recipes.br(), recipes.mc(max_components=1), recipes.ecc(n_estimators=2), MLkNN()]
SELECTORS = [kind() for kind in registry(features, Selector).values() if not isabstract(kind)]


def spoiled(value, row=3, column=1):
    table = X.copy()
    table[row, column] = value
    table[row + 1 :, 0] = value  # the first place in reading order is named
    return table


def sentence(owner, place, what):
    return rf"^{owner} needs X to hold finite numbers, but {place} holds {what}\. [^.\n]*(\.[^.\n ]+)*[^.\n]*\.$"


@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.parametrize(
    ("form", "column"),
    [
        (np.asarray, "1"),
        (lambda table: table.tolist(), "1"),
        (sparse.csr_matrix, "1"),
        (sparse.csc_array, "1"),
        (lambda table: pd.DataFrame(table, columns=list("abcd")), "'b'"),
    ],
)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_classifiers_say_where_a_number_is_missing(model, form, column, value, what):
    bad, owner = form(spoiled(value)), type(model).__name__
    with pytest.raises(ParameterError, match=sentence(owner, f"row 3, column {column}", what)):
        model.fit(bad, Y)
    fitted = model.fit(form(X), Y)
    for method in (fitted.predict, fitted.predict_proba):
        with pytest.raises(ParameterError, match=sentence(owner, f"row 3, column {column}", what)):
            method(bad)


@pytest.mark.parametrize("selector", [*SELECTORS, MDDM()], ids=lambda selector: type(selector).__name__)
def test_selectors_say_where_a_number_is_infinite_or_missing(selector):
    owner = type(selector).__name__
    allowed = selector.__sklearn_tags__().input_tags.allow_nan
    must = "finite numbers or NaN" if allowed else "finite numbers"
    with pytest.raises(ParameterError, match=rf"^{owner} needs X to hold {must}, but row 3, column 1 holds infinity\."):
        selector.fit(spoiled(np.inf), Y)
    if allowed:
        return
    with pytest.raises(ParameterError, match=sentence(owner, "row 3, column 1", "NaN")):
        selector.fit(spoiled(np.nan), Y)


@pytest.mark.parametrize("selector", [LLSF(2), MDDM()], ids=lambda selector: type(selector).__name__)
def test_transform_says_it_too(selector):
    fitted = selector.fit(X, Y)
    assert fitted.transform(X).shape[0] == 30
    with pytest.raises(ParameterError, match=r"but row 3, column 1 holds infinity\. Put a number in its place"):
        fitted.transform(spoiled(np.inf))
    frame = pd.DataFrame(X, columns=list("abcd"))
    found = selector.fit(frame, Y).set_output(transform="pandas").transform(frame)
    assert list(found.columns) == list(selector.get_feature_names_out())


def test_discretizers_take_gaps_and_refuse_infinity():
    assert MeanStdDiscretizer().fit(spoiled(np.nan)).transform(X).shape == X.shape
    with pytest.raises(ParameterError, match=r"^MeanStdDiscretizer needs X to hold finite numbers or NaN, but row 3"):
        MeanStdDiscretizer().fit(spoiled(np.inf))


def test_a_learner_that_takes_gaps_refuses_infinity_only():
    learner = SklearnLearner(HistGradientBoostingClassifier(max_iter=2))
    assert recipes.br(learner=learner).fit(spoiled(np.nan), Y).predict(X).shape == Y.shape
    with pytest.raises(ParameterError, match=r"hold finite numbers or NaN, but row 3, column 1 holds infinity"):
        recipes.br(learner=learner).fit(spoiled(np.inf), Y)


def test_words_in_a_frame():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["red", "blue"]})
    for model in (recipes.br(), SCLS(1)):
        with pytest.raises(
            ParameterError, match=rf"^{type(model).__name__} needs X to hold numbers, but it holds 'red'"
        ):
            model.fit(frame, [[0, 1], [1, 0]])


def test_other_complaints_pass_as_they_are():
    with pytest.raises(ValueError, match=r"^mine$") as found, plainly_rejected("A", X):
        raise ValueError("mine")
    assert type(found.value) is ValueError
    fitted = plait.recipes.br().fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.raises(ValueError, match=r"Feature names unseen at fit time:\n- z\n"):  # asked for by check_estimator
        fitted.predict(pd.DataFrame(X, columns=list("zbcd")))


def test_forms_whose_place_is_not_found():
    too_large = np.array([[1e300]], dtype=object)
    words = r"^A needs X to hold finite numbers, but it holds infinity\."
    with np.errstate(over="ignore"), pytest.raises(ParameterError, match=words), plainly_rejected("A", too_large):
        check_array(too_large, dtype=np.float32, input_name="X")
