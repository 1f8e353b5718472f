"""Training where labels are unknown: held-out log-loss of a chain, labels hidden at random or recorded in part.

Needs PLAIT_DATA, the folder of benchmark data. A chain in the order of the columns is trained on two thirds of the
rows, of whose labels 30, 50 or 70 % are hidden: unknown labels as 0, rows with unknown labels dropped, unknown parents
as 0, unknown parents at their marginals (where EM starts), EM (what `fit` does), and all labels known. Then only a
share of the positives is recorded: zeros taken for certain, `zeros="unrecorded"` with the rate given and with it
estimated. Mean -log P(y | x) of the other rows, the gain of EM over its start with its standard error, micro-F1 of sets
for F1, and CPU time over that of a fit with all labels and the same search of C.

    python -m benchmarks unknown_labels                      all data sets
    PLAIT_SETS=emotions SEEDS=3 python -m benchmarks unknown_labels
"""

import os
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from plait import JointClassifier
from plait.data import load_dataset
from plait.joint import GraphJoint
from plait.learners.learner_words import as_learner
from plait.metrics import micro_f1
from plait.structure import FullChain

SETS = tuple(os.environ.get("PLAIT_SETS", "emotions,yeast,enron,bibtex").split(","))
SEEDS = int(os.environ.get("SEEDS", "3"))
RATES = tuple(float(rate) for rate in os.environ.get("RATES", "0.3,0.5,0.7").split(","))
RECORDED = tuple(float(rate) for rate in os.environ.get("RECORDED", "0.8,0.5").split(",") if rate)
FEWEST_ROWS = 10
METHODS = ("zeros", "dropped", "parents 0", "parents p", "EM", "all")

Rows = tuple[Any, np.ndarray, Any, np.ndarray]


def split(name: str, seed: int) -> Rows:
    """Return features and labels of two thirds of the rows, and of the others."""
    data = load_dataset(name)
    X = data.X.tocsr() if sparse.issparse(data.X) else np.asarray(data.X)
    Y = np.asarray(data.Y.toarray() if sparse.issparse(data.Y) else data.Y).astype(np.float64)
    order = np.random.default_rng(seed).permutation(len(Y))
    test, train = np.sort(order[: len(Y) // 3]), np.sort(order[len(Y) // 3 :])
    return X[train], Y[train], X[test], Y[test]


def chain(**more: Any) -> JointClassifier:
    """Return the classifier: labels in the order of the columns, C by cross-validation."""
    return JointClassifier(FullChain(), random_state=0, **more)


def timed(X: Any, Y: np.ndarray, **more: Any) -> tuple[JointClassifier, float]:
    """Return the fitted chain and its CPU time."""
    start = time.process_time()
    model = chain(**more).fit(X, Y)
    return model, time.process_time() - start


def with_parents(X: Any, Y: np.ndarray, fill: Any, model: JointClassifier) -> Any:
    """Return conditionals on the known rows of each label, unknown parents filled in."""
    values = np.where(np.isnan(Y), fill, Y)
    return as_learner("benchmark", "tuned").fit(X, Y, model.graph_, parent_values=values)


def losses(fitted: Any, X: Any, Y: np.ndarray) -> np.ndarray:
    """Return -log P(y | x) of every row."""
    joint = fitted.joint_ if hasattr(fitted, "joint_") else GraphJoint(fitted)
    return np.asarray(-joint.condition(X).log_prob(Y.astype(np.uint8)))


def hidden_losses(rows: Rows, whole: JointClassifier, rate: float, seed: int) -> tuple[dict[str, Any], float, float]:
    """Return the losses of all methods, micro-F1 of EM, and its CPU time."""
    X, Y, X_test, Y_test = rows
    hidden = np.where(np.random.default_rng(100 * seed + int(100 * rate)).random(Y.shape) < rate, np.nan, Y)
    model, seconds = timed(X, hidden)
    full = ~np.isnan(hidden).any(axis=1)
    alone = as_learner("benchmark", "tuned").fit(X, hidden)
    p = 1.0 / (1.0 + np.exp(-alone.base_scores(X)))
    found = {
        "zeros": chain().fit(X, np.nan_to_num(hidden)),
        "dropped": chain().fit(X[full], Y[full]) if full.sum() >= FEWEST_ROWS else None,
        "parents 0": with_parents(X, hidden, 0.0, model),
        "parents p": with_parents(X, hidden, p, model),
        "EM": model,
        "all": whole,
    }
    each = {name: None if fit is None else losses(fit, X_test, Y_test) for name, fit in found.items()}
    return each, micro_f1(Y_test, model.predict(X_test, loss="f1")), seconds


def compare_hidden(name: str) -> tuple[int, int, int]:
    """Print a line for every rate; return how often EM is better than the simple ways, and than its start."""
    splits = [split(name, seed) for seed in range(SEEDS)]
    wholes = [timed(X, Y) for X, Y, _, _ in splits]
    f1 = [micro_f1(rows[3], model.predict(rows[2], loss="f1")) for rows, (model, _) in zip(splits, wholes, strict=True)]
    better, above, n_cells = 0, 0, 0
    for rate in RATES:
        runs = [hidden_losses(splits[s], wholes[s][0], rate, s) for s in range(SEEDS)]
        means = {
            m: np.mean([each[m].mean() for each, _, _ in runs if each[m] is not None] or [np.nan]) for m in METHODS
        }
        gains = np.concatenate([each["parents p"] - each["EM"] for each, _, _ in runs])
        error = gains.std() / np.sqrt(len(gains))
        ratio = np.mean([seconds / wholes[s][1] for s, (_, _, seconds) in enumerate(runs)])
        lost = np.mean(f1) - np.mean([value for _, value, _ in runs])
        words = "  ".join(f"{m} {means[m]:.3f}" for m in METHODS)
        print(
            f"{name:9} {rate:.0%} hidden: {words}  gain over parents p {gains.mean():+.3f} +- {error:.3f}  "
            f"micro-F1 {np.mean(f1):.3f} - {lost:.3f}  CPU x{ratio:.1f}",
            flush=True,
        )
        simple = [means[m] for m in ("zeros", "dropped", "parents 0") if np.isfinite(means[m])]
        better, above, n_cells = better + (means["EM"] < min(simple)), above + (gains.mean() > 0), n_cells + 1
    return better, above, n_cells


def compare_recorded(name: str) -> None:
    """Print a line for every share of positives that is recorded."""
    for rate in RECORDED:
        found: dict[str, list[float]] = {}
        for seed in range(SEEDS):
            X, Y, X_test, Y_test = split(name, seed)
            records = Y * (np.random.default_rng(seed).random(Y.shape) < rate)
            ways = {"certain": {}, "rate given": {"zeros": "unrecorded", "recording_rate": rate}}
            ways["rate estimated"] = {"zeros": "unrecorded"}
            for way, more in ways.items():
                found.setdefault(way, []).append(losses(chain(**more).fit(X, records), X_test, Y_test).mean())
            found.setdefault("all", []).append(losses(chain().fit(X, Y), X_test, Y_test).mean())
        words = "  ".join(f"{way} {np.mean(values):.3f}" for way, values in found.items())
        print(f"{name:9} {rate:.0%} of the positives recorded: {words}", flush=True)


def main() -> None:
    """Print all lines, and how often EM is better."""
    warnings.simplefilter("ignore")
    total = np.zeros(3, dtype=int)
    for name in SETS:
        total += compare_hidden(name)
        print(
            f"so far EM is better than the simple ways in {total[0]} of {total[2]} cells, than its start in {total[1]}"
        )
    for name in SETS:
        compare_recorded(name)


if __name__ == "__main__":
    main()
