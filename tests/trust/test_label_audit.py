"""`audit` and its frames: against suspicions of models trained by hand, planted errors found, bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from plait import recipes
from plait.core.sentences import ParameterError
from plait.data import Dataset
from plait.trust import ErrorRates, audit, suspicions


def planted(seed=0, n_rows=150):
    """Three labels that follow two features, with six records flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0.3, X[:, 1] > 0.2]).astype(np.int64)
    flipped = [(int(row), int(label)) for row, label in zip(rng.permutation(n_rows)[:6], [0, 1, 2] * 2, strict=True)]
    for row, label in flipped:
        Y[row, label] ^= 1
    return X, Y, flipped


def test_every_row_is_judged_by_a_model_that_did_not_see_it():
    X, Y, _ = planted()
    model, folds = recipes.pcc(random_state=0), KFold(3, shuffle=True, random_state=1)
    found = audit(model, X, Y, cv=folds, missed=0.1, false=0.04, swapped=0.02)
    for train, test in folds.split(X):
        answer = clone(model).fit(X[train], Y[train]).joint(X[test])
        recorded = Y[test].astype(np.uint8)
        wrong, likeliest = suspicions(answer.joint.condition(answer.X), recorded, ErrorRates(0.1, 0.04, 0.02))
        np.testing.assert_allclose(found.wrong[test], wrong, rtol=1e-12)
        np.testing.assert_array_equal(found.likeliest[test], likeliest)
        np.testing.assert_allclose(found.marginals[test], answer.marginals(), rtol=1e-12)
        np.testing.assert_allclose(found.surprise[test], answer.log_prob(recorded) + answer.entropy(), rtol=1e-12)


def test_planted_errors_come_first():
    X, Y, flipped = planted()
    found = audit(recipes.pcc(), X, Y)
    rows, labels = found.cells(12)
    assert len({(int(row), int(label)) for row, label in zip(rows, labels, strict=True)} & set(flipped)) >= 4
    assert np.all(np.diff(found.wrong[rows, labels]) <= 0)


def test_frames_have_names_and_what_the_model_would_record():
    X, Y, _ = planted()
    named = pd.DataFrame(Y, columns=["sea", "sand", "sun"])
    found = audit(recipes.pcc(), X, named)
    frame = found.to_frame(5)
    assert list(frame.columns) == ["row", "label", "recorded", "probability", "suggestion"]
    for row, label, recorded, probability, suggestion in frame.itertuples(index=False):
        assert recorded == named.loc[row, label]
        assert probability == found.wrong[row, list(named.columns).index(label)]
        assert suggestion == tuple(named.columns[found.likeliest[row] == 1])
    assert len(found.to_frame()) == Y.size
    by_row = found.rows_to_frame()
    assert by_row["surprise"].is_monotonic_increasing
    assert by_row["recorded"][0] == tuple(named.columns[Y[by_row["row"][0]] == 1])


def test_counts_are_those_of_the_anchor_points():
    X, Y, _ = planted(n_rows=600)
    found = audit(recipes.pcc(), X, Y)
    counts, P = found.counts(), found.marginals
    ones, zeros = sorted(P[Y == 1]), sorted(P[Y == 0])
    sure = Y[np.quantile(ones, 0.9) <= P]
    unlikely = Y[np.quantile(zeros, 0.5) >= P]
    missed, false = np.mean(sure == 0), np.mean(unlikely == 1)
    n_ones = Y.sum(axis=0)
    np.testing.assert_array_equal(counts["recorded"], n_ones)
    np.testing.assert_array_equal(counts["missed_at_most"], np.ceil(missed / (1 - missed) * n_ones))
    np.testing.assert_array_equal(counts["false_at_most"], np.ceil(false * (600 - n_ones)))
    assert missed + false > 0
    assert found.at_most() == (np.ceil(missed / (1 - missed) * Y.sum()), np.ceil(false * (Y.size - Y.sum())))


def test_a_label_too_rare_to_be_judged_ranks_last():
    X, Y, _ = planted()
    Y[:, 2] = 0
    Y[3, 2] = 1
    found = audit(recipes.pcc(), X, Y)
    assert np.isnan(found.wrong[:, 2]).all()
    _, labels = found.cells()
    assert set(labels[-len(Y) :]) == {2}


def test_the_answer_is_the_same_for_any_number_of_jobs():
    X, Y, _ = planted(n_rows=60)
    first, second = (audit(recipes.pcc(random_state=0), X, Y, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(first.wrong, second.wrong)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"missed": 0.0}, "audit needs missed to be"),
        ({"swapped": -0.1}, "audit needs swapped to be"),
        ({"false": 1.0}, "audit needs false to be"),
    ],
)
def test_wrong_rates_are_refused(wrong, sentence):
    X, Y, _ = planted(n_rows=20)
    with pytest.raises(ParameterError, match=sentence):
        audit(recipes.pcc(), X, Y, **wrong)


def test_records_that_are_all_alike_are_refused():
    with pytest.raises(ParameterError, match="both 0 and 1"):
        audit(recipes.pcc(), np.zeros((5, 1)), np.zeros((5, 2), dtype=int))


def test_the_page_escapes_names_and_lists_records():
    X, Y, _ = planted(n_rows=60)
    found = audit(recipes.pcc(), X, pd.DataFrame(Y, columns=["</script><b>", "a&b", "c"]))
    page = found.to_html(most=10, row_names=[f"song {row}" for row in range(60)])
    assert "</script><b>" not in page
    assert page.count("</script>") == 1
    data = json.loads(page.split("const AUDIT=")[1].split(";\n")[0])
    assert [row[0] for row in data["rows"]] == [f"song {row}" for row in found.rows_to_frame(10)["row"]]
    np.testing.assert_allclose([row[1] for row in data["rows"]], np.sort(found.surprise)[:10], rtol=1e-12)
    labels = found.counts()
    assert f"<td>a&amp;b</td><td>{labels['recorded'][1]}</td><td>{labels['missed_at_most'][1]}</td>" in page
    assert '"song ' in page


def test_bounds_are_unknown_where_all_labels_are_rare():
    X, Y, _ = planted(n_rows=40)
    Y[:, 1:] = 0
    Y[10:, 0] = 0
    found = audit(recipes.br(learner="logistic"), X, Y, cv=2)
    assert found.at_most() is None
    assert found.counts()["missed_at_most"].isna().all()
    assert "Label by label" not in found.to_html()


def test_unknown_records_are_not_judged_and_wrong_ones_beside_them_are():
    X, Y, flipped = planted()
    gaps = np.random.default_rng(1).random(Y.shape) < 0.2
    gaps[tuple(zip(*flipped, strict=True))] = False
    found = audit(recipes.pcc(learner="logistic", random_state=0), X, np.where(gaps, np.nan, Y), cv=3)
    assert np.isnan(found.wrong[gaps]).all()
    rows, labels = found.cells()
    assert len(rows) == (~gaps).sum()
    assert not gaps[rows, labels].any()
    first = set(zip(rows[:12].tolist(), labels[:12].tolist(), strict=True))
    assert len(first & set(flipped)) >= 4
    assert set(found.to_frame()["recorded"]) == {0, 1}
    assert found.counts()["recorded"].tolist() == ((Y == 1) & ~gaps).sum(axis=0).tolist()
    assert np.isfinite(found.surprise).all()
    assert len(json.loads(found.to_html(5).split("const AUDIT=")[1].split(";\n")[0])["cells"]) == 5


@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_shows_more_when_asked_and_fits_a_phone(browser, tmp_path, width):
    X, Y, _ = planted(n_rows=90)
    found = audit(
        recipes.pcc(learner="logistic"), X, pd.DataFrame(Y, columns=["sea", "a rather long name", "sun"]), cv=2
    )
    page = tmp_path / "audit.html"
    page.write_text(found.to_html(), encoding="utf8")
    browser.show(page, width=width, mobile=width < 500)
    lines = "[...document.querySelectorAll('#{} tbody tr')].map(e => e.cells[0].textContent)"
    rows, _ = found.cells()
    assert browser.ask(lines.format("cells")) == [str(row) for row in rows[:50]]
    assert browser.ask("document.querySelector('#more-cells').textContent") == "Show 200 more of 220"
    browser.click("#more-cells")
    browser.click("#more-cells")
    assert browser.ask(lines.format("cells")) == [str(row) for row in rows]
    assert browser.ask("document.querySelector('#more-cells').hidden")
    browser.click("#more-rows")
    assert len(browser.ask(lines.format("rows"))) == 90
    # Every column is in sight: the box to tick, too.
    rights = "[...document.querySelectorAll('#cells tbody tr td')].map(e => e.getBoundingClientRect().right)"
    assert max(browser.ask(rights)) <= width
    assert max(browser.ask("[...document.querySelectorAll('#cells tr')].map(e => e.offsetHeight)")) < 120
    assert browser.complaints == []


def test_a_data_set_brings_its_records_and_their_names():
    X, Y, _ = planted(n_rows=60)
    model = recipes.pcc(learner="logistic", random_state=0)
    found = audit(model, Dataset(X, Y, ["wind", "salt"], ["sea", "sand", "sun"]), cv=2)
    assert found.label_names == ("sea", "sand", "sun")
    np.testing.assert_array_equal(found.wrong, audit(model, X, Y, cv=2).wrong)
