import numpy as np
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import count_columns, count_pairs, count_triples, is_streamed
from plait.information import conditional_mutual_information_matrix, entropies, mutual_information_matrix

da = pytest.importorskip("dask.array")


def samples(n=500):
    rng = np.random.default_rng(7)
    X = rng.integers(-1, 3, (n, 6)) * (rng.random((n, 6)) < 0.4)
    return X, (rng.random((n, 4)) < 0.3).astype(np.uint8), rng.integers(0, 3, n)


@pytest.mark.parametrize("chunks", [(500, 6), (73, 6), (100, 2), (31, 6)])
def test_a_dask_array_gives_the_same_tables_and_numbers(chunks):
    X, Y, z = samples()
    lazy_x, lazy_y, lazy_z = da.from_array(X, chunks=chunks), da.from_array(Y, chunks=(90, 3)), da.from_array(z, 40)
    pairs = count_pairs(X, Y)
    for y in (lazy_y, Y, sparse.csr_matrix(Y)):
        assert count_pairs(lazy_x, y) == pairs
    assert count_pairs(lazy_x) == count_pairs(X)
    assert count_columns(lazy_x) == count_columns(X)
    assert count_pairs(lazy_x, lazy_y, weights=lazy_z) == count_pairs(X, Y, weights=z)
    assert count_triples(lazy_x, lazy_y, lazy_z) == count_triples(X, Y, z)
    np.testing.assert_array_equal(mutual_information_matrix(lazy_x, lazy_y), mutual_information_matrix(X, Y))
    np.testing.assert_array_equal(
        conditional_mutual_information_matrix(lazy_x, lazy_y, lazy_z), conditional_mutual_information_matrix(X, Y, z)
    )
    np.testing.assert_array_equal(entropies(lazy_x), entropies(X))


def test_blocks_of_a_dask_array_may_be_sparse_and_of_unknown_length():
    X, Y, _ = samples()
    lazy = da.from_array(X, chunks=(120, 6)).map_blocks(sparse.csr_matrix)
    assert count_pairs(lazy, Y) == count_pairs(X, Y)
    unknown = da.from_array(X, chunks=(120, 6))
    unknown = unknown[unknown[:, 0] >= -1]
    assert count_pairs(unknown) == count_pairs(X)
    with pytest.raises(ParameterError, match="compute_chunk_sizes"):
        count_pairs(unknown, Y)


@pytest.mark.slow
def test_a_cluster_of_processes_gives_the_same_table():
    distributed = pytest.importorskip("distributed")
    X, Y, z = samples(3000)
    options = {"processes": True, "n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(host="127.0.0.1", **options) as cluster, distributed.Client(cluster):
        lazy_x, lazy_y = da.from_array(X, chunks=(200, 6)), da.from_array(Y, chunks=(170, 4))
        assert count_pairs(lazy_x, lazy_y) == count_pairs(X, Y)
        assert count_triples(lazy_x, lazy_y, da.from_array(z, 200)) == count_triples(X, Y, z)
        np.testing.assert_array_equal(mutual_information_matrix(lazy_x, lazy_y), mutual_information_matrix(X, Y))


def test_without_dask_one_sentence_says_what_to_install(monkeypatch):
    X, _, _ = samples()
    lazy = da.from_array(X, chunks=(100, 6))

    def missing(package, *, extra, purpose):
        raise ImportError(f"{package} {extra} {purpose}")

    monkeypatch.setattr("plait.counts.streams.optional", missing)
    with pytest.raises(ImportError, match="dask dask Dask arrays"):
        count_pairs(lazy)


def test_what_counts_as_coming_in_parts(monkeypatch):
    X, Y, _ = samples()
    assert is_streamed(iter([]))
    assert is_streamed(da.from_array(X))
    assert not is_streamed(X, Y)
    assert not is_streamed(sparse.csr_matrix(X))
    for most in (100, 500 * 10 - 1, 500 * 10):  # entries of both arrays together
        monkeypatch.setattr("plait.counts.streams._ENTRIES", most)
        assert is_streamed(X, Y) == (most < 500 * 10)


def test_only_one_chunk_is_held_at_a_time():
    alive, most = set(), 0

    class Chunk(np.ndarray):
        def __del__(self):
            alive.discard(id(self))

    def chunks():
        nonlocal most
        for _ in range(5):
            chunk = np.ones((4, 2)).view(Chunk)
            alive.add(id(chunk))
            most = max(most, len(alive))
            yield (chunk,)
            del chunk

    assert count_pairs(chunks()).total == 20
    assert most <= 2
