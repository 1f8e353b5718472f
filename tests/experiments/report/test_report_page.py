"""The page in all cases, read as text; the browser is in test_page_script.py."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from plait.experiments import open_store, read_plan, run_plan
from plait.experiments.report.outcomes import collect_outcomes, outcomes_of
from plait.experiments.report.report_page import report_html
from plait.experiments.report.tables import report_contents
from plait.experiments.running.cells import CellResult

HOSTILE = "<script>alert('x')</script>\"'><img src=x onerror=alert(1)>"
EMPTY_TAGS = {"meta", "img", "br", "hr", "input", "link"}


class Page(HTMLParser):
    """Checks that tags are closed in order; collects tags with attributes, and texts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in EMPTY_TAGS:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def page_of(cells, missing=(), control=None, **more):
    text = report_html(report_contents(outcomes_of(cells, missing, **more), control))
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(svg)
    assert "nan" not in re.findall(r"<svg.*?</svg>", text, re.DOTALL).__repr__()
    return Page(text), text


def test_all_sections_are_there_and_every_link_leads_somewhere(made_up):
    page, text = page_of(made_up(), plan="made up", text="name = 'made up'")
    ids = page.ids()
    assert len(set(ids)) == len(ids)
    links = [attributes["href"][1:] for tag, attributes in page.tags if tag == "a"]
    assert set(links) <= set(ids)
    wanted = [
        "glance",
        "exact-match",
        "hamming-loss",
        "log-loss",
        "datasets",
        "calibration",
        "graphs",
        "features",
        "runs",
    ]
    assert list(dict.fromkeys(links)) == wanted
    assert text.count("class='two'") == 3
    assert "name = &#x27;made up&#x27;" in text
    assert "2027-01-15 08:00 UTC" in text


def test_a_real_run_fills_every_section(write_plan, tmp_path):
    plan = write_plan(
        """
        datasets = [{name = "beach", source = "beach.csv", labels = -3}]
        metrics = ["exact_match", "ranking_loss", "log_loss"]
        protocol = {kind = "kfold", folds = 2}
        [methods.br]
        [methods.cc]
        [methods.br_ldf]
        [methods.broken]
        use = "odd_models.Sleeper"
        fail = true
        """
    )
    run_plan(read_plan(plan, allow_imports=True), tmp_path / "results.sqlite")
    with open_store(tmp_path / "results.sqlite") as store:
        text = report_html(report_contents(collect_outcomes(store)))
    page = Page(text)
    assert {"glance", "exact-match", "log-loss", "datasets", "calibration", "graphs", "runs"} <= set(page.ids())
    assert "broken" in page.words
    assert any("too cold" in words for words in page.words)
    assert "sand" in page.words  # a label, in a graph
    assert "8 of 8" in page.words


def test_nothing_comes_from_outside(made_up):
    page, text = page_of(made_up())
    outside = [
        (tag, attributes)
        for tag, attributes in page.tags
        if tag in ("link", "img", "iframe") or "src" in attributes or attributes.get("href", "#")[0] != "#"
    ]
    assert outside == []
    assert set(re.findall(r"https?://[^\"' <]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in text
    assert "url(" not in text


def test_hostile_names_stay_words(made_up):
    cells = made_up((HOSTILE, "sun"), (HOSTILE, "cc"))
    cells = [
        replace(
            c,
            parameters={HOSTILE: HOSTILE},
            versions={HOSTILE: HOSTILE},
            extras={
                **c.extras,
                "warnings": [HOSTILE],
                "label_names": [HOSTILE] * 6,
                "features": {"shared": False, "by_label": [[0]] * 6, "names": {"0": HOSTILE}},
                "joint_by": "product of marginals",
            },
        )
        for c in cells
    ]
    cells[0] = replace(cells[0], error=HOSTILE, traceback=HOSTILE, metrics={})
    missing = [CellResult(HOSTILE, "cc", 9, 0)]
    page, _ = page_of(cells, missing, control="cc", plan=HOSTILE, text=HOSTILE, others=(HOSTILE,))
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "img" not in [tag for tag, _ in page.tags]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert sum(HOSTILE in words for words in page.words) > 20


def test_one_data_set_says_that_there_is_no_rank_test(made_up):
    _, text = page_of(made_up(("sea",)))
    assert text.count("No rank test: it takes at least two data sets, and there is one.") == 3
    assert "class='cd'" not in text
    assert "Scores on sea" in text


def test_one_method(made_up):
    _, text = page_of(made_up(methods=("br",)))
    assert text.count("No rank test: it takes at least two methods.") == 3


def test_an_unfinished_run_says_what_is_there(made_up):
    cells = made_up()
    page, text = page_of(cells[:-2], [replace(c, metrics={}, extras={}) for c in cells[-2:]])
    assert "25 of 27" in page.words
    assert "The run is not finished" in text
    assert "Ranks are over 2 of 3 data sets, those that every method has finished; not sand." in text
    assert page.words.count("2/3") == 6
    assert "Not finished" in page.words


def test_failures_are_told_with_their_trace(made_up):
    cells = made_up()
    cells[1] = replace(cells[1], error="ValueError: too cold", traceback="line 7\nin fit", metrics={})
    page, _ = page_of(cells)
    assert "ValueError: too cold" in page.words
    assert "line 7\nin fit" in page.words
    assert "Where it failed" in page.words


def test_all_failed_and_empty():
    failed = [CellResult("sea", "br", 0, 0, error="no")]
    page, _ = page_of(failed)
    assert "Failures" in page.words
    page, text = page_of([])
    assert "The store holds no cells yet" in text
    assert "graphs" not in page.ids()


def test_planned_and_nothing_finished():
    page, _ = page_of([], [CellResult("sea", "br", 0, 0)], metrics=("exact_match",))
    assert "0 of 1" in page.words


def test_graphs_that_are_equal_share_a_picture_and_empty_ones_are_named(made_up):
    cells = made_up(methods=("br", "cc", "tree", "br 2", "pcc"))
    _, text = page_of(cells)
    graphs = text.split("id='graphs'")[1].split("</section>")[0]
    assert graphs.count("No links between labels: br, br 2.") == 3
    assert graphs.count("cc, pcc: 6 labels, 15 links.") == 3


def test_only_the_first_pictures_of_very_many_are_drawn(made_up):
    _, text = page_of(
        made_up(tuple(f"set {d}" for d in range(45)), ("br", "cc", "tree"), folds=1, metrics=("micro_f1",))
    )
    features = text.split("id='features'")[1].split("</section>")[0]
    assert features.count("<figure>") == 120
    graphs = text.split("id='graphs'")[1].split("</section>")[0]
    assert graphs.count("<figure>") == 90


def test_the_joint_log_loss_is_shown_where_the_plan_does_not_name_it(made_up):
    _, text = page_of(made_up(), metrics=("exact_match",))
    assert "<h3>Joint log-loss</h3>" in text
    assert "<a href='#log-loss'>" not in text


@pytest.mark.parametrize("key", ["graphs", "features", "reliability"])
def test_a_section_without_content_is_left_out(made_up, key):
    cells = [replace(c, extras={k: v for k, v in c.extras.items() if k != key}) for c in made_up()]
    page, _ = page_of(cells)
    assert {"graphs": "graphs", "features": "features", "reliability": "calibration"}[key] not in page.ids()
