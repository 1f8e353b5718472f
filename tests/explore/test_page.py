"""The served page in headless Chromium: mouse, keyboard, phone, dark; what is said stays after a reload."""

import json
import time

import numpy as np
import pytest

from plait import AutoJoint, recipes
from plait.data import Dataset
from plait.data.synthetic import make_label_network
from plait.explore import CorrectionLog, Explorer


@pytest.fixture
def page(browser, serve_here, explorer):
    with serve_here(explorer) as served:
        browser.address = served.address
        open_page(browser)
        yield browser
        browser.show("about:blank")


def open_page(browser, **settings):
    browser.show("about:blank")  # another hash alone would load nothing
    browser.show(browser.address, **settings)
    until(browser, "document.body.dataset.ready === 'yes'")


def until(browser, condition):
    """Wait until an expression of the page is true."""
    end = time.monotonic() + 20
    while not browser.ask(f"Boolean({condition})"):
        assert time.monotonic() < end, condition
        time.sleep(0.02)


def shares(browser):
    """Return the widths of all bars, in per cent, by label."""
    script = "Object.fromEntries([...document.querySelectorAll('#labels li')].map(li => "
    script += "[li.querySelector('.name').dataset.label, parseFloat(li.querySelector('i').style.width)]))"
    found = browser.ask(script)
    return np.array([found[str(k)] for k in range(len(found))]) / 100


def press(browser, key):
    codes = {"ArrowDown": 40, "ArrowUp": 38, "Escape": 27}
    given = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0), **({} if key in codes else {"text": key})}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **given)
    browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)


def no_complaints(browser):
    return [e for e in browser.complaints if "request" not in e["params"]]


def test_a_click_moves_the_other_labels(page, tree, beach):
    answer = tree.joint(beach.X[:1])
    np.testing.assert_allclose(shares(page), answer.marginals()[0], atol=1e-4)
    page.click("#labels [data-key='yes 1']")
    until(page, "document.querySelector('#labels .known-1') && !document.querySelector('#sets.busy')")
    np.testing.assert_allclose(shares(page), answer.given({1: 1}).marginals()[0], atol=1e-4)
    page.click("#graph [data-node='2']")
    until(page, "document.querySelectorAll('#labels .known-1').length === 2")
    np.testing.assert_allclose(shares(page), answer.given({1: 1, 2: 1}).marginals()[0], atol=1e-4)
    page.click("#forget")
    until(page, "!document.querySelector('#labels .known-1')")
    np.testing.assert_allclose(shares(page), answer.marginals()[0], atol=1e-4)
    assert no_complaints(page) == []


def test_the_keyboard_does_it_all(page, explorer, tree, beach):
    press(page, "ArrowDown")
    press(page, "ArrowDown")
    press(page, "n")
    until(page, "document.querySelector('#labels .known-0')")
    assert page.ask("document.activeElement.dataset.label") == "1"
    np.testing.assert_allclose(shares(page), tree.joint(beach.X[:1]).given({1: 0}).marginals()[0], atol=1e-4)
    press(page, "x")
    until(page, "!document.querySelector('#labels .known-0')")
    press(page, "w")
    until(page, "!document.querySelector('#whycard').hidden && document.querySelectorAll('#why tr').length > 2")
    press(page, "l")
    until(page, "document.querySelector('#decidedfor').textContent !== 'for subset'")
    press(page, "j")
    until(page, "location.hash === '#1' && document.querySelector('#rowname').textContent === 'Row 1'")
    press(page, "/")
    page.call("Input.insertText", text="77")
    until(page, "document.querySelectorAll('#rows li').length === 1")
    press(page, "Escape")
    press(page, "j")
    until(page, "document.querySelector('#rowname').textContent === 'Row 77'")
    press(page, "?")
    until(page, "document.querySelector('#keys').open")
    assert no_complaints(page) == []


def test_corrections_stay_after_a_reload(page, explorer, tree, beach):
    row = int(tree.joint(beach.X).doubts(beach.Y).max(axis=1).argmax())
    page.address += f"#{row}"
    open_page(page)
    label = page.ask("document.querySelector('[data-settle^=correct]').dataset.settle.split(' ')[1]")
    press(page, "c")
    until(page, "document.querySelector('#said').textContent.startsWith('Saved')")
    want = {(row, beach.label_names[int(label)]): "correct"}
    assert {key: c.action for key, c in CorrectionLog(explorer.corrections.path).current.items()} == want
    open_page(page)
    assert "corrected" in page.ask("document.querySelector('#settled').textContent")
    press(page, "a")  # the next doubt, if there is one
    page.click(f"[data-settle='undo {label}']")
    end, key = time.monotonic() + 20, (row, beach.label_names[int(label)])
    while key in CorrectionLog(explorer.corrections.path).current:
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(("width", "mobile"), [(1400, False), (390, True)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_can_be_read(page, width, mobile, scheme):
    open_page(page, width=width, mobile=mobile, scheme=scheme)
    assert page.ask("document.documentElement.scrollWidth") <= width
    ink, paper = (
        page.ask(f"getComputedStyle(document.body).{what}.match(/\\d+/g).slice(0, 3).map(Number)")
        for what in ("color", "backgroundColor")
    )
    assert abs(np.mean(ink) - np.mean(paper)) > 150
    assert (np.mean(paper) > 128) == (scheme == "light")
    small = page.ask("[...document.querySelectorAll('.say button')].every(b => b.getBoundingClientRect().height >= 20)")
    assert small
    assert no_complaints(page) == []


def test_names_are_shown_as_text(page, beach):
    names = page.ask("[...document.querySelectorAll('#labels .name')].map(e => e.textContent)")
    assert names == list(beach.label_names)
    assert page.ask("document.querySelector('h1').textContent") == beach.name
    assert page.ask("document.querySelectorAll('main img, #features b').length") == 0
    assert "<b>height" in page.ask("document.querySelector('#features').textContent")


def test_many_labels_stay_usable(browser, serve_here):
    data = make_label_network(80, 5, 100, random_state=0).dataset
    model = recipes.bcc(learner="logistic", random_state=0).fit(data.X, data.Y)
    with serve_here(Explorer(model, data)) as served:
        browser.address = served.address
        open_page(browser)
        until(browser, "!document.querySelector('#sets.busy') && document.querySelector('#sets tr')")
        assert browser.ask("document.querySelectorAll('#labels li').length") == 40
        assert browser.ask("document.querySelectorAll('#graph .node').length") <= 17
        browser.ask(
            f"{{const f = document.querySelector('#find'); f.value = {json.dumps(data.label_names[99])}; "
            "f.oninput(); 0}"
        )
        until(browser, "document.querySelectorAll('#labels li').length < 5")
        browser.click("#labels [data-key='yes 99']")
        until(browser, "document.querySelector('#labels .known-1')")
        assert no_complaints(browser) == []
        browser.show("about:blank")


def test_small_probabilities_have_digits_only_where_all_are_small(browser, serve_here, tmp_path):
    shares = "[...document.querySelectorAll('#sets .share')].map(e => e.textContent)"
    rng = np.random.default_rng(0)
    for n_labels, strength in ((3, 9.0), (60, 0.0)):
        X = rng.normal(size=(200, 2))
        Y = (strength * X[:, [0]] + rng.normal(size=(200, n_labels)) > 0).astype(int)
        model = recipes.br(learner="logistic", random_state=0).fit(X, Y)
        far = Dataset([[6.0, 0.0]], Y[:1], name="far")
        with serve_here(Explorer(model, far, corrections=CorrectionLog(tmp_path / f"{n_labels}.csv"))) as served:
            browser.address = served.address
            open_page(browser)
            until(browser, "document.querySelectorAll('#sets .share').length > 1")
            found = browser.ask(shares)
            assert ("<0.1 %" in found) == (n_labels == 3)
            assert any("e-" in share for share in found) == (n_labels == 60)
            browser.show("about:blank")


def test_no_line_of_the_graph_hides_behind_labels_and_names_are_whole(browser, serve_here, tmp_path):
    network = make_label_network(120, 4, 6, structure="chain", strength=3.0, random_state=0).dataset
    data = Dataset(network.X, network.Y, network.feature_names, [f"a rather long name {k}" for k in range(6)], "long")
    model = AutoJoint(learners=["logistic"], random_state=0).fit(data.X, data.Y)  # chains in several orders
    with serve_here(Explorer(model, data, corrections=CorrectionLog(tmp_path / "said.csv"))) as served:
        browser.address = served.address
        open_page(browser, width=390, mobile=True)
        until(browser, "document.querySelectorAll('#graph .node').length === 6")
        # Middles of all lines but the heads of arrows, against the boxes of the labels.
        hidden = browser.ask("""(() => {
            const boxes = [...document.querySelectorAll('#graph rect.frame')].map(e => e.getBoundingClientRect());
            const lines = [...document.querySelectorAll('#graph path')].filter(e => e.getAttribute('d').includes('C'));
            const middles = lines.map(e => { const p = e.getPointAtLength(e.getTotalLength() / 2), m = e.getScreenCTM();
              return [p.x * m.a + m.e, p.y * m.d + m.f]; });
            return [lines.length, middles.filter(([x, y]) => boxes.some(b => x > b.left && x < b.right && y > b.top
              && y < b.bottom)).length, document.querySelector('#graph svg').getBoundingClientRect().width >=
              Math.max(...lines.map(e => e.getBoundingClientRect().right)) -
              document.querySelector('#graph svg').getBoundingClientRect().left]; })()""")
        assert hidden == [15, 0, True]
        assert browser.ask(
            "[...document.querySelectorAll('#labels .name')].every(e => e.scrollWidth <= e.clientWidth + 1)"
        )
        browser.show("about:blank")
