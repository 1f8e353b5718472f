"""Numbers read back as they were."""

import math

from hypothesis import given
from hypothesis import strategies as st

from plait.data.writers.number_words import number_text


@given(st.floats())
def test_a_word_reads_back_as_the_same_number(value):
    word = number_text(value)
    assert float(word) == value or math.isnan(value)
    assert math.copysign(1.0, float(word)) == math.copysign(1.0, value) or math.isnan(value)
    assert len(word) <= len(repr(value))
