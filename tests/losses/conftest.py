"""Both ways of computing: plain NumPy, and kernels for problems of any size."""

import pytest

from plait.core.kernel_policy import using_kernels


@pytest.fixture(params=["never", "always"], ids=["plain", "kernels"])
def path(request):
    with using_kernels(request.param):
        yield request.param
