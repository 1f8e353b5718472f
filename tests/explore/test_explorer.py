"""What the page is told, against the posterior asked directly."""

import numpy as np
import pytest

from plait import AutoJoint, recipes
from plait.core.sentences import ParameterError
from plait.data import Dataset
from plait.explore import CorrectionLog, Explorer
from plait.inference import MonteCarlo
from plait.posterior import Posterior


def test_a_click_is_what_the_posterior_says(explorer, tree, beach):
    answer = tree.joint(beach.X[7:8])
    view = explorer.view(7, {0: 1, 2: 0}, "f1")
    asked = answer.given({0: 1, 2: 0})
    np.testing.assert_allclose(view["marginals"], asked.marginals()[0], rtol=1e-5)
    np.testing.assert_allclose(view["before"], answer.marginals()[0], rtol=1e-5)
    assert view["decision"] == np.flatnonzero(asked.decide("f1")[0]).tolist()
    assert view["exact"]
    sets = explorer.sets(7, {0: 1, 2: 0})
    top = asked.top(5)
    np.testing.assert_allclose([p for _, p in sets["sets"]], top.probabilities[0], rtol=1e-9)
    assert [labels for labels, _ in sets["sets"]] == [np.flatnonzero(v).tolist() for v in top.vectors[0]]
    assert sets["ask"][0] == asked.ask(1).labels[0, 0]
    assert sets["ask"][0] not in (0, 2)


def test_doubts_are_those_of_the_records(explorer, tree, beach):
    doubts = tree.joint(beach.X).doubts(beach.Y)
    row = int(doubts.max(axis=1).argmax())
    view = explorer.view(row)
    assert view["doubts"][0] == [int(doubts[row].argmax()), round(float(doubts[row].max()), 4)]
    assert view["recorded"] == np.flatnonzero(beach.Y[row]).tolist()


def test_why_agrees_and_leaves_the_label_itself_out(explorer, tree, beach):
    found = explorer.why(3, 1, {1: 1, 0: 1})
    want = tree.joint(beach.X[3:4]).given({0: 1}).why(1, 8)
    # Fitted on arrays, the model knows no names; the data do.
    names = {f"y{k}": name for k, name in enumerate(beach.label_names)}
    names |= {f"x{j}": name for j, name in enumerate(beach.feature_names)}
    assert [(name, part) for name, _, _, part in found["reasons"]] == [
        (names[name], pytest.approx(part)) for name, part in zip(want.name, want.contribution, strict=True)
    ]
    assert {name for name, *_ in found["reasons"]} & set(beach.feature_names)


def test_names_of_features_are_those_of_the_columns_that_the_model_was_asked_with(beach):
    model = recipes.br(learner="logistic", random_state=0).fit(beach.X, beach.Y)
    turned = Explorer(model, beach, X=beach.X[:, ::-1], feature_names=beach.feature_names[::-1])
    place = {f"x{j}": name for j, name in enumerate(beach.feature_names[::-1])}
    want = model.joint(beach.X[3:4, ::-1]).why(1, 8)
    assert [name for name, *_ in turned.why(3, 1)["reasons"] if name in beach.feature_names] == [
        place[name] for name in want.name if name in place
    ]
    bare = Explorer(model, beach, X=beach.X[:, ::-1])
    assert all(name not in beach.feature_names for name, *_ in bare.why(3, 1)["reasons"])


def test_a_correction_changes_the_record_and_undo_brings_it_back(explorer):
    before = explorer.view(2)["recorded"]
    label = next(k for k in range(6) if k not in before)
    explorer.settle(2, label, "correct")
    assert explorer.view(2)["recorded"] == sorted([*before, label])
    assert explorer.view(2)["settled"] == {label: "correct"}
    again = Explorer(explorer.model, explorer.data, corrections=CorrectionLog(explorer.corrections.path))
    assert again.view(2)["recorded"] == sorted([*before, label])
    again.settle(2, label, "undo")
    assert again.view(2)["recorded"] == before
    with pytest.raises(ParameterError, match="accept, correct, undo"):
        explorer.settle(2, label, "burn")


def test_rows_are_found_filtered_and_ordered(explorer, tree, beach):
    while explorer.ranking.n_done < beach.n_samples:
        explorer.ranking.measure_block()
    answer = tree.joint(beach.X)
    measures = {
        "doubtful": answer.doubts(beach.Y).max(axis=1),
        "uncertain": answer.entropy(),
        "disagreeing": ((answer.marginals() > 0.5) != beach.Y).sum(axis=1),
    }
    for order, values in measures.items():
        found = explorer.rows(order, most=200)
        np.testing.assert_allclose([row[3] for row in found["rows"]], np.sort(values)[::-1], atol=1e-4)
    assert explorer.rows(query="11")["n_found"] == len([n for n in range(120) if "11" in str(n)])
    assert explorer.rows(label=2)["n_found"] == beach.Y[:, 2].sum()
    assert [row[0] for row in explorer.rows(offset=5, most=3)["rows"]] == [5, 6, 7]
    with pytest.raises(ParameterError, match="order"):
        explorer.rows("loudest")


def test_data_without_the_labels_have_no_records(tree, beach):
    bare = Explorer(tree, Dataset(beach.X, np.zeros((120, 0), dtype=int), beach.feature_names))
    assert bare.about()["recorded"] is False
    assert bare.view(0)["recorded"] is None
    with pytest.raises(ParameterError, match="settle needs recorded labels"):
        bare.settle(0, 0, "accept")


def test_text_words_and_pictures_are_shown():
    pandas = pytest.importorskip("pandas")
    story = "a long story about the sea, the sand and everything that a summer holds in store for us"
    frame = pandas.DataFrame({"id": ["a", "b"], "story": [story, "short"], "colour": ["red", None], "n": [1.5, 2.0]})
    data = Dataset(frame, [[1, 0], [0, 1]], name="table")
    model = recipes.br(learner="logistic").fit(np.array([[0.0], [1.0]] * 5), np.array([[1, 0], [0, 1]] * 5))
    explorer = Explorer(model, data, X=np.array([[0.0], [1.0]]), row_names=["a", "b"])
    assert explorer.row(0)["text"] == [["story", story]]
    assert explorer.row(0)["features"] == [["colour", "red"], ["n", "1.5"]]
    assert explorer.row(1)["features"][0] == ["colour", ""]
    assert [row[0] for row in explorer.rows(query="SUMMER red")["rows"]] == [0]
    pixels = Dataset(np.arange(32.0).reshape(2, 16), [[1], [0]], [f"pixel_{i}_{j}" for i in range(4) for j in range(4)])
    image = Explorer(recipes.br(learner="logistic").fit(pixels.X, pixels.Y), pixels).row(1)["image"]
    assert image == {"height": 4, "width": 4, "pixels": np.arange(16.0, 32.0).tolist()}


def test_a_model_of_decisions_only_is_refused(beach):
    with pytest.raises(ParameterError, match=r"joint\(X\)"):
        Explorer(object(), beach)


def many_labels(beach, **parts):
    """Return a chain of 50 labels, and data: too many for exact sums."""
    rng = np.random.default_rng(0)
    Y = (beach.X[:, [0]] + rng.normal(size=(120, 50)) > 1).astype(int)
    data = Dataset(beach.X, Y, beach.feature_names)
    return recipes.pcc(learner="logistic", random_state=0, **parts).fit(data.X, data.Y), data


def test_many_labels_on_a_graph_with_cycles_are_answered_from_few_draws(beach):
    model, data = many_labels(beach)
    explorer = Explorer(model, data)
    explorer.warm_up()
    known = {3: 1, 10: 0}
    view, sets = explorer.view(7, known), explorer.sets(7, known)
    asked = model.joint(data.X[7:8]).given({"y3": 1, "y10": 0})._changed(inference=MonteCarlo(5000))
    assert (view["exact"], view["marginals"][3], view["marginals"][10]) == (False, 1.0, 0.0)
    assert 0 < view["worth"] <= 100
    np.testing.assert_allclose(view["marginals"], asked.marginals()[0], atol=0.25)
    assert np.abs(view["marginals"] - asked.marginals()[0]).mean() < 0.03
    assert view["decision"] is None
    assert set(sets["decision"]) >= {3}
    assert sum(p for _, p in sets["sets"]) <= 1 + 1e-9
    assert all(3 in labels and 10 not in labels for labels, _ in sets["sets"])
    uncertain = np.abs(np.array(view["marginals"]) - 0.5)
    uncertain[[3, 10]] = 1
    assert sets["ask"][0] == uncertain.argmin()
    assert explorer.view(7, known, "hamming")["decision"] == np.flatnonzero(np.array(view["marginals"]) > 0.5).tolist()
    assert {kind for _, kind, _, _ in explorer.why(7, 0)["reasons"]} <= {"feature", "label, if known"}


def test_a_tree_of_many_labels_and_a_model_that_chose_itself(beach):
    data = many_labels(beach)[1]
    for model in (recipes.plt(random_state=0), AutoJoint(effort="fast", random_state=0)):
        explorer = Explorer(model.fit(data.X, data.Y), data)
        explorer.warm_up()
        assert explorer.about()["model"] in ("LabelTreeClassifier", "AutoJoint")
        assert explorer.view(3, {1: 1})["marginals"][1] == 1.0
        assert all(1 in labels for labels, _ in explorer.sets(3, {1: 1})["sets"])


def test_a_click_is_answered_once(explorer, monkeypatch):
    """The same labels in another order are the same, and doubts are looked at again only where records change."""
    asked = []
    monkeypatch.setattr(Posterior, "marginals", lambda self: asked.append("marginals") or np.full((1, 6), 0.25))
    monkeypatch.setattr(Posterior, "doubts", lambda self, Y: asked.append("doubts") or np.zeros((1, 6)))
    for known in ({}, {0: 1, 2: 0}, {2: 0, 0: 1}, {}):
        explorer.view(5, known)
    assert sorted(asked) == ["doubts", "marginals", "marginals"]
    explorer.settle(5, 1, "correct")
    explorer.view(5)
    assert asked[3:] == ["doubts"]
