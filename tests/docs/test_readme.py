"""What the README and the package say of the project: links that lead somewhere, one address everywhere."""

import re
import tomllib
from pathlib import Path

from plait.core.multilabel_classifier import DOCUMENTATION

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf8")


def test_every_relative_link_and_picture_is_there():
    targets = re.findall(r"\]\((?!https?:|#)([^)#]*)", README)
    assert {"docs/pictures/joint.svg", "docs/pictures/explore.png", "docs/pictures/report.png"} <= set(targets)
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_first_block_fits_a_model_and_prints_names():
    block = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    assert "AutoJoint" in block
    assert "even, at least five, has a loop" in block


def test_notebooks_and_package_indexes_lead_to_the_same_pages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    assert project["urls"]["Documentation"] == DOCUMENTATION
    assert "readme" in project["dynamic"]
