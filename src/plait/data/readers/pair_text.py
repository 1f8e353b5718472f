"""Text of many pairs such as `3 1,7 0.5,...` read at once: what sparse ARFF, LIBSVM and XC have in common."""

from functools import cached_property

import numpy as np

from plait.core.arrays import Array, Floats, Ints

__all__ = ["PairText", "plain_numbers"]

_MOST_DIGITS = 18


class PairText:
    """Pairs of an index and a word.

    Parameters
    ----------
    text : str
        ASCII, without blanks that mean nothing.
    between, after : str
        What stands between an index and its word, and between two pairs.

    Raises
    ------
    ValueError
        If these are not pairs, or an index is no whole number.
    """

    def __init__(self, text: str, between: str, after: str):
        self.text, self.between, self.after = text, between, after
        self.letters = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
        is_between, is_after = self.letters == ord(between), self.letters == ord(after)
        marks = np.flatnonzero(is_between | is_after)
        in_turn = is_between[marks[::2]].all() and is_after[marks[1::2]].all() and len(marks) % 2 == 1
        if text and not in_turn:
            raise ValueError("not all are pairs")
        bounds = np.concatenate(([-1], marks, [len(text)] if text else []))
        self.starts, self.stops = bounds[:-1] + 1, bounds[1:]
        indices = _whole_numbers(self.letters, self.starts[::2], self.stops[::2])
        if indices is None:
            raise ValueError("an index is no whole number")
        self.indices = indices

    @cached_property
    def words(self) -> list[str]:
        """The words of all pairs."""
        return self.text.replace(self.between, self.after).split(self.after)[1::2]

    def numbers(self, chosen: Ints, letters: bytes) -> Floats:
        """Return the words of some pairs as `plain_numbers` does."""
        whole = _whole_numbers(self.letters, self.starts[1::2][chosen], self.stops[1::2][chosen])
        if whole is not None and whole.max(initial=0) <= 2**53:
            return whole.astype(np.float64)
        return plain_numbers([self.words[k] for k in chosen.tolist()], letters)


def plain_numbers(words: list[str], letters: bytes) -> Floats:
    """Return numbers as Python reads them, but only from words of some letters; `?` is NaN where it is one of them."""
    text = "".join(words)
    if text.encode("ascii").translate(None, letters):
        raise ValueError("no number has such letters")
    if "?" in text:
        words = ["nan" if word == "?" else word for word in words]
    return np.fromiter(map(float, words), dtype=np.float64, count=len(words))


def _whole_numbers(letters: Array, starts: Ints, stops: Ints) -> Ints | None:
    """Return the numbers that are spelt by digits alone between some places, or None if one is not."""
    lengths = stops - starts
    total = np.zeros(len(starts), dtype=np.int64)
    if lengths.min(initial=1) < 1 or lengths.max(initial=1) > _MOST_DIGITS:
        return None
    for place in range(int(lengths.max(initial=0))):
        has = np.flatnonzero(lengths > place) if place else slice(None)
        digits = letters[stops[has] - 1 - place] - np.uint8(ord("0"))
        if (digits > 9).any():
            return None
        total[has] += digits * np.int64(10**place)
    return total
