"""The most memory that this process holds while something runs."""

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["PeakMemory"]

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
# Windows has no such module, and there the peak stays unknown, 0.
_resource: Any = import_module("resource") if find_spec("resource") else None


class PeakMemory:
    """Measures, in `with`, the largest resident size of the process: interpreter, data and all threads included.

    On Linux the system's own high-water mark is set back at the start, so that earlier work does not count. Where
    that is not allowed, and elsewhere, the mark of the whole life of the process is all there is.

    Attributes
    ----------
    before, peak : int
        Bytes held at the start (0 where unknown), and at most.
    by : str
        "high-water mark" of the time in `with`, or "life of the process".

    Examples
    --------
    >>> with PeakMemory() as memory:
    ...     size = len(bytearray(30_000_000))
    >>> memory.peak > size
    True
    """

    before: int = 0
    peak: int = 0
    by: str = "life of the process"

    def __enter__(self) -> "PeakMemory":
        try:
            _CLEAR.write_text("5", encoding="ascii")
            self.by = "high-water mark"
        except OSError:
            self.by = "life of the process"
        self.before = _status("VmRSS")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.peak = _status("VmHWM") or _life()


def _status(field: str) -> int:
    try:
        found = re.search(rf"{field}:\s+(\d+) kB", _STATUS.read_text(encoding="ascii"))
    except OSError:
        return 0
    return int(found.group(1)) * 1024 if found else 0


def _life() -> int:
    if _resource is None:
        return 0
    largest: int = _resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024
