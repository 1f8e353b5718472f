"""One cell: a method on a data set, in a process of its own with a limit of time; its measures go to a file.

Every method decides as well as it can. For exact match and Hamming loss that is what it predicts or its marginals above
one half, for F1 also its marginals above the thresholds of largest expected F1 over the test rows (no labels needed).
Where a method offers several ways, the best of them on the test part is taken, which favours the others: AutoJoint has
one way for each measure, that of `predict` with that loss. What it would have by the others' rule is kept as ALIKE.
"""

import json
import multiprocessing
import resource
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import KFold

from benchmarks.compared.methods import METHODS, Answer
from benchmarks.compared.problems import Problem, load_whole
from plait import AutoJoint
from plait.losses import macro_f1_thresholds, micro_f1_threshold

# CPU seconds of a cell.
LIMIT = 60
FOLDS = 10
MEASURES = {
    "exact match": True,
    "joint log-loss": False,
    "micro-F1": True,
    "macro-F1": True,
    "example-F1": True,
    "Hamming loss": False,
    "marginal log-loss": False,
    "mean average precision": True,
}
ALIKE = "macro-F1, decided alike"
_F1 = {"micro-F1": "micro", "macro-F1": "macro", "example-F1": "samples"}


def path_of(folder: Path, method: str, problem: str) -> Path:
    return folder / f"{problem}--{method.replace(', ', '_').replace(' ', '_')}.json"


def run_cell(folder: Path, method: str, problem: Problem) -> dict[str, Any]:
    """Run a cell unless it is there already; a cell that fails or is stopped says so in its file."""
    path = path_of(folder, method, problem.name)
    if not path.exists():
        context = multiprocessing.get_context("fork")
        process = context.Process(target=_run, args=(path, method, problem))
        process.start()
        process.join()
        if not path.exists():
            why = f"stopped after {LIMIT} s" if process.exitcode == -signal.SIGXCPU else f"exit {process.exitcode}"
            path.write_text(json.dumps({"method": method, "problem": problem.name, "failed": why}))
    return json.loads(path.read_text())


def _run(path: Path, method: str, problem: Problem) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    warnings.simplefilter("ignore")
    answer = METHODS[method](problem)
    found = {"method": method, "problem": problem.name, "fit": answer["fit"], "predict": answer["predict"]}
    path.write_text(json.dumps({**found, **measures(answer, problem.Y_test, only=method.startswith("AutoJoint"))}))


def run_folds(folder: Path, name: str) -> dict[str, Any]:
    """Exact match and micro-F1 of AutoJoint over ten folds of a whole data set; folds are kept."""
    X, Y = load_whole(name)
    parts = KFold(FOLDS, shuffle=True, random_state=0).split(np.zeros((len(Y), 1)))
    places = folder / "folds"
    places.mkdir(parents=True, exist_ok=True)
    for number, (training, test) in enumerate(parts):
        path = places / f"{name}--{number}.json"
        if not path.exists():
            model = AutoJoint(random_state=0).fit(X[training], Y[training])
            answer = model.joint(X[test])
            found = {
                "exact match": float((answer.decide("subset") == Y[test]).all(axis=1).mean()),
                "micro-F1": _f1(Y[test], answer.decide("micro_f1"), "micro"),
            }
            path.write_text(json.dumps(found))
    return folds_of(folder, name)


def folds_of(folder: Path, name: str) -> dict[str, Any]:
    """Return the means over the folds that have run, and how many they are."""
    found = [json.loads(path.read_text()) for path in sorted((folder / "folds").glob(f"{name}--*.json"))]
    means = {key: float(np.mean([each[key] for each in found])) for key in (found[0] if found else ())}
    return {**means, "folds": len(found)}


def measures(answer: Answer, Y: Any, *, only: bool) -> dict[str, float]:
    """Return all measures; with `only`, each from the label sets that were made for it."""
    P, sets, made = answer["P"], np.asarray(answer["sets"]), answer.get("sets_for", {})
    plain = [sets, P > 0.5] if not only else [sets]
    hamming = [made["hamming"]] if only else plain
    micro = micro_f1_threshold(P) < P
    every = [sets, P > 0.5, macro_f1_thresholds(P) < P, micro, *made.values()]
    tries = {
        "micro-F1": [made["micro_f1"]] if only else [*plain, micro, *made.values()],
        "macro-F1": [made["macro_f1"]] if only else every,
        "example-F1": [made["f1"]] if only else [*plain, micro, *made.values()],
    }
    occurs = Y.sum(axis=0) > 0
    found = {
        "exact match": max(float((np.asarray(each) == Y).all(axis=1).mean()) for each in plain),
        "Hamming loss": min(float((np.asarray(each) != Y).mean()) for each in hamming),
        "marginal log-loss": min(_independent(P, Y, clip) for clip in (1e-3, 1e-4)) / Y.shape[1],
        "mean average precision": float(
            np.mean([average_precision_score(Y[:, k], P[:, k]) for k in np.flatnonzero(occurs)])
        ),
    }
    for name, kind in _F1.items():
        columns = occurs if kind == "macro" else slice(None)
        found[name] = max(_f1(Y[:, columns], np.asarray(each, dtype=int)[:, columns], kind) for each in tries[name])
    found[ALIKE] = max(_f1(Y[:, occurs], np.asarray(each, dtype=int)[:, occurs], "macro") for each in every)
    joint = answer.get("log_prob")
    found["joint log-loss"] = (
        min(_independent(P, Y, clip) for clip in (1e-3, 1e-4)) if joint is None else -float(np.mean(joint))
    )
    return found


def _f1(Y: Any, sets: Any, kind: str) -> float:
    """Return F1; a row without labels for which none are predicted is right."""
    return float(f1_score(Y, sets, average=kind, zero_division=1.0 if kind == "samples" else 0.0))


def _independent(P: Any, Y: Any, clip: float) -> float:
    chance = np.clip(np.where(Y == 1, P, 1.0 - P), clip, 1.0)
    return float(-np.log(chance).sum(axis=1).mean())
