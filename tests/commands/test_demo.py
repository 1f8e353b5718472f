"""The demonstration shows real data with named tags, says what it does, and writes a page without any extra."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_digits

from plait.commands.demo import TAGS, digits_with_tags, run_demonstration
from plait.data import load_dataset

METHODS = ("br", "cc", "pcc", "ctbn", "auto")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "made" / "here"
    return folder, "\n".join(run_demonstration(folder, random_state=0))


def scores(text, method):
    """Return the numbers of a method in the table of scores."""
    line = next(line for line in text.splitlines() if re.match(rf" +{method} +\d", line))
    return [float(word) for word in re.findall(r"\d\.\d+", line)]


def test_tags_follow_from_the_digit_and_ten_sets_are_possible():
    data, digits = digits_with_tags(), load_digits()
    for name, column in zip(data.label_names, data.Y.T, strict=True):
        np.testing.assert_array_equal(column == 1, np.isin(digits.target, TAGS[name]))
    assert len(np.unique(data.Y, axis=0)) == 10
    assert data.feature_names[9] == "pixel_1_1"


def test_it_writes_what_it_says(shown):
    folder, text = shown
    assert {path.name for path in folder.iterdir()} == {"digits.arff", "digits.xml", "demo.svg", "demo.html"}
    assert str(folder / "demo.html") in text
    root = ElementTree.parse(folder / "demo.svg").getroot()
    words = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    # Two columns of bars and the graph.
    assert words.count("has a loop") == 3
    data = load_dataset(folder / "digits.arff")
    np.testing.assert_array_equal(data.Y, digits_with_tags().Y)
    assert data.label_names == tuple(TAGS)


def test_every_step_is_announced(shown):
    _, text = shown
    for number in range(1, 6):
        assert re.search(rf"^{number}\. ", text, re.MULTILINE)
    for method in METHODS:
        assert re.search(rf"^ +{method}: .* \.\.\.$", text, re.MULTILINE)
    assert max(len(line) for line in text.split("4. Questions")[0].split("3. The other")[1].splitlines()) <= 110


def test_the_joint_beats_labels_alone_in_every_column_of_its_own_loss(shown):
    _, text = shown
    found = {method: scores(text, method) for method in METHODS}
    for higher in range(4):
        assert found["br"][higher] < found["pcc"][higher] < found["auto"][higher]
    for lower in (4, 5):
        assert found["br"][lower] > found["auto"][lower]
    assert found["cc"][0] <= found["pcc"][0]


def test_same_seed_same_words_and_another_other_images(shown, tmp_path):
    _, text = shown
    again, other = ("\n".join(run_demonstration(tmp_path, random_state=seed)) for seed in (0, 1))
    assert again.split("5. Writing")[0] == text.split("5. Writing")[0]
    assert other.split("5. Writing")[0] != text.split("5. Writing")[0]


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (380, "dark")])
def test_the_page_shows_in_a_browser(browser, shown, width, scheme):
    folder, _ = shown
    browser.show(folder / "demo.html", width=width, scheme=scheme)
    assert browser.complaints == []
    assert browser.ask("document.querySelectorAll('.best').length") >= 6
    assert browser.ask("document.documentElement.scrollWidth") <= width
    # Nothing has to be scrolled sideways, no arrow stands below its word, and the pictures can be read.
    box = "document.querySelector('#table-scores').parentElement"
    assert browser.ask(f"{box}.scrollWidth <= {box}.clientWidth")
    heads = browser.ask("[...document.querySelectorAll('#table-scores thead th')].map(e => e.textContent)")
    assert [head for head in heads if head.endswith((" ↑", " ↓"))] == []
    assert heads[-1].endswith("\u00a0↓")
    words = "[...document.querySelectorAll('.panels text')].map(e => e.getBoundingClientRect().height)"
    assert browser.ask(f"Math.min(...{words})") > 11
    assert browser.ask("document.querySelectorAll('[src], link').length") == 0
