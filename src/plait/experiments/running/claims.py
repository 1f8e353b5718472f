"""Who works on a cell: a process known so well that its death is noticed, by whoever comes next."""

import os
import socket
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BEAT_SECONDS", "Owner", "is_gone", "this_owner"]

BEAT_SECONDS = 10.0  # between two signs of life
_SILENCE = 6 * BEAT_SECONDS  # after which an owner that cannot be looked at counts as gone


@dataclass(frozen=True)
class Owner:
    """A run of a plan in a process.

    Parameters
    ----------
    token : str
        Different for every run.
    machine : str
        Where process numbers mean something: host, its start and the space of process numbers.
    pid : int
        Number of the process.
    started : str
        When the process started, as the system says it; numbers are given again, starts are not.
    """

    token: str
    machine: str
    pid: int
    started: str


def this_owner() -> Owner:
    """Return an owner for a run in this process."""
    pid = os.getpid()
    return Owner(uuid.uuid4().hex, _machine(), pid, _stat(pid)[1])


def is_gone(owner: Owner, beat: float) -> bool:
    """Say whether an owner is dead, or has given no sign of life (`beat`, seconds since 1970) where it cannot be seen.

    Examples
    --------
    >>> is_gone(this_owner(), beat=0.0)
    False
    >>> is_gone(Owner("", "another", 1, ""), beat=0.0)
    True
    """
    if owner.machine != _machine() or os.name != "posix":
        return time.time() - beat > _SILENCE
    state, started = _stat(owner.pid)
    if started or owner.started:
        # A zombie is dead: only its parent has not looked yet.
        return state in ("", "Z", "X") or started != owner.started
    return not _answers(owner.pid)


def _machine() -> str:
    boot = _line(Path("/proc/sys/kernel/random/boot_id"))
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return f"{socket.gethostname()} {boot} {space}".strip()


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _stat(pid: int) -> tuple[str, str]:
    """Return state and start of a process from Linux's files; empty words where there are none."""
    # The name of the program stands in brackets and may hold anything.
    fields = _line(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return (fields[0], fields[19]) if len(fields) > 19 else ("", "")


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
