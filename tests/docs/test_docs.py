"""Code in the documentation runs and says what it shows; the built pages need no network."""

import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import plait
from plait.cli import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("guides/*.md"), DOCS / "reproduction" / "pcc.md"])
NAMING = [*PAGES, DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples(path: Path) -> doctest.DocTest:
    """Return the page's code as one doctest; a fence would otherwise be read as expected output."""
    text = re.sub(r"^[ >]*`{3,}.*$", "", path.read_text(encoding="utf8"), flags=re.MULTILINE)
    return doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)


def commands(path: Path) -> list[tuple[str, str]]:
    """Return the `plait` commands of the page's console blocks, each with the output that the page shows."""
    blocks = re.findall(r"^```console\n(.*?)^```", path.read_text(encoding="utf8"), flags=re.MULTILINE | re.DOTALL)
    return [part for block in blocks for part in re.findall(r"^\$ plait (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_code_in_the_pages_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(examples(path), out=report.append)
    assert not report, "".join(report)
    # The commands find the files that the code above them has written.
    for words, shown in commands(path):
        assert main(shlex.split(words)) == 0
        assert capsys.readouterr().out.split() == shown.split()


def test_the_pages_that_promise_code_have_some():
    counts = {path.name: len(examples(path).examples) for path in PAGES}
    assert all(counts[name] >= 5 for name in ("start.md", "data.md", "metrics.md")), counts
    assert commands(DOCS / "start.md")
    assert commands(DOCS / "data.md")


def test_a_wrong_example_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("text\n\n```pycon\n>>> 1 + 1\n3\n```\n", encoding="utf8")
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(examples(page), out=report.append)
    assert "Expected:\n    3\nGot:\n    2" in "".join(report)


def named_things(path: Path) -> list[str]:
    """Return what a page calls by its full name, `plait.room.Thing`."""
    return re.findall(r"`(plait(?:\.\w+)+)", path.read_text(encoding="utf8"))


@pytest.mark.parametrize("path", NAMING, ids=lambda path: path.name)
def test_what_the_pages_name_exists(path):
    for name in named_things(path):
        thing = plait
        for place, word in enumerate(name.split(".")[1:], 2):
            if inspect.ismodule(thing) and not hasattr(thing, word):
                importlib.import_module(".".join(name.split(".")[:place]))
            thing = getattr(thing, word)


class Loads(HTMLParser):
    """Collect what a page makes a browser fetch; links that a reader may click are not among it."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        sources = [values.get(name) for name in ("src", "srcset", "data", "poster")]
        if tag == "link" and values.get("rel") not in ("canonical", "index", "search", "next", "prev", "author"):
            sources.append(values.get("href"))
        self.addresses += [address for address in sources if address]


def rooms() -> list[str]:
    return [f"plait.{info.name}" for info in pkgutil.iter_modules(plait.__path__) if info.ispkg]


def exported(room: str) -> list[str]:
    """Return the full names of what a room exports, without modules and what other rooms explain."""
    module = importlib.import_module(room)
    things = {name: getattr(module, name) for name in module.__all__}
    return [
        f"{room}.{name}"
        for name, thing in things.items()
        if not inspect.ismodule(thing) and (getattr(thing, "__module__", None) or room).startswith(room)
    ]


def remote(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


def machinery(name: str):
    """Return a module of the pages' machinery, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "machinery" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("line", "escaped"),
    [
        ("fitted n_iter_ and |S| sizes", r"fitted n_iter\_ and \|S\| sizes"),
        ("names `n_iter_` and :obj:`a|b_` stay", "names `n_iter_` and :obj:`a|b_` stay"),
        (r"**coef\_** : snake_case", r"**coef\_** : snake_case"),
        (">>> model.coef_ | other", ">>> model.coef_ | other"),
    ],
)
def test_docstrings_are_read_as_plain_text(line, escaped):
    lines = [line]
    machinery("plain_docstrings").escape_marks(None, "", "", None, None, lines)
    assert lines == [escaped]


@pytest.mark.slow
def test_the_pages_build_without_warnings_and_load_nothing_from_the_network(tmp_path):
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    folders = ["-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "html")]
    done = subprocess.run([*command, *folders], capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    pages = list((tmp_path / "html").rglob("*.html"))
    assert {path.stem for path in PAGES} <= {page.stem for page in pages}
    anchors = {word for page in pages for word in re.findall(r'id="(plait\.[\w.]+)"', page.read_text(encoding="utf8"))}
    assert sorted({name for room in rooms() for name in exported(room)} - anchors) == []
    assert all((tmp_path / "html" / "gallery" / f"{path.stem}.html").exists() for path in DOCS.glob("examples/*.py"))
    shown = {page.stem.partition("-")[2] for page in pages if page.parent.name == "api"}
    assert shown == {
        "plait",
        *(room.removeprefix("plait.") for room in rooms() if importlib.import_module(room).__all__),
    }
    for page in pages:
        reader = Loads()
        reader.feed(page.read_text(encoding="utf8"))
        assert [address for address in reader.addresses if remote(address)] == [], page.name
    for sheet in (tmp_path / "html").rglob("*.css"):
        addresses = re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s]+)", sheet.read_text(encoding="utf8"))
        assert [address for address in addresses if remote(address)] == [], sheet.name


@pytest.mark.parametrize(
    ("shown", "broken"),
    [
        ("recipes.pcc(learner=LinearSVC())", "recipes.<wbr>pcc(<wbr>learner=<wbr>LinearSVC())"),
        ("plait.posterior.Posterior", "plait.<wbr>posterior.<wbr>Posterior"),
        ("MultilabelStratifiedKFold", "Multilabel<wbr>StratifiedKFold"),
        ("loss=&quot;f1&quot;", "loss=&quot;f1&quot;"),
        ("joint(X)", "joint(X)"),
    ],
)
def test_long_names_may_go_on_in_the_next_line(shown, broken):
    page = '<p>a.b</p><code><span class="pre">{}</span></code>'
    assert machinery("line_breaks").breakable(page.format(shown)) == page.format(broken)


def test_initials_of_authors_do_not_begin_a_list():
    assert "   J\\. Ross Quinlan" in machinery("bibliography").page()


def test_names_of_other_packages_are_no_links_to_ours(monkeypatch):
    pytest.importorskip("sphinx")
    publish_doctree = importlib.import_module("docutils.core").publish_doctree
    pending_xref = importlib.import_module("sphinx.addnodes").pending_xref

    monkeypatch.syspath_prepend(DOCS / "machinery")
    table = ".. list-table::\n   :header-rows: 1\n\n   * - Mulan\n     - plait\n   * - ``HOMER``\n     - ``HOMER``\n"
    tree = publish_doctree(table)
    machinery("links")._link_names(tree, {"HOMER": "plait.baselines.HOMER"})
    (link,) = tree.findall(pending_xref)
    assert link.parent.parent.parent.index(link.parent.parent) == 1


def test_bars_around_a_size_stand_close():
    nodes = pytest.importorskip("docutils.nodes")
    pytest.importorskip("sphinx")
    markup = machinery("math_markup")._markup(nodes.math_block("", r"2 \lvert A \rvert"), as_block=True)
    assert '<mo form="prefix" stretchy="false">|</mo>' in markup
    assert '<mo form="postfix" stretchy="false">|</mo>' in markup
