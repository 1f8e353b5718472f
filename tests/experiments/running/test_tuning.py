import numpy as np
import pytest

from plait import metrics, recipes
from plait.data import Dataset
from plait.experiments.planning.plan import Protocol, Recipe, Tuning
from plait.experiments.running.fold_data import divided_rows
from plait.experiments.running.tuning import tuned_definition
from plait.learners import LogisticLearner


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
    tuned = tuned_definition(Recipe(definition, Tuning({"learner.C": STRENGTHS}, metric, inner)), data, 4)
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
    tuned = tuned_definition(Recipe({"use": "br"}, tuning), data_of(), 0)
    assert tuned.report["chosen"] == {"n_jobs": 1, "loss": "subset"}
    assert [entry["parameters"] for entry in tuned.report["tried"]] == [
        {"n_jobs": jobs, "loss": loss} for jobs in (1, 2) for loss in ("subset", "hamming")
    ]


def test_a_choice_that_fails_is_noted_and_left_out():
    steps = {"steps": [{"use": "MIM", "n_features": 2}, {"use": "br"}]}
    tuning = Tuning({"steps.0.n_features": [2, "wrong"]}, "exact_match", Protocol("kfold", 2))
    tuned = tuned_definition(Recipe(steps, tuning), data_of(), 0)
    assert tuned.report["chosen"] == {"steps.0.n_features": 2}
    assert "n_features" in tuned.report["tried"][1]["error"]
    hopeless = Tuning({"steps.0.n_features": ["wrong"]}, "exact_match", Protocol("kfold", 2))
    with pytest.raises(ValueError, match="every choice of the grid failed"):
        tuned_definition(Recipe(steps, hopeless), data_of(), 0)


def test_a_measure_that_the_method_cannot_give():
    tuning = Tuning({"loss": ["subset"]}, "cll_loss", Protocol("kfold", 2))
    recipe = Recipe({"use": "br", "learner": {"use": "LinearSVMLearner"}}, tuning)
    with pytest.raises(ValueError, match="gives no cll_loss"):
        tuned_definition(recipe, data_of(), 0)


def test_nothing_to_tune():
    assert tuned_definition(Recipe({"use": "br"}), data_of(), 0) == ({"use": "br"}, {})
