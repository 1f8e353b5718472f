from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.pictures.svg import cut_to, picture, text, text_width


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
