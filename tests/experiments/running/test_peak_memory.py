import numpy as np
import pytest

from plait.experiments.running.peak_memory import PeakMemory


def test_the_most_that_was_held_is_seen_and_what_was_before_is_not():
    with PeakMemory() as large:
        np.ones(20_000_000).sum()
    with PeakMemory() as small:
        np.ones(1000).sum()
    if large.by != "high-water mark":
        pytest.skip("this system does not set its mark back")
    assert large.peak - large.before >= 150_000_000
    assert small.peak - small.before < 20_000_000
    assert small.peak >= small.before > 0
