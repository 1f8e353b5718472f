import numpy as np
import pytest
from scipy import sparse

from plait import metrics, recipes
from plait.commands.evaluate import MEASURES, evaluate_methods, evaluation_dict, evaluation_text
from plait.data import Dataset
from plait.data.folds import MultilabelStratifiedKFold


def made_data(form=np.asarray):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    Y = (X[:, :3] + rng.normal(size=(120, 3)) > 0).astype(np.uint8)
    return Dataset(form(X), form(Y), name="made")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_scores_are_those_of_a_plain_loop(form):
    data = made_data(form)
    found = evaluate_methods(data, ["br", "pcc", "occ"], n_folds=3, random_state=1)
    folds = MultilabelStratifiedKFold(3, shuffle=True, random_state=1)
    for f, (train, test) in enumerate(folds.split(data.X, data.Y)):
        model = recipes.pcc(random_state=1).fit(data.X[train], data.Y[train])
        Y = np.asarray(data.Y[test].todense()) if sparse.issparse(data.Y) else data.Y[test]
        assert found.scores["exact_match"][1, f] == metrics.exact_match(Y, model.predict(data.X[test]))
        assert found.scores["log_loss"][1, f] == -model.joint(data.X[test]).log_prob(Y).mean()
    assert np.isnan(found.scores["log_loss"][2]).all()
    assert (found.seconds > 0).all()


def test_text_marks_the_best_and_json_has_all():
    found = evaluate_methods(made_data(), ["br", "occ"], n_folds=2)
    lines = evaluation_text(found).splitlines()
    assert [*lines[0].split(), *lines[4].split()[1:]] == ["method", *MEASURES, "seconds"]
    assert max(map(len, lines)) <= 80
    # A measure that one method alone has is no contest.
    assert sum(line.count("*") for line in lines) == len(MEASURES) - 1
    assert lines[6].split()[1] == "–"
    rows = evaluation_dict(found)["methods"]
    assert [row["method"] for row in rows] == ["br", "occ"]
    assert rows[1]["log_loss"] is None
    assert rows[0]["exact_match"] == found.scores["exact_match"][0].tolist()
