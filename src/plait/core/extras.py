"""Optional packages: loaded when they are asked for, with one clear sentence when they are missing."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["installed", "optional"]


def installed(package: str) -> bool:
    """Say whether a package can be imported, without importing it.

    Parameters
    ----------
    package : str
        Its name, as it is imported.

    Returns
    -------
    bool

    Examples
    --------
    >>> installed("numpy"), installed("no_such_package")
    (True, False)
    """
    return find_spec(package) is not None


def optional(package: str, *, extra: str, purpose: str) -> Any:
    """Return the imported package, or say which extra of plait brings it.

    Parameters
    ----------
    package : str
        What is imported.
    extra : str
        The extra of plait that brings it.
    purpose : str
        What needs it.

    Returns
    -------
    module

    Examples
    --------
    >>> optional("no_such_package", extra="plots", purpose="pictures")
    Traceback (most recent call last):
    ImportError: plait needs no_such_package for pictures, but it is not installed. Run: pip install "plait[plots]"
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as missing:
        if missing.name != package.split(".")[0]:
            raise
        message = f'plait needs {package} for {purpose}, but it is not installed. Run: pip install "plait[{extra}]"'
        raise ImportError(message) from None
