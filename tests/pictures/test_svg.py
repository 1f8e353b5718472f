from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.pictures.arrangements import headed, panels, saved
from plait.pictures.svg import cut_to, picture, text, text_width

SVG = "{http://www.w3.org/2000/svg}"


@given(st.text(max_size=60), st.floats(30, 300))
def test_cut_names_fit_and_keep_both_ends(words, room):
    plain = " ".join(words.split()) or "(no name)"
    short = cut_to(words, room)
    assert text_width(short) <= room or len(short) <= 3
    if short != plain:
        assert "…" in short
        start, end = short.split("…")[0], short.rsplit("…", 1)[1]
        assert plain.startswith(start)
        assert plain.endswith(end)


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "a & \"b\" 'c'", "ß 数据"])
def test_words_are_escaped(words):
    root = ElementTree.fromstring(picture(100, 50, [text(1, 2, words, title=words)], words))
    node = root.find("{http://www.w3.org/2000/svg}text")
    assert "".join(node.itertext()) == words * 2
    assert len(node) == 1
    assert root.get("aria-label") == words


def test_pictures_stand_side_by_side_in_their_natural_sizes_and_can_be_saved():
    small, large = picture(100, 50, [], "small"), picture(200, 80, [], "large", shrinks=False)
    whole = ElementTree.fromstring(panels([[small, large], [large]], "all", gap=10))
    assert whole.get("viewBox") == "0 0 410 170"
    inner = list(whole.iter(f"{SVG}svg"))[1:]
    parts = [tuple(float(node.get(key)) for key in ("x", "y", "width", "height")) for node in inner]
    assert sorted(parts) == [(0.0, 0.0, 100.0, 50.0), (0.0, 90.0, 200.0, 80.0), (210.0, 0.0, 200.0, 80.0)]
    file = ElementTree.fromstring(saved(small, edge=5))
    assert (file.get("width"), file.get("height")) == ("110", "60")
    assert "100%;" not in saved(small)
    assert headed(small, "words above").count("<svg") == 2
