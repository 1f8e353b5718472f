"""Words are parsed without NumPy: `--version`, `--help` and completion answer at once."""

import os
import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "sklearn", "joblib", "numba", "pandas", "matplotlib")
SCRIPT = """
import contextlib, io, sys
from plait.cli import main
from plait.cli.parsers import make_parser

commands = next(action.choices for action in make_parser()._actions if action.choices)
asked = [["--version"], ["--help"], *([name, "--help"] for name in commands)]
asked += [["completion", shell] for shell in ("bash", "zsh", "fish")]
for words in asked:
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        main(words)
    assert said.getvalue(), words
print(len(asked), *(name for name in HEAVY if name in sys.modules))
"""


def test_no_heavy_package_is_loaded_to_parse():
    script = f"HEAVY = {HEAVY!r}\n{SCRIPT}"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(answer.stdout.split()[0]) > 12
    assert answer.stdout.split()[1:] == []


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs a system that counts the CPU time of one child")
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["fit", "--help"], ["completion", "bash"]])
def test_under_four_tenths_of_a_second_of_cpu(words):
    seconds = []
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-m", "plait", *words], stdout=subprocess.DEVNULL)
        _, code, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(code)
        assert child.returncode == 0
        seconds.append(used.ru_utime + used.ru_stime)
    assert min(seconds) < 0.4
