"""Laws that every metric obeys: one value for every form of input, for any order of rows and of labels."""

import inspect

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
from plait.testing import MetricConformance


def second_parameter(name):
    """Return what a metric of the room takes beside the truth; None for what is no metric."""
    thing = getattr(metrics, name)
    names = list(inspect.signature(thing).parameters) if callable(thing) else []
    return names[1] if names[:1] == ["Y_true"] else None


LABEL_METRICS = [name for name in metrics.__all__ if second_parameter(name) == "Y_pred"]
SCORE_METRICS = [name for name in metrics.__all__ if second_parameter(name) not in ("Y_pred", None)]
# Losses are metrics by themselves, also those that are not written yet.
OF_LOSSES = {word: kind().answer for word, kind in registry(losses, Loss).items() if not kind.needs_thresholds}
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


def test_metrics_of_both_kinds_are_found():
    assert {"exact_match", "macro_f1"} <= set(LABEL_METRICS)
    assert {"ranking_loss", "cll_loss"} <= set(SCORE_METRICS)


EVERY = [getattr(metrics, name) for name in (*LABEL_METRICS, *SCORE_METRICS)]


@pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.__name__)
class TestMetrics(MetricConformance):
    pass


@pytest.mark.parametrize(
    "metric", [metrics.loss_metric(word) for word in OF_LOSSES], ids=lambda metric: metric.__name__
)
class TestMetricsOfLosses(MetricConformance):
    bounds = (0.0, 1.0)


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
