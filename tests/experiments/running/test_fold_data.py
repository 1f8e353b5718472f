import numpy as np
import pytest
from scipy import sparse

from plait.data import DataError, Dataset, save_dataset
from plait.data.folds import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit
from plait.data.synthetic import hypercube_preset, make_xor_labels, synth1_like, synth2
from plait.experiments.planning.plan import DatasetPlan, Protocol
from plait.experiments.running import fold_data
from plait.experiments.running.fold_data import divided_rows, fold_parts, load_data


@pytest.fixture(autouse=True)
def nothing_kept():
    fold_data._kept.clear()
    fold_data._kept_rows.clear()


def data_of(n_rows=23, seed=0):
    chance = np.random.default_rng(seed)
    return Dataset(chance.normal(size=(n_rows, 3)), chance.integers(0, 2, (n_rows, 4)))


@pytest.mark.parametrize("n_folds", [2, 5, 23])
def test_plain_folds_share_no_row_and_leave_none_out(n_folds):
    parts = divided_rows(data_of(), Protocol("kfold", n_folds), 1)
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(23))
    assert {len(test) for _, test in parts} <= {23 // n_folds, 23 // n_folds + 1}
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(23))
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()


def test_held_out_rows_differ_between_repeats_and_have_their_size():
    parts = divided_rows(data_of(), Protocol("holdout", repeats=4, test_size=0.2), 1)
    assert [len(test) for _, test in parts] == [5] * 4
    assert len({tuple(test) for _, test in parts}) == 4
    assert all(sorted([*train, *test]) == list(range(23)) for train, test in parts)
    more = divided_rows(data_of(), Protocol("holdout", repeats=6, test_size=0.2), 1)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(parts, more, strict=False))


@pytest.mark.parametrize("kind", ["kfold", "stratified_kfold", "holdout", "stratified_holdout"])
def test_the_seed_decides_alone(kind):
    protocol = Protocol(kind, 3, 3)
    once, again, other = (divided_rows(data_of(), protocol, seed) for seed in (5, 5, 6))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(once, again, strict=True))
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(once, other, strict=True))


def test_stratified_parts_are_those_of_the_splitters():
    data = data_of()
    folds = list(MultilabelStratifiedKFold(3, random_state=2).split(data.X, data.Y))
    found = divided_rows(data, Protocol("stratified_kfold", 3), 2)
    assert all(np.array_equal(a, b) for x, y in zip(folds, found, strict=True) for a, b in zip(x, y, strict=True))
    splits = list(MultilabelStratifiedShuffleSplit(2, test_size=0.3, random_state=2).split(data.X, data.Y))
    found = divided_rows(data, Protocol("stratified_holdout", repeats=2, test_size=0.3), 2)
    assert all(np.array_equal(a, b) for x, y in zip(splits, found, strict=True) for a, b in zip(x, y, strict=True))


def test_parts_of_a_fold_are_rows_of_the_data(beach, tmp_path):
    plan, protocol = DatasetPlan("beach", str(tmp_path / "beach.csv"), labels=-3), Protocol("kfold", 4)
    loaded = load_data(plan, protocol)
    tests = [fold_parts(loaded, protocol, fold, 3)[1] for fold in range(4)]
    for fold, (train, test) in enumerate(divided_rows(loaded.whole, protocol, 3)):
        got_train, got_test = fold_parts(loaded, protocol, fold, 3)
        np.testing.assert_array_equal(got_train.X, beach.X[train])
        np.testing.assert_array_equal(got_test.Y, beach.Y[test])
    assert sum(test.n_samples for test in tests) == 30
    assert load_data(plan, protocol) is loaded


def test_a_fixed_split_is_read_from_its_files(tmp_path):
    train, test = data_of(9, 1), data_of(4, 2)
    save_dataset(train, tmp_path / "d-train.arff")
    save_dataset(test, tmp_path / "d-test.arff")
    plan = DatasetPlan("d", str(tmp_path / "d.arff"), top_labels=2)
    loaded = load_data(plan, Protocol("split"))
    got_train, got_test = fold_parts(loaded, Protocol("split"), 0, 7)
    chosen = sorted(np.argsort(-train.Y.sum(axis=0).astype(int), kind="stable")[:2])
    np.testing.assert_array_equal(got_train.Y, train.Y[:, chosen])
    np.testing.assert_array_equal(got_test.Y, test.Y[:, chosen])
    np.testing.assert_array_equal(got_test.X, test.X)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_columns_that_the_plan_keeps(tmp_path, as_sparse):
    chance = np.random.default_rng(3)
    X = chance.normal(size=(40, 10)) * (chance.random((40, 10)) < np.linspace(0.1, 0.9, 10))
    Y = (chance.random((40, 6)) < [0.5, 0.1, 0.3, 0.5, 0.7, 0.2]).astype(np.uint8)
    data = Dataset(sparse.csr_matrix(X) if as_sparse else X, Y)
    save_dataset(data, tmp_path / "d.arff")

    def kept(**settings):
        return load_data(DatasetPlan("d", str(tmp_path / "d.arff"), **settings), Protocol("kfold")).whole

    by_count = sorted(range(6), key=lambda j: (-int(Y[:, j].sum()), j))[:3]
    assert kept(top_labels=3).label_names == tuple(f"y{j}" for j in sorted(by_count))
    by_use = sorted(range(10), key=lambda j: (-np.count_nonzero(X[:, j]), j))
    assert kept(top_features=4).feature_names == tuple(f"x{j}" for j in sorted(by_use[:4]))
    share = kept(top_features=0.25)
    assert share.feature_names == tuple(f"x{j}" for j in sorted(by_use[:3]))
    assert sparse.issparse(share.X) == as_sparse
    named = kept(keep_labels=("y4", "y1"), keep_features=("x7",))
    assert (named.label_names, named.feature_names) == (("y1", "y4"), ("x7",))
    found = named.Y.toarray() if as_sparse else named.Y
    np.testing.assert_array_equal(found, Y[:, [1, 4]])
    with pytest.raises(DataError, match="no features called 'x99'"):
        kept(keep_features=("x99",))


def test_the_fingerprint_is_that_of_the_content(tmp_path):
    def print_of(data, name="d", **settings):
        fold_data._kept.clear()
        save_dataset(data, tmp_path / f"{name}.arff")
        return load_data(DatasetPlan(name, str(tmp_path / f"{name}.arff"), **settings), Protocol("kfold")).fingerprint

    data = data_of()
    first = print_of(data)
    assert print_of(data, "another") == first
    X, Y = data.X.copy(), data.Y.copy()
    X[3, 1] += 1e-9
    Y[2, 2] = 1 - Y[2, 2]
    assert print_of(Dataset(X, data.Y)) != first
    assert print_of(Dataset(data.X, Y)) != first
    assert print_of(data, top_labels=3) != first
    assert print_of(data) == first


def test_what_is_kept_is_bounded(tmp_path, monkeypatch):
    for seed in range(3):
        save_dataset(data_of(20, seed), tmp_path / f"d{seed}.arff")
    plans = [DatasetPlan(f"d{seed}", str(tmp_path / f"d{seed}.arff")) for seed in range(3)]
    loaded = [load_data(plan, Protocol("kfold")) for plan in plans]
    assert all(load_data(plan, Protocol("kfold")) is first for plan, first in zip(plans, loaded, strict=True))
    monkeypatch.setattr(fold_data, "_BYTES_KEPT", 2 * 20 * (3 * 8 + 4 * 8))
    fold_data._kept.clear()
    loaded = [load_data(plan, Protocol("kfold")) for plan in plans]
    assert list(fold_data._kept.values()) == loaded[1:]
    monkeypatch.setattr(fold_data, "_BYTES_KEPT", 0)
    again = load_data(plans[0], Protocol("kfold"))
    assert list(fold_data._kept.values()) == [again]


def test_parts_that_do_not_belong_together(tmp_path):
    save_dataset(data_of(9), tmp_path / "d-train.arff")
    other = data_of(5)
    save_dataset(Dataset(other.X, other.Y[:, :3]), tmp_path / "d-test.arff")
    with pytest.raises(DataError, match="same features and labels in both parts"):
        load_data(DatasetPlan("d", str(tmp_path / "d.arff")), Protocol("split"))


def test_a_transformer_on_all_rows_sees_them_all_before_they_are_divided(tmp_path):
    data = data_of()
    save_dataset(data, tmp_path / "d.arff")
    plain = DatasetPlan("d", str(tmp_path / "d.arff"))
    scaled = DatasetPlan("d", str(tmp_path / "d.arff"), on_all_rows={"use": "StandardScaler"})
    found = load_data(scaled, Protocol("kfold", 3))
    np.testing.assert_allclose(found.whole.X.mean(axis=0), 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.whole.X.std(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(found.whole.Y, data.Y)
    assert found.fingerprint != load_data(plain, Protocol("kfold", 3)).fingerprint


def test_replicates_are_what_the_function_makes_with_the_number_of_the_part():
    protocol = Protocol("replicates", repeats=2)
    plan = DatasetPlan("synth2", "synth2", made_by={"use": "synth2", "n_train": 30, "n_test": 50})
    loaded = load_data(plan, protocol)
    for part in range(2):
        made = synth2(part, n_train=30, n_test=50)
        train, test = fold_parts(loaded, protocol, part, seed=7)
        for found, wanted in ((train, made.train), (test, made.test)):
            np.testing.assert_array_equal(found.X, wanted.X)
            np.testing.assert_array_equal(found.Y, wanted.Y)


def test_a_function_can_make_parts_of_a_split():
    plan = DatasetPlan("synth2", "synth2", made_by={"use": "synth2", "random_state": 3, "n_train": 30, "n_test": 50})
    train, test = fold_parts(load_data(plan, Protocol("split")), Protocol("split"), 0, seed=0)
    made = synth2(3, n_train=30, n_test=50)
    np.testing.assert_array_equal(train.X, made.train.X)
    np.testing.assert_array_equal(test.Y, made.test.Y)


def test_features_of_too_few_rows_are_left_out(tmp_path):
    X = np.array([[1.0, 0.0, 2.0], [1.0, 3.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 5.0]])
    save_dataset(Dataset(X, [[1, 0], [0, 1], [1, 0], [0, 1]]), tmp_path / "few.arff")
    plan = DatasetPlan("few", str(tmp_path / "few.arff"), least_rows=2)
    np.testing.assert_array_equal(load_data(plan, Protocol("kfold", 2)).whole.X, X[:, [0, 2]])


def test_data_that_a_function_makes():
    words = {"use": "hypercube_preset", "name": "Data40-10", "random_state": 3}
    found = load_data(DatasetPlan("cubes", "cubes", made_by=words), Protocol("kfold", 3)).whole
    made = hypercube_preset("Data40-10", 3).dataset
    np.testing.assert_array_equal(found.X, made.X)
    np.testing.assert_array_equal(found.Y, made.Y)
    kept = DatasetPlan("cubes", "cubes", made_by=words, top_labels=2)
    assert load_data(kept, Protocol("kfold", 3)).whole.n_labels == 2
    xor = DatasetPlan("xor", "xor", made_by={"use": "make_xor_labels", "n_samples": 8, "random_state": 0})
    np.testing.assert_array_equal(load_data(xor, Protocol()).whole.Y, make_xor_labels(8, random_state=0).Y)
    words = {"use": "synth1_like", "random_state": 1, "n_train": 30, "n_test": 20}
    parts = load_data(DatasetPlan("scores", "scores", made_by=words), Protocol("split"))
    np.testing.assert_array_equal(parts.whole.Y, synth1_like(1, n_train=30, n_test=20).train.Y)
    assert parts.test.n_samples == 20
