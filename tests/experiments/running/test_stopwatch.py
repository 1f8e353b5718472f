"""Compilation is not part of a method's seconds."""

import time

import numba

from plait.experiments.running.stopwatch import Stopwatch


def test_compilation_is_told_apart():
    @numba.njit
    def doubled(number):
        return 2 * number

    with Stopwatch() as first:
        assert doubled(3) == 6
    with Stopwatch() as second:
        assert doubled(3) == 6
    assert first.compiling > first.seconds
    assert second.compiling == 0.0


def test_what_is_done_besides_counts_and_an_error_ends_it():
    watch = Stopwatch()
    try:
        with watch:
            time.sleep(0.02)
            raise ValueError
    except ValueError:
        pass
    assert watch.seconds >= 0.02
    assert watch.compiling == 0.0
