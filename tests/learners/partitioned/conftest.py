"""A Dask cluster of two worker processes, shared by the tests of a file."""

import pytest


@pytest.fixture(scope="module")
def client():
    """Return the client of a cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with distributed.LocalCluster(host="127.0.0.1", **options) as cluster, distributed.Client(cluster) as found:
        yield found
