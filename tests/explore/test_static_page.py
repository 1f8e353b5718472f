"""The page that needs no server: its inference in Chromium against Python's, to 1e-9."""

import json
import time

import numpy as np
import pytest

from plait import recipes
from plait.core.sentences import ParameterError
from plait.explore import Explorer, forest_tables, write_static_page
from plait.explore.page import page_script

# Declared by `const` at the top of the page's script, so that it cannot be seen from outside by another name.
ASK = "(() => {{const {{parts, scores, known, by}} = {given}; {what}}})()"


@pytest.fixture(scope="module", params=["br", "tree", "mixture"])
def model(request, beach):
    if request.param == "br":
        return recipes.br(learner="logistic").fit(beach.X, beach.Y)
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def blank(browser, tmp_path_factory):
    """A browser that knows the inference of the page and nothing else."""
    page = tmp_path_factory.mktemp("blank") / "blank.html"
    page.write_text(f"<!doctype html><title>inference</title><script>{page_script().split('// The page')[0]}</script>")
    browser.show(page)
    return browser


def asked(browser, what, parts, scores, known, by="set"):
    given = json.dumps({"parts": parts, "scores": scores.tolist(), "known": known, "by": by})
    return browser.ask(ASK.format(given=given, what=what))


@pytest.mark.parametrize("known", [{}, {0: 1}, {1: 0, 3: 1, 5: 0}, {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 1}])
def test_inference_in_the_page_equals_pythons(blank, model, beach, known):
    rows = beach.X[:4]
    parts, tables = forest_tables(model.joint_.condition(rows))
    answer = model.joint(rows)
    given = answer.given(known) if known else answer
    top, marginals, ask = given.top(5), given.marginals(), given.ask(1, "set")
    doubts, log_prob = answer.doubts(beach.Y[:4]), answer.log_prob(beach.Y[:4])
    for i in range(len(rows)):
        found = asked(blank, "return [...Forests.marginals(parts, scores, known).marginals]", parts, tables[i], known)
        np.testing.assert_allclose(found, marginals[i], atol=1e-9)
        sets = asked(
            blank,
            "return Forests.best(parts, scores, known, 5).sets.map(({y, probability}) => [[...y], probability])",
            parts,
            tables[i],
            known,
        )
        there = top.probabilities[i] > 0
        np.testing.assert_allclose([p for _, p in sets], top.probabilities[i][there], atol=1e-9)
        exact = [np.exp(given[i : i + 1].log_prob([vector])[0]) for vector, _ in sets]
        np.testing.assert_allclose([p for _, p in sets], exact, atol=1e-9)
        y = beach.Y[i].tolist()
        found = asked(blank, f"return Forests.doubts(parts, scores, {y})", parts, tables[i], known)
        np.testing.assert_allclose(found, doubts[i], atol=1e-9)
        found = asked(blank, f"return Forests.logProb(parts, scores, {y})", parts, tables[i], known)
        np.testing.assert_allclose(found, log_prob[i], atol=1e-9)
        if len(known) < 6:
            worth = asked(blank, "return Forests.worth(parts, scores, known, by)", parts, tables[i], known)
            np.testing.assert_allclose(worth[ask.labels[i, 0]], ask.values[i, 0], atol=1e-9)
            np.testing.assert_allclose(max(worth), ask.values[i, 0], atol=1e-9)
    worth = asked(blank, "return Forests.worth(parts, scores, known, by)", parts, tables[0], known, "hamming")
    best = given[:1].ask(1, "hamming")
    if len(known) < 6:
        np.testing.assert_allclose(max(worth), best.values[0, 0], atol=1e-9)


def test_the_page_decides_as_python_does(browser, model, beach, tmp_path):
    explorer = Explorer(model, beach)
    write_static_page(explorer, tmp_path / "page.html", [3, 5, 8, 13, 21])
    browser.show(tmp_path / "page.html")
    wait(browser)
    assert browser.complaints == []
    for place, row in enumerate([3, 5, 8, 13, 21]):
        browser.click(f"#rows [data-row='{place}']")
        for loss in browser.ask("[...document.querySelector('#loss').options].map(o => o.value)"):
            browser.ask(f"{{const l = document.querySelector('#loss'); l.value = '{loss}'; l.onchange(); 0}}")
            shown = browser.ask(
                "new Promise(done => setTimeout(() => done([...document.querySelectorAll("
                "'#labels .in')].map(e => Number(e.dataset.label))), 30))"
            )
            assert sorted(shown) == np.flatnonzero(model.joint(beach.X[row : row + 1]).decide(loss)[0]).tolist()


def wait(browser):
    browser.ask(
        "new Promise(done => {const look = () => document.body.dataset.ready ? done(1) : setTimeout(look, 20); look()})"
    )


def test_the_page_keeps_and_saves_corrections(browser, tree, beach, tmp_path):
    explorer = Explorer(tree, beach)
    doubts = tree.joint(beach.X).doubts(beach.Y)
    row = int(doubts.max(axis=1).argmax())
    write_static_page(explorer, tmp_path / "page.html", [row])
    browser.show(tmp_path / "page.html")
    wait(browser)
    label = int(doubts[row].argmax())
    browser.click(f"[data-settle='correct {label}']")
    browser.ask(
        "new Promise(d => {const look = () => document.querySelector('#said').textContent ? d(1) : "
        "setTimeout(look, 20); look()})"
    )
    settled, end = "", time.monotonic() + 60
    while not settled and time.monotonic() < end:  # the browser hands its storage on a moment later
        browser.show(tmp_path / "page.html")
        wait(browser)
        settled = browser.ask("document.querySelector('#settled').textContent")
    assert settled.startswith(f"{beach.label_names[label]}: corrected")
    assert not browser.ask("document.querySelector('#save').hidden")


def test_names_are_text_in_the_page(browser, tree, beach, tmp_path):
    write_static_page(Explorer(tree, beach), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "<img src=x" not in text
    assert text.count("</script>") == 2
    browser.show(tmp_path / "page.html")
    wait(browser)
    assert browser.ask("document.title") == "<i>beach: plait explore"
    assert browser.ask("document.querySelectorAll('img, i:not(.track i), #labels b').length") == 0
    assert browser.complaints == []


def test_other_models_are_refused(beach, tmp_path):
    model = recipes.pcc(learner="logistic").fit(beach.X, beach.Y)
    with pytest.raises(ParameterError, match="at most one parent"):
        write_static_page(Explorer(model, beach), tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
