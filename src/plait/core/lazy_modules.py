"""`lazy_module`: a module that is imported when something of it is first used.

Modules of compiled kernels are named this way, so that Numba is imported only by a problem large enough to earn it.
`lazy_loader.load` does the same with `importlib.util.LazyLoader`, which in Python 3.11 shows a half-made module to a
second thread that asks while the first one imports; `importlib.import_module` lets the second one wait.
"""

import importlib
from typing import Any

__all__ = ["lazy_module"]


class _LazyModule:
    """Stands for a module; its attributes are looked up, and kept, at first use."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), attribute)
        setattr(self, attribute, value)
        return value

    def __repr__(self) -> str:
        return f"<lazy module {self.__name__}>"


def lazy_module(name: str) -> Any:
    """Return a stand-in for the module called `name`, which is imported at the first use of one of its attributes.

    Parameters
    ----------
    name : str
        The full name.

    Returns
    -------
    object
        Has the attributes of the module.

    Examples
    --------
    >>> calendar = lazy_module("calendar")
    >>> calendar.isleap(2024)
    True
    """
    return _LazyModule(name)
