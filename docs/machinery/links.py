"""Names and citations as links: `LogisticLearner` to its page, `GridSearchCV` to scikit-learn's, [OCC 33] to the paper.

Whoever writes a page or a docstring writes names in backquotes and keys in brackets, and nothing more.
"""

import re
from typing import Any

import api_pages
import bibliography
import sklearn_names
from docutils import nodes
from sphinx.addnodes import desc_signature, pending_xref

__all__ = ["add_to"]

_NAME = re.compile(r"([A-Za-z_][\w.]*)(?:\(.*\))?")
_CITED = re.compile(r"\[([A-Z][A-Za-z]*(?:\d{4}[a-z]?)?)((?:[ ,;][^\]\[]*)?)\]")
_SHORTEST = 2
# Columns of tables with names of other packages, which may be those of things of plait or scikit-learn.
_FOREIGN = {"MEKA", "Mulan", "scikit-multilearn", "there"}


def add_to(app: Any) -> None:
    """Link names and keys in every page once it has been read."""
    targets = _targets()
    keys = bibliography.keys()

    def link(_app: Any, tree: nodes.document) -> None:
        _link_names(tree, targets)
        _link_keys(tree, keys)

    app.connect("doctree-read", link)


def _targets() -> dict[str, str]:
    """Return every way to call a public thing that means only one of them -> its full name."""
    found: dict[str, set[str]] = {}
    for full in [*sklearn_names.sklearn_names(), *api_pages.full_names(), *_methods()]:
        words = full.split(".")
        for start in range(len(words)):
            found.setdefault(".".join(words[start:]), set()).add(full)
    # plait's own come before scikit-learn's; a method alone, such as `fit`, belongs to many and is no link.
    ours = {short: {full for full in fulls if full.startswith("plait.")} or fulls for short, fulls in found.items()}
    methods = set(_methods())
    return {
        short: next(iter(fulls))
        for short, fulls in ours.items()
        if len(fulls) == 1 and not (fulls <= methods and "." not in short) and len(short) >= _SHORTEST
    }


def _methods() -> list[str]:
    return [
        f"{full}.{name}"
        for full, thing in api_pages.full_names().items()
        if isinstance(thing, type)
        for name in dir(thing)
        if not name.startswith("_") and str(getattr(getattr(thing, name, None), "__module__", "")).startswith("plait")
    ]


def _link_names(tree: nodes.document, targets: dict[str, str]) -> None:
    foreign = _foreign_cells(tree)
    for literal in list(tree.findall(nodes.literal)):
        called = _NAME.fullmatch(literal.astext())
        target = targets.get(called[1]) if called else None
        if target and not (
            literal in foreign or _inside(literal, (nodes.reference, pending_xref, nodes.title, desc_signature))
        ):
            link = pending_xref("", refdomain="py", reftype="obj", reftarget=target, refexplicit=True, refwarn=False)
            literal.replace_self(link)
            link += literal


def _foreign_cells(tree: nodes.document) -> set[nodes.Node]:
    """Return the literals below the heads of columns that hold names of other packages."""
    found: set[nodes.Node] = set()
    for group in tree.findall(nodes.tgroup):
        heads = [[cell.astext() for cell in row.children] for head in group.findall(nodes.thead) for row in head]
        for row in group.findall(nodes.row):
            for head, cell in zip(heads[-1] if heads else [], row.children, strict=False):
                found.update(cell.findall(nodes.literal) if head in _FOREIGN else ())
    return found


def _link_keys(tree: nodes.document, keys: set[str]) -> None:
    for text in list(tree.findall(nodes.Text)):
        words = text.astext()
        if not _CITED.search(words) or _inside(
            text, (nodes.reference, pending_xref, nodes.literal, nodes.FixedTextElement)
        ):
            continue
        parts: list[nodes.Node] = []
        done = 0
        for match in _CITED.finditer(words):
            if match[1] in keys:
                parts += [nodes.Text(words[done : match.start()]), _to_key(match[1], match[0])]
                done = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(words[done:])])


def _to_key(key: str, shown: str) -> nodes.Node:
    link = pending_xref("", refdomain="std", reftype="ref", reftarget=f"paper-{key.lower()}", refexplicit=True)
    link += nodes.inline("", shown)
    return link


def _inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, kinds):
            return True
        parent = parent.parent
    return False
