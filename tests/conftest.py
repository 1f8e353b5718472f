"""Settings shared by all tests: hypothesis profiles, the folder of benchmark data, and the end of worker processes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from joblib.externals.loky import reusable_executor

# Same examples on every run where a change is judged; new ones on a developer's machine.
settings.register_profile("ci", derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# Work that lasts on a busy machine would say so on standard error, which tests read.
os.environ.setdefault("PLAIT_PROGRESS", "never")


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """Return the folder of benchmark data; a test that asks for it skips where there is none."""
    folder = os.environ.get("PLAIT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the benchmark data: set PLAIT_DATA to their folder")
    return Path(folder)


@pytest.fixture(autouse=True)
def no_workers_left() -> Iterator[None]:
    """End the worker processes that a test started: idle ones of an earlier test cannot time out in a later one."""
    yield
    if (executor := reusable_executor._executor) is not None:
        executor.shutdown(wait=True, kill_workers=True)
