"""Laws that every metric obeys: one value for every form of input, for any order of rows and of labels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait import losses, metrics
from plait.core.naming import registry
from plait.losses import Loss

LABEL_METRICS = ["exact_match", "subset_loss", "hamming_score", "hamming_loss", "jaccard_accuracy"]
LABEL_METRICS += ["sample_f1", "macro_f1", "micro_f1"]
SCORE_METRICS = ["ranking_loss", "normalized_coverage", "cll_loss"]
# Losses are metrics by themselves, also those that are not written yet.
OF_LOSSES = {word: kind().answer for word, kind in registry(losses, Loss).items()}
FORMS = [np.asfortranarray, np.ndarray.tolist, sparse.csr_matrix, sparse.csc_array, sparse.coo_array]
FORMS += [pd.DataFrame, pl.DataFrame, lambda table: pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(table))]


@st.composite
def cases(draw):
    shape = (draw(st.integers(1, 7)), draw(st.integers(1, 6)))
    labels = arrays(np.uint8, shape, elements=st.integers(0, 1))
    scores = arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
    return draw(labels), draw(labels), draw(scores)


def all_values(Y, H, scores, forms=(np.asarray, np.asarray)):
    first, second = forms
    values = {name: getattr(metrics, name)(first(Y), second(H)) for name in LABEL_METRICS}
    values |= {name: getattr(metrics, name)(first(Y), second(scores)) for name in SCORE_METRICS}
    answers = {"labels": H, "scores": scores}
    return values | {
        f"loss {word}": metrics.loss_metric(word)(first(Y), second(answers[answer]))
        for word, answer in OF_LOSSES.items()
    }


def test_the_tables_above_are_complete():
    assert {*LABEL_METRICS, *SCORE_METRICS, "loss_metric", "scorers", "label_scorers"} == set(metrics.__all__)


@given(cases(), st.sampled_from(FORMS), st.sampled_from([np.asarray, *FORMS]))
def test_dense_sparse_and_frames_give_the_same_value(case, first, second):
    assert all_values(*case, forms=(first, second)) == pytest.approx(all_values(*case), rel=1e-12, abs=1e-15)


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_labels_has_no_effect(case, random):
    n_samples, n_labels = case[0].shape
    rows, labels = random.sample(range(n_samples), n_samples), random.sample(range(n_labels), n_labels)
    shuffled = [table[rows][:, labels] for table in case]
    assert all_values(*shuffled) == pytest.approx(all_values(*case), rel=1e-12, abs=1e-15)


@given(cases())
def test_rows_that_stand_twice_change_only_the_sum(case):
    once, twice = all_values(*case), all_values(*(np.vstack([table, table]) for table in case))
    once["cll_loss"] *= 2
    assert twice == pytest.approx(once, rel=1e-12, abs=1e-15)


@given(cases())
def test_ranges(case):
    values = all_values(*case)
    assert values.pop("cll_loss") >= 0
    assert all(isinstance(value, float) and 0.0 <= value <= 1.0 for value in values.values())


@given(cases())
def test_the_input_is_left_alone(case):
    for form in (np.asarray, sparse.csr_matrix):
        tables = [form(table) for table in case]
        kept = [table.copy() for table in tables]
        all_values(*tables, forms=(lambda table: table, lambda table: table))
        for table, copy in zip(tables, kept, strict=True):
            assert (table != copy).sum() == 0
