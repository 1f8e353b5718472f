"""Answers with a guarantee: coverage over 200 splits, sizes against independent labels, labels for a recall by MAPIE.

Needs PLAIT_DATA, the folder of benchmark data, and for the last column the package MAPIE. A model is trained on half of
the rows; the other half is split 200 times into rows that calibrate and rows that are answered, at a coverage of 0.9.
Coverage is counted, of families of label sets, of decided labels and of recall; with random splits its mean may lie
below 0.9 by chance only, and the bar is three standard errors. Sizes of families are means over all rows and splits,
of a chain and of independent labels; what is more than the cap counts as the cap. MAPIE controls the recall by the
probabilities of scikit-learn's logistic regression.

    python -m benchmarks conformal               all data sets
    PLAIT_SETS=emotions,scene SPLITS=50 python -m benchmarks conformal
"""

import os
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from plait import recipes
from plait.core.extras import installed, optional
from plait.data import load_dataset
from plait.trust import Conformal

SETS = tuple(os.environ.get("PLAIT_SETS", "emotions,scene,yeast,medical,enron").split(","))
SPLITS = int(os.environ.get("SPLITS", "200"))
COVERAGE, MOST_ROWS = 0.9, 2400
ENUMERATED, CAP = 14, 1000  # labels up to which all sets are written out; sets that are counted beyond


class Remembered(BaseEstimator):
    """What a fitted model says of all rows, asked for by row numbers, so that 200 splits cost little."""

    def __init__(self, answer: Any, truth: np.ndarray) -> None:
        self.answer = answer
        self.truth = truth
        self.label_names_ = answer.label_names
        self.true_log_probs = answer.log_prob(truth)
        self.shares = answer.marginals()
        self.likely = all_probabilities(answer) if truth.shape[1] <= ENUMERATED else answer.top(CAP).probabilities

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, Y: Any) -> "Remembered":
        return self

    def joint(self, rows: np.ndarray) -> "RememberedRows":
        return RememberedRows(self, np.asarray(rows)[:, 0])


class RememberedRows:
    """The part of a `Posterior` that `Conformal` asks of true label sets and of marginals."""

    def __init__(self, model: Remembered, rows: np.ndarray) -> None:
        self.model, self.rows = model, rows

    def log_prob(self, Y: np.ndarray) -> np.ndarray:
        assert (self.model.truth[self.rows] == Y).all()
        return self.model.true_log_probs[self.rows]

    def marginals(self) -> np.ndarray:
        return self.model.shares[self.rows]


def all_probabilities(answer: Any) -> np.ndarray:
    """Return P(y | x) of all label sets, the largest of each row first."""
    q = answer.n_labels
    sets = ((np.arange(2**q)[:, None] >> np.arange(q)) & 1).astype(np.uint8)
    found = np.empty((len(answer), 2**q), dtype=np.float32)
    for start in range(0, len(answer), 100):
        part = answer.joint.condition(answer.X[start : start + 100])
        many = np.ascontiguousarray(np.broadcast_to(sets, (part.n_rows, *sets.shape)))
        found[start : start + 100] = -np.sort(-np.exp(part.log_prob(many)), axis=1)
    return found


def halves(name: str) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    data = load_dataset(name)
    X = data.X.tocsr() if sparse.issparse(data.X) else np.asarray(data.X)
    Y = np.asarray(data.Y.toarray() if sparse.issparse(data.Y) else data.Y).astype(np.int64)
    order = np.random.default_rng(0).permutation(len(Y))[:MOST_ROWS]
    rest, train = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    return X[train], Y[train], X[rest], Y[rest]


def covered(kind: str, found: Conformal, model: Remembered, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whether (or how far) each row is answered rightly, and how large its answer is."""
    truth = model.truth[rows]
    if kind == "sets":
        # A row that no set is likely enough for is answered by its likeliest one, which only adds to the coverage.
        sizes = np.maximum((model.likely[rows] >= np.float32(-found.threshold_)).sum(axis=1), 1)
        return -np.exp(model.true_log_probs[rows]) <= found.threshold_, sizes
    answer = found.predict(rows[:, None])
    if kind == "labels":
        return ((answer == -1) | (answer == truth)).all(axis=1), (answer == -1).sum(axis=1)
    return recalls(answer, truth), answer.sum(axis=1)


def recalls(answer: np.ndarray, truth: np.ndarray) -> np.ndarray:
    hits = (answer * truth).sum(axis=1) / np.maximum(truth.sum(axis=1), 1)
    return np.where(truth.any(axis=1), hits, 1.0)


def split_rows(n_rows: int) -> list[tuple[np.ndarray, np.ndarray]]:
    orders = [np.random.default_rng(seed).permutation(n_rows) for seed in range(SPLITS)]
    return [(order[: n_rows // 2], order[n_rows // 2 :]) for order in orders]


def measured(model: Remembered, kind: str) -> tuple[float, float]:
    """Return mean coverage and mean size over all splits."""
    found = []
    for rows, new in split_rows(len(model.truth)):
        conformal = Conformal(model, COVERAGE, kind).fit(rows[:, None], model.truth[rows])
        held, sizes = covered(kind, conformal, model, new)
        found.append((held.mean(), sizes.mean()))
    return tuple(np.mean(found, axis=0))


def by_mapie(X: Any, Y: np.ndarray, X_rest: Any, truth: np.ndarray) -> tuple[float, float]:
    """Return mean recall and labels a row of MAPIE, with scikit-learn's logistic regression."""
    control = optional("mapie.risk_control", extra="bench", purpose="the comparison").MultiLabelClassificationController
    scale = StandardScaler(with_mean=False).fit(X)
    usual = OneVsRestClassifier(LogisticRegression(max_iter=500)).fit(scale.transform(X), Y)
    P, found = usual.predict_proba(scale.transform(X_rest)), []
    for rows, new in split_rows(len(truth)):
        rows = rows[truth[rows].any(axis=1)]  # it refuses rows without labels
        controller = control(lambda P: P, risk="recall", method="crc", target_level=COVERAGE)
        controller.calibrate(P[rows], truth[rows])
        answer = np.asarray(controller.predict(P[new])).reshape(len(new), -1)
        found.append((recalls(answer, truth[new]).mean(), answer.sum(axis=1).mean()))
    return tuple(np.mean(found, axis=0))


def seconds_of_a_family(model: Any, X: Any, truth: np.ndarray) -> tuple[float, int]:
    """Return CPU time of one row's family, and how many sets it has."""
    half = len(truth) // 2
    conformal = Conformal(model, COVERAGE).fit(X[:half], truth[:half])
    conformal.predict(X[half : half + 1])  # compiles
    start = time.process_time()
    families = conformal.predict(X[half : half + 5])
    sizes = families.sizes
    return (time.process_time() - start) / 5, int(sizes.mean())


def compare(name: str) -> list[bool]:
    X, Y, X_rest, truth = halves(name)
    chain = recipes.pcc(random_state=0).fit(X, Y)
    models = {
        "chain": Remembered(chain.joint(X_rest), truth),
        "independent": Remembered(recipes.br(random_state=0).fit(X, Y).joint(X_rest), truth),
    }
    kinds = {kind: measured(models["chain"], kind) for kind in ("sets", "labels", "recall")}
    independent = measured(models["independent"], "sets")
    n_half = len(truth) // 2
    # A mean of splits, each of rows that calibrate and rows that are answered.
    error = np.sqrt(COVERAGE * (1 - COVERAGE) * (1 / n_half + 1 / (n_half + 2)) / SPLITS)
    covers = all(value >= COVERAGE - 3 * error for value, _ in kinds.values())
    smaller = kinds["sets"][1] < independent[1]
    print(f"{name}, {Y.shape[1]} labels, {n_half} rows calibrate:", flush=True)
    held = ", ".join(f"{kind} {value:.4f}" for kind, (value, _) in kinds.items())
    print(f"  coverage          {held} (at least {COVERAGE - 3 * error:.4f}: {said(covers)})")
    cap = "" if Y.shape[1] <= ENUMERATED else f", {CAP} at most"
    sizes = f"chain {kinds['sets'][1]:.1f}, independent {independent[1]:.1f}{cap}"
    print(f"  sets in a family  {sizes} (smaller: {said(smaller)})")
    print(f"  labels undecided  {kinds['labels'][1]:.2f} of {Y.shape[1]}")
    fewer = True
    if installed("mapie"):
        recall, labels = by_mapie(X, Y, X_rest, truth)
        fewer = kinds["recall"][1] < labels
        print(f"  labels for recall chain {kinds['recall'][1]:.2f}, MAPIE {labels:.2f} at {recall:.4f} ({said(fewer)})")
    spent, size = seconds_of_a_family(chain, X_rest, truth)
    print(f"  one family        {spent:.3f} s of CPU, {size} sets", flush=True)
    return [covers, smaller, fewer]


def said(good: bool) -> str:
    return "yes" if good else "NO"


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("(needs PLAIT_DATA set to the folder of benchmark data)")
        return
    warnings.simplefilter("ignore")
    found = np.array([compare(name) for name in SETS])
    n = len(SETS)
    print(f"coverage within three standard errors: {found[:, 0].sum()} of {n} (bar: all)")
    print(f"families smaller than with independent labels: {found[:, 1].sum()} of {n} (bar: at least 4 of 5)")
    if installed("mapie"):
        print(f"fewer labels for the same recall than MAPIE: {found[:, 2].sum()} of {n} (bar: all)")
