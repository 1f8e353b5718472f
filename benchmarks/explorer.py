"""The page of `plait explore` with 50,000 rows and 400 labels: milliseconds from a click to its answers, over HTTP.

    python -m benchmarks.explorer [MODEL ...]

A click is a label said to be there or not, of a row that is open. First the probabilities are asked ("view"), then
what may take longer ("sets"): the most probable sets and the label to ask next. Bar: 150 ms to the probabilities, at
the 95th percentile, for every model, fitted on the first 3,000 rows; rows are measured in the background meanwhile.
"""

import json
import sys
import threading
import time
import warnings
from http.client import HTTPConnection
from typing import Any

import numpy as np

from plait import AutoJoint, recipes
from plait.data import Dataset
from plait.explore import Explorer, explore_app
from plait.explore.server import listening

N_ROWS, N_LABELS, N_FEATURES, TRAINING_ROWS = 50_000, 400, 50, 3000
MODELS = ("br", "bcc", "ctbn", "pacc", "pcc", "plt", "auto", "mc", "epcc")
ROWS, CLICKS = 5, 8
Asked = dict[str, list[float]]


def tagged(seed: int = 0) -> Dataset:
    """Return rows with about eight of 400 labels: each follows features and one or two labels before it."""
    chance = np.random.default_rng(seed)
    X = chance.normal(size=(N_ROWS, N_FEATURES))
    Y = np.zeros((N_ROWS, N_LABELS), dtype=np.uint8)
    weights = chance.normal(size=(N_FEATURES, N_LABELS)) * (chance.random((N_FEATURES, N_LABELS)) < 0.1)
    for k in range(N_LABELS):
        score = X @ weights[:, k] - 4.5
        for parent in chance.integers(0, k, size=2) if k else ():
            score += 3.0 * Y[:, parent]
        Y[:, k] = chance.random(N_ROWS) < 1 / (1 + np.exp(-score))
    names = [f"feature {j}" for j in range(N_FEATURES)]
    return Dataset(X, Y, names, [f"tag {k}" for k in range(N_LABELS)], name="tags")


def fitted(word: str, data: Dataset) -> Any:
    """Return a model of the first rows."""
    X, Y = data.X[:TRAINING_ROWS], data.Y[:TRAINING_ROWS]
    model = AutoJoint(random_state=0) if word == "auto" else getattr(recipes, word)(random_state=0)
    return model.fit(X, Y)


class Page:
    """What the browser does: questions, and the milliseconds that they took."""

    def __init__(self, explorer: Explorer) -> None:
        explorer.warm_up()
        app = explore_app(explorer)
        server = listening(app)
        threading.Thread(target=server.run, daemon=True).start()
        explorer.ranking.start()
        self.app, self.connection = app, HTTPConnection("127.0.0.1", app.port)

    def ask(self, question: str, **body: Any) -> tuple[Any, float]:
        """Return an answer and how long it took."""
        start = time.perf_counter()
        headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.app.port}"}
        self.connection.request("POST", f"/{self.app.token}/api/{question}", json.dumps(body), headers)
        answer = self.connection.getresponse()
        words = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{question}: {answer.status} {words!r}")
        return json.loads(words), 1e3 * (time.perf_counter() - start)


def clicks(page: Page, chance: np.random.Generator) -> Asked:
    """Return the milliseconds of opening rows, and of clicks on them: likely and unlikely labels, there and not."""
    found: Asked = {"open": [], "view": [], "sets": [], "why": []}
    page.ask("about")
    for row in chance.integers(0, N_ROWS, size=ROWS).tolist():
        known: dict[str, int] = {}
        view, taken = page.ask("view", row=row, known={}, loss="")
        found["open"].append(taken)
        for click in range(CLICKS):
            time.sleep(0.3)  # as long as a quick reader takes; the measuring of rows goes on meanwhile
            free = [k for k in range(N_LABELS) if str(k) not in known]
            likely = sorted(free, key=lambda k: -view["marginals"][k])[:10]
            known[str(chance.choice(likely if click % 4 else free))] = int(click % 3 > 0)
            for question in ("view", "sets"):
                answer, taken = page.ask(question, row=row, known=known, loss="")
                found[question].append(taken)
                view = answer if question == "view" else view
        found["why"].append(page.ask("why", row=row, label=likely[-1], known={})[1])
    return found


def main() -> None:
    """Print one line for each model: median and 95th percentile of each question."""
    warnings.simplefilter("ignore")
    data = tagged()
    print(f"{N_ROWS:,} rows, {N_LABELS} labels, {data.Y.sum(axis=1).mean():.1f} a row; milliseconds, median / 95 %")
    for word in [word for word in sys.argv[1:] if word in MODELS] or MODELS:
        start = time.perf_counter()
        model = fitted(word, data)
        fitting = time.perf_counter() - start
        found = clicks(Page(Explorer(model, data)), np.random.default_rng(0))
        cells = [f"{what} {np.median(ms):.0f} / {np.quantile(ms, 0.95):.0f}" for what, ms in found.items()]
        print(f"{word:5} (fitted in {fitting:.0f} s): {', '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
