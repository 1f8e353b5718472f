from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plait.experiments.report.drawing import cut_to, even_ticks, log_ticks, picture, text, text_width


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_even_ticks_lie_inside_at_even_steps_and_are_few(low, width):
    assume(width > 1e-6 * abs(low))
    ticks = even_ticks(low, low + width)
    assert len(ticks) <= 6
    slack = 1e-6 * max(abs(low), width)
    assert all(low - slack <= tick <= low + width + slack for tick in ticks)
    if len(ticks) > 2:
        np.testing.assert_allclose(np.diff(ticks), np.diff(ticks)[0], rtol=1e-3)


@given(st.floats(1e-5, 1e3), st.floats(1.7, 1e6))
def test_log_ticks_lie_inside_and_are_few(low, factor):
    ticks = log_ticks(low, low * factor)
    assert 2 <= len(ticks) <= 7
    assert ticks == sorted(set(ticks))
    assert all(low * 0.99 <= tick <= low * factor * 1.01 for tick in ticks)


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
