"""`recipes.ecc()` against ten chains of scikit-learn in a loop, on the same rows, features and orders.

Needs the benchmark data (PLAIT_DATA): the published training and test rows of bibtex. Both sides have the same
objective (no scaling, C = 1) and vote by their members' greedy predictions; labels that are constant in a member's rows
are voted as they are, which scikit-learn's chain cannot train. plait solves to its own tolerance, scikit-learn to its
default, which is looser. ECC_MEMBERS=10 runs all members of scikit-learn's side; by default two are run and their time
is scaled to ten, as all ten take minutes. CPU time of one thread; plait's is the least of several runs.
"""

import math
import os
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain

from plait import recipes
from plait.data import load_dataset
from plait.data.errors import DataError
from plait.learners import LogisticLearner
from plait.metrics import exact_match, micro_f1

RUNS = 3
N_MEMBERS = 10
WANTED = 5.0


def part(split: str) -> tuple[Any, Any]:
    data = load_dataset("bibtex", split=split)
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    return sparse.csr_matrix(data.X, dtype=np.float64), Y


def ecc() -> Any:
    learner = LogisticLearner(standardize=False)
    return recipes.ecc(n_estimators=N_MEMBERS, max_features=0.5, combine="votes", learner=learner, random_state=0)


def hand_looped(member: Any, X: Any, Y: Any, X_test: Any) -> tuple[Any, float]:
    """Return what one chain of scikit-learn votes on a member's rows, features and order, and its CPU time."""
    rows, columns = X[member.rows][:, member.columns], Y[member.rows]
    varies = rows.shape[0] > columns.sum(axis=0)
    varies &= columns.any(axis=0)
    place = np.cumsum(varies) - 1
    order = [int(place[label]) for label in member.estimator.graph_.order if varies[label]]
    votes = np.repeat(columns[:1], X_test.shape[0], axis=0)
    start = time.process_time()
    chain = ClassifierChain(LogisticRegression(), order=order).fit(rows, columns[:, varies])
    votes[:, varies] = chain.predict(X_test[:, member.columns])
    return votes, time.process_time() - start


def main() -> None:
    try:
        (X, Y), (X_test, Y_test) = part("train"), part("test")
    except DataError as error:
        print(f"needs the benchmark data: {error}")
        return
    n_run = int(os.environ.get("ECC_MEMBERS", "2"))
    seconds = math.inf
    for _ in range(RUNS):
        start = time.process_time()
        model = ecc().fit(X, Y)
        shares = model.predict_proba(X_test)
        seconds = min(seconds, time.process_time() - start)
    votes, theirs = [], 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # at its default number of steps, which users get
        for member in model.members_[:n_run]:
            vote, spent = hand_looped(member, X, Y, X_test)
            votes.append(vote)
            theirs += spent * N_MEMBERS / n_run
    ours = np.mean([member.answer("predict", X_test) for member in model.members_[:n_run]], axis=0)
    agree = float((ours == np.mean(votes, axis=0)).mean())
    assert agree > 0.999, agree
    for word, score in (("scikit-learn", np.mean(votes, axis=0)), ("plait", ours)):
        labels = (score >= 0.5).astype(np.uint8)
        match, f1 = exact_match(Y_test, labels), micro_f1(Y_test, labels)
        print(f"{word:12}  {n_run} members: exact match {match:.4f}, micro-F1 {f1:.4f}")
    labels = (shares >= 0.5).astype(np.uint8)
    print(f"plait        {N_MEMBERS} members: exact match {exact_match(Y_test, labels):.4f}")
    ratio = theirs / seconds
    scaled = "" if n_run == N_MEMBERS else f" (scaled from {n_run} members)"
    met = "met" if ratio >= WANTED else "missed"
    print(
        f"bibtex, fit and prediction of {N_MEMBERS} members: scikit-learn {theirs:.1f} s{scaled}, plait "
        f"{seconds:.2f} s, {ratio:.1f} times, at least {WANTED:g}: {met}; votes agree in {agree:.2%}"
    )


if __name__ == "__main__":
    main()
