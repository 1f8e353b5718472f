"""A small bench: data, a module of odd models beside the plan, and plans that use them."""

import textwrap
from pathlib import Path

import numpy as np
import pytest

from plait.data import Dataset, save_dataset

MODELS = '''
import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Sleeper(ClassifierMixin, BaseEstimator):
    """Takes its time, notes in a file that it was fitted, and predicts by chance that depends on seed and rows."""

    def __init__(self, number=0, seconds=0.0, log=None, fail=False, die=False, hold=None, random_state=None):
        self.number = number
        self.seconds = seconds
        self.log = log
        self.fail = fail
        self.die = die
        self.hold = hold
        self.random_state = random_state

    def fit(self, X, y):
        if self.log:
            with open(self.log, "a", encoding="ascii") as file:
                file.write(f"{self.number} {self.random_state} {os.getpid()}\\n")
        time.sleep(self.seconds)
        while self.hold and os.path.exists(self.hold):
            time.sleep(0.01)
        if self.fail:
            raise ValueError("too cold\\nto learn")
        if self.die:
            os.kill(os.getpid(), signal.SIGKILL)
        self.n_labels_ = y.shape[1]
        self.mean_ = float(X.mean())
        return self

    def predict(self, X):
        chance = np.random.default_rng([self.number, self.random_state, int(abs(self.mean_) * 1e6)])
        return (chance.random((X.shape[0], self.n_labels_)) < 0.5).astype(int)
'''


@pytest.fixture
def beach(tmp_path: Path) -> Dataset:
    """Write beach.csv, 30 rows with the labels sea, sun and sand, and return it."""
    chance = np.random.default_rng(0)
    X = chance.normal(size=(30, 4))
    Y = (X[:, :3] + 0.5 * chance.normal(size=(30, 3)) > 0).astype(int)
    data = Dataset(X, Y, ["a", "b", "c", "d"], ["sea", "sun", "sand"], "beach")
    save_dataset(data, tmp_path / "beach.csv")
    return data


@pytest.fixture
def write_plan(tmp_path: Path, beach: Dataset):
    """Return a function that writes a plan (and the module odd_models beside it) and returns its path."""
    (tmp_path / "odd_models.py").write_text(MODELS, encoding="utf8")

    def written(text: str, name: str = "plan.toml") -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf8")
        return path

    return written
