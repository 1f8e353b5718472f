import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_predict, cross_validate
from sklearn.neighbors import KNeighborsClassifier

from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset
from plait.data.folds import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit, split_errors
from plait.data.folds.splitters import fold_sizes, train_and_test_size

LABELS = hnp.arrays(np.uint8, st.tuples(st.integers(2, 25), st.integers(1, 5)), elements=st.integers(0, 1))
SPLITTERS = [MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit]


def skewed(n_samples, n_labels, seed):
    """Dependent labels whose frequencies fall like 1/rank."""
    rng = np.random.default_rng(seed)
    share = np.minimum(3 / np.arange(1, n_labels + 1) / np.log(n_labels + 1), 0.8)
    score = rng.normal(size=(n_samples, 3)) @ rng.normal(size=(3, n_labels)) + rng.logistic(size=(n_samples, n_labels))
    return (score > [np.quantile(score[:, j], 1 - share[j]) for j in range(n_labels)]).astype(np.uint8)


def parts(splitter, Y):
    return [test for _, test in splitter.split(Y, Y)]


@given(LABELS, st.integers(2, 25), st.sampled_from([1, 2]), st.integers(0, 9))
def test_folds_share_no_row_and_have_the_sizes_of_kfold(Y, n_splits, order, seed):
    n_splits = min(n_splits, len(Y))
    found = list(MultilabelStratifiedKFold(n_splits, order=order, random_state=seed).split(Y, Y))
    assert [len(test) for _, test in found] == [len(test) for _, test in KFold(n_splits).split(Y)]
    assert sorted(np.concatenate([test for _, test in found])) == list(range(len(Y)))
    for train, test in found:
        assert sorted([*train, *test]) == list(range(len(Y)))


@given(LABELS, st.sampled_from([0.2, 0.5, 1, None]), st.sampled_from([0.3, 1, None]), st.sampled_from([1, 2]))
def test_random_splits_have_the_sizes_of_shuffle_split(Y, test_size, train_size, order):
    sizes = {"test_size": test_size, "train_size": train_size}
    try:
        expected = [(len(a), len(b)) for a, b in ShuffleSplit(3, **sizes).split(Y)]
    except ValueError:
        with pytest.raises(ParameterError, match="MultilabelStratifiedShuffleSplit needs"):
            MultilabelStratifiedShuffleSplit(3, order=order, **sizes).split(Y, Y)
        return
    found = list(MultilabelStratifiedShuffleSplit(3, order=order, random_state=0, **sizes).split(Y, Y))
    assert [(len(a), len(b)) for a, b in found] == expected
    for train, test in found:
        assert len({*train, *test}) == len(train) + len(test)


@pytest.mark.parametrize("kind", SPLITTERS)
@pytest.mark.parametrize("order", [1, 2])
def test_an_integer_gives_the_same_bits_and_none_gives_others(kind, order):
    Y = skewed(200, 6, 0)
    same = [np.concatenate(parts(kind(3, order=order, random_state=7), Y)).tolist() for _ in range(2)]
    other = [np.concatenate(parts(kind(3, order=order), Y)).tolist() for _ in range(2)]
    assert same[0] == same[1]
    assert other[0] != other[1]


def test_a_generator_moves_on():
    Y = skewed(200, 6, 0)
    splitter = MultilabelStratifiedKFold(3, random_state=np.random.RandomState(0))
    assert parts(splitter, Y)[0].tolist() != parts(splitter, Y)[0].tolist()


def test_without_shuffling_nothing_is_left_to_chance():
    Y = skewed(200, 6, 0)
    plain = MultilabelStratifiedKFold(4, shuffle=False)
    assert [t.tolist() for t in parts(plain, Y)] == [t.tolist() for t in parts(plain, Y)]
    # Four like rows, two folds: the first row to the first fold, and so on in turn.
    assert [t.tolist() for t in parts(MultilabelStratifiedKFold(2, shuffle=False), np.ones((4, 1)))] == [
        [0, 2],
        [1, 3],
    ]


@pytest.mark.parametrize("kind", SPLITTERS)
@pytest.mark.parametrize("order", [1, 2])
def test_every_form_of_y_gives_the_same_folds(kind, order):
    Y = skewed(120, 5, 1)
    names = list("abcde")
    forms = [
        Y,
        sparse.csr_matrix(Y),
        sparse.csc_array(Y),
        pd.DataFrame(Y, columns=names),
        pl.DataFrame(Y, schema=names),
    ]
    forms.append(pd.DataFrame(Y, columns=names).astype("Sparse[uint8]"))
    splitter = kind(3, order=order, random_state=1)
    found = [[test.tolist() for _, test in splitter.split(form, form)] for form in forms]
    assert all(folds == found[0] for folds in found)


@pytest.mark.parametrize("kind", SPLITTERS)
@pytest.mark.parametrize(
    "Y",
    [
        np.zeros((9, 3)),
        np.ones((9, 3)),
        np.zeros((9, 0)),
        np.eye(9),
        np.array([1, 0, 0, 1, 0, 0, 1, 0, 0]),
        np.array([[1, 0, 1]] + [[0, 0, 1]] * 8),
    ],
    ids=["no labels on", "all labels on", "no labels", "one row a label", "a vector", "rarer than folds"],
)
def test_odd_labels(kind, Y):
    found = list(kind(4, random_state=0).split(np.zeros(9), Y))
    assert len(found) == 4
    assert all(len(train) + len(test) == 9 for train, test in found)


def test_one_row_a_fold():
    Y = skewed(30, 4, 0)
    assert sorted(int(t[0]) for t in parts(MultilabelStratifiedKFold(30, random_state=0), Y)) == list(range(30))


def test_rare_labels_are_in_as_many_folds_as_they_can_be():
    rng = np.random.default_rng(0)
    Y = np.zeros((300, 12), dtype=np.uint8)
    for j in range(12):
        Y[rng.choice(300, j + 1, replace=False), j] = 1
    for order in (1, 2):
        folds = parts(MultilabelStratifiedKFold(10, order=order, random_state=0), Y)
        assert split_errors(Y, folds).n_empty == sum(10 - count for count in range(1, 10))


@pytest.mark.parametrize("order", [1, 2])
def test_a_large_sparse_y(order):
    # Dense, these labels would take 5 GB.
    Y = sparse.random_array((50_000, 100_000), density=2e-5, random_state=np.random.default_rng(0), format="csr")
    Y.data[:] = 1
    folds = parts(MultilabelStratifiedKFold(2, order=order, random_state=0), Y)
    positives = Y.sum(axis=0)
    spread = np.abs(Y[folds[0]].sum(axis=0) - Y[folds[1]].sum(axis=0))
    assert [len(fold) for fold in folds] == [25_000, 25_000]
    assert (spread <= 1).mean() > 0.97  # by chance 0.85
    assert ((spread > 0) >= (positives % 2 == 1)).all()


@pytest.mark.parametrize("n_splits", [3, 10])
def test_labels_are_spread_far_better_than_by_chance(n_splits):
    ours, chance = [], []
    for seed in range(5):
        Y = skewed(1000, 20, seed)
        ours.append(split_errors(Y, parts(MultilabelStratifiedKFold(n_splits, random_state=seed), Y)).labels)
        chance.append(split_errors(Y, parts(KFold(n_splits, shuffle=True, random_state=seed), Y)).labels)
    assert max(ours) < min(chance)
    assert np.mean(ours) < np.mean(chance) / 3


def test_order_two_spreads_pairs_better_than_order_one():
    pairs = {1: [], 2: []}
    for seed in range(5):
        Y = skewed(1000, 12, seed)
        for order, errors in pairs.items():
            errors.append(split_errors(Y, parts(MultilabelStratifiedKFold(5, order=order, random_state=seed), Y)).pairs)
    assert np.mean(pairs[2]) < np.mean(pairs[1]) / 2


@pytest.mark.parametrize("n_splits", [5, 10])
def test_no_worse_than_the_iterative_stratification_package(n_splits):
    theirs = pytest.importorskip("iterstrat.ml_stratifiers").MultilabelStratifiedKFold
    found = {"ours": [], "theirs": []}
    for seed in range(5):
        Y = skewed(600, 20, seed)
        found["ours"].append(split_errors(Y, parts(MultilabelStratifiedKFold(n_splits, random_state=seed), Y)))
        found["theirs"].append(split_errors(Y, parts(theirs(n_splits, shuffle=True, random_state=seed), Y)))
    ours, theirs = (np.mean(found[who], axis=0) for who in ("ours", "theirs"))
    assert ours[0] <= theirs[0]
    assert ours[2] <= theirs[2]
    assert ours[3] <= theirs[3]


def test_random_splits_keep_label_frequencies():
    Y = skewed(1000, 20, 0)
    sizes = {"test_size": 200, "train_size": 500, "random_state": 0}

    def farthest(splitter):
        kept = [len(part) * Y.mean(axis=0) - Y[part].sum(axis=0) for split in splitter.split(Y, Y) for part in split]
        return np.abs(kept).mean(axis=1).max()

    assert farthest(MultilabelStratifiedShuffleSplit(4, **sizes)) < 0.75  # rows; half a row is the best there can be
    assert farthest(ShuffleSplit(4, **sizes)) > 2


def problem(n_samples=90):
    X = np.random.default_rng(0).normal(size=(n_samples, 3))
    return X, (X[:, :2] > 0).astype(int)


@pytest.mark.parametrize("kind", SPLITTERS)
def test_works_as_cv_of_scikit_learn(kind):
    X, Y = problem()
    cv = kind(3, random_state=0)
    scores = cross_validate(KNeighborsClassifier(), X, Y, cv=cv)["test_score"]
    assert scores.shape == (3,)
    assert scores.mean() > 0.5
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=cv).fit(X, Y)
    assert search.n_splits_ == 3
    frames = cross_validate(KNeighborsClassifier(), pd.DataFrame(X), pd.DataFrame(Y), cv=cv)["test_score"]
    np.testing.assert_array_equal(frames, scores)


def test_every_row_is_predicted_once():
    X, Y = problem()
    predicted = cross_val_predict(KNeighborsClassifier(), X, Y, cv=MultilabelStratifiedKFold(3, random_state=0))
    assert (predicted == Y).mean() > 0.8


@pytest.mark.parametrize("kind", SPLITTERS)
def test_metadata_routing(kind):
    X, Y = problem()
    with sklearn.config_context(enable_metadata_routing=True):
        assert len(cross_validate(KNeighborsClassifier(), X, Y, cv=kind(3, random_state=0))["test_score"]) == 3


@pytest.mark.parametrize("kind", SPLITTERS)
def test_parameters_can_be_read_set_and_cloned(kind):
    splitter = kind(4, order=2, random_state=3)
    assert clone(splitter).get_params() == splitter.get_params()
    assert splitter.set_params(n_splits=6).get_n_splits() == 6
    search = GridSearchCV(KNeighborsClassifier(), {}, cv=splitter)
    assert clone(search).set_params(cv__n_splits=2).cv.n_splits == 2
    assert splitter.n_splits == 6
    assert "n_splits" in splitter._repr_html_()


def test_repr_is_scikit_learns():
    assert " ".join(repr(MultilabelStratifiedKFold(3)).split()) == (
        "MultilabelStratifiedKFold(n_splits=3, order=1, random_state=None, shuffle=True)"
    )
    assert "test_size=0.5" in repr(MultilabelStratifiedShuffleSplit(test_size=0.5))


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in SPLITTERS for name in kind.parameter_rules], ids=str
)
def test_wrong_parameters(kind, name):
    Y = skewed(20, 3, 0)
    for value in wrong_values(kind.parameter_rules[name]):
        with pytest.raises(ParameterError, match=f"{kind.__name__} needs {name} to be"):
            kind().set_params(**{name: value}).split(Y, Y)


def test_complaints():
    Y = skewed(20, 3, 0)
    with pytest.raises(ParameterError, match=r"n_splits to be at most the number of rows \(20\), but it is 21"):
        MultilabelStratifiedKFold(21).split(Y, Y)
    with pytest.raises(ParameterError, match="random_state to be None when shuffle is False, but it is 0"):
        MultilabelStratifiedKFold(shuffle=False, random_state=0).split(Y, Y)
    with pytest.raises(DataError, match="same number of rows, but X has 19 and y has 20"):
        MultilabelStratifiedKFold().split(Y[1:], Y)
    with pytest.raises(DataError, match="needs y, the labels"):
        MultilabelStratifiedShuffleSplit().split(Y)
    with pytest.warns(UserWarning, match="MultilabelStratifiedKFold ignores groups"):
        MultilabelStratifiedKFold().split(Y, Y, groups=np.arange(20))


def test_a_dataset_splits_by_its_rows():
    Y = skewed(50, 3, 0)
    data = Dataset(np.zeros((50, 2)), sparse.csr_matrix(Y))
    train, test = next(MultilabelStratifiedKFold(5, random_state=0).split(data.X, data.Y))
    assert (data.rows(train).n_samples, data.rows(test).n_samples) == (40, 10)


SIZES = st.none() | st.floats(0.001, 0.999) | st.integers(1, 40)


@given(st.integers(2, 60), st.integers(2, 60))
def test_fold_sizes_are_those_of_kfold(n_samples, n_splits):
    if n_splits > n_samples:
        with pytest.raises(ValueError, match="n_splits"):
            next(KFold(n_splits).split(np.zeros(n_samples)))
        with pytest.raises(ParameterError, match=f"Mine needs n_splits to be at most the number of rows .{n_samples}."):
            fold_sizes("Mine", n_samples, n_splits)
    else:
        expected = [len(test) for _, test in KFold(n_splits).split(np.zeros(n_samples))]
        assert fold_sizes("Mine", n_samples, n_splits).tolist() == expected


@given(st.integers(1, 40), SIZES, SIZES)
def test_sizes_are_those_of_shuffle_split_and_so_are_the_refusals(n_samples, train_size, test_size):
    try:
        train, test = next(ShuffleSplit(1, train_size=train_size, test_size=test_size).split(np.zeros(n_samples)))
    except ValueError:
        with pytest.raises(ParameterError, match="Mine needs"):
            train_and_test_size("Mine", n_samples, train_size, test_size)
    else:
        assert train_and_test_size("Mine", n_samples, train_size, test_size) == (len(train), len(test))


@pytest.mark.parametrize(
    ("n_samples", "train_size", "test_size", "words"),
    [
        (5, None, 5, r"test_size to be below the number of rows \(5\), but it is 5"),
        (5, 7, None, r"train_size to be below the number of rows \(5\), but it is 7"),
        (9, 0.6, 0.7, r"train_size \+ test_size to be at most 1, but it is 1.29"),
        (9, 5, 5, r"train_size \+ test_size to be at most the number of rows \(9\), but it is 10"),
        (1, None, None, "at least one row to train on, but with 1 rows, test_size=0.1"),
        (9, 0.1, 0.5, "at least one row to train on, but with 9 rows, test_size=0.5 and train_size=0.1"),
    ],
)
def test_refusals_say_why(n_samples, train_size, test_size, words):
    with pytest.raises(ParameterError, match=words):
        train_and_test_size("Mine", n_samples, train_size, test_size)
