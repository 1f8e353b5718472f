"""The methods that are compared: each trains and answers for the test part.

An answer has marginals `P`, label sets `sets` (what the method itself predicts), where it knows better ones for a
measure `sets_for`, and, where it has a joint distribution, `log_prob` of the true label sets.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import MinMaxScaler

from benchmarks.compared.problems import Problem
from plait import AutoJoint, recipes
from plait.baselines import MLkNN
from plait.core.extras import optional

ROUNDS = 300
Answer = dict[str, Any]


def scaled(problem: Problem) -> tuple[Any, Any]:
    """Return both parts with dense columns between 0 and 1, with which logistic regression at C = 1 does best."""
    if sparse.issparse(problem.X):
        return problem.X, problem.X_test
    scaler = MinMaxScaler().fit(problem.X)
    return scaler.transform(problem.X), scaler.transform(problem.X_test)


def timed(fit: Callable[[], Any], answer: Callable[[Any], Answer]) -> Answer:
    start = process_time()
    model = fit()
    middle = process_time()
    found = answer(model)
    return {**found, "fit": middle - start, "predict": found.get("predict", process_time() - middle)}


def with_varying(problem: Problem, method: Callable[[Any, Any, Any], Answer], *, linear: bool = False) -> Answer:
    """Run a method on the labels that vary in training; the others have their base rates."""
    X, X_test = scaled(problem) if linear else (problem.X, problem.X_test)
    n_rows = len(problem.Y)
    ones = problem.Y.sum(axis=0)
    varying = np.flatnonzero((ones > 0) & (ones < n_rows))
    found = method(X, problem.Y[:, varying], X_test)
    P = np.tile((ones + 1.0) / (n_rows + 2.0), (X_test.shape[0], 1))
    P[:, varying] = found["P"]
    sets = (P > 0.5).astype(int)
    sets[:, varying] = found["sets"]
    if "log_prob_of" in found:
        rest = np.setdiff1d(np.arange(len(ones)), varying)
        chance = np.where(problem.Y_test[:, rest] == 1, P[:, rest], 1.0 - P[:, rest])
        found["log_prob"] = found.pop("log_prob_of")(problem.Y_test[:, varying]) + np.log(chance).sum(axis=1)
    return {**found, "P": P, "sets": sets}


def relevance(make: Callable[[], Any]) -> Callable[[Problem], Answer]:
    def run(problem: Problem) -> Answer:
        def method(X: Any, Y: Any, X_test: Any) -> Answer:
            return timed(
                lambda: OneVsRestClassifier(make()).fit(X, Y),
                lambda model: {"P": model.predict_proba(X_test), "sets": model.predict(X_test)},
            )

        return with_varying(problem, method, linear=True)

    return run


def chain(make: Callable[[], Any]) -> Callable[[Problem], Answer]:
    def run(problem: Problem) -> Answer:
        def method(X: Any, Y: Any, X_test: Any) -> Answer:
            def answer(model: Any) -> Answer:
                found = {"P": model.predict_proba(X_test), "sets": model.predict(X_test).astype(int)}
                return {**found, "log_prob_of": lambda Y_test: chain_log_prob(model, X_test, Y_test)}

            return timed(lambda: ClassifierChain(make()).fit(X, Y), answer)

        return with_varying(problem, method, linear=True)

    return run


def chain_log_prob(model: Any, X: Any, Y: Any) -> Any:
    """Return log P(y | x) of scikit-learn's chain: the product of its conditionals at the true labels."""
    total = np.zeros(Y.shape[0])
    for place, (label, each) in enumerate(zip(model.order_, model.estimators_, strict=True)):
        before = Y[:, model.order_[:place]]
        inputs = sparse.hstack([X, before], format="csr") if sparse.issparse(X) else np.hstack([X, before])
        chance = np.clip(each.predict_proba(inputs)[:, 1], 1e-6, 1 - 1e-6)
        total += np.log(np.where(Y[:, label] == 1, chance, 1 - chance))
    return total


def forest(kind: Any) -> Callable[[Problem], Answer]:
    def run(problem: Problem) -> Answer:
        def method(X: Any, Y: Any, X_test: Any) -> Answer:
            def answer(model: Any) -> Answer:
                each = model.predict_proba(X_test)
                P = np.column_stack([part[:, 1] for part in each]) if isinstance(each, list) else each[:, 1:]
                return {"P": P, "sets": (P > 0.5).astype(int)}

            targets = Y if Y.shape[1] > 1 else Y[:, 0]
            return timed(lambda: kind(100, random_state=0).fit(X, targets), answer)

        return with_varying(problem, method)

    return run


def _xgboost() -> Any:
    return optional("xgboost", extra="boosting", purpose="the comparison").XGBClassifier(
        n_estimators=ROUNDS, n_jobs=1, verbosity=0
    )


def _lightgbm() -> Any:
    return optional("lightgbm", extra="boosting", purpose="the comparison").LGBMClassifier(
        n_estimators=ROUNDS, n_jobs=1, verbose=-1
    )


def unscaled(make: Callable[[], Any]) -> Callable[[Problem], Answer]:
    def run(problem: Problem) -> Answer:
        def method(X: Any, Y: Any, X_test: Any) -> Answer:
            return timed(
                lambda: OneVsRestClassifier(make()).fit(X, Y),
                lambda model: {"P": model.predict_proba(X_test), "sets": model.predict(X_test)},
            )

        return with_varying(problem, method)

    return run


def catboost(problem: Problem) -> Answer:
    kind = optional("catboost", extra="boosting", purpose="the comparison").CatBoostClassifier

    def method(X: Any, Y: Any, X_test: Any) -> Answer:
        model = kind(
            iterations=ROUNDS, loss_function="MultiLogloss", thread_count=1, verbose=False, allow_writing_files=False
        )
        return timed(
            lambda: model.fit(X, Y),
            lambda fitted: {
                "P": fitted.predict_proba(X_test),
                "sets": (fitted.predict_proba(X_test) > 0.5).astype(int),
            },
        )

    return with_varying(problem, method)


def boomer(problem: Problem) -> Answer:
    """BOOMER in an environment of its own, whose Python PLAIT_BOOMER names."""
    python = os.environ.get("PLAIT_BOOMER")
    if python is None:
        raise RuntimeError("set PLAIT_BOOMER to a Python with mlrl-boomer (pip install mlrl-boomer)")

    def method(X: Any, Y: Any, X_test: Any) -> Answer:
        with tempfile.TemporaryDirectory() as folder:
            for name, part in (("X", X), ("X_test", X_test)):
                sparse.save_npz(Path(folder, f"{name}.npz"), sparse.csr_matrix(part))
            np.save(Path(folder, "Y.npy"), Y)
            dense = "sparse" if sparse.issparse(X) else "dense"
            subprocess.run([python, str(Path(__file__).with_name("boomer_worker.py")), folder, dense], check=True)
            found = np.load(Path(folder, "answer.npz"))
            return {
                "P": found["P"],
                "sets": found["sets"],
                "fit": float(found["fit"]),
                "predict": float(found["predict"]),
            }

    return with_varying(problem, method)


def ours(make: Callable[[], Any]) -> Callable[[Problem], Answer]:
    """A method of plait: labels as they are, the label set of least expected loss for every measure."""

    def run(problem: Problem) -> Answer:
        def answer(model: Any) -> Answer:
            if not hasattr(model, "joint"):
                return {"P": model.predict_proba(problem.X_test), "sets": model.predict(problem.X_test)}
            start = process_time()
            posterior = model.joint(problem.X_test)
            found: Answer = {"sets": posterior.decide("subset"), "predict": process_time() - start}
            words = ("hamming", "f1", "micro_f1", "macro_f1")[: 4 if isinstance(model, AutoJoint) else 2]
            found["sets_for"] = {word: posterior.decide(word) for word in words}
            found |= {"P": posterior.marginals(), "log_prob": posterior.log_prob(problem.Y_test)}
            return found

        return timed(lambda: make().fit(problem.X, problem.Y), answer)

    return run


METHODS: dict[str, Callable[[Problem], Answer]] = {
    "AutoJoint": ours(lambda: AutoJoint(random_state=0)),
    "AutoJoint fast": ours(lambda: AutoJoint("fast", random_state=0)),
    "RandomForest": forest(RandomForestClassifier),
    "ExtraTrees": forest(ExtraTreesClassifier),
    "BR": relevance(lambda: LogisticRegression(max_iter=1000)),
    "chain": chain(lambda: LogisticRegression(max_iter=1000)),
    "MLkNN": ours(MLkNN),
    "plait br": ours(recipes.br),
    "plait pcc": ours(lambda: recipes.pcc(random_state=0)),
    "BOOMER": boomer,
    "plait ctbn": ours(lambda: recipes.ctbn(random_state=0)),
    "plait epcc": ours(lambda: recipes.epcc(random_state=0)),
    "LightGBM": unscaled(_lightgbm),
    "XGBoost": unscaled(_xgboost),
    "BR, LogisticRegressionCV": relevance(lambda: LogisticRegressionCV(cv=3, max_iter=1000)),
    "chain, LogisticRegressionCV": chain(lambda: LogisticRegressionCV(cv=3, max_iter=1000)),
    "CatBoost": catboost,
    "plait mc": ours(lambda: recipes.mc(random_state=0)),
    "plait occ": ours(lambda: recipes.occ(random_state=0)),
}
