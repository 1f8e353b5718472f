"""How the training time of `br`, `bcc` and `kcc` grows: doublings of rows, words and labels of synthetic text.

    python -m benchmarks growth

CPU seconds of one thread, best of two; the exponent is log2 of the ratio to the size before. Bar: at most 1.1.
"""

import math
import os
import time
import warnings
from typing import Any

from plait import recipes
from plait.data.synthetic import make_tagged_text

METHODS: dict[str, Any] = {
    "br": lambda: recipes.br(learner="logistic", n_jobs=1),
    "bcc": lambda: recipes.bcc(learner="logistic", n_jobs=1, random_state=0),
    "kcc": lambda: recipes.kcc(k=3, learner="logistic", n_jobs=1, random_state=0),
}
BASE = (8000, 8000, 64)
DOUBLINGS = 3


def seconds(method: str, sizes: tuple[int, int, int], runs: int = 2) -> float:
    """Return the CPU time of a fit."""
    data, best = make_tagged_text(*sizes, random_state=0), math.inf
    for _ in range(runs):
        start = time.process_time()
        METHODS[method]().fit(data.X, data.Y)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Print a line for each size."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("PLAIT_PROGRESS", "never")
    for method in METHODS:
        seconds(method, (2000, 5000, 16), 1)  # compiles what is to be compiled
        for which, what in enumerate(("rows", "words", "labels")):
            before = 0.0
            for doubling in range(DOUBLINGS):
                sizes = [*BASE]
                sizes[which] *= 2**doubling
                now = seconds(method, (sizes[0], sizes[1], sizes[2]))
                exponent = f"exponent {math.log2(now / before):5.2f}" if before else ""
                print(f"{method:4} {what:7} {' x '.join(map(str, sizes)):20} {now:7.2f} s {exponent}", flush=True)
                before = now


if __name__ == "__main__":
    main()
