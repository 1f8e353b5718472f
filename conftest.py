"""Tests run in any environment: without an extra, what fails for want of its packages is skipped.

Examples in docstrings run in a folder of their own, so that the files they write are not left behind.
"""

import re
from collections.abc import Generator
from importlib.util import find_spec
from typing import Any

import pytest
from _pytest.doctest import DoctestItem

EXTRAS = (
    *("narwhals", "pandas", "polars", "pyarrow", "openpyxl", "skops", "networkx", "dask", "distributed", "matplotlib"),
    *("catboost", "lightgbm", "xgboost", "cleanlab", "iterstrat", "arff", "skrub", "PIL", "numpydoc", "sphinx"),
)
ABSENT = "|".join(name for name in EXTRAS if find_spec(name) is None)
WANTED = re.compile(rf"(?:No module named '|[Pp]lait needs |`)({ABSENT})(?:\.\w+)*(?:'| for |` )") if ABSENT else None


@pytest.fixture(autouse=True)
def _elsewhere(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, DoctestItem):
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Skip a module that imports what is not there."""
    return _skipped_for_want((yield), str(collector.path))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Skip a test that ends because of what is not there."""
    return _skipped_for_want((yield), str(item.path))


def _skipped_for_want(report: Any, path: str) -> Any:
    told = f"{report.longreprtext}{getattr(report, 'capstderr', '')}" if WANTED and report.failed else ""
    found = WANTED.search(told) if WANTED else None
    if found:
        report.outcome, report.longrepr = "skipped", (path, 0, f"needs {found[1]}, which is not installed")
    return report
