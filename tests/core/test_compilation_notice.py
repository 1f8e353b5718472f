"""The notice that a kernel is being compiled: once, on a terminal, when it takes long."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

SCRIPT = """
import sys
import numba
from plait.core import compilation

compilation._NOTICE_AFTER = float(sys.argv[1])

def made(word):
    def kernel(n):
        total = 0.0
        for k in range(n):
            total += k ** 0.5
        return total
    kernel.__module__ = word
    return numba.njit(kernel)

for _ in range(2):
    made(sys.argv[2])(3)
"""
NOTICE = "plait: compiling for this machine, once"


def on_terminal(seconds, module):
    """Compile two kernels in a process whose standard error is a terminal; return what it says there."""
    terminal, inner = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(seconds), module], stderr=inner)
    os.close(inner)
    said, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                said += os.read(terminal, 4096)
            except OSError:  # the other side is closed
                break
        elif process.poll() is not None:
            break
    os.close(terminal)
    assert process.wait(timeout=60) == 0
    return said.decode()


def test_a_terminal_is_told_once():
    assert on_terminal(0.001, "plait.made_up").count(NOTICE) == 1


@pytest.mark.parametrize(("seconds", "module"), [(60.0, "plait.made_up"), (0.001, "elsewhere.made_up")])
def test_nothing_is_said_of_short_compilations_and_of_kernels_of_others(seconds, module):
    assert on_terminal(seconds, module) == ""


def test_a_pipe_is_told_nothing():
    words = [sys.executable, "-c", SCRIPT, "0.001", "plait.made_up"]
    answer = subprocess.run(words, capture_output=True, text=True, check=True)
    assert answer.stderr == ""
