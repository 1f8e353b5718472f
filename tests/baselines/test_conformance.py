"""What every classifier of the room must do; a class joins by being listed in `plait.baselines.__all__`."""

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier

from plait import baselines
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.naming import registry
from plait.estimators import load_model, save_model
from plait.learners import LogisticLearner
from plait.testing import BaselineConformance
from plait.testing.baseline_conformance import _answers, _assert_alike, _problem

KINDS = list(registry(baselines, MultilabelClassifier).values())
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
LABELS = ["sand", "sea", "sky", "sun"]  # as sets of names come out: in the order of the alphabet


# What makes a method large and proves nothing more: four labelsets, ten steps of a walk.
SMALL = {"random_state": 0, "n_models": 4, "n_steps": 10}


def made(kind, **parameters):
    """Return an unfitted classifier, small and with a fixed seed."""
    return kind(**{name: value for name, value in SMALL.items() if name in kind._get_param_names()} | parameters)


@pytest.mark.parametrize("model", [made(kind) for kind in KINDS], ids=lambda model: type(model).__name__)
class TestBaselines(BaselineConformance):
    def test_the_same_bits_twice_and_for_any_number_of_jobs(self, model):
        # Processes take seconds to start: LIFT's serve the test below too.
        with parallel_config("loky" if isinstance(model, baselines.LIFT) else "threading"):
            super().test_the_same_bits_twice_and_for_any_number_of_jobs(model)


@pytest.mark.parametrize("kind", [baselines.CalibratedLabelRanking, baselines.HOMER, baselines.RAkEL])
def test_other_classifiers_in_processes_give_the_same_bits(kind):
    X, Y = _problem()
    one = made(kind, estimator=ExtraTreesClassifier(3)).fit(X, Y)
    with parallel_config("loky"):
        two = made(kind, estimator=ExtraTreesClassifier(3), n_jobs=2).fit(X, Y)
    for found, expected in zip(_answers(two, X), _answers(one, X), strict=True):
        np.testing.assert_array_equal(found, expected)


@every_kind
def test_every_form_of_input_gives_the_same_answers(kind):
    X, Y = _problem()
    columns = [f"f{i}" for i in range(X.shape[1])]
    # Dense and sparse rows have solvers of their own, which meet where both go on to the end; estimators of
    # scikit-learn stop earlier.
    tight = {"learner": LogisticLearner(tol=1e-12)} if "learner" in kind._get_param_names() else {}
    labels, marginals = _answers(made(kind, **tight).fit(X, Y), X)
    frame, table = pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns)
    forms = [
        (sparse.csr_matrix(X), sparse.csr_matrix(Y)),
        (sparse.csc_array(X), Y.astype(bool)),
        (frame, pd.DataFrame(Y, columns=LABELS)),
        (table, pl.DataFrame(Y, schema=LABELS)),
        (X.tolist(), [{LABELS[k] for k in np.flatnonzero(row)} for row in Y]),
    ]
    for same_X, same_Y in forms:
        found, chances = _answers(made(kind, **tight).fit(same_X, same_Y), same_X)
        np.testing.assert_array_equal(found, labels)
        if marginals is not None:
            np.testing.assert_allclose(chances, marginals, rtol=0, atol=1e-5 if tight else 1e-3)


@every_kind
def test_names_of_labels_are_kept(kind):
    X, Y = _problem()
    fitted = made(kind).fit(X, pd.DataFrame(Y, columns=LABELS))
    assert pickle.loads(pickle.dumps(fitted)).label_names_.tolist() == LABELS


@every_kind
def test_the_docstring_names_the_paper_and_has_an_example(kind):
    assert re.search(r"\[[A-Z][A-Za-z]*\d{4}[;\]]", kind.__doc__)
    assert ">>> " in kind.__doc__


@every_kind
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_models_go_through_files(kind, form, tmp_path):
    pytest.importorskip("skops.io")
    X, Y = _problem()
    model = made(kind).fit(form(X), Y)
    save_model(model, tmp_path / "m.plait")
    _assert_alike(_answers(load_model(tmp_path / "m.plait"), form(X)), _answers(model, form(X)), 0.0)
