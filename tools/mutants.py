"""Break the code at random and count what the tests notice: `python tools/mutants.py ROOM [ROOM ...] [-n 40]`.

Each mutant changes one operator, comparison, constant or condition of one function in a copy of the project, and the
tests that import the changed file are run on it, then all tests of its room. Compiled kernels are seen too, because
their cache is keyed by their sources. What survives is listed with its line: a test that is missing, or a change
without effect (mark those in the list by hand: they are no faults). Progress is kept in a file, so that a run that was
stopped goes on where it was.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "plait"
SECONDS = 600

COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}


def mutants(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, description and text of every mutant of a file."""
    text = path.read_text(encoding="utf8")
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    raw = text.encode()

    def at(node: ast.AST, end: bool = False) -> int:
        row, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return starts[row - 1] + int(column)

    def changed(node: ast.AST, first: int, last: int, new: str) -> tuple[int, str, str]:
        old = raw[first:last].decode()
        return node.lineno, f"{old.strip()} -> {new.strip()}", (raw[:first] + new.encode() + raw[last:]).decode()  # type: ignore[attr-defined]

    tree = ast.parse(text)
    for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
        documentation = ast.get_docstring(function) is not None
        for statement in function.body[1 if documentation else 0 :]:
            for node in ast.walk(statement):
                if isinstance(node, ast.FunctionDef):
                    continue
                if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS and len(node.ops) == 1:
                    new = f" {COMPARISONS[type(node.ops[0])]} "
                    yield changed(node, at(node.left, True), at(node.comparators[0]), new)
                elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
                    between = raw[at(node.left, True) : at(node.right)].decode()
                    if not set(between) & set("()"):
                        yield changed(node, at(node.left, True), at(node.right), f" {OPERATORS[type(node.op)]} ")
                elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
                    yield changed(node, at(node), at(node, True), repr(node.value + 1))
                elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
                    yield changed(node, at(node), at(node, True), repr(not node.value))
                elif isinstance(node, ast.If):
                    test = raw[at(node.test) : at(node.test, True)].decode()
                    yield changed(node, at(node.test), at(node.test, True), f"not ({test})")
                elif isinstance(node, ast.BoolOp):
                    first, second = node.values[:2]
                    between = raw[at(first, True) : at(second)].decode()
                    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                    if between.count(word) == 1:
                        yield changed(node, at(first, True), at(second), between.replace(word, other))


def sampled(rooms: list[str], n: int, seed: int) -> list[tuple[str, int, str, str]]:
    """Return n mutants of each room that are still Python: path, line, description and text."""
    found = []
    for room in rooms:
        draws = random.Random(f"{seed} {room}")
        every = []
        for path in sorted((SOURCE / room).rglob("*.py")):
            every += [(str(path.relative_to(ROOT)), *mutant) for mutant in mutants(path)]
        for mutant in draws.sample(every, min(n, len(every))):
            try:
                compile(mutant[3], mutant[0], "exec")
            except SyntaxError:
                continue
            found.append(mutant)
    return found


def tests_of(path: str) -> list[list[str]]:
    """Return which tests to run: first the files that name the module or what it exports, then the room's."""
    module = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    room = module.split(".")[1]
    tree = ast.parse((ROOT / path).read_text(encoding="utf8"))
    names = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.name.startswith("_")}
    near = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        text = test.read_text(encoding="utf8")
        if (
            module in text
            or test.stem == "test_" + module.rsplit(".", 1)[-1].lstrip("_")
            or (test.parts[len(ROOT.parts) + 1] == room and any(name in text for name in names))
        ):
            near.append(str(test.relative_to(ROOT)))
    whole = [f"tests/{room}"] + (
        ["tests/attacks", "tests/posterior"] if room in ("joint", "inference", "losses") else []
    )
    return [near, whole] if near else [whole]


def survives(folder: Path, mutant: tuple[str, int, str, str]) -> bool:
    """Say whether all tests pass on a mutant; tests that take far too long have noticed it."""
    target = folder / mutant[0]
    original = target.read_text(encoding="utf8")
    target.write_text(mutant[3], encoding="utf8")
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    try:
        for tests in tests_of(mutant[0]):
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", *tests]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False
            )
            if done.returncode != 0:
                return False
    except subprocess.TimeoutExpired:
        return False
    finally:
        target.write_text(original, encoding="utf8")
    return True


def main() -> None:
    """Run mutants and print what survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("-n", type=int, default=40, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", type=Path, default=ROOT / "mutants.json")
    asked = parser.parse_args()
    known = json.loads(asked.store.read_text(encoding="utf8")) if asked.store.exists() else {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "plait"
        ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "mutants.json", "_build")
        shutil.copytree(ROOT, folder, ignore=ignored)
        for mutant in sampled(asked.rooms, asked.n, asked.seed):
            key = f"{mutant[0]}:{mutant[1]} {mutant[2]}"
            if key not in known:
                known[key] = "survived" if survives(folder, mutant) else "noticed"
                asked.store.write_text(json.dumps(known, indent=1), encoding="utf8")
                print(f"{known[key]:<9} {key}", flush=True)
    survivors = [key for key, fate in known.items() if fate == "survived"]
    print(f"{len(known) - len(survivors)} of {len(known)} noticed; survivors:")
    print("\n".join(f"  {key}" for key in survivors))


if __name__ == "__main__":
    main()
