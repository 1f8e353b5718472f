import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from plait.pictures.axes import even_ticks, log_ticks, place_names
from plait.pictures.svg import text_width

BOX = (0.0, 0.0, 500.0, 300.0)


def area(x, y, words, anchor):
    width = text_width(words)
    left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
    return left, y - 9, left + width, y + 4


def test_names_meet_neither_each_other_nor_dots_nor_the_edge():
    chance = np.random.default_rng(0)
    for n in (1, 5, 20, 60):
        dots = [tuple(place) for place in chance.uniform((10, 10), (490, 290), size=(n, 2)).tolist()]
        placed = place_names(dots, [f"method {k}" for k in range(n)], list(range(n)), BOX)
        areas = [area(x, y, words, anchor) for _, x, y, words, anchor in placed]
        for k, (left, top, right, bottom) in enumerate(areas):
            assert left >= 0
            assert right <= 500
            assert top >= 0
            assert bottom <= 300
            for a, b, c, d in areas[:k]:
                assert right <= a or c <= left or bottom <= b or d <= top
            for dot, (x, y) in enumerate(dots):
                assert dot == placed[k][0] or not (left < x < right and top < y < bottom)
        assert len(placed) >= min(n, 15)


def test_the_first_in_the_order_is_served_first():
    dots = [(100.0, 100.0)] * 30
    placed = place_names(dots, ["a long name of a method"] * 30, [7, *range(7), *range(8, 30)], BOX)
    assert placed[0][0] == 7
    assert 1 <= len(placed) < 30


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
