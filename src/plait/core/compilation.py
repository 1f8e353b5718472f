"""`kernel`: the one decorator of compiled functions (Numba), and where their machine code is kept.

Only files whose names begin with an underscore import this module, and only `lazy_module` imports those: a process
that needs no kernel never imports Numba.

Numba's own cache asks whether the file of a function has changed, but a kernel holds code of every kernel it calls,
from other files too. So machine code is kept under a hash of the kernel's file, of all kernel files that it imports,
directly or not, and of the numbers that these take from other files: a stale kernel cannot be found. It lies in the
first of these folders that can be written: `NUMBA_CACHE_DIR`, the package's `__pycache__`, the user's cache folder, a
private folder for temporary files. Where there is none (a read-only container) kernels are compiled in each process.
"""

import ast
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, config, event
from numba.misc.appdirs import AppDirs

__all__ = ["cache_folder", "kernel", "source_hash"]

_PACKAGE = Path(__file__).parents[1]
_NOTICE_AFTER = 2.0
_KEPT_FOR = 30 * 24 * 3600.0


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function at its first call, without the interpreter's lock, and keep its machine code.

    Parameters
    ----------
    function : callable
        Takes and returns arrays and numbers; allocates nothing large; holds no state.
    **options
        Of `numba.njit`, such as `error_model="numpy"` or `forceinline=True`.

    Returns
    -------
    callable
        The compiled function; a decorator where only options are given.

    Examples
    --------
    Kernels stand at the top of a file of the package. As plain Python, without compiling:

    >>> import numpy as np
    >>> from plait.counts._kernels import add_plane_totals
    >>> totals = np.zeros(3, dtype=np.int64)
    >>> add_plane_totals.py_func(np.array([0, 2, 2]), totals)
    >>> totals
    array([1, 0, 2])
    """
    if function is None:
        return lambda given: kernel(given, **options)
    dispatcher = numba.njit(nogil=True, **options)(function)
    folder = cache_folder()
    if folder is not None and hasattr(dispatcher, "_cache"):
        dispatcher._cache = _KernelCache(function)
    return dispatcher


@cache
def source_hash(path: Path) -> str:
    """Return a hash of a kernel file, of all kernel files that it imports, and of the constants they import.

    Parameters
    ----------
    path : Path
        The file, inside the package.

    Returns
    -------
    str
        16 hexadecimal digits.

    Examples
    --------
    >>> len(source_hash(Path(__file__).parent / "ties.py"))
    16
    """
    digest = hashlib.sha256()
    for file in sorted(_reached(path, set())):
        digest.update(file.relative_to(_PACKAGE).as_posix().encode())
        digest.update(file.read_bytes())
        digest.update(repr(list(_constants(file))).encode())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()[:16]


def _reached(path: Path, seen: set[Path]) -> set[Path]:
    if path not in seen:
        seen.add(path)
        for file in _imported(path):
            _reached(file, seen)
    return seen


@cache
def _imports(path: Path) -> list[tuple[str, list[str]]]:
    """Return the modules of plait that a file imports from at its top, and what it imports."""
    return [
        (node.module, [name.name for name in node.names])
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("plait.")
    ]


def _imported(path: Path) -> Iterator[Path]:
    """Yield the kernel files of plait that a file imports."""
    for module, names in _imports(path):
        base = _PACKAGE.joinpath(*module.split(".")[1:])
        for file in (base.with_suffix(".py"), *(base / f"{name}.py" for name in names)):
            if file.name.startswith("_") and file.is_file():
                yield file


def _constants(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the numbers and words that a kernel file takes from other files: Numba writes them into machine code."""
    for module, names in _imports(path):
        for name in names:
            value = getattr(import_module(module), name, None)
            if isinstance(value, int | float | complex | str | tuple):
                yield name, value


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled kernels: the first that can be written, or None.

    Returns
    -------
    Path or None

    Examples
    --------
    >>> folder = cache_folder()
    >>> folder is None or folder.is_dir()
    True
    """
    for folder in _folders():
        if folder is not None and _writable(folder):
            return folder
    return None


def _folders() -> Iterator[Path | None]:
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR) / "plait"
    yield _PACKAGE / "__pycache__" / "kernels"
    yield Path(AppDirs("plait", appauthor=False).user_cache_dir) / "kernels"
    yield _private_temporary_folder()


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _private_temporary_folder() -> Path | None:
    """Return a folder of this user alone: machine code that somebody else could have put there is never loaded."""
    owner = os.getuid() if hasattr(os, "getuid") else None
    try:
        folder = Path(tempfile.gettempdir()) / f"plait-kernels-{owner}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    mine = owner is None or (found.st_uid == owner and found.st_mode & 0o077 == 0 and not folder.is_symlink())
    return folder if mine else None


class _KernelLocator(caching._CacheLocator):
    """Says where the machine code of one kernel file lies."""

    def __init__(self, path: Path) -> None:
        module = ".".join(path.relative_to(_PACKAGE).with_suffix("").parts)
        self.hash = source_hash(path)
        folder = cache_folder()
        assert folder is not None
        self.folder = folder / f"{module}-{self.hash}"
        if not self.folder.exists():
            _forget_old(folder, module)

    def ensure_cache_path(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return self.hash

    def get_disambiguator(self) -> str:
        return self.hash

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_KernelLocator":
        return cls(Path(py_file))


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_KernelLocator]  # noqa: RUF012 -- Numba reads a list


class _KernelCache(caching.FunctionCache):
    """Numba's cache of a function, which a full or vanished disk makes useless but not fatal."""

    _impl_class = _KernelCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except (OSError, EOFError):
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            self.disable()


def _forget_old(folder: Path, module: str) -> None:
    """Delete machine code of earlier sources that nobody has added to for a month."""
    for old in folder.glob(f"{module}-*"):
        try:
            if time.time() - old.stat().st_mtime > _KEPT_FOR:
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            continue


class _Notice(event.Listener):
    """Says once on a terminal or in a notebook why nothing happens, when compilation takes long."""

    def __init__(self) -> None:
        self.said = not (sys.stderr is not None and sys.stderr.isatty()) and "ipykernel" not in sys.modules
        self.depth = 0
        self.spent = 0.0
        self.timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        if self.said or not _is_ours(event):
            return
        self.depth += 1
        if self.depth == 1:
            self.began = time.monotonic()
            self.timer = threading.Timer(max(0.0, _NOTICE_AFTER - self.spent), self.say)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        if self.timer is None or not _is_ours(event):
            return
        self.depth -= 1
        if self.depth == 0:
            self.timer.cancel()
            self.timer = None
            self.spent += time.monotonic() - self.began

    def say(self) -> None:
        if not self.said:
            self.said = True
            print("plait: compiling for this machine, once (plait warm-up does it ahead)", file=sys.stderr, flush=True)


def _is_ours(compilation: Any) -> bool:
    function = compilation.data["dispatcher"].py_func
    return str(function.__module__).startswith("plait.")


if parent_process() is None:
    event.register("numba:compile", _Notice())
