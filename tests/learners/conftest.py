"""Both paths of the learners: plain NumPy, and compiled kernels, which small problems would not take."""

from collections.abc import Iterator
from typing import Any

import pytest

from plait.core.kernel_policy import using_kernels


@pytest.fixture(scope="module", params=["never", "always"])
def either_path(request: Any) -> Iterator[str]:
    """Run the tests of a module twice: without kernels and with them."""
    with using_kernels(request.param):
        yield request.param


@pytest.fixture(scope="module")
def compiled_path() -> Iterator[None]:
    """Run the tests of a module with kernels."""
    with using_kernels("always"):
        yield


@pytest.fixture
def kernels_where_they_pay() -> Iterator[None]:
    """Run a test as the package does by itself."""
    with using_kernels("auto"):
        yield
