"""Seeds for the random parts of a model, from the seed and the fold of a cell."""

from typing import Any

from plait.core.randomness import seeds

__all__ = ["fold_seed", "seeded"]


def fold_seed(seed: int, fold: int) -> int:
    """Return the seed of one fold: different for every fold, the same for every method, whatever else there is.

    Examples
    --------
    >>> fold_seed(0, 0) == fold_seed(0, 0), fold_seed(0, 0) == fold_seed(0, 1)
    (True, False)
    """
    return seeds(seed, fold + 1)[fold]


def seeded(model: Any, seed: int) -> Any:
    """Set every `random_state` of a model and of its parts that is None; the outermost one gets the first seed.

    Examples
    --------
    >>> from plait import recipes
    >>> seeded(recipes.cc(order="random"), 3).random_state == seeded(recipes.pcc(), 3).random_state
    True
    """
    if not hasattr(model, "get_params"):
        return model
    given = model.get_params(deep=True)
    open_ones = [key for key, value in given.items() if key.split("__")[-1] == "random_state" and value is None]
    ordered = sorted(open_ones, key=lambda key: (key.count("__"), key))
    return model.set_params(**dict(zip(ordered, seeds(seed, len(ordered)), strict=True))) if ordered else model
