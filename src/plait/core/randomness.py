"""One way from `random_state` to independent generators: the same bits for any number of workers.

Task `i` of `n` gets generator `i`, made before any work starts; which worker runs it cannot matter.
"""

from typing import Any

import numpy as np

__all__ = ["generator", "generators", "seeds"]


def _entropy(random_state: Any) -> int | list[int] | None:
    """Return what a `SeedSequence` starts from: of an array all; a generator or RandomState moves on by one draw."""
    if random_state is None:
        return None
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.ndarray):
        return [int(seed) for seed in random_state]
    return int(random_state)


def generator(random_state: Any) -> np.random.Generator:
    """Return one generator; an integer gives the same stream every time.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        Where they come from.

    Returns
    -------
    Generator

    Examples
    --------
    >>> bool(generator(3).random() == generator(3).random())
    True
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(_entropy(random_state))))


def generators(random_state: Any, n: int) -> list[np.random.Generator]:
    """Return `n` independent generators, the i-th the same whatever `n` is (`n` > i).

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        Where they come from.
    n : int
        How many.

    Returns
    -------
    list of Generator

    Examples
    --------
    >>> first, second = generators(0, 2)
    >>> first.random() == generators(0, 5)[0].random()
    True
    """
    children = np.random.SeedSequence(_entropy(random_state)).spawn(n)
    return [np.random.Generator(np.random.PCG64(child)) for child in children]


def seeds(random_state: Any, n: int) -> list[int]:
    """Return `n` independent integers for estimators that take an integer `random_state`.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        Where they come from.
    n : int
        How many.

    Returns
    -------
    list of int

    Examples
    --------
    >>> seeds(0, 2) == seeds(0, 3)[:2]
    True
    """
    children = np.random.SeedSequence(_entropy(random_state)).spawn(n)
    return [int(child.generate_state(1)[0]) for child in children]
