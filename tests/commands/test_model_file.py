import pickle

import numpy as np
import pytest
from scipy import sparse

from plait import recipes
from plait.commands.model_file import ModelFile, UntrustedModelError, load_model, matching_features, save_model
from plait.data import DataError, Dataset
from plait.learners import SklearnLearner

pytest.importorskip("skops")


class Stranger:
    """A classifier that nobody trusts."""

    def __init__(self):
        self.secret = 1


def problem(n=60, d=4, q=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, :q] + rng.normal(size=(n, q)) > 0).astype(np.uint8)


def made_file(model=None, names=("a", "b", "c", "d")):
    X, Y = problem()
    return ModelFile((model or recipes.pcc()).fit(X, Y), names, ("sea", "sun", "sand"), "pcc")


@pytest.mark.parametrize("name", ["model.skops", "model.pkl"])
def test_what_is_written_is_read(tmp_path, name):
    X, _ = problem()
    file = made_file()
    save_model(file, tmp_path / name)
    if name.endswith(".pkl"):
        with pytest.warns(UserWarning, match="is a pickle: reading it runs the code it holds"):
            again = load_model(tmp_path / name, allow_pickle=True)
    else:
        again = load_model(tmp_path / name)
    np.testing.assert_array_equal(again.model.predict_proba(X), file.model.predict_proba(X))
    assert (again.feature_names, again.label_names, again.method) == (file.feature_names, file.label_names, "pcc")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_pickle_is_refused_unless_allowed(tmp_path):
    (tmp_path / "model.pkl").write_bytes(pickle.dumps({}))
    with pytest.raises(UntrustedModelError, match=r"a pickle, which runs code.*--allow-pickle"):
        load_model(tmp_path / "model.pkl")


def test_strange_types_are_refused_by_name(tmp_path):
    file = made_file()
    file.model.extra_ = Stranger()
    save_model(file, tmp_path / "model.skops")
    with pytest.raises(UntrustedModelError, match=r"expected types of plait.*but found .*Stranger"):
        load_model(tmp_path / "model.skops")


def test_what_is_not_a_model(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load_model(tmp_path / "nothing.skops")
    (tmp_path / "text.skops").write_text("hello")
    with pytest.raises(DataError, match="expected a model written by plait"):
        load_model(tmp_path / "text.skops")


def test_a_model_of_trees_is_written_too(tmp_path):
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(max_depth=2, random_state=0)
    file = made_file(recipes.cc(learner=SklearnLearner(tree)))
    save_model(file, tmp_path / "trees.skops")
    X, _ = problem()
    with pytest.raises(UntrustedModelError, match=r"but found sklearn.tree._tree.Tree. Name them as trusted"):
        load_model(tmp_path / "trees.skops")
    again = load_model(tmp_path / "trees.skops", trusted=["sklearn.tree._tree.Tree"])
    np.testing.assert_array_equal(again.model.predict(X), file.model.predict(X))


def test_columns_are_found_by_name_and_labels_left_aside():
    X, _ = problem()
    file = made_file()
    data = Dataset(X[:, [3, 0, 1, 2]], np.zeros((60, 0)), ["d", "a", "b", "c"])
    np.testing.assert_array_equal(matching_features(file, data), X)
    wider = Dataset(np.column_stack([X, X[:, 0] > 0]), np.zeros((60, 0)), ["a", "b", "c", "d", "sun"])
    np.testing.assert_array_equal(matching_features(file, wider), X)


def test_a_difference_is_named():
    X, _ = problem()
    data = Dataset(X, np.zeros((60, 0)), ["a", "b", "c", "e"], name="beach")
    with pytest.raises(DataError, match=r"needs the 4 features.*but beach lacks 'd' and has besides 'e'"):
        matching_features(made_file(), data)


def test_numbered_columns_that_a_sparse_file_does_not_mention_are_zero():
    X, _ = problem()
    file = made_file(names=("x0", "x1", "x2", "x3"))
    data = Dataset(sparse.csr_matrix(X[:, :2]), np.zeros((60, 0)))
    found = matching_features(file, data)
    np.testing.assert_array_equal(found.toarray(), np.column_stack([X[:, :2], np.zeros((60, 2))]))
