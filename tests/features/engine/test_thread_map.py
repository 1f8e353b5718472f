import threading
import time

from plait.features.engine.thread_map import Threads


def test_results_in_order_and_threads_end():
    before = threading.active_count()
    with Threads(2) as threads:
        assert threads.n_threads == 2
        assert threads.map(lambda k: (time.sleep(0.01 * (3 - k)), k)[1], range(3)) == [0, 1, 2]
    assert threading.active_count() == before


def test_one_job_is_the_callers_thread():
    with Threads() as threads:
        assert threads.map(lambda _: threading.get_ident(), range(2)) == [threading.get_ident()] * 2
