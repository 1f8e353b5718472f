"""The recipes of CONTRIBUTING.md are followed: in a copy of the package their files and lines are added and run."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import plait

ROOT = Path(__file__).parents[1]
KINDS = ("loss", "structure", "selector", "learner", "inference", "reader", "recipe", "baseline", "metric", "command")

# Runs the examples of every section as one doctest each; prints what fails.
RUN_EXAMPLES = """
import doctest, sys
from pathlib import Path
failed = 0
for path in map(Path, sys.argv[1:]):
    test = doctest.DocTestParser().get_doctest(path.read_text(encoding="utf8"), {}, path.stem, str(path), 0)
    assert test.examples, path
    failed += doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed
sys.exit(bool(failed))
"""


class Block(NamedTuple):
    """A block of code: its language, and its text."""

    language: str
    text: str


def recipes() -> dict[str, list[Block]]:
    """Return the blocks of each section "a ..." or "an ..."."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    parts = re.split(r"^### an? (\w+)\n|^## .*\n", text, flags=re.MULTILINE)
    sections = {kind: body for kind, body in zip(parts[1::2], parts[2::2], strict=True) if kind}
    fence = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return {kind: [Block(*found) for found in fence.findall(body)] for kind, body in sections.items()}


def follow(block: Block, root: Path) -> None:
    """Do in a copy what a block of code or of changed lines says in its first line."""
    head, _, body = block.text.partition("\n")
    if block.language == "diff":
        change_lines(root / head.removeprefix("--- "), body)
        return
    action, path = re.fullmatch(r"# (new file:|add to|append to) (\S+)", head).groups()
    file = root / path
    if action == "new file:":
        assert not file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf8")
    elif action == "append to":
        file.write_text(f"{file.read_text(encoding='utf8')}\n\n{body}", encoding="utf8")
    else:
        export(file, body)


def change_lines(file: Path, body: str) -> None:
    """Replace lines as in a hunk of a diff, which must fit in exactly one place."""
    lines = [(line[:1] or " ", line[1:]) for line in body.splitlines()]
    before = "".join(f"{line}\n" for mark, line in lines if mark in " -")
    after = "".join(f"{line}\n" for mark, line in lines if mark in " +")
    text = file.read_text(encoding="utf8")
    assert text.count(before) == 1, f"{file.name} has other lines than\n{before}"
    file.write_text(text.replace(before, after), encoding="utf8")


def export(stub: Path, body: str) -> None:
    """Add imports, and names of `__all__`, to a stub."""
    text = stub.read_text(encoding="utf8")
    *imports, names = ast.parse(body).body
    added = "".join(f"{ast.unparse(line)}\n" for line in imports)
    listed = "".join(f"    {name!r},\n" for name in ast.literal_eval(names.value))
    assert text.count("__all__ = [\n") == 1
    stub.write_text(added + text.replace("__all__ = [\n", f"__all__ = [\n{listed}"), encoding="utf8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a folder with the package in which all recipes have been followed."""
    root = tmp_path_factory.mktemp("copy")
    package = Path(plait.__file__).parent
    shutil.copytree(package, root / "src" / "plait", ignore=shutil.ignore_patterns("__pycache__"))
    for blocks in recipes().values():
        for block in blocks:
            if block.language in ("python", "diff"):
                follow(block, root)
    return root


def run(copy, *words, cwd=ROOT):
    surroundings = os.environ | {"PYTHONPATH": str(copy / "src")}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, env=surroundings, cwd=cwd
    )


def test_every_kind_of_part_has_a_recipe():
    found = recipes()
    assert set(found) == set(KINDS)
    for kind, blocks in found.items():
        assert {"python", "pycon", "console"} <= {block.language for block in blocks}, kind


def test_the_examples_run_in_the_copy(copy):
    files = []
    for kind, blocks in recipes().items():
        files.append(copy / f"{kind}.txt")
        files[-1].write_text("\n".join(block.text for block in blocks if block.language == "pycon"), encoding="utf8")
    done = run(copy, "-c", RUN_EXAMPLES, *map(str, files), cwd=copy)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_new_joins_the_common_tests(copy):
    """All commands in one run; of each at least one test must have passed."""
    files, words = set(), {}
    for kind, blocks in recipes().items():
        (command,) = (block.text for block in blocks if block.language == "console")
        *pytest_and_files, option, words[kind] = shlex.split(command.removeprefix("$ "))
        assert (pytest_and_files[0], option) == ("pytest", "-k")
        # A test file of the recipe's own lies in the copy.
        files.update(str(copy / path) if (copy / path).exists() else path for path in pytest_and_files[1:])
    chosen = " or ".join(f"({word})" for word in words.values())
    done = run(copy, "-m", "pytest", *sorted(files), "-k", chosen, "-v", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout[-5000:]
    passed = [line.lower() for line in done.stdout.splitlines() if " PASSED" in line]
    for kind, word in words.items():
        assert any(word.split(" or ")[0].lower() in line for line in passed), kind


def test_new_files_have_the_habits_of_the_house(copy):
    pytest.importorskip("ruff")
    news = [
        block.text.partition("\n")[0].rsplit(" ", 1)[-1]
        for blocks in recipes().values()
        for block in blocks
        if block.text.startswith("# new file:")
    ]
    files = [str(copy / path) for path in news]
    for words in (("ruff", "check", "-q"), ("ruff", "format", "-q", "--check")):
        done = run(copy, "-m", *words, "--config", str(ROOT / "pyproject.toml"), *files)
        assert done.returncode == 0, done.stdout + done.stderr
