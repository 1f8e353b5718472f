"""Tests that ask for `kernels` run on both paths: plain NumPy, and compiled kernels."""

from collections.abc import Iterator

import pytest

from plait.core.kernel_policy import using_kernels


@pytest.fixture(scope="module", params=["never", "always"])
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """Hold one path while the tests of a file run."""
    with using_kernels(request.param):
        yield request.param
