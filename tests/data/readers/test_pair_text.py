"""Pairs read at once against Python's own numbers, pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.readers.pair_text import PairText, plain_numbers

LETTERS = b"0123456789+-.eE?"
words = st.one_of(
    st.integers(0, 10**18).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "007", "-0", "9007199254740993", "1e999", "1." + "0" * 30, "9" * 18]),
)
marks = pytest.mark.parametrize(("between", "after"), [(" ", ","), (":", " ")])


@marks
@given(pairs=st.lists(st.tuples(st.integers(0, 10**18 - 1), words), max_size=6), data=st.data())
def test_indices_and_numbers_are_those_of_python(between, after, pairs, data):
    text = PairText(after.join(f"{index}{between}{word}" for index, word in pairs), between, after)
    assert text.indices.tolist() == [index for index, _ in pairs]
    assert text.words == [word for _, word in pairs]
    chosen = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs))))
    expected = np.array([float(pairs[k][1]) for k in chosen], dtype=np.float64)
    assert text.numbers(chosen, LETTERS).tobytes() == expected.tobytes()


@pytest.mark.parametrize("text", ["1", "1 2,", ",1 2", "1 2 3", "1 2,3", "1,2", "1 2,3 4 5,6", "1 2,,3 4", "1  2"])
def test_what_are_no_pairs(text):
    with pytest.raises(ValueError, match="not all are pairs"):
        PairText(text, " ", ",")


@pytest.mark.parametrize("index", ["", "x", "-1", "+1", "1.0", "1_0", "1" * 19, "\x00", ":", "/"])
def test_what_is_no_index(index):
    with pytest.raises(ValueError, match="an index is no whole number"):
        PairText(f"1 2,{index} 2", " ", ",")


def test_letters_of_numbers_are_given():
    assert np.isnan(plain_numbers(["?", "1"], LETTERS)).tolist() == [True, False]
    for wrong in (["nan"], ["inf"], ["1_0"], ["1?"], [""], ["0x1"]):
        with pytest.raises(ValueError, match=r"no number has such letters|could not convert"):
            plain_numbers(wrong, LETTERS)
    with pytest.raises(ValueError, match="no number has such letters"):
        plain_numbers(["?"], LETTERS[:-1])
