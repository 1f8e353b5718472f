"""The page in headless Chromium: it renders, sorts, saves, zooms, prints; light and dark; on a phone."""

import json
import re
import time
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from plait.experiments.report import outcomes_of, report_contents, write_report

LONG = "MethodWithoutAnySpacesInItsVeryLongNameThatNobodyWouldType"


@pytest.fixture(scope="module")
def page(made_up, tmp_path_factory):
    methods = ("br", "<script>document.title='bad'</script>", LONG, "数据 cc", "pcc with a name of several words", "mc")
    datasets = ("sea", "sun", "a_data_set_with_a_very_long_name_2011", *(f"set {d}" for d in range(8)))
    cells = made_up(datasets, methods, folds=2, labels=14)
    # One value is infinite and one is missing: they sort to the end.
    cells = [
        replace(c, metrics={**c.metrics, "log_loss": float("inf")}) if (c.dataset, c.method) == ("sea", "mc") else c
        for c in cells
    ]
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(report_contents(outcomes_of(cells[1:], [replace(cells[0], metrics={})], plan="made up")), path)
    return path


def show(browser, page, **settings):
    """Show the page with everything unfolded."""
    browser.show(page, **settings)
    browser.ask("document.querySelectorAll('details').forEach(box => { box.open = true; })")


def column(browser, table, place):
    script = (
        f"[...document.querySelectorAll('#table-{table} tbody tr')].map(r => r.cells[{place}].dataset.value || null)"
    )
    return [None if value is None else float(value) for value in browser.ask(script)]


def test_it_renders_without_complaints(browser, page):
    show(browser, page)
    assert browser.complaints == []
    assert browser.ask("document.title") == "made up: report"
    pictures = "[...document.querySelectorAll('svg:not(svg + svg)')]"
    assert browser.ask(f"{pictures}.filter(s => !s.getBoundingClientRect().width).length") == 0
    assert browser.ask("document.querySelectorAll('h2').length") == 9


def test_a_click_sorts_and_another_turns_it_round(browser, page):
    show(browser, page)
    before = column(browser, "exact-match", 3)
    browser.click("#table-exact-match thead th:nth-child(4) button")
    down = column(browser, "exact-match", 3)
    # Large scores are good, so they come first.
    assert down == sorted(before, reverse=True)
    assert down != before
    browser.click("#table-exact-match thead th:nth-child(4) button")
    assert column(browser, "exact-match", 3) == sorted(before)
    assert browser.ask("document.querySelectorAll('th[aria-sort]').length") == 1
    browser.click("#table-exact-match thead th:first-child button")
    names = browser.ask("[...document.querySelectorAll('#table-exact-match tbody th')].map(c => c.textContent)")
    assert names[0].startswith("<script>")
    assert names.index("br") < names.index("mc")
    assert browser.complaints == []


def test_infinite_values_sort_as_the_largest(browser, page):
    show(browser, page)
    browser.click("#table-log-loss thead th:nth-child(3) button")
    values = column(browser, "log-loss", 2)
    assert values[-1] == float("inf")
    assert values[:-1] == sorted(values[:-1])


def test_missing_values_sort_last_either_way(browser, page):
    show(browser, page)
    query = "#table-exact-match tbody tr:nth-child(2) td:nth-child(4)"
    browser.ask(f"document.querySelector({json.dumps(query)}).removeAttribute('data-value')")
    for _ in range(2):
        browser.click("#table-exact-match thead th:nth-child(4) button")
        assert column(browser, "exact-match", 3)[-1] is None


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (390, "dark"), (800, "light"), (1280, "dark")])
def test_no_page_is_wider_than_its_window(browser, page, width, scheme):
    show(browser, page, width=width, scheme=scheme, mobile=width < 500)
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.complaints == []
    # What is wider scrolls in a box of its own.
    wider = browser.ask(
        "[...document.querySelectorAll('main *')].filter(e => !e.closest('.wide, .zoom, pre') && "
        f"e.getBoundingClientRect().right > {width} + 1).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wider == []
    # A long name is broken, and leaves room for numbers.
    names = "Math.max(...[...document.querySelectorAll('.wide:not(.paper) tbody th')].map(e => e.offsetWidth))"
    assert browser.ask(names) <= max(0.45 * width, 240)


def contrast(one, other):
    def light(colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    brighter, darker = sorted((light(one), light(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_are_readable_in_light_and_dark(browser, page, scheme):
    show(browser, page, scheme=scheme)
    style = "getComputedStyle(document.querySelector({!r})).{}"
    ground = browser.ask(style.format("body", "backgroundColor"))
    for query in ("body", ".note", ".best", "td small", "nav a", "summary", "svg text"):
        assert contrast(browser.ask(style.format(query, "color")), ground) >= 4.5, query


def test_light_and_dark_differ(browser, page):
    grounds = []
    for scheme in ("light", "dark"):
        show(browser, page, scheme=scheme)
        grounds.append(browser.ask("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]


def test_a_saved_picture_stands_alone(browser, page):
    show(browser, page, scheme="dark")
    browser.ask(
        "window.kept = []; URL.createObjectURL = blob => { window.kept.push(blob); return '#'; };"
        "HTMLAnchorElement.prototype.click = function() { window.name_ = this.download; }; 0"
    )
    n_buttons = browser.ask("document.querySelectorAll('figure button.save').length")
    assert n_buttons == browser.ask("document.querySelectorAll('figure').length")
    browser.click(".two button.save")
    text = browser.ask("window.kept[0].text()")
    assert browser.ask("window.name_") == "critical-difference-exact_match.svg"
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert 'color="#1b2733"' in text
    assert "max-width" not in text
    alone = page.parent / "alone.svg"
    alone.write_text(text, encoding="utf8")
    browser.show(alone)
    assert browser.complaints == []
    assert browser.ask("document.documentElement.getBoundingClientRect().width") == 720


def test_the_button_downloads_a_file(browser, page, tmp_path):
    show(browser, page)
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.click("#exact-match figure:not(.two) button.save")
    file = tmp_path / "time-exact_match.svg"
    deadline = time.monotonic() + 60
    while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert ElementTree.parse(file).getroot().get("viewBox").startswith("0 0 480")


def test_a_graph_zooms_and_keeps_its_box(browser, page):
    show(browser, page)
    size = "document.querySelector('#graphs .zoom svg').getBoundingClientRect().width"
    box = "document.querySelector('#graphs .zoom').getBoundingClientRect().width"
    natural, room = browser.ask(size), browser.ask(box)
    browser.click("#graphs [data-zoom=in]")
    assert browser.ask(size) == pytest.approx(1.4 * natural, rel=1e-3)
    assert browser.ask(box) <= max(room, browser.ask("document.querySelector('main').clientWidth"))
    browser.click("#graphs [data-zoom=one]")
    assert browser.ask(size) == pytest.approx(natural, rel=1e-3)
    browser.click("#graphs [data-zoom=whole]")
    shown = browser.ask(
        "(() => {const b = document.querySelector('#graphs .zoom'); "
        "return b.scrollWidth <= b.clientWidth + 1 && b.scrollHeight <= b.clientHeight + 1})()"
    )
    assert shown
    # Names are read at the natural size.
    assert browser.ask("getComputedStyle(document.querySelector('#graphs svg')).fontSize") == "12px"


def test_no_name_of_a_graph_leaves_its_picture_and_no_two_meet(browser, page):
    show(browser, page)
    script = """[...document.querySelectorAll('#graphs svg')].map(svg => {
      const box = svg.getBoundingClientRect();
      const all = [...svg.querySelectorAll('text')].map(t => t.getBoundingClientRect());
      const out = all.filter(r => r.left < box.left || r.right > box.right || r.bottom > box.bottom).length;
      let meet = 0;
      all.forEach((a, i) => all.slice(0, i).forEach(b => {
        if (a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom) meet++; }));
      return [out, meet]; })"""
    assert {tuple(pair) for pair in browser.ask(script)} == {(0, 0)}


def test_no_words_leave_a_plot(browser, page):
    show(browser, page)
    script = """[...document.querySelectorAll('.grid svg, #exact-match svg')].map(svg => {
      const box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')].filter(t => {
        const r = t.getBoundingClientRect();
        return r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 2 || r.bottom > box.bottom + 1;
      }).map(t => t.textContent)}).flat()"""
    assert browser.ask(script) == []


def test_it_prints_whole_and_light(browser, page):
    show(browser, page, scheme="dark")
    assert browser.pdf().startswith(b"%PDF-")
    browser.call("Emulation.setEmulatedMedia", media="print", features=[])
    browser.call("Emulation.setDeviceMetricsOverride", width=760, height=1000, deviceScaleFactor=1, mobile=False)
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.ask("document.documentElement.scrollWidth") <= 760
    display = "getComputedStyle(document.querySelector({!r})).display"
    assert [browser.ask(display.format(kind)) for kind in (".tools", ".screen", ".paper")] == ["none", "none", "block"]
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    browser.ask("dispatchEvent(new Event('beforeprint')); 0")
    browser.ask("document.querySelector('#glance details').open = false")
    browser.ask("dispatchEvent(new Event('beforeprint')); 0")
    assert browser.ask("document.querySelectorAll('details:not([open])').length") == 0
    browser.ask("dispatchEvent(new Event('afterprint')); 0")
    assert browser.ask("document.querySelectorAll('details:not([open])').length") > 0


def test_only_the_main_table_and_the_first_metric_are_unfolded_and_a_link_opens_its_section(browser, page):
    browser.show(page)
    is_open = "[...document.querySelectorAll('section')].filter(s => s.querySelector('details').open).map(s => s.id)"
    assert browser.ask(is_open) == ["glance", "exact-match"]
    browser.click("nav a[href='#graphs']")
    assert browser.ask(
        "new Promise(done => setTimeout(() => done(document.querySelector('#graphs details').open), 50))"
    )
    assert browser.complaints == []


def unseen(browser, query):
    return browser.ask(f"[...document.querySelectorAll({json.dumps(query)})].every(e => !e.checkVisibility())")


def test_boxes_hide_methods_metrics_and_data_sets_everywhere(browser, page):
    show(browser, page)
    for kind, value in (("method", "mc"), ("metric", "log_loss"), ("dataset", "sun")):
        browser.click(f"[data-filter='{kind}'][value='{value}']")
        assert unseen(browser, f"main [data-{kind}='{value}']")
    rows = browser.ask(
        "[...document.querySelectorAll('main table:not(#table-versions) tbody tr')].filter(r => r.checkVisibility())"
        ".flatMap(r => [...r.cells].filter(c => c.classList.contains('text')).map(c => c.textContent))"
    )
    assert not {"mc", "sun"} & set(rows)
    assert {"br", "sea"} <= set(rows)
    heads = browser.ask(
        "[...document.querySelectorAll('main thead th')].filter(h => h.checkVisibility()).map(h => h.textContent)"
    )
    assert not [head for head in heads if head in ("sun", "mc") or head.startswith("joint log-loss")]
    assert "sea" in heads
    for kind, value in (("method", "mc"), ("metric", "log_loss"), ("dataset", "sun")):
        browser.click(f"[data-filter='{kind}'][value='{value}']")
    assert browser.ask("document.querySelectorAll('.off').length") == 0
    assert browser.complaints == []


@pytest.mark.parametrize("width", [380, 768])
def test_critical_differences_fit_a_phone_and_their_words_can_be_read(browser, page, width):
    show(browser, page, width=width, mobile=width < 500)
    box = "document.querySelector('#exact-match .two .wide')"
    assert browser.ask(f"{box}.scrollWidth <= {box}.clientWidth")
    shown = "[...document.querySelectorAll('#exact-match .two svg')].filter(e => e.getBoundingClientRect().width > 0)"
    assert browser.ask(f"{shown}.length") == 1
    heights = f"{shown}.flatMap(e => [...e.querySelectorAll('text')]).map(e => e.getBoundingClientRect().height)"
    assert browser.ask(f"Math.min(...{heights})") > 11


@pytest.mark.parametrize("width", [1920, 1400, 1024, 768, 380])
def test_the_main_table_of_five_metrics_fits_its_box(browser, made_up, tmp_path, width):
    five = ("exact_match", "hamming_loss", "micro_f1", "macro_f1", "log_loss")
    methods, box = (
        ("br", "cc", "pcc with a name of several words", "mc"),
        "document.querySelector('#table-glance').parentElement",
    )
    for datasets in (("sea", "sun"), ("sea",)):  # ranks, or scores with their spread
        cells = made_up(datasets, methods, metrics=five)
        write_report(report_contents(outcomes_of(cells)), tmp_path / "page.html")
        browser.show(tmp_path / "page.html", width=width)
        assert browser.ask(f"{box}.scrollWidth <= {box}.clientWidth")
    assert browser.ask("document.querySelectorAll('#table-glance thead th').length") == 7
