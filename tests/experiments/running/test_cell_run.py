import hashlib
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from plait import baselines, metrics, recipes
from plait.data import Dataset, save_dataset
from plait.experiments.planning.measures import USUAL_MEASURES
from plait.experiments.planning.plan import MethodSetup, Protocol, Tuning
from plait.experiments.planning.plan_file import read_plan
from plait.experiments.running import fold_data
from plait.experiments.running.answers import fold_seed, seeded
from plait.experiments.running.cell_run import PeakMemory, run_cell, tuned_definition
from plait.experiments.running.cells import cell_digest, plan_cells
from plait.experiments.running.fold_data import divided_rows, load_data
from plait.features import MIM
from plait.learners import LogisticLearner


@pytest.fixture(autouse=True)
def nothing_kept():
    fold_data._kept.clear()
    fold_data._kept_rows.clear()


PLAN = """
    datasets = [{source = "beach.csv", labels = -3, protocol = {kind = "kfold", folds = 3}}]
    %s
    [methods]
    %s
"""


@pytest.fixture
def cells_of(write_plan):
    def made(methods, head=""):
        plan = read_plan(write_plan(PLAN % (head, methods)), allow_imports=True)
        data = plan.datasets[0]
        return list(plan_cells(plan, {data.name: load_data(data, plan.protocol_on(data)).fingerprint}))

    return made


def test_a_cell_is_fit_and_prediction_of_its_fold(cells_of, beach):
    cell = cells_of('pcc = {order = "random"}', "seeds = [5]")[1]
    result = run_cell(cell)
    train, test = divided_rows(beach, cell.protocol, 5)[1]
    model = recipes.pcc(order="random", random_state=seeded(recipes.pcc(), fold_seed(5, 1)).random_state)
    model.fit(beach.X[train], beach.Y[train])
    predicted, truth = model.predict(beach.X[test]), beach.Y[test]
    assert (result.dataset, result.method, result.fold, result.seed) == ("beach", "pcc", 1, 5)
    assert result.metrics["exact_match"] == (predicted == truth).all(axis=1).mean()
    assert result.metrics["hamming_loss"] == pytest.approx((predicted != truth).mean(), rel=1e-12)
    joint = model.joint(beach.X[test]).log_prob(truth)
    assert result.metrics["cll_loss"] == pytest.approx(-joint.sum(), rel=1e-12)
    assert result.metrics["log_loss"] == pytest.approx(-joint.mean(), rel=1e-12)
    assert result.metrics["ranking_loss"] == metrics.ranking_loss(truth, model.predict_proba(beach.X[test]))
    text = repr(predicted.shape).encode() + predicted.astype(np.uint8).tobytes()
    assert result.predictions_digest == hashlib.sha256(text).hexdigest()
    assert result.error is None
    assert result.fit_seconds > 0
    assert result.predict_seconds > 0
    assert result.peak_memory > 10**7
    assert set(result.versions) == {"plait", "python", "numpy", "scipy", "scikit-learn", "numba"}
    graph = result.extras["graphs"][0]
    assert (graph["order"], [sorted(group) for group in graph["parents"]]) == (
        list(model.graph_.order),
        [sorted(group) for group in model.graph_.parents],
    )
    assert result.extras["label_names"] == ["sea", "sun", "sand"]
    assert (result.extras["n_train"], result.extras["n_test"]) == (20, 10)


def test_only_what_metrics_need_is_asked(cells_of):
    few, *_ = cells_of("br = {}", 'metrics = ["micro_f1"]')
    assert set(run_cell(few).extras["seconds"]) == {"labels"}
    assert "cll_loss" not in run_cell(few).metrics
    more, *_ = cells_of("br = {}", 'metrics = ["micro_f1", "ranking_loss"]')
    assert set(run_cell(more).extras["seconds"]) == {"labels", "scores"}
    assert few.digest != more.digest


def test_methods_without_probabilities_have_no_likelihood(cells_of):
    cell, *_ = cells_of("svm = {use = 'br', learner = {use = 'LinearSVMLearner'}}")
    result = run_cell(cell)
    assert "cll_loss" not in result.metrics
    assert "ranking_loss" in result.metrics
    assert "reliability" not in result.extras
    assert "joint_reliability" not in result.extras
    bare, *_ = cells_of("bare = {use = 'odd_models.Sleeper'}")
    assert "ranking_loss" not in run_cell(bare).metrics


def test_the_product_of_marginals_stands_in_for_a_joint(cells_of, beach):
    cell, *_ = cells_of("knn = {use = 'MLkNN', n_neighbors = 3}")
    result = run_cell(cell)
    train, test = divided_rows(beach, cell.protocol, 0)[0]
    marginals = baselines.MLkNN(n_neighbors=3).fit(beach.X[train], beach.Y[train]).predict_proba(beach.X[test])
    truth = beach.Y[test]
    logs = np.log(np.where(truth == 1, marginals, 1 - marginals)).sum()
    assert result.metrics["cll_loss"] == pytest.approx(-logs, rel=1e-9)
    assert result.extras["joint_by"] == "product of marginals"


def test_a_pipeline_keeps_names_of_features_and_finds_its_joint(cells_of, beach):
    steps = "{steps = ['StandardScaler', {use = 'MIM', n_features = 2}, 'pcc']}"
    cell, *_ = cells_of(f"selected = {steps}")
    result = run_cell(cell)
    features = result.extras["features"]
    train, _ = divided_rows(beach, cell.protocol, 0)[0]
    scaled = StandardScaler().fit_transform(beach.X[train])
    chosen = MIM(n_features=2).fit(scaled, beach.Y[train]).ranking_.tolist()
    assert features["shared"]
    assert features["by_label"] == [chosen]
    assert features["names"] == {str(j): "abcd"[j] for j in sorted(features["by_label"][0])}
    assert result.extras["joint_by"] == "joint distribution"
    assert len(result.extras["graphs"]) == 1


def test_reliability_counts_every_marginal(cells_of, beach):
    cell, *_ = cells_of("br = {}")
    table = run_cell(cell).extras["reliability"]
    train, test = divided_rows(beach, cell.protocol, 0)[0]
    marginals = recipes.br().fit(beach.X[train], beach.Y[train]).predict_proba(beach.X[test])
    for k in range(10):
        inside = [
            (p, y)
            for p, y in zip(marginals.ravel(), beach.Y[test].ravel(), strict=True)
            if k / 10 <= p and (p < (k + 1) / 10 or k == 9)
        ]
        assert table["count"][k] == len(inside)
        if inside:
            assert table["mean"][k] == pytest.approx(np.mean([p for p, _ in inside]), rel=1e-12)
            assert table["frequency"][k] == pytest.approx(np.mean([y for _, y in inside]), rel=1e-12)


def test_whole_sets_are_counted_by_the_probability_of_the_predicted_one(cells_of, beach):
    cell, *_ = cells_of("pcc = {random_state = 0}")
    table = run_cell(cell).extras["joint_reliability"]
    train, test = divided_rows(beach, cell.protocol, 0)[0]
    model = recipes.pcc(random_state=0).fit(beach.X[train], beach.Y[train])
    labels = model.predict(beach.X[test])
    given = np.exp(model.joint(beach.X[test]).log_prob(labels))
    right = (labels == beach.Y[test]).all(axis=1)
    assert sum(table["count"]) == len(test)
    np.testing.assert_allclose(np.dot(table["count"], table["mean"]), given.sum(), rtol=1e-9)
    np.testing.assert_allclose(np.dot(table["count"], table["frequency"]), right.sum(), rtol=1e-9)


def test_tuning_never_sees_the_test_part(cells_of, beach, tmp_path):
    method = "pcc = {learner = {use = 'LogisticLearner'}, tune = {grid = {learner.C = [0.001, 1.0]}, folds = 2}}"
    cell = cells_of(method)[1]
    before = run_cell(cell)
    _, test = divided_rows(beach, cell.protocol, 0)[1]
    X, Y = beach.X.copy(), beach.Y.copy()
    X[test], Y[test] = -5.0 * X[test], 1 - Y[test]
    save_dataset(Dataset(X, Y, beach.feature_names, beach.label_names), tmp_path / "beach.csv")
    fold_data._kept.clear()
    after = run_cell(cells_of(method)[1])
    assert after.extras["tuning"] == before.extras["tuning"]
    assert len(before.extras["tuning"]["tried"]) == 2
    assert after.metrics != before.metrics


def test_mixtures_and_ensembles_show_all_their_graphs(cells_of):
    cells = cells_of("mc = {max_components = 2}\n    ecc = {n_estimators = 3}")
    mixture, ensemble = run_cell(cells[0]), run_cell(cells[1])
    weights = [graph["weight"] for graph in mixture.extras["graphs"]]
    assert sum(weights) == pytest.approx(1.0, rel=1e-9)
    assert len(ensemble.extras["graphs"]) == 3


def test_an_error_becomes_the_result(cells_of):
    cell, *_ = cells_of("bad = {use = 'odd_models.Sleeper', fail = true}")
    result = run_cell(cell)
    assert result.error == "ValueError: too cold to learn"
    assert "in fit" in result.traceback
    assert (result.metrics, result.predictions_digest) == ({}, "")
    assert result.digest == cell.digest
    assert result.peak_memory > 0


def test_predictions_that_are_no_labels_are_an_error(cells_of):
    cell, *_ = cells_of("r = {use = 'sklearn.linear_model.LinearRegression'}")
    assert "no table of 0 and 1" in run_cell(cell).error


def test_data_that_changed_since_the_plan_was_read_are_an_error(cells_of):
    cell, *_ = cells_of("br = {}")
    assert "other content" in run_cell(replace(cell, fingerprint="0")).error


def test_warnings_are_kept_and_not_shown(cells_of, recwarn):
    cell, *_ = cells_of("c = {use = 'sklearn.neural_network.MLPClassifier', max_iter = 2}")
    result = run_cell(cell)
    assert any("ConvergenceWarning" in word for word in result.extras["warnings"])
    assert len(recwarn) == 0


def test_same_cell_same_numbers_and_every_random_part_has_a_seed(cells_of):
    cells = cells_of(
        "ecc = {n_estimators = 3}\n    forest = {use = 'sklearn.ensemble.RandomForestClassifier', n_estimators = 3}"
    )
    for cell in cells[:2]:
        once, again = run_cell(cell), run_cell(cell)
        assert once.metrics == again.metrics
        assert once.predictions_digest == again.predictions_digest
    assert [run_cell(cell).extras["warm"] for cell in cells[:2]] == [True, True]


def test_the_digest_changes_with_all_that_matters_and_nothing_else(cells_of):
    base = cells_of("pcc = {}")[0]
    work = [base.fingerprint, base.setup, base.protocol, base.answers, 0, 0]
    assert base.digest == cell_digest(*work) == cells_of("other = {use = 'PCC'}")[0].digest
    others = [
        cells_of("pcc = {order = 'random'}")[0].digest,
        cells_of("pcc = {tune = {grid = {order = ['random']}}}")[0].digest,
        cells_of("pcc = {tune = {grid = {order = ['random']}, folds = 2}}")[0].digest,
        cells_of("pcc = {tune = {grid = {order = ['random']}, metric = 'micro_f1'}}")[0].digest,
        cells_of("cc = {}")[0].digest,
        cells_of("pcc = {}", "seeds = [1]")[0].digest,
        cells_of("pcc = {}")[1].digest,
        cell_digest("x", *work[1:]),
        cell_digest(*work[:2], replace(base.protocol, folds=4), *work[3:]),
    ]
    assert len({base.digest, *others}) == len(others) + 1
    assert cells_of("pcc = {}", 'metrics = ["micro_f1", "log_loss", "ranking_loss"]')[0].digest == base.digest


@pytest.mark.parametrize("case", ["one label", "sparse", "constant labels"])
def test_odd_data_run_through(write_plan, tmp_path, case):
    chance = np.random.default_rng(2)
    X = chance.normal(size=(24, 5)) * (chance.random((24, 5)) < 0.4)
    Y = (X[:, :3] + 0.1 * chance.normal(size=(24, 3)) > 0).astype(np.uint8)
    if case == "one label":
        Y = Y[:, :1]
    elif case == "constant labels":
        Y[:, 1], Y[:, 2] = 0, 1
    else:
        X, Y = sparse.csr_matrix(X), sparse.csr_matrix(Y)
    save_dataset(Dataset(X, Y, name="odd"), tmp_path / "odd.arff")
    plan = read_plan(
        write_plan("""
            datasets = ["odd.arff"]
            protocol = {kind = "kfold", folds = 2}
            methods = ["br", "pcc", "MLkNN", "sklearn.ensemble.RandomForestClassifier"]
            """)
    )
    loaded = load_data(plan.datasets[0], plan.protocol)
    assert sparse.issparse(loaded.whole.X) == (case == "sparse")
    for cell in plan_cells(plan, {"odd": loaded.fingerprint}):
        result = run_cell(cell)
        assert result.error is None, result.traceback
        assert set(result.metrics) == set(USUAL_MEASURES)
        assert all(np.isfinite(value) for value in result.metrics.values())


def test_the_most_that_was_held_is_seen_and_what_was_before_is_not():
    with PeakMemory() as large:
        np.ones(20_000_000).sum()
    with PeakMemory() as small:
        np.ones(1000).sum()
    if large.by != "high-water mark":
        pytest.skip("this system does not set its mark back")
    assert large.peak - large.before >= 150_000_000
    assert small.peak - small.before < 20_000_000
    assert small.peak >= small.before > 0


def data_of(n_rows=60):
    chance = np.random.default_rng(1)
    X = chance.normal(size=(n_rows, 5))
    Y = (X[:, :3] + chance.normal(size=(n_rows, 3)) > 0).astype(np.uint8)
    return Dataset(X, Y)


STRENGTHS = [1e-4, 1e-2, 1.0]


@pytest.mark.parametrize(("metric", "sign"), [("micro_f1", 1), ("hamming_loss", -1), ("log_loss", -1)])
def test_the_best_on_inner_folds_is_chosen(metric, sign):
    data, inner = data_of(), Protocol("kfold", 3)
    definition = {"use": "pcc", "learner": {"use": "LogisticLearner"}}
    tuned = tuned_definition(MethodSetup(definition, Tuning({"learner.C": STRENGTHS}, metric, inner)), data, 4)
    means = []
    for C in STRENGTHS:
        values = []
        for train, held in divided_rows(data, inner, 4):
            model = recipes.pcc(learner=LogisticLearner(C=C)).fit(data.X[train], data.Y[train])
            if metric == "log_loss":
                values.append(-model.joint(data.X[held]).log_prob(data.Y[held]).mean())
            else:
                values.append(getattr(metrics, metric)(data.Y[held], model.predict(data.X[held])))
        means.append(np.mean(values))
    best = STRENGTHS[int(np.argmax(sign * np.array(means)))]
    assert tuned.definition == {"use": "pcc", "learner": {"use": "LogisticLearner", "C": best}}
    assert tuned.report["chosen"] == {"learner.C": best}
    assert [entry["score"] for entry in tuned.report["tried"]] == pytest.approx(means, rel=1e-12)


def test_of_equal_choices_the_first_wins_and_all_are_tried():
    tuning = Tuning({"n_jobs": [1, 2], "loss": ["subset", "hamming"]}, "exact_match", Protocol("kfold", 2))
    tuned = tuned_definition(MethodSetup({"use": "br"}, tuning), data_of(), 0)
    assert tuned.report["chosen"] == {"n_jobs": 1, "loss": "subset"}
    assert [entry["parameters"] for entry in tuned.report["tried"]] == [
        {"n_jobs": jobs, "loss": loss} for jobs in (1, 2) for loss in ("subset", "hamming")
    ]


def test_a_choice_that_fails_is_noted_and_left_out():
    steps = {"steps": [{"use": "MIM", "n_features": 2}, {"use": "br"}]}
    tuning = Tuning({"steps.0.n_features": [2, "wrong"]}, "exact_match", Protocol("kfold", 2))
    tuned = tuned_definition(MethodSetup(steps, tuning), data_of(), 0)
    assert tuned.report["chosen"] == {"steps.0.n_features": 2}
    assert "n_features" in tuned.report["tried"][1]["error"]
    hopeless = Tuning({"steps.0.n_features": ["wrong"]}, "exact_match", Protocol("kfold", 2))
    with pytest.raises(ValueError, match="every choice of the grid failed"):
        tuned_definition(MethodSetup(steps, hopeless), data_of(), 0)


def test_a_measure_that_the_method_cannot_give():
    tuning = Tuning({"loss": ["subset"]}, "cll_loss", Protocol("kfold", 2))
    setup = MethodSetup({"use": "br", "learner": {"use": "LinearSVMLearner"}}, tuning)
    with pytest.raises(ValueError, match="gives no cll_loss"):
        tuned_definition(setup, data_of(), 0)


def test_nothing_to_tune():
    assert tuned_definition(MethodSetup({"use": "br"}), data_of(), 0) == ({"use": "br"}, {})
