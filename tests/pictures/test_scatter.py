import re
from xml.etree import ElementTree

import numpy as np
import pytest

from plait.pictures import BLUE, draw_scatter, unbeaten

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("higher", [True, False])
def test_unbeaten_against_all_pairs(higher):
    chance = np.random.default_rng(0)
    for _ in range(50):
        seconds, scores = chance.integers(1, 6, 8).astype(float), chance.integers(0, 6, 8).astype(float)
        good = scores if higher else -scores
        better = [
            any(
                (seconds[j] <= seconds[i] and good[j] >= good[i]) and (seconds[j] < seconds[i] or good[j] > good[i])
                for j in range(8)
            )
            for i in range(8)
        ]
        front = unbeaten(seconds, scores, higher)
        expected = {(seconds[i], scores[i]) for i in range(8) if not better[i]}
        assert {(seconds[i], scores[i]) for i in front} == expected
        assert len(front) == len(expected)


def drawn(seconds, scores, names):
    words = {"score_words": "score", "time_words": "seconds", "title": "a picture"}
    return draw_scatter(np.asarray(seconds, float), np.asarray(scores, float), names, **words)


def test_dots_stand_on_a_logarithmic_and_an_even_axis_and_the_unbeaten_are_blue():
    root = ElementTree.fromstring(drawn([1, 10, 100, 100], [0.2, 0.5, 0.8, 0.1], ["a", "b", "c", "d"]))
    dots = [(float(n.get("cx")), float(n.get("cy")), n.get("fill")) for n in root.iter(f"{SVG}circle")]
    assert [fill == BLUE for *_, fill in dots] == [True, True, True, False]
    x, y = np.array([dot[:2] for dot in dots]).T
    np.testing.assert_allclose(np.diff(x), [x[1] - x[0]] * 2 + [0], rtol=0, atol=0.11)
    np.testing.assert_allclose(np.diff(y), [-0.3 * (y[3] - y[2]) / 0.7] * 2 + [y[3] - y[2]], rtol=0, atol=0.11)
    titles = [node.find(f"{SVG}title").text for node in root.iter(f"{SVG}circle")]
    assert titles == ["a: 0.2, 1 s", "b: 0.5, 10 s", "c: 0.8, 100 s", "d: 0.1, 100 s"]


def test_one_dot_equal_dots_and_very_many():
    assert drawn([1], [0.5], ["a <b>"]).count("<circle") == 1
    for many in (drawn([2] * 50, [0.0] * 50, [f"m{k}" for k in range(50)]),):
        assert many.count("<circle") == 50
        assert not re.search(r'"[^"]*nan', many)
