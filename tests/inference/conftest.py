"""Small models are answered in NumPy, larger ones by kernels: answers are tested as they come and by kernels only."""

import pytest

from plait.core.kernel_policy import using_kernels


@pytest.fixture(params=["auto", "always"], ids=["as it comes", "kernels"], scope="module")
def path(request):
    with using_kernels(request.param):
        yield request.param
