import pytest
from sklearn.base import BaseEstimator, clone

from plait.core.callbacks import HAS_CALLBACKS, CallbackSupport, fit_tasks, with_callbacks


class Stepper(CallbackSupport, BaseEstimator):
    def __init__(self, n_steps=3):
        self.n_steps = n_steps

    @with_callbacks
    def fit(self, X, y=None):
        self.done_ = list(fit_tasks(self, range(self.n_steps), "step", X=X, y=y))
        return self


class Recorder:
    def __init__(self):
        self.seen = []

    def setup(self, estimator, context):
        self.seen.append("setup")

    def teardown(self, estimator, context):
        self.seen.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.seen.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.seen.append(f"end {context.task_name}")


def test_works_without_callbacks():
    assert clone(Stepper()).fit([[0.0]]).done_ == [0, 1, 2]


@pytest.mark.skipif(not HAS_CALLBACKS, reason="needs scikit-learn 1.9 or later, which has callbacks")
def test_callbacks_see_every_step():
    recorder = Recorder()
    Stepper(n_steps=2).set_callbacks(recorder).fit([[0.0]])
    steps = ["begin step", "end step"] * 2
    assert recorder.seen == ["setup", "begin fit", *steps, "end fit", "teardown"]
