"""Break the code at random and count what the tests notice: `python tools/mutants.py ROOM [ROOM ...] [-n 40]`.

Each mutant changes one operator, comparison, constant or condition of one function in a copy of the project. First all
quick tests of the rooms run once, and which functions each of them calls is kept; later runs renew this for files of
tests that changed. A mutant is then tried on the tests that call its function, quickest and nearest first, and, if
these pass, on the whole files of such tests; the first failure ends it. With `--quick` only the nearest few are tried:
they notice most, so that the next run, without it, has few left; what has no effect can be listed before it. With
`--by-name` nothing is run before: tests are chosen by what they are called and what they name.
Tests run in children of one process that has loaded the libraries; compiled kernels are seen too,
because their machine code is kept under a hash of their sources. What survives is listed with its line: a test that is
missing, or a change without effect. Those that were read and found to have none stand in `mutants_without_effect.txt`
with the reason, and are not counted. Progress is kept in a file, so that a run that was stopped goes on where it was.
"""

import argparse
import ast
import compileall
import hashlib
import importlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "plait"
WITHOUT_EFFECT = Path(__file__).with_name("mutants_without_effect.txt")
# Seconds of processor time: of the tests chosen first, of whole files, and what loading and compilation may add.
NEAR, FILES, LOADING, COMPILING = 20.0, 60.0, 15.0, 60.0
QUICK = 6.0
LEFT = ("survived", "survived the nearest tests", "untested", "out of time")
LOADED = (
    *("numpy", "scipy.stats", "sklearn.ensemble", "sklearn.pipeline", "sklearn.utils.estimator_checks", "pandas"),
    *("numba", "unittest.mock"),
)

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


class Mutant(NamedTuple):
    """A change of one place: `function` is the outermost function around it, with the class that it stands in.

    Of several such changes of lines that read alike, `change` says which: (2) is the second in its file.
    """

    path: str
    line: int
    function: str
    change: str
    source: str
    text: str

    @property
    def key(self) -> str:
        """Return what names it, whatever stands above it in its file."""
        return f"{self.path}: {self.source} | {self.change}"

    @property
    def is_kernel(self) -> bool:
        """Tell whether its file is compiled."""
        return Path(self.path).name.startswith("_") and not self.path.endswith("__init__.py")


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file; words of errors and warnings are left alone."""
    text = path.read_text(encoding="utf8")
    raw, lines = text.encode(), text.splitlines()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(node: Any, end: bool = False) -> int:
        row, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        return starts[row - 1] + int(column)

    alike: Counter[tuple[str, str]] = Counter()
    for name, function in _functions(ast.parse(text)):
        for node in sorted(_statements(function), key=lambda node: (node.lineno, node.col_offset)):
            for first, last, new in _changes(node, at, raw):
                old, source = raw[first:last].decode(), lines[node.lineno - 1].strip()
                changed = (raw[:first] + new.encode() + raw[last:]).decode()
                change = f"{old.strip()} -> {new.strip()}"
                alike[source, change] += 1
                change += f" ({number})" if (number := alike[source, change]) > 1 else ""
                yield Mutant(str(path.relative_to(ROOT)), node.lineno, name, change, source, changed)


def _functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions and methods with their names, those inside others left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield within + node.name, node
        else:
            yield from _functions(node, f"{within}{node.name}." if isinstance(node, ast.ClassDef) else within)


def _statements(function: ast.FunctionDef) -> Iterator[Any]:
    """Yield what does something: no words to users, no annotations, no demands that lists be equally long."""
    waiting: list[ast.AST] = list(function.body[1 if ast.get_docstring(function) is not None else 0 :])
    silent = {id(node.annotation) for node in ast.walk(function) if isinstance(node, ast.AnnAssign | ast.arg)}
    while waiting:
        node = waiting.pop()
        told = isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and "warn" in ast.unparse(node.func))
        strict = isinstance(node, ast.keyword) and node.arg == "strict"
        if not (told or strict or id(node) in silent):
            if hasattr(node, "lineno"):
                yield node
            waiting.extend(ast.iter_child_nodes(node))


def _changes(node: Any, at: Any, raw: bytes) -> Iterator[tuple[int, int, str]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS and len(node.ops) == 1:
        yield at(node.left, True), at(node.comparators[0]), f" {COMPARISONS[type(node.ops[0])]} "
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        if not set(raw[at(node.left, True) : at(node.right)].decode()) & set("()"):
            yield at(node.left, True), at(node.right), f" {OPERATORS[type(node.op)]} "
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield at(node), at(node, True), repr(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield at(node), at(node, True), repr(not node.value)
    elif isinstance(node, ast.If):
        yield at(node.test), at(node.test, True), f"not ({raw[at(node.test) : at(node.test, True)].decode()})"
    elif isinstance(node, ast.BoolOp):
        first, second = node.values[:2]
        between = raw[at(first, True) : at(second)].decode()
        word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        if between.count(word) == 1:
            yield at(first, True), at(second), between.replace(word, other)


def sampled(rooms: list[str], n: int, seed: int, kernels: bool | None = None) -> list[Mutant]:
    """Return n mutants of each room that are still Python, without those that are known to have no effect.

    Rooms take turns, so that a run that is stopped has tried as many of each. Which are drawn depends on themselves
    alone: where a file changes, those of other lines stay; and a run of all goes on where one without kernels ended.
    """
    found = []
    for room in rooms:
        every = sorted(of_room(room), key=lambda m: hashlib.sha256(f"{seed} {m.key}".encode()).digest())
        sound = (m for m in every if kernels in (None, m.is_kernel) and _is_python(m))
        found.append([mutant for mutant, _ in zip(sound, range(n), strict=False)])
    return [mutant for turn in zip_longest(*found) for mutant in turn if mutant is not None]


def of_room(room: str) -> list[Mutant]:
    """Return all mutants of a room but those that are known to have no effect."""
    known = {line.partition("  # ")[0].strip() for line in WITHOUT_EFFECT.read_text(encoding="utf8").splitlines()}
    return [m for path in sorted((SOURCE / room).rglob("*.py")) for m in mutants(path) if m.key not in known]


def _is_python(mutant: Mutant) -> bool:
    try:
        compile(mutant.text, mutant.path, "exec")
    except SyntaxError:
        return False
    return True


# Which test calls what.


class Recorder:
    """Keeps the functions of plait that each test calls, and its time; those of shared fixtures count for all users."""

    def __init__(self, source: str, functions: list[str]) -> None:
        self.source, self.tests, self.failing = source, {}, []
        self.numbers = {place: i for i, place in enumerate(functions)}
        self.calls: set[int] = set()
        self.shared: dict[str, set[int]] = defaultdict(set)

    def trace(self, frame: Any, *_: object) -> None:
        """Note a call; nothing is traced inside it."""
        code = frame.f_code
        if code.co_filename.startswith(self.source):
            place = f"{code.co_filename[len(self.source) - len('src/plait/') :]}:{code.co_qualname}"
            self.calls.add(self.numbers.setdefault(place, len(self.numbers)))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Trace a test."""
        self.calls, start = set(), time.process_time()
        threading.settrace(self.trace)
        sys.settrace(self.trace)
        yield
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        calls = self.calls.union(*(self.shared[f"{item.path}:{name}"] for name in getattr(item, "fixturenames", ())))
        self.tests[item.nodeid] = [round(time.process_time() - start, 3), sorted(calls)]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep which tests fail without any change: they say nothing about a mutant."""
        if report.failed and report.nodeid not in self.failing:
            self.failing.append(report.nodeid)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        """Keep what a shared fixture calls."""
        before, self.calls = self.calls, set()
        yield
        if fixturedef.scope != "function":
            self.shared[f"{request.node.path}:{fixturedef.argname}"] |= self.calls
        self.calls |= before


def record(folder: Path, rooms: list[str], file: Path) -> dict[str, Any]:
    """Run the quick tests of rooms in a child and write which functions each calls; files that did not change are kept.

    Names of functions are kept, not their lines, so that a change above them makes no difference.
    """
    known = {"functions": [], "tests": {}, "failing": [], "files": {}}
    known |= json.loads(file.read_text(encoding="utf8")) if file.exists() else {}
    paths = [path for room in rooms for path in (ROOT / "tests" / room).rglob("test_*.py")]
    paths += [path for room in rooms for path in (SOURCE / room).rglob("*.py") if ">>>" in path.read_text("utf8")]
    paths += [ROOT / "tests" / "attacks" / "test_random_models.py"]
    files = {str(path.relative_to(ROOT)): path.stat().st_mtime for path in paths}
    changed = sorted(path for path, when in files.items() if known["files"].get(path) != when)
    if not changed:
        return known

    def work() -> int:
        recorder = Recorder(str(folder / "src" / "plait") + "/", known["functions"])
        code = pytest.main(["-q", "-m", "not slow", *CALM, *changed], plugins=[recorder])
        tests = {name: calls for name, calls in known["tests"].items() if name.partition("::")[0] not in changed}
        failing = [name for name in known["failing"] if name.partition("::")[0] not in changed] + recorder.failing
        found = {"functions": list(recorder.numbers), "tests": tests | recorder.tests, "failing": failing}
        file.write_text(json.dumps(found | {"files": known["files"] | files}), encoding="utf8")
        return int(code)

    if child(folder, work, seconds=3600.0) not in (0, None):
        print("some tests fail without any change:", (folder / "output").read_text(encoding="utf8")[-2000:], flush=True)
    return json.loads(file.read_text(encoding="utf8"))  # type: ignore[no-any-return]


class Watch:
    """Leaves tests out, those that fail without any change and those that have passed; ends what goes on and on.

    A test may take ten times the processor time of the slowest test of its file, and `more` seconds.
    """

    def __init__(self, known: dict[str, Any], more: float) -> None:
        self.left_out, self.more = set(known.get("failing", ())), more
        self.slowest: dict[str, float] = {}
        for name, (seconds, _) in known.get("tests", {}).items():
            file = name.partition("::")[0]
            self.slowest[file] = max(seconds, self.slowest.get(file, 0.0))

    def pytest_collection_modifyitems(self, items: Any) -> None:
        """Keep the other tests."""
        items[:] = [item for item in items if item.nodeid not in self.left_out]

    def pytest_runtest_setup(self, item: Any) -> None:
        """Set the limit of this test."""
        slowest = self.slowest.get(item.nodeid.partition("::")[0])
        if slowest is not None:
            most = resource.getrlimit(resource.RLIMIT_CPU)[1]
            limit = int(time.process_time() + 10.0 * slowest + self.more)
            resource.setrlimit(resource.RLIMIT_CPU, (min(limit, most), most))


CALM = ["-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--tb=no", "-W", "ignore::DeprecationWarning"]


def child(folder: Path, work: Any, seconds: float) -> int | None:
    """Run something in a child process with a limit of processor time; return its exit code, None if it was ended."""
    number = os.fork()
    if number == 0:
        os.setsid()
        os.chdir(folder)
        out = os.open(folder / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
        signal.alarm(int(6 * seconds))  # for what waits and does nothing
        try:
            code = work()
        except BaseException:
            traceback.print_exc()
            code = 9
        os._exit(code)
    _, status = os.waitpid(number, 0)
    with suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)  # workers that it left
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else None


def tests_of(mutant: Mutant, known: dict[str, Any], quick: bool) -> list[tuple[list[str], float]]:
    """Return the tests to run first, and then whole files, each with the seconds that they take; quick: a few only."""
    places = _places(mutant)
    numbers = {i for i, place in enumerate(known["functions"]) if place.partition(".<locals>")[0] in places}
    sound = {name: calls for name, (_, calls) in known["tests"].items() if name not in known.get("failing", ())}
    naming = _files_naming(mutant) if mutant.is_kernel else set()
    calling = [
        name for name, calls in sound.items() if name.partition("::")[0] in naming or not numbers.isdisjoint(calls)
    ]
    room, stem = f"/{mutant.path.split('/')[2]}/", Path(mutant.path).stem.strip("_")

    def away(name: str) -> tuple[bool, bool]:
        """Tests of the same name are nearest, then those of the room."""
        return f"/test_{stem}.py" not in name, room not in name

    own, seconds = {name: known["tests"][name][0] for name in calling}, defaultdict[str, float](float)
    for name, (time_taken, _) in known["tests"].items():
        seconds[name.partition("::")[0]] += time_taken
    calling.sort(key=lambda name: (*away(name), own[name]))
    files = sorted({name.partition("::")[0] for name in calling}, key=lambda f: (*away(f), seconds[f]))
    return [_within(calling, own, QUICK)] if quick else [_within(calling, own, NEAR), _within(files, seconds, FILES)]


def tests_by_name(mutant: Mutant) -> tuple[list[str], list[str]]:
    """Return the tests of the same name and the examples of the file; and tests that name what the file defines."""
    own = Path(mutant.path)
    names = {node.name for node in ast.parse(mutant.text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    words = {name for name in names if not name.startswith("_")} | {".".join(own.with_suffix("").parts[1:])}
    stem = (own.parent.name if own.stem == "__init__" else own.stem).strip("_")
    near, room, others = [mutant.path] * (not own.name.startswith("_")), [], []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        place = path.relative_to(ROOT)
        if place.parts[1] == own.parts[2] and place.stem == f"test_{stem}":
            near.insert(0, str(place))
        elif words & set(re.findall(r"[\w.]+", path.read_text(encoding="utf8"))):
            (room if place.parts[1] == own.parts[2] else others).append(str(place))
    joint = own.parts[2] in ("structure", "joint", "inference", "losses", "posterior")
    return near or room[:2], [*room[:3], *others[:2], *["tests/attacks/test_random_models.py"] * joint]


def _places(mutant: Mutant) -> set[str]:
    """Return the function of a mutant; for a kernel, which cannot be traced, all functions of who names its module."""
    if not mutant.is_kernel:
        return {f"{mutant.path}:{mutant.function}"}
    module, places = mutant.path.removeprefix("src/").removesuffix(".py").replace("/", "."), set()
    users, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        for path in SOURCE.rglob("*.py"):
            own = str(path.relative_to(ROOT))
            if own not in users and f"{name}" in path.read_text(encoding="utf8"):
                users.add(own)
                if path.name.startswith("_"):
                    waiting.append(own.removeprefix("src/").removesuffix(".py").replace("/", "."))
    for own in users:
        places |= {f"{own}:{name}" for name, _ in _functions(ast.parse((ROOT / own).read_text(encoding="utf8")))}
    return places


def _files_naming(kernel: Mutant) -> set[str]:
    """Return the tests that import a kernel's module themselves, which no plain function calls for them."""
    module = kernel.path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    tests = (ROOT / "tests").rglob("test_*.py")
    return {str(path.relative_to(ROOT)) for path in tests if module in path.read_text(encoding="utf8")}


def _within(names: list[str], seconds: dict[str, float], limit: float) -> tuple[list[str], float]:
    chosen, total = [], 0.0
    for name in names:
        if chosen and total + seconds[name] > limit:
            break
        total += seconds[name]
        chosen.append(name)
    return chosen, total


def fate(folder: Path, mutant: Mutant, known: dict[str, Any], quick: bool) -> str:
    """Say whether tests notice a mutant; tests that take far too long have noticed it."""
    chosen = tests_of(mutant, known, quick) if known else [(tests, NEAR) for tests in tests_by_name(mutant)]
    if not chosen[0][0]:
        return "untested"
    target = folder / mutant.path
    original = target.read_text(encoding="utf8")
    target.write_text(mutant.text, encoding="utf8")
    slow, more = False, COMPILING if mutant.is_kernel else LOADING
    watch = Watch(known, more)
    try:
        for tests, seconds in chosen:
            code = child(
                folder,
                lambda tests=tests: int(pytest.main(["-x", "-q", "-m", "not slow", *CALM, *tests], plugins=[watch])),
                3 * seconds + more,
            )
            if code is None and not known:
                slow = True  # nobody knows how long these tests take
                continue
            if code == 9:
                raise SystemExit(f"the tests could not be run at all: {(folder / 'output').read_text(encoding='utf8')}")
            if code not in (0, 5):
                output = (folder / "output").read_text(encoding="utf8", errors="replace")
                by = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
                return f"noticed by {by[0] if by else f'exit code {code}'}"
            watch.left_out.update(tests)  # what has passed need not run again with the rest of its file
    finally:
        target.write_text(original, encoding="utf8")
    if slow:
        return "out of time"
    return "survived the nearest tests" if len(chosen) == 1 else "survived"


def main() -> None:
    """Run mutants and print what survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("-n", type=int, default=40, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", type=Path, default=ROOT / "mutants.json")
    parser.add_argument(
        "--again", action="store_true", help="try all survivors of the store, on the tests as they are now"
    )
    parser.add_argument("--by-name", action="store_true", help="choose tests by their names; nothing is run before")
    parser.add_argument(
        "--quick", action="store_true", help="a few seconds of tests each; the next run tries more on what is left"
    )
    parser.add_argument("--part", default="1/1", help="of several at a time, each with its store: 1/2 and 2/2")
    parser.add_argument(
        "--plain", action="store_true", help="leave kernels out, whose compilation takes most of the time"
    )
    parser.add_argument("--kernels", action="store_true", help="kernels only")
    asked = parser.parse_args()
    known = json.loads(asked.store.read_text(encoding="utf8")) if asked.store.exists() else {}
    part, n_parts = map(int, asked.part.split("/"))
    kernels = asked.kernels if asked.kernels != asked.plain else None
    if asked.again:
        chosen = [m for room in asked.rooms for m in of_room(room) if known.get(m.key) in LEFT]
    else:
        chosen = sampled(asked.rooms, asked.n, asked.seed, kernels)
    chosen = chosen[part - 1 :: n_parts]
    done = set() if asked.again else set(known)
    if not asked.quick:
        done -= {key for key, outcome in known.items() if outcome == "survived the nearest tests"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = copied(Path(temporary) / "plait")
        calls = asked.store.with_suffix(".calls.json")
        recorded = {} if asked.by_name else record(folder, asked.rooms, calls)
        for mutant in chosen:
            if mutant.key not in done:
                start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                known[mutant.key] = fate(folder, mutant, recorded, asked.quick)
                asked.store.write_text(json.dumps(known, indent=1), encoding="utf8")
                spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
                print(f"{known[mutant.key]} {spent:5.1f} s {mutant.line:4} {mutant.key}", flush=True)
    left = [mutant for mutant in chosen if known[mutant.key] in LEFT]
    print(f"{len(chosen) - len(left)} of {len(chosen)} noticed; survivors:")
    print("\n".join(f"  {mutant.line}: {mutant.key}" for mutant in left))


def copied(folder: Path) -> Path:
    """Copy the project; load what its tests need, but nothing of its own."""
    ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "mutants*.json", "_build", "docs")
    shutil.copytree(ROOT, folder, ignore=ignored)
    # Once for all children, which write none: a file that is changed has another time than its byte code.
    compileall.compile_dir(folder / "src", quiet=2)
    os.environ |= {
        "PYTHONPATH": str(folder / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "true",
        "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", str(folder / "kernels")),
    }
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder / "src"))
    for name in LOADED:
        importlib.import_module(name)
    return folder


if __name__ == "__main__":
    main()
