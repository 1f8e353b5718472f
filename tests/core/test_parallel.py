"""Several tasks at once: one rule of `n_jobs`, and no hang where warnings are errors."""

import os
import subprocess
import sys
import threading
import time
import warnings

import joblib
import numpy as np
import pytest
import sklearn

from plait.core.checks import wrong_values
from plait.core.parallel import JOBS_RULES, Parallel, Threads, delayed, loky_warnings_ignored, one_blas_thread

LOKY = "joblib.externals.loky.process_executor"


def tools():
    """Return functions that other processes get by value: they cannot import this file."""

    def warned_by(module):
        """Warn as a line of that module would; say whether it was an error."""
        try:
            warnings.warn_explicit("a worker stopped", UserWarning, "somewhere.py", 1, module=module)
        except UserWarning:
            return True
        return False

    def seen():
        """Return process, thread, a part of the configuration, and whether warnings are errors."""
        finite = sklearn.get_config()["assume_finite"]
        return os.getpid(), threading.get_ident(), finite, warned_by("somebody.else")

    return warned_by, seen


warned_by, seen = tools()


def test_what_is_a_number_of_jobs():
    assert all(any(rule.accepts(n) for rule in JOBS_RULES) for n in (None, 1, 7, -1, -3))
    assert not any(rule.accepts(n) for rule in JOBS_RULES for n in (0, 1.0, True, "all", *wrong_values(JOBS_RULES)))


@pytest.mark.parametrize(
    "options", [{}, {"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": -1}, {"n_jobs": 2, "prefer": "threads"}]
)
def test_results_in_the_order_of_the_tasks(options):
    tasks = [delayed(divmod)(k, 3) for k in range(7)]
    assert Parallel(**options)(tasks) == [divmod(k, 3) for k in range(7)]
    assert list(Parallel(**options, return_as="generator")(tasks)) == [divmod(k, 3) for k in range(7)]


@pytest.mark.parametrize("options", [{"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 2, "prefer": "threads"}])
def test_configuration_and_filters_of_the_caller_hold_in_tasks(options):
    for finite, error in ((True, True), (False, False), (True, False)):
        with sklearn.config_context(assume_finite=finite), warnings.catch_warnings():
            warnings.simplefilter("error" if error else "ignore")
            found = Parallel(**options)(delayed(seen)() for k in range(4))
        assert {each[2:] for each in found} == {(finite, error)}


def test_where_tasks_run():
    here = os.getpid(), threading.get_ident()
    assert {each[:2] for each in Parallel()(delayed(seen)() for k in range(3))} == {here}
    assert here[0] not in {each[0] for each in Parallel(n_jobs=2)(delayed(seen)() for k in range(3))}
    with joblib.parallel_config("threading", n_jobs=2):
        assert here not in {each[:2] for each in Parallel()(delayed(seen)() for k in range(3))}


def test_warnings_of_loky_are_never_errors_while_tasks_run():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        assert warned_by(LOKY)
        with loky_warnings_ignored():
            assert not warned_by(LOKY)
            assert warned_by("somebody.else")
            with loky_warnings_ignored():
                pass
            assert not warned_by(LOKY)
            inside = Parallel(n_jobs=2, prefer="threads")(delayed(warned_by)(LOKY) for _ in range(20))
        assert not any(inside)
        assert list(warnings.filters) == before
        found = Parallel(n_jobs=2, prefer="threads")(delayed(warned_by)(LOKY) for _ in range(20))
        assert not any(found)
        assert list(warnings.filters) == before


def test_no_entry_is_left_in_a_list_that_replaced_the_first():
    before = list(warnings.filters)
    block, other = loky_warnings_ignored(), warnings.catch_warnings()
    block.__enter__()
    with other:
        block.__exit__(None, None, None)
        assert list(warnings.filters) == before
    assert list(warnings.filters) == before


def test_an_error_of_a_task_is_raised_and_filters_are_as_before():
    before = list(warnings.filters)
    with pytest.raises(ZeroDivisionError):
        Parallel(n_jobs=2, prefer="threads")(delayed(divmod)(1, k) for k in (1, 0))
    assert list(warnings.filters) == before


@pytest.mark.slow
def test_a_pool_whose_workers_end_does_not_hang_where_warnings_are_errors():
    # Plain joblib hangs here within a few calls: its thread that manages the workers dies of its own warning.
    script = """
import math, time, warnings
from plait.core.parallel import Parallel, delayed
warnings.simplefilter("error")
for _ in range(12):
    assert Parallel(n_jobs=2, idle_worker_timeout=0.2)(delayed(math.sqrt)(k * k) for k in range(4)) == [0, 1, 2, 3]
    time.sleep(0.2)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)


def test_one_blas_thread_gives_the_same_bits_again():
    A = np.random.default_rng(0).normal(size=(300, 300))
    with one_blas_thread():
        first = A @ A
    with one_blas_thread():
        np.testing.assert_array_equal(A @ A, first)


def test_results_in_order_and_threads_end():
    before = threading.active_count()
    with Threads(2) as threads:
        assert threads.n_threads == 2
        assert threads.map(lambda k: (time.sleep(0.01 * (3 - k)), k)[1], range(3)) == [0, 1, 2]
    assert threading.active_count() == before


def test_one_thread_is_the_callers_thread():
    with Threads() as threads:
        assert threads.map(lambda _: threading.get_ident(), range(2)) == [threading.get_ident()] * 2
