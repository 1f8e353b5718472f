"""Settings shared by all tests: hypothesis profiles, and the folder of benchmark data."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Same examples on every run where a change is judged; new ones on a developer's machine.
settings.register_profile("ci", derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """Return the folder of benchmark data; a test that asks for it skips where there is none."""
    folder = os.environ.get("PLAIT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the benchmark data: set PLAIT_DATA to their folder")
    return Path(folder)
