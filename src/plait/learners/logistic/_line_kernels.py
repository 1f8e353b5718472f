"""Kernel of the line search: one round of Newton's method inside brackets, for the lengths of all lanes."""

import numpy as np

from plait.core.compilation import kernel

__all__ = ["next_lengths"]

_GROWTH = 4.0


@kernel
def next_lengths(slope, bend, most, low, high, lengths, running):  # type: ignore[no-untyped-def]
    """Change the lengths of running lanes whose slope is above `most`, stop the others; return whether one still runs.

    `low` and `high` are what brackets the root of the slope so far, `high` infinite where no positive slope was seen.
    The next length is Newton's where that lies well inside the bracket, else the middle of the bracket; a little
    further where there is none.
    """
    some = False
    for lane in range(len(lengths)):
        if not running[lane] or abs(slope[lane]) <= most[lane]:
            running[lane] = False
            continue
        some = True
        length = lengths[lane]
        if slope[lane] < 0:
            low[lane] = length
        else:
            high[lane] = length
        guess = length - slope[lane] / bend[lane] if bend[lane] > 0 else length
        if np.isfinite(high[lane]):
            between = high[lane] - low[lane]
            well = low[lane] + 0.05 * between < guess < low[lane] + 0.95 * between
            lengths[lane] = guess if well else low[lane] + 0.5 * between
        else:
            lengths[lane] = min(max(guess, 1.01 * length), _GROWTH * length)
    return some
