import math
from dataclasses import replace

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.experiments.planning.measures import USUAL_MEASURES
from plait.experiments.planning.plan import DatasetPlan, MethodPlan, MethodSetup, Plan, Protocol
from plait.experiments.report.outcomes import collect_outcomes, outcomes_of
from plait.experiments.running.cells import CellResult, plan_cells
from plait.experiments.running.claims import this_owner
from plait.experiments.running.store import open_store


def cell(dataset, method, fold, score=None, **more):
    metrics = {} if score is None else {"exact_match": score}
    return CellResult(dataset, method, fold, 0, metrics=metrics, **more)


def test_values_stand_at_their_data_set_method_and_part():
    cells = [cell("sea", "br", 1, 0.2), cell("sun", "cc", 0, 0.3), cell("sea", "br", 0, 0.1)]
    found = outcomes_of(cells, [CellResult("sun", "br", 0, 0)])
    assert (found.datasets, found.methods) == (("sea", "sun"), ("br", "cc"))
    values = found.values("exact_match")
    expected = np.full((2, 2, 2), np.nan)
    expected[0, 0] = 0.1, 0.2
    expected[1, 1, 0] = 0.3
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(found.planned, [[2, 0], [1, 1]])
    assert found.n_planned == 4


def test_metrics_are_those_of_the_plan_that_cells_have():
    cells = [CellResult("sea", "br", 0, 0, metrics={"micro_f1": 0.5, "exact_match": 0.5})]
    assert outcomes_of(cells, metrics=("micro_f1", "cll_loss", "exact_match")).metrics == ("micro_f1", "exact_match")
    assert outcomes_of(cells).metrics == ("exact_match", "micro_f1")


def test_of_two_metrics_that_say_the_same_one_is_shown():
    cells = [CellResult("sea", "br", 0, 0, metrics={"exact_match": 0.5, "subset_loss": 0.5, "hamming_score": 0.5})]
    assert outcomes_of(cells).metrics == ("exact_match", "hamming_score")
    assert outcomes_of(cells, metrics=("subset_loss",)).metrics == ("subset_loss",)


def test_a_failed_cell_has_no_numbers_but_counts_as_planned():
    cells = [cell("sea", "br", 0, 0.5, fit_seconds=2.0), cell("sea", "br", 1, error="too cold", fit_seconds=9.0)]
    found = outcomes_of(cells)
    np.testing.assert_array_equal(found.values("exact_match"), [[[0.5, math.nan]]])
    np.testing.assert_array_equal(found.seconds, [[[2.0, math.nan]]])
    assert [failure.error for failure in found.failures] == ["too cold"]
    assert found.planned.tolist() == [[2]]
    assert len(found.cells("sea", "br")) == 1


def test_seconds_leave_out_cells_that_loaded_compiled_code_where_others_are_left():
    cold = cell("sea", "br", 0, 0.5, fit_seconds=9.0, extras={"warm": False})
    warm = cell("sea", "br", 1, 0.5, fit_seconds=1.0, predict_seconds=0.5, extras={"warm": True})
    np.testing.assert_array_equal(outcomes_of([cold, warm]).seconds, [[[math.nan, 1.5]]])
    np.testing.assert_array_equal(outcomes_of([cold]).seconds, [[[9.0]]])


def plan(name, methods=("br", "cc")):
    recipes = tuple(MethodPlan(word, MethodSetup({"use": word})) for word in methods)
    return Plan(
        name, (DatasetPlan("beach", "beach.csv"),), recipes, Protocol("kfold", 2), ("exact_match",), text="plan"
    )


def test_a_store_gives_the_plan_that_was_run_last_or_the_one_named(tmp_path):
    owner = this_owner()
    with open_store(tmp_path / "results.sqlite", create=True) as store:
        for name, methods in (("first", ("br", "cc")), ("second", ("br",))):
            cells = list(plan_cells(plan(name, methods), {"beach": "f" * 64}))
            store.begin(plan(name, methods), cells)
            store.record(replace(cell("beach", "br", 0, 0.25), digest=cells[0].digest), owner)
        last, first = collect_outcomes(store), collect_outcomes(store, "first")
        with pytest.raises(ParameterError, match=r"needs --plan to be a plan of the store, but it is 'third'.*second"):
            collect_outcomes(store, "third")
    assert (last.plan, last.others, last.methods, last.text) == ("second", ("first",), ("br",), "plan")
    assert (len(last.results), len(last.missing)) == (1, 1)
    assert first.methods == ("br", "cc")
    assert first.n_planned == 4


def test_five_metrics_are_shown_where_the_plan_names_none_and_others_when_asked(tmp_path):
    usual = replace(plan("usual"), metrics=tuple(USUAL_MEASURES))
    cells = list(plan_cells(usual, {"beach": "f" * 64}))
    values = {"exact_match": 0.1, "macro_f1": 0.2, "sample_f1": 0.3, "cll_loss": 0.4, "log_loss": 0.5}
    with open_store(tmp_path / "results.sqlite", create=True) as store:
        store.begin(usual, cells)
        store.record(replace(cell("beach", "br", 0), metrics=values, digest=cells[0].digest), this_owner())
        assert collect_outcomes(store).metrics == ("exact_match", "macro_f1", "log_loss")
        assert collect_outcomes(store, metrics=["sample_f1"]).metrics == ("sample_f1",)
        assert set(collect_outcomes(store, metrics=["all"]).metrics) == set(values)
        with pytest.raises(ParameterError, match=r"needs --metrics to be measured in the store, but hamming is not"):
            collect_outcomes(store, metrics=["hamming"])


def test_names_stand_in_the_order_of_the_plan_whatever_is_finished(tmp_path):
    small = plan("small")
    cells = list(plan_cells(small, {"beach": "f" * 64}))
    with open_store(tmp_path / "results.sqlite", create=True) as store:
        store.begin(small, cells)
        store.record(replace(cell("beach", "cc", 0, 0.25), digest=cells[1].digest), this_owner())
        found = collect_outcomes(store)
    assert [result.method for result in found.results] == ["cc"]
    assert found.methods == ("br", "cc")


def test_an_empty_store(tmp_path):
    with open_store(tmp_path / "results.sqlite", create=True) as store:
        found = collect_outcomes(store)
    assert (found.datasets, found.methods, found.metrics, found.n_planned) == ((), (), (), 0)
