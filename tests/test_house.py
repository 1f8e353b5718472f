"""The habits that a linter does not know: sizes, names, exports, tests beside the source."""

import ast
import importlib
import pkgutil
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import plait

PACKAGE = Path(plait.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE, LONGEST_BODY, FULLEST_FOLDER, SINGLE_IMPORTERS = 400, 50, 25, 0.08
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "misc", "common"}


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path):
    text = path.read_text(encoding="utf8")
    assert text.count("\n") <= LONGEST_FILE
    functions = [n for n in ast.walk(read_tree(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert [f.name for f in functions if body_lines(f) > LONGEST_BODY] == []
    assert path.stem.lstrip("_") not in NAMES_THAT_SAY_NOTHING


def test_test_files_stay_small():
    files = Path(__file__).parent.rglob("*.py")
    assert [path.name for path in files if path.read_text(encoding="utf8").count("\n") > LONGEST_FILE] == []


def modules() -> list[str]:
    return ["plait", *(m.name for m in pkgutil.walk_packages(plait.__path__, "plait."))]


@pytest.mark.parametrize("name", modules())
def test_exports_exist_and_no_file_has_the_name_of_its_function(name):
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", [])
    assert [word for word in exported if not hasattr(module, word)] == []
    assert len(set(exported)) == len(exported)
    if not hasattr(module, "__path__"):
        assert name.rsplit(".", 1)[-1] not in exported


@pytest.mark.parametrize("name", [m for m in modules() if m.count(".") == 1 and not m.endswith("__main__")])
def test_every_room_says_what_it_takes_and_hands_on(name):
    doc = importlib.import_module(name).__doc__
    assert doc
    assert "Takes" in doc
    assert "hands on" in doc


def parameter_classes() -> list[type]:
    found = {
        kind
        for name in modules()
        for kind in vars(importlib.import_module(name)).values()
        if isinstance(kind, type) and "parameter_rules" in vars(kind) and kind.__module__.startswith("plait.")
    }
    return sorted(found, key=lambda kind: kind.__qualname__)


@pytest.mark.parametrize("kind", parameter_classes(), ids=lambda kind: kind.__name__)
def test_every_parameter_has_a_rule(kind):
    names = set(kind._get_param_names()) if hasattr(kind, "_get_param_names") else set()
    assert names <= set(kind.parameter_rules)


def read_tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf8"))


def module_name(path: Path) -> str:
    words = ["plait", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(words[:-1] if words[-1] == "__init__" else words)


FILES = {module_name(path): path for path in SOURCES}
IDEAS = {name for name, path in FILES.items() if path.name != "__init__.py"}


def is_kernel_file(name: str) -> bool:
    return name in IDEAS and name.rsplit(".", 1)[1].startswith("_") and not name.endswith("__main__")


@cache
def imported(path: Path, name: str) -> set[str]:
    """Return the modules that a file (or stub) names: in imports, and in strings, which `lazy_module` reads."""
    found = set()
    for node in ast.walk(read_tree(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = f"{name}.{node.module}" if node.level else node.module
            found.update([base, *(f"{base}.{alias.name}" for alias in node.names)])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def exported_files() -> set[str]:
    """Return the files whose content the `__init__` of some folder exports."""
    stubs = [(path.with_suffix(".pyi"), name) for name, path in FILES.items() if path.name == "__init__.py"]
    shown = set().union(*(imported(path, name) for path, name in stubs if path.exists()))
    return {name for name in shown & IDEAS if not is_kernel_file(name)}


def test_half_of_all_files_export_something():
    assert len(exported_files()) >= 0.5 * len(IDEAS)


def test_no_folder_is_crowded():
    folders = Counter(name.rsplit(".", 1)[0] for name in IDEAS)
    assert [folder for folder, size in folders.items() if size > FULLEST_FOLDER] == []


def test_few_internal_files_have_a_single_importer():
    """A step of one customer belongs in its file, unless that would pass 400 lines."""
    importers = Counter(used for name, path in FILES.items() for used in imported(path, name) & IDEAS if used != name)
    alone = [name for name in IDEAS - exported_files() if importers[name] == 1]
    assert len(alone) <= SINGLE_IMPORTERS * len(IDEAS), sorted(alone)


def test_one_rule_of_jobs():
    """What runs at once does so by `core.parallel`, with its rule of `n_jobs` and its care for loky."""
    others = [name for name in IDEAS if "joblib" in {used.split(".")[0] for used in imported(FILES[name], name)}]
    assert sorted(others) == ["plait.core.parallel", "plait.experiments.running.pools"]


def lazy_names() -> list[tuple[str, str]]:
    """Return who names which lazy module; only assignments at the top of a file do."""
    return [
        (name, node.value.args[0].value)
        for name in sorted(FILES)
        if "lazy_module(" in FILES[name].read_text(encoding="utf8")
        for node in read_tree(FILES[name]).body
        if isinstance(node, ast.Assign) and getattr(getattr(node.value, "func", None), "id", "") == "lazy_module"
    ]


def layers() -> list[str]:
    """Return the rooms from top to bottom as import-linter checks them, neighbours in one line."""
    settings = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf8"))
    return settings["tool"]["importlinter"]["contracts"][0]["layers"]


def test_the_guide_draws_the_rooms_as_they_lie():
    drawing = "\n".join(layer for layer in layers() if layer != "__main__")
    assert f"```\n{drawing}\n```" in (PACKAGE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf8")


def room_heights() -> dict[str, int]:
    return {room.strip(): -place for place, layer in enumerate(layers()) for room in layer.split("|")}


@pytest.mark.parametrize(("name", "used"), lazy_names())
def test_lazy_modules_are_of_the_same_room_or_of_one_below(name, used):
    if not used.startswith("plait."):
        importlib.import_module(used)
        return
    assert used in FILES
    own, other = name.split(".")[1], used.split(".")[1]
    assert own == other or room_heights()[own] > room_heights()[other]
