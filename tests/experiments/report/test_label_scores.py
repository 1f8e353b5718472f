"""Scores by label against scikit-learn, and which labels come together against a loop."""

import numpy as np
from sklearn.metrics import f1_score

from plait.data import Dataset
from plait.experiments.report import outcomes_of, report_contents, report_html
from plait.experiments.running.answers import label_counts, labels_together
from plait.experiments.running.cells import CellResult


def cells_of(truth, answers, names, parts=2):
    """Return the cells of methods whose answers are given, in parts of the rows."""
    found = []
    for fold, rows in enumerate(np.array_split(np.arange(len(truth)), parts)):
        for method, predicted in answers.items():
            extras = {"labels": label_counts(predicted[rows], truth[rows]), "n_test": len(rows), "label_names": names}
            if fold == 0:
                extras["together"] = labels_together([Dataset(np.zeros((len(truth), 1)), truth)])
            found.append(CellResult("sea", method, fold, 0, metrics={"exact_match": 0.5}, extras=extras))
    return found


def test_f1_of_every_label_is_scikit_learns_over_all_parts():
    chance = np.random.default_rng(0)
    truth = chance.integers(2, size=(30, 4)).astype(np.uint8)
    answers = {name: chance.integers(2, size=truth.shape).astype(np.uint8) for name in ("br", "cc")}
    names = ["a", "<b>", "c", "d"]
    contents = report_contents(outcomes_of(cells_of(truth, answers, names)))
    table = contents.labels["sea"]
    assert [head.name for head in table.columns] == ["label", "share of rows", "br", "cc"]
    shown = {row[0].value: [entry.value for entry in row[1:]] for row in table.rows}
    for k, name in enumerate(names):
        wanted = [truth[:, k].mean(), *(f1_score(truth[:, k], answers[method][:, k]) for method in ("br", "cc"))]
        np.testing.assert_allclose(shown[name], wanted, rtol=1e-12)
    shares = [row[1].value for row in table.rows]
    assert shares == sorted(shares, reverse=True)
    page = report_html(contents)
    assert "<b></text>" not in page
    assert "Labels of sea that come together" in page


def test_pairs_of_labels_are_counted_over_all_parts():
    chance = np.random.default_rng(1)
    Y = (chance.random((40, 50)) < np.linspace(0.05, 0.6, 50)).astype(np.uint8)
    parts = [Dataset(np.zeros((20, 1)), half) for half in (Y[:20], Y[20:])]
    found = labels_together(parts)
    assert found["n_rows"] == 40
    assert len(found["labels"]) == 40
    left_out = set(range(50)) - set(found["labels"])
    assert Y[:, sorted(left_out)].sum(axis=0).max() <= Y[:, found["labels"]].sum(axis=0).min()
    for i, a in enumerate(found["labels"]):
        for j, b in enumerate(found["labels"]):
            assert found["counts"][i][j] == sum(1 for y in Y if y[a] and y[b])


def test_cells_of_an_older_store_have_no_labels(made_up):
    assert report_contents(outcomes_of(made_up())).labels == {}
