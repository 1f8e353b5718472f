import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import mutual_info_score

from plait.commands.describe import dependence_text, strongest_pairs
from plait.data import Dataset


def toy(Y, form=np.asarray):
    names = [f"l{j}" for j in range(Y.shape[1])]
    return Dataset(np.zeros((len(Y), 1)), form(Y), label_names=names)


def normalised(a, b):
    smaller = min(mutual_info_score(a, a), mutual_info_score(b, b))
    return mutual_info_score(a, b) / smaller if smaller else 0.0


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_against_scikit_learn(form):
    rng = np.random.default_rng(0)
    Y = (rng.random((50, 6)) < 0.4).astype(np.uint8)
    Y[:, 4] = Y[:, 1] & Y[:, 2]
    Y[:, 5] = 0
    found = strongest_pairs(toy(Y, form), n=100)
    expected = {(i, j): normalised(Y[:, i], Y[:, j]) for i in range(6) for j in range(i + 1, 6)}
    assert len(found) == 10  # the label that is never on is in none
    assert [pair.information for pair in found] == sorted((pair.information for pair in found), reverse=True)
    for pair in found:
        i, j = int(pair.first[1:]), int(pair.second[1:])
        assert pair.information == pytest.approx(expected[i, j], rel=1e-9)
        assert pair.n_samples == int(np.sum(Y[:, i] & Y[:, j]))
    assert strongest_pairs(toy(Y, form), n=3) == found[:3]


def test_ties_in_label_order():
    Y = np.array([[1, 1, 1], [0, 0, 0], [1, 1, 1]], dtype=np.uint8)
    assert [(p.first, p.second) for p in strongest_pairs(toy(Y))] == [("l0", "l1"), ("l0", "l2"), ("l1", "l2")]


def test_many_labels(monkeypatch):
    monkeypatch.setattr("plait.commands.describe._MOST_LABELS", 2)
    Y = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1], [1, 1, 0]], dtype=np.uint8)
    assert [(p.first, p.second) for p in strongest_pairs(toy(Y))] == [("l0", "l2")]
    assert "of the 2 most frequent labels" in dependence_text(toy(Y))


def test_text():
    Y = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)
    lines = dependence_text(toy(Y), width=4).splitlines()
    assert lines[:2] == ["", "Label pairs, by normalised mutual information"]
    assert lines[2] == "  l0 + l1  1.000  ████  both in 2 rows"
    assert re.fullmatch(r"  l0 \+ l2  0\.\d{3}  \S+ +never both", lines[3])
    alone = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=np.uint8)
    assert dependence_text(toy(alone)) == "\nNo label says anything about another."
    assert dependence_text(toy(np.zeros((0, 2)))) == "\nNo label says anything about another."
    assert "both in 1 row" in dependence_text(toy(np.array([[1, 1], [0, 0], [0, 0]], dtype=np.uint8)))
