"""Print the lowest versions that pyproject.toml allows, one a line: `python tools/lowest.py [EXTRA ...]`."""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf8"))["project"]


def requirements(extras: list[str]) -> list[str]:
    """Return all requirements of the project and of some extras, those of extras of its own included."""
    found = list(PROJECT["dependencies"])
    todo, done = list(extras), set()
    while todo:
        extra = todo.pop()
        if extra in done:
            continue
        done.add(extra)
        for line in PROJECT["optional-dependencies"][extra]:
            own = re.fullmatch(r"plait\[(.*)\]", line)
            if own:
                todo += own[1].split(",")
            else:
                found.append(line)
    return found


def lowest(requirement: str) -> str:
    """Return a requirement with its lower bound as the only version."""
    return requirement.replace(">=", "==", 1)


if __name__ == "__main__":
    print("\n".join(sorted({lowest(line) for line in requirements(sys.argv[1:])})))
