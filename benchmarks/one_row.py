"""One row at a time, warm, as a service asks: CPU milliseconds of every question, by the model and by its predictor.

    python -m benchmarks one_row

Bars: at most 0.7 ms with up to 14 labels, 1.2 ms on bibtex. scikit-learn's chain of logistic regressions stands beside.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain

from plait import load_dataset, recipes

PLACES = (("emotions", 0.7, True), ("yeast", 0.7, True), ("bibtex", 1.2, False))
MODELS = ("br", "pcc", "ctbn")
TRAINING_ROWS = 1500


def milliseconds(question: Callable[[], Any], n: int = 100) -> float:
    """Return the median CPU time of a question that has been asked before."""
    for _ in range(10):
        question()
    times = []
    for _ in range(n):
        start = time.thread_time()
        question()
        times.append(time.thread_time() - start)
    return 1e3 * float(np.median(times))


def questions(model: Any, x: Any) -> dict[str, Callable[[], Any]]:
    """Return what is asked, by heading."""
    trusted = model.predictor()
    return {
        "predict": lambda: model.predict(x),
        "proba": lambda: model.predict_proba(x),
        "marginals": lambda: model.joint(x).marginals(),
        "top(5)": lambda: model.joint(x).top(5),
        "trusted": lambda: trusted.predict(x),
    }


def sklearn_chain(X: Any, Y: Any, x: Any) -> float:
    """Return the milliseconds of scikit-learn's chain."""
    labels = Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)
    chain = ClassifierChain(LogisticRegression(max_iter=200)).fit(X, labels)
    return milliseconds(lambda: chain.predict(x), 20)


def main() -> None:
    """Print one line for each data set and model."""
    warnings.simplefilter("ignore")
    for name, bar, few_labels in PLACES:
        data = load_dataset(name)
        n_rows = min(TRAINING_ROWS, data.X.shape[0] - 1)
        X, Y, x = data.X[:n_rows], data.Y[:n_rows], data.X[n_rows : n_rows + 1]
        for word in MODELS if few_labels else MODELS[:2]:
            model = getattr(recipes, word)(learner="logistic", random_state=0).fit(X, Y)
            cells = ", ".join(f"{what} {milliseconds(asked):.2f}" for what, asked in questions(model, x).items())
            print(f"{name} {word} (bar {bar}): {cells}", flush=True)
        if few_labels:
            print(f"{name} scikit-learn's chain: predict {sklearn_chain(X, Y, x):.2f}")


if __name__ == "__main__":
    main()
