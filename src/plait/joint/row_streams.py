"""One stream of random numbers for each row, so that rows in blocks draw what they draw together."""

from typing import Any

import numpy as np

from plait.core.arrays import Array, Bits, Floats
from plait.core.lazy_modules import lazy_module
from plait.core.randomness import generator
from plait.core.sentences import ParameterError

__all__ = ["STEP", "mixed", "other_stream", "row_seeds", "row_uniforms", "uniforms_of"]

_kernels = lazy_module("plait.joint._draw_kernels")

# SplitMix64 [Steele2014]: states one step apart give independent bits.
STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
# Numbers are made in blocks of rows with about this many, which stay in the cache.
_BLOCK = 1 << 14


def row_seeds(random_state: Any, n_rows: int) -> Bits:
    """Return one seed for each row; the seed of a row does not depend on how many rows follow it.

    Parameters
    ----------
    random_state : int, Generator, None or ndarray of uint64, shape (n_rows,)
        Where seeds come from; an array is taken as the seeds themselves. Whoever cuts rows into blocks makes the seeds
        of all rows once and hands on those of each block.
    n_rows : int
        How many rows.

    Returns
    -------
    ndarray of uint64

    Examples
    --------
    >>> bool((row_seeds(0, 5)[:3] == row_seeds(0, 3)).all())
    True
    >>> row_seeds(row_seeds(0, 5)[3:], 2).shape
    (2,)
    """
    if isinstance(random_state, np.ndarray):
        if random_state.shape != (n_rows,) or random_state.dtype != np.uint64:
            raise ParameterError(
                f"random_state needs to hold one seed of type uint64 for each of {n_rows} rows, but it has shape "
                f"{random_state.shape} and type {random_state.dtype}. Pass row_seeds(random_state, n_rows), or part."
            )
        return random_state
    return generator(random_state).integers(0, 2**64, n_rows, dtype=np.uint64)


def mixed(states: Bits) -> Bits:
    """Return 64 random bits for each state of an array.

    Examples
    --------
    >>> mixed(np.array([1, 2], dtype=np.uint64))
    array([ 6238072747940578789, 15839785061582574730], dtype=uint64)
    """
    bits = states.copy()
    _mix(bits, np.empty_like(bits))
    return bits


def _mix(states: Bits, work: Bits) -> None:
    """Overwrite states by random bits."""
    for shift, factor in ((30, _FIRST), (27, _SECOND), (31, None)):
        np.right_shift(states, np.uint64(shift), out=work)
        np.bitwise_xor(states, work, out=states)
        if factor is not None:
            np.multiply(states, factor, out=states)


def uniforms_of(bits: Bits) -> Floats:
    """Return numbers from 0 to below 1 of random bits, in steps of 2**-53."""
    return np.asarray((bits >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def other_stream(seeds: Bits, stream: int) -> Bits:
    """Return seeds of other streams for the same rows; those of different numbers have nothing to do with each other.

    Parameters
    ----------
    seeds : ndarray of uint64, shape (n_rows,)
        Of the rows.
    stream : int
        Its number.

    Returns
    -------
    ndarray of uint64

    Examples
    --------
    >>> bool((other_stream(row_seeds(0, 3), 1) == other_stream(row_seeds(0, 3), 2)).any())
    False
    """
    return mixed(seeds ^ mixed(np.array([stream + 1], dtype=np.uint64)))


def row_uniforms(seeds: Bits, n: int, stream: int = 0, compiled: bool = False) -> Floats:
    """Return `n` numbers between 0 and 1, both left out, for every row, from a numbered stream of the row.

    `compiled` makes the same numbers faster; whoever runs kernels anyway says so.

    Parameters
    ----------
    seeds : ndarray of uint64, shape (n_rows,)
        Of the rows.
    n : int
        How many numbers for each row.
    stream : int, default=0
        Which stream of the rows.
    compiled : bool, default=False
        Whether to make them by a kernel.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> whole = row_uniforms(row_seeds(0, 5), 4)
    >>> bool((whole[3:] == row_uniforms(row_seeds(0, 5)[3:], 4)).all())
    True
    """
    numbers, seeds = np.empty((seeds.size, n)), other_stream(seeds, stream)
    if compiled:
        _kernels.fill_uniforms(seeds, numbers)
        return numbers
    steps = np.arange(n, dtype=np.uint64) * STEP
    n_rows = max(1, _BLOCK // max(n, 1))
    for begin in range(0, seeds.size, n_rows):
        _fill(numbers[begin : begin + n_rows], seeds[begin : begin + n_rows, None] + steps)
    return numbers


def _fill(numbers: Array, states: Bits) -> None:
    work = np.empty_like(states)
    _mix(states, work)
    # The middle of each step of 2**-52: never 0 and never 1, whatever the rounding.
    np.add(np.right_shift(states, np.uint64(12), out=work), 0.5, out=numbers)
    numbers *= 2.0**-52
