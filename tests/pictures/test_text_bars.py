import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.pictures.text_bars import bar, bar_lines, shortened


@pytest.mark.parametrize(("share", "expected"), [(0.0, ""), (1.0, "████"), (1e-9, "▏"), (0.5, "██"), (0.53, "██▏")])
def test_bar(share, expected):
    assert bar(share, 4) == expected


@given(st.lists(st.tuples(st.text(max_size=40), st.floats(0, 1), st.integers(0, 10**6)), max_size=5))
def test_lines_stand_below_each_other(rows):
    names, shares, counts = [list(column) for column in zip(*rows, strict=True)] if rows else ([], [], [])
    lines = bar_lines(names, shares, [str(count) for count in counts], ["|"] * len(rows), width=6, longest=10)
    assert len(lines) == len(rows)
    assert len({line.index("|", len(line) - 1) for line in lines}) <= 1
    assert all(len(line.splitlines()) == 1 for line in lines)
    for line, count in zip(lines, counts, strict=True):
        assert f" {count}  " in line


@given(st.text(), st.integers(1, 20))
def test_names_are_one_short_line(name, most):
    short = shortened(name, most)
    assert len(short) <= max(most, 1)
    assert len(short.splitlines()) <= 1
