import numpy as np

from plait.experiments.statistics.diagram_text import cd_text
from plait.experiments.statistics.rank_comparison import compare_methods

NAMES = ("BR", "a long name", "CC", "PCC")


def scores(gap):
    return np.random.default_rng(14).normal(size=(12, 4)) + gap * np.arange(4)


def test_stars_stand_at_the_ranks_and_bars_reach_from_first_to_last_of_a_group():
    comparison = compare_methods(scores(0.6), NAMES)
    lines = cd_text(comparison, width=61).splitlines()
    indent, ranks = len("a long name") + 1, comparison.average_ranks
    stars = {line[:indent].strip(): line.index("*") for line in lines if "*" in line}
    assert list(stars) == [NAMES[m] for m in np.argsort(ranks)]
    for name, rank in zip(NAMES, ranks, strict=True):
        assert stars[name] == indent + round((rank - 1) * 20)
    bars = [line for line in lines if set(line.strip()) == {"="}]
    assert len(bars) == len(comparison.groups) > 0
    for bar, group in zip(bars, comparison.groups, strict=True):
        assert (bar.index("="), len(bar) - 1) == (stars[NAMES[group[0]]], stars[NAMES[group[-1]]])


def test_only_plain_characters_and_it_says_what_the_bars_mean():
    assert cd_text(compare_methods(scores(0.0), NAMES)).isascii()
    clear = compare_methods(np.tile(np.arange(4.0), (60, 1)), NAMES)
    assert "Every difference of ranks is significant." in cd_text(clear)
    assert "PCC         *" in cd_text(clear)
    assert "do not differ from CC." in cd_text(compare_methods(scores(0.2), NAMES, control="CC"))
    assert "(control)" in cd_text(compare_methods(scores(0.2), NAMES, control="CC"))


def test_two_methods_are_enough():
    assert "F(1, 11)" in cd_text(compare_methods(scores(1.0)[:, :2], NAMES[:2]))
