"""Run one benchmark by name, several, or all: `python -m benchmarks [NAME ...]`."""

import sys
from importlib import import_module
from pathlib import Path


def names() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(words: list[str]) -> int:
    unknown = [word for word in words if word not in names()]
    if unknown:
        print(f"benchmarks: no benchmark is called {unknown[0]!r}. There are: {', '.join(names())}", file=sys.stderr)
        return 2
    for name in words or names():
        print(f"\n== {name} ==")
        import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
