"""The habits that a linter does not know: sizes, names, exports, tests beside the source."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import plait

PACKAGE = Path(plait.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE, LONGEST_BODY = 400, 50
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "misc", "common"}


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path):
    text = path.read_text(encoding="utf8")
    assert text.count("\n") <= LONGEST_FILE
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert [f.name for f in functions if body_lines(f) > LONGEST_BODY] == []
    assert path.stem.lstrip("_") not in NAMES_THAT_SAY_NOTHING


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
