"""Every key cited in the source stands in references.bib."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# [OCC 33], [PCC, algorithm 2], [Sechidis2011], [OCC 24-33; PACC 12]: capital first, a year or a number inside.
CITATION = re.compile(
    r"\[((?:[A-Z][A-Za-z]*(?:\d{4})?)(?: \d[^\]\n]*|,? (?:algorithm|table|theorem|section)[^\]\n]*|(?<=\d{4})))\]"
)


def known_keys() -> set[str]:
    return set(re.findall(r"^@\w+\{([^,\s]+),", (ROOT / "references.bib").read_text(encoding="utf8"), re.MULTILINE))


def cited_keys(text: str) -> set[str]:
    parts = [part.strip() for inside in CITATION.findall(text) for part in inside.split(";")]
    return {re.match(r"[A-Za-z]+(?:\d{4})?", part).group() for part in parts if part[:1].isupper()}


def test_citations_are_found():
    assert cited_keys("see [OCC 33; PACC 12] and [Sechidis2011], not [0, 1], [EPS, 1 - EPS] or list[Any]") == {
        "OCC",
        "PACC",
        "Sechidis2011",
    }


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks"])
def test_every_cited_key_is_known(folder):
    cited = {
        (key, str(path.relative_to(ROOT)))
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
        for key in cited_keys(path.read_text(encoding="utf8"))
    }
    unknown = sorted((key, path) for key, path in cited if key not in known_keys())
    assert unknown == []


def test_the_five_papers_are_known():
    assert {"OCC", "SCLS", "MC", "PCC", "PACC"} <= known_keys()
