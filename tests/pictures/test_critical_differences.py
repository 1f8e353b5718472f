import re
import shutil
import subprocess
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from plait.experiments.statistics import cd_svg, cd_text, cd_tikz, compare_methods

NAMES = ("BR", "ECC", "a < b & 'c'", "PCC", "LLSF")
SVG = "{http://www.w3.org/2000/svg}"
FOUR = ("BR", "a long name", "CC", "PCC")


def comparison(control=None, gap=0.4, names=NAMES):
    scores = np.random.default_rng(15).normal(size=(13, len(names))) + gap * np.arange(len(names))
    return compare_methods(scores, names, control=control)


def parsed(text):
    return ET.fromstring(text)


def test_every_method_is_named_with_its_rank_and_marked_on_the_axis():
    found = comparison()
    root = parsed(cd_svg(found))
    words = [node.text for node in root.iter(f"{SVG}text")]
    for name, rank in zip(NAMES, found.average_ranks, strict=True):
        assert f"{name} {rank:.2f}" in words
    marks = sorted(float(node.get("cx")) for node in root.iter(f"{SVG}circle"))
    ranks = np.sort(found.average_ranks)
    # The axis is linear: equal steps of rank are equal steps of length.
    np.testing.assert_allclose(np.interp(ranks, ranks[[0, -1]], [marks[0], marks[-1]]), marks, rtol=0, atol=0.2)


@pytest.mark.parametrize("control", [None, "PCC"])
def test_tikz_draws_dots_bars_and_names_where_the_svg_does(control):
    found = comparison(control)
    root, text = parsed(cd_svg(found, 600.0)), cd_tikz(found, 12.0)
    in_svg = sorted(float(node.get("cx")) / 50 for node in root.iter(f"{SVG}circle"))
    in_tikz = sorted(float(x) for x in re.findall(r"\\fill \((\S+?),", text))
    np.testing.assert_allclose(in_tikz, in_svg, rtol=0, atol=0.003)
    bars = [node for node in root.iter(f"{SVG}line") if node.get("stroke-linecap") == "round"]
    ends = re.findall(r"line cap=round\] \((\S+?),\S+ -- \((\S+?),", text)
    wanted = [[float(bar.get("x1")) / 50, float(bar.get("x2")) / 50] for bar in bars]
    np.testing.assert_allclose(np.array(ends, dtype=float), wanted, rtol=0, atol=0.003)
    assert r"a \textless{} b \& 'c'" in text
    assert (r"\textbf{PCC" in text) == (control is not None)
    assert text.count("{") == text.count("}")


def test_a_bar_for_every_group_and_one_for_a_control():
    def bars(found):
        return [node for node in parsed(cd_svg(found)).iter(f"{SVG}line") if node.get("stroke-linecap") == "round"]

    found = comparison()
    assert len(bars(found)) == len(found.groups) > 1
    assert len(bars(comparison(control="PCC"))) == 1
    assert 'font-weight="600">PCC' in cd_svg(comparison(control="PCC"))


def test_bold_names_have_room_in_their_margin():
    plain, bold = (comparison(control, names=("br", "the longest", "cc")) for control in (None, "the longest"))
    starts = [float(next(parsed(cd_svg(found)).iter(f"{SVG}line")).get("x1")) for found in (plain, bold)]
    assert starts[1] > starts[0]


def test_nothing_leaves_the_picture_whatever_the_names():
    for names in (("a", "b"), ("x" * 60, "b", "c"), tuple(f"method {m}" for m in range(15))):
        root = parsed(cd_svg(comparison(names=names)))
        _, _, width, height = map(float, root.get("viewBox").split())
        for node in root.iter(f"{SVG}text"):
            assert 0 <= float(node.get("x")) <= width
            assert 0 <= float(node.get("y")) <= height
        for node in root.iter(f"{SVG}line"):
            assert all(0 <= float(node.get(side)) <= width for side in ("x1", "x2"))


def test_a_difference_longer_than_the_axis_is_written_inside_the_picture():
    found = compare_methods([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]], ["a method", "another one", "a third"])
    root = parsed(cd_svg(found))
    words = next(node for node in root.iter(f"{SVG}text") if "CD =" in node.text)
    assert "longer than the axis" in words.text
    reach = 4.5 * len(words.text)  # half of a generous length
    assert words.get("text-anchor") == "middle"
    assert reach <= float(words.get("x")) <= 720 - reach


def test_numbers_of_many_ranks_are_thinned_out():
    root = parsed(cd_svg(comparison(names=tuple(f"method {m}" for m in range(50)))))
    places = {int(n.text): float(n.get("x")) for n in root.iter(f"{SVG}text") if n.text.isdigit()}
    assert {1, 10, 50} <= set(places)
    assert 5 <= len(places) < 50
    assert np.diff([places[rank] for rank in sorted(places)]).min() >= 15
    few = parsed(cd_svg(comparison()))
    assert [n.text for n in few.iter(f"{SVG}text") if n.text.isdigit()] == ["1", "2", "3", "4", "5"]


def test_colours_come_from_the_page_and_the_title_says_the_outcome():
    text = cd_svg(comparison())
    assert "currentColor" in text
    assert 'fill="#' not in text
    assert "Friedman over 13 data sets" in parsed(text).find(f"{SVG}title").text
    assert parsed(cd_svg(comparison(), title="Exact match")).find(f"{SVG}title").text == "Exact match"


def scores(gap):
    return np.random.default_rng(14).normal(size=(12, 4)) + gap * np.arange(4)


def test_stars_stand_at_the_ranks_and_bars_reach_from_first_to_last_of_a_group():
    comparison = compare_methods(scores(0.6), FOUR)
    lines = cd_text(comparison, width=61).splitlines()
    indent, ranks = len("a long name") + 1, comparison.average_ranks
    stars = {line[:indent].strip(): line.index("*") for line in lines if "*" in line}
    assert list(stars) == [FOUR[m] for m in np.argsort(ranks)]
    for name, rank in zip(FOUR, ranks, strict=True):
        assert stars[name] == indent + round((rank - 1) * 20)
    bars = [line for line in lines if set(line.strip()) == {"="}]
    assert len(bars) == len(comparison.groups) > 0
    for bar, group in zip(bars, comparison.groups, strict=True):
        assert (bar.index("="), len(bar) - 1) == (stars[FOUR[group[0]]], stars[FOUR[group[-1]]])


def test_only_plain_characters_and_it_says_what_the_bars_mean():
    assert cd_text(compare_methods(scores(0.0), FOUR)).isascii()
    clear = compare_methods(np.tile(np.arange(4.0), (60, 1)), FOUR)
    assert "Every difference of ranks is significant." in cd_text(clear)
    assert "PCC         *" in cd_text(clear)
    assert "are not told apart from CC." in cd_text(compare_methods(scores(0.2), FOUR, control="CC"))
    assert "(control)" in cd_text(compare_methods(scores(0.2), FOUR, control="CC"))


def test_two_methods_are_enough():
    assert "F(1, 11)" in cd_text(compare_methods(scores(1.0)[:, :2], FOUR[:2]))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
@pytest.mark.parametrize(
    "names", [("BR", "W" * 12, "a method with quite a long name", "PCC", "LLSF"), ("MDDM", "EBCC", "CC", "BR", "oCC")]
)
def test_a_browser_measures_no_text_outside_the_picture(names, tmp_path):
    page = tmp_path / "page.html"
    script = (
        "const s=document.querySelector('svg'),b=s.getBoundingClientRect();let bad=0;"
        "for(const t of s.querySelectorAll('text')){const r=t.getBoundingClientRect();"
        "if(r.left<b.left||r.right>b.right||r.bottom>b.bottom||r.top<b.top)bad++}"
        "document.title='outside:'+bad+' of '+s.querySelectorAll('text').length"
    )
    page.write_text(f"<body style='width:760px'>{cd_svg(comparison(names=names))}<script>{script}</script>")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "<title>outside:0 of 11</title>" in shown
