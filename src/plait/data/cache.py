"""Where data sets lie on this machine: the user's own folder, and the cache of what was fetched."""

import os
import sys
from pathlib import Path

__all__ = ["cache_folder", "data_folder"]


def data_folder() -> Path | None:
    """Return the folder that the environment variable PLAIT_DATA names, if it does."""
    folder = os.environ.get("PLAIT_DATA")
    return Path(folder).expanduser() if folder else None


def cache_folder() -> Path:
    """Return the folder for fetched data: PLAIT_CACHE, else `plait` in the user's cache; it need not exist.

    Examples
    --------
    >>> before = os.environ.get("PLAIT_CACHE")
    >>> os.environ["PLAIT_CACHE"] = "somewhere"
    >>> cache_folder().name
    'somewhere'
    >>> _ = os.environ.pop("PLAIT_CACHE") if before is None else os.environ.update(PLAIT_CACHE=before)
    """
    chosen = os.environ.get("PLAIT_CACHE")
    return Path(chosen).expanduser() if chosen else _user_cache() / "plait"


def _user_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME")
    # The standard says that a relative path is to be ignored.
    return Path(chosen) if chosen and os.path.isabs(chosen) else Path.home() / ".cache"
