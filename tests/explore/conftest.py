"""Small data with names that hold markup; models that were fitted on them; the page served to a test."""

import json
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from types import SimpleNamespace

import numpy as np
import pytest

from plait import recipes
from plait.data import Dataset
from plait.explore import CorrectionLog, Explorer, explore_app
from plait.explore.server import listening

LABELS = ("sea", "<img src=x onerror=document.title='bad'>", "sun", 'sand & "salt"', "</script><b>", "cliff")


def made_up_data(n_samples=120, n_labels=6, seed=0):
    """Return a data set in which each label follows the one before it or a feature."""
    chance = np.random.default_rng(seed)
    X = chance.normal(size=(n_samples, 4))
    Y = np.zeros((n_samples, n_labels), dtype=np.int64)
    for k in range(n_labels):
        score = X[:, k % 4] + (2.0 * Y[:, k - 1] - 1.0 if k else 0.0)
        Y[:, k] = chance.random(n_samples) < 1 / (1 + np.exp(-1.5 * score))
    names = LABELS[:n_labels] if n_labels <= len(LABELS) else [f"label {k}" for k in range(n_labels)]
    return Dataset(X, Y, ["width", "<b>height", "depth", "age"], names, name="<i>beach")


@pytest.fixture(scope="session")
def beach():
    return made_up_data()


@pytest.fixture(scope="session")
def tree(beach):
    return recipes.ctbn(learner="logistic", random_state=0).fit(beach.X, beach.Y)


@pytest.fixture(scope="session")
def mixture(beach):
    return recipes.mc(random_state=0).fit(beach.X, beach.Y)


@contextmanager
def served(explorer):
    """Serve an explorer from a thread; yields its port, token and address, and `ask(question, body)`."""
    pytest.importorskip("waitress")
    app = explore_app(explorer)
    server = listening(app)

    ended = threading.Event()

    def run():
        while not ended.is_set():
            server.asyncore.loop(timeout=0.05, map=server._map, count=1)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def ask(question, body, **headers):
        connection = HTTPConnection("127.0.0.1", app.port, timeout=30)
        given = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{app.port}", **headers}
        connection.request("POST", f"/{app.token}/api/{question}", json.dumps(body), given)
        answer = connection.getresponse()
        words = answer.read()
        connection.close()
        return answer.status, (json.loads(words) if answer.status == 200 else words.decode())

    address = f"http://127.0.0.1:{app.port}/{app.token}/"
    yield SimpleNamespace(port=app.port, token=app.token, address=address, ask=ask, app=app)
    ended.set()
    thread.join(timeout=5)
    server.close()
    server.task_dispatcher.shutdown()
    for channel in list(server._map.values()):
        channel.close()


@pytest.fixture
def serve_here():
    return served


@pytest.fixture
def explorer(tree, beach, tmp_path):
    return Explorer(tree, beach, corrections=CorrectionLog(tmp_path / "corrections.csv"))
