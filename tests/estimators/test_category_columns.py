"""Categories of a frame reach scikit-learn classifiers as they are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from plait import JointClassifier, recipes
from plait.core.sentences import ParameterError
from plait.estimators.category_columns import categories_of, in_codes

draws = np.random.default_rng(0)
KEYS = np.array(["A", "B", "C", "D"])


def songs(n_rows=200):
    key = draws.choice(KEYS, n_rows)
    frame = pd.DataFrame({"tempo": draws.normal(size=n_rows), "key": pd.Categorical(key, categories=KEYS)})
    noisy = np.isin(key, ["B", "C"]) ^ (draws.random(n_rows) < 0.1)
    return frame, np.column_stack([np.isin(key, ["A", "C"]), noisy]).astype(int)


X, Y = songs()


class Looking(ClassifierMixin, BaseEstimator):
    """Keeps the frame it was fitted on."""

    def fit(self, X, y):
        self.seen_, self.classes_ = X, np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_the_frame_is_the_same_with_labels_beside_it():
    frame, labels = X.copy(), Y
    frame.loc[3, "key"], frame.loc[4, "tempo"] = np.nan, np.nan
    model = JointClassifier("full_chain", learner=Looking()).fit(frame, labels)
    first, second = (each.estimator_.seen_ for each in model.conditionals_.estimators_)
    pd.testing.assert_frame_equal(first, frame)
    pd.testing.assert_frame_equal(second[["tempo", "key"]], frame)
    assert second["label 0"].tolist() == labels[:, 0].tolist()


PIPELINE = make_pipeline(
    ColumnTransformer([("key", OneHotEncoder(handle_unknown="ignore"), ["key"])], remainder="passthrough"),
    LogisticRegression(),
)


BOOSTING = HistGradientBoostingClassifier(max_iter=20)


@pytest.mark.parametrize("learner", [BOOSTING, PIPELINE], ids=["boosting", "pipeline"])
def test_classifiers_learn_from_categories_in_any_order(learner):
    model = recipes.pcc(learner=learner, random_state=0, loss="micro_f1").fit(X, Y)
    new, truth = songs(100)
    assert (model.predict(new) == truth).mean() > 0.85
    turned = new.assign(key=new.key.cat.reorder_categories(KEYS[::-1]))
    np.testing.assert_array_equal(model.predict_proba(turned), model.predict_proba(new))
    words = new.assign(key=new.key.astype(object))
    np.testing.assert_array_equal(model.predict_proba(words), model.predict_proba(new))


def test_unknown_categories_are_gaps():
    known = categories_of(X)
    assert known == {"key": list(KEYS)}
    codes = in_codes(pd.DataFrame({"tempo": [0.0, 1.0], "key": ["Z", "B"]}), known)
    np.testing.assert_array_equal(codes["key"], [np.nan, 1.0])
    model = recipes.br(learner=HistGradientBoostingClassifier(max_iter=5)).fit(X, Y)
    assert model.predict(pd.DataFrame({"tempo": [0.0], "key": ["Z"]})).shape == (1, 2)


def test_linear_learners_still_refuse_words():
    with pytest.raises(ParameterError, match="hold numbers"):
        recipes.br().fit(X, Y)
