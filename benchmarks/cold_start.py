"""The first answer on a fresh machine: CPU seconds of whole processes, imports and compilation included.

Needs the benchmark data (PLAIT_DATA). Every row is a process of its own with an empty folder for compiled kernels; the
import of scikit-learn's multi-output classifiers alone, measured in the same run, is what rows are compared with. The
least of several runs counts. `warm` is the same process again with the folder that the first one filled.
"""

import doctest
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

RUNS = 3
# README's lines may take so many times the import of scikit-learn alone.
MOST_IMPORTS = 2.5

SKLEARN = "import sklearn.multioutput, sklearn.linear_model"

README = Path(__file__).parents[1] / "README.md"
TEN_LINES = "".join(example.source for example in doctest.DocTestParser().get_examples(README.read_text("utf-8")))

CHAIN = """
from plait import recipes
from plait.data.synthetic import make_label_network
data = make_label_network(500, 5, 4, structure="tree", random_state=0).dataset
model = recipes.pcc().fit(data.X, data.Y)
model.predict(data.X)
answer = model.joint(data.X)
answer.top(3).probabilities
answer.given({"y2": 1}).marginals()
answer.decide("f1")
"""

LOADING = "from plait import load_dataset"
EMOTIONS = LOADING + "\ndata = load_dataset('emotions')"

THREE = """
from plait import load_dataset, recipes
train, test = (load_dataset("emotions", split=part) for part in ("train", "test"))
for recipe in (recipes.pcc, recipes.occ, recipes.mc):
    recipe(random_state=0).fit(train.X, train.Y).predict(test.X)
"""

ENRON = """
from plait import load_dataset, recipes
train, test = (load_dataset("enron", split=part) for part in ("train", "test"))
recipes.pcc().fit(train.X, train.Y).predict(test.X)
"""

# What is run, and the most CPU seconds it may take on a machine whose import of scikit-learn takes about 2 s.
ROWS = {
    "README's ten lines": (["-c", TEN_LINES], 5.0),
    "ten lines with a chain": (["-c", CHAIN], 5.0),
    "load_dataset: emotions": (["-c", EMOTIONS], None),
    "pcc + occ + mc: emotions": (["-c", THREE], 20.0),
    "pcc: enron": (["-c", ENRON], 15.0),
    "plait --version": (["-m", "plait", "--version"], 0.4),
    "plait --help": (["-m", "plait", "--help"], 0.4),
    "plait completion bash": (["-m", "plait", "completion", "bash"], 0.4),
    "import plait": (["-c", "import plait"], None),
    "import plait.recipes": (["-c", "from plait import recipes"], None),
}


def cpu_seconds(arguments: list[str], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def cold_and_warm(arguments: list[str]) -> tuple[float, float]:
    cold, warm = [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(cpu_seconds(arguments, {"NUMBA_CACHE_DIR": folder}))
            warm.append(cpu_seconds(arguments, {"NUMBA_CACHE_DIR": folder}))
    return min(cold), min(warm)


def main() -> None:
    if not Path(os.environ.get("PLAIT_DATA", "")).is_dir() or "PLAIT_DATA" not in os.environ:
        print("needs the benchmark data: set PLAIT_DATA to their folder")
        return
    alone = cold_and_warm(["-c", SKLEARN])[0]
    loading = cold_and_warm(["-c", LOADING])[0]
    print(f"{'import of scikit-learn alone':<28} {alone:6.2f} s")
    print(f"{'':<28} {'cold':>8} {'warm':>8} {'cold / scikit-learn':>20}  bar")
    for name, (arguments, most) in ROWS.items():
        cold, warm = cold_and_warm(arguments)
        bar = "" if most is None else f"<= {most:g} s: {'met' if cold <= most else 'missed'}"
        if arguments[-1] == EMOTIONS:
            beyond = cold - loading
            bar = f"<= 0.5 s beyond its import: {beyond:.2f} s, {'met' if beyond <= 0.5 else 'missed'}"
        if arguments[-1] == TEN_LINES:
            bar += f"; <= {MOST_IMPORTS:g} imports: {'met' if cold <= MOST_IMPORTS * alone else 'missed'}"
        print(f"{name:<28} {cold:7.2f}s {warm:7.2f}s {cold / alone:19.2f}x  {bar}")


if __name__ == "__main__":
    main()
