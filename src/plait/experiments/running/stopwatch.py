"""`Stopwatch`: seconds of a method, without those in which compiled code was made or loaded."""

import time
from types import TracebackType

from plait.core.lazy_modules import lazy_module

__all__ = ["Stopwatch"]

_events = lazy_module("numba.core.event")
# Held by Numba while it compiles or reads compiled code from its cache; threads that wait for that wait for this.
_COMPILING = "numba:compiler_lock"


class Stopwatch:
    """Measures wall time, in `with`; what Numba compiles in other processes is not seen.

    Attributes
    ----------
    seconds : float
        Wall time of the work itself.
    compiling : float
        Wall time in which a thread compiled, which is not in `seconds`.

    Examples
    --------
    >>> with Stopwatch() as watch:
    ...     total = sum(range(1000))
    >>> watch.seconds > 0, watch.compiling
    (True, 0.0)
    """

    seconds: float = 0.0
    compiling: float = 0.0

    def __enter__(self) -> "Stopwatch":
        self._listener = _events.TimingListener()
        _events.register(_COMPILING, self._listener)
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        whole = time.perf_counter() - self._start
        _events.unregister(_COMPILING, self._listener)
        self.compiling = float(self._listener.duration) if self._listener.done else 0.0
        self.seconds = max(0.0, whole - self.compiling)
