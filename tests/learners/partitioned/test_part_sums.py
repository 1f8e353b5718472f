"""Parts on disk and on the workers of a real cluster give the same sums, also when a worker dies."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from plait import recipes
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_tagged_text
from plait.learners import LogisticLearner
from plait.learners.logistic import prepared_problem
from plait.learners.partitioned import checked_parts, part_sums
from plait.learners.partitioned.part_sums import StoredParts

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

TEXT = make_tagged_text(400, 80, 6, random_state=0)
# Coefficients, not only objectives, are compared.
EXACT = LogisticLearner(tol=1e-12)


def rows_of(part):
    """Return the shape and sum of a part."""
    return part.n_rows, float(part.X.astype(np.float64).sum()), int(part.Y.sum())


def test_stored_parts_are_read_again_and_removed():
    """Dense and sparse rows come back as they were; the folder ends with the object."""
    Y = sparse.csr_matrix(TEXT.Y.astype(np.uint8))
    weights = np.arange(250.0)
    parts = StoredParts([(TEXT.X[:150], Y[:150], None), (TEXT.X[150:].toarray(), Y[150:], weights)])
    for _ in range(2):
        found = list(parts.each(lambda part: (part.X, part.Y, part.weights)))
        assert (found[0][0] != TEXT.X[:150]).nnz == 0
        assert np.array_equal(found[1][0], TEXT.X[150:].toarray())
        assert (sparse.vstack([Y for _, Y, _ in found]) != Y).nnz == 0
        assert found[0][2] is None
        assert np.array_equal(found[1][2], weights)
    assert parts.total(rows_of) == pytest.approx((400, TEXT.X.astype(np.float64).sum(), TEXT.Y.sum()), rel=1e-12)
    folder = parts._folder
    assert folder.exists()
    parts.close()
    assert not folder.exists()


def test_memory_maps_are_not_copied(tmp_path, monkeypatch):
    """Rows of a memory map stay where they are: the folder holds labels alone, and parts share its memory."""
    X = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=(400, 80))
    X[:] = TEXT.X.toarray()
    monkeypatch.setattr(checked_parts, "MAPPED_BYTES", 80 * 8 * 100)
    kept = []
    monkeypatch.setattr(StoredParts, "close", lambda self: None)
    before = StoredParts.__init__
    monkeypatch.setattr(StoredParts, "__init__", lambda self, parts: (kept.append(self), before(self, parts))[1])
    model = recipes.br(learner=LogisticLearner()).fit(X, TEXT.Y)
    whole = recipes.br(learner=LogisticLearner()).fit(TEXT.X.toarray(), TEXT.Y)
    assert np.allclose(model.predict_proba(X), whole.predict_proba(TEXT.X.toarray()), rtol=0, atol=2e-3)
    assert not list(Path(kept[0]._folder).rglob("X.npy"))
    assert all(kept[0].each(lambda part: np.shares_memory(part.X, X)))


@pytest.fixture(scope="module")
def whole():
    """A model of all rows in memory."""
    return recipes.bcc(learner=EXACT, random_state=0).fit(TEXT.X, TEXT.Y)


def collections():
    """Return the same rows as Dask collections: sparse blocks, dense blocks, frames."""
    Y = da.from_array(TEXT.Y.toarray(), chunks=(100, 6))
    dense = da.from_array(TEXT.X.toarray(), chunks=(100, 40))
    frame = pd.DataFrame(TEXT.X.toarray(), columns=[f"w{j}" for j in range(80)])
    labels = pd.DataFrame(TEXT.Y.toarray(), columns=list("abcdef"))
    return {
        "sparse": (dense.rechunk((100, 80)).map_blocks(sparse.csr_matrix), Y),
        "dense": (dense, Y),
        "labels in memory": (dense, TEXT.Y.toarray()),
        "frames": (dd.from_pandas(frame, npartitions=3), dd.from_pandas(labels, npartitions=3)),
    }


def close(model, whole):
    """Assert that a model is that of all rows, to the tolerance."""
    assert model.graph_.parents == whole.graph_.parents
    assert np.allclose(model.conditionals_.coef_, whole.conditionals_.coef_, rtol=0, atol=1e-4)
    assert np.allclose(model.conditionals_.intercept_, whole.conditionals_.intercept_, rtol=0, atol=1e-4)


@pytest.mark.parametrize("kind", ["sparse", "dense", "labels in memory", "frames"])
def test_dask_without_a_cluster(kind, whole):
    """Blocks are computed one after the other and kept on disk."""
    close(recipes.bcc(learner=EXACT, random_state=0).fit(*collections()[kind]), whole)


@pytest.mark.parametrize("kind", ["sparse", "frames"])
def test_dask_cluster(kind, whole, client):
    """The same on two worker processes, where the rows stay."""
    model = recipes.bcc(learner=EXACT, random_state=0).fit(*collections()[kind])
    close(model, whole)
    predicted = model.predict(collections()[kind][0])
    assert np.array_equal(predicted.compute(), model.predict(_rows(kind)))


@pytest.mark.parametrize("kind", ["sparse", "dense", "frames"])
def test_weights_on_a_cluster(kind, client):
    """Weights of Dask collections, and of an array beside Dask arrays: the model is that of all rows in memory."""
    weights = np.where(np.arange(400) % 5, np.random.default_rng(0).uniform(0.5, 2, 400), 0.0)
    whole = recipes.bcc(learner=EXACT, random_state=0).fit(TEXT.X, TEXT.Y, sample_weight=weights)
    series = dd.from_pandas(pd.Series(weights), npartitions=3)
    given = {"sparse": weights, "dense": da.from_array(weights, chunks=70), "frames": series}[kind]
    close(recipes.bcc(learner=EXACT, random_state=0).fit(*collections()[kind], sample_weight=given), whole)


def test_blocks_without_rows(whole, client):
    """What is filtered may leave blocks without rows, the first among them; nothing at all is an error."""
    frame = pd.DataFrame(TEXT.X.toarray(), columns=[f"w{j}" for j in range(80)])
    labels = pd.DataFrame(TEXT.Y.toarray(), columns=list("abcdef"))
    wide = pd.concat([-frame[:90], frame], ignore_index=True), pd.concat([labels[:90], labels], ignore_index=True)
    X, Y = (dd.from_pandas(part, npartitions=10) for part in wide)
    mine = [part.map_partitions(lambda rows: rows[rows.index >= 90]) for part in (X, Y)]
    close(recipes.bcc(learner=EXACT, random_state=0).fit(*mine), whole)
    with pytest.raises(ParameterError, match="needs at least one row, but no chunk has any"):
        recipes.bcc(learner=EXACT).fit(*(part.map_partitions(lambda rows: rows[:0]) for part in (X, Y)))


def _rows(kind):
    frame = pd.DataFrame(TEXT.X.toarray(), columns=[f"w{j}" for j in range(80)])
    return frame if kind == "frames" else TEXT.X.toarray()


def test_bits_do_not_depend_on_where_parts_lie(client):
    """Sums are added in the order of the parts: one process and two workers give equal bits."""
    X, Y = collections()["sparse"]
    on_workers = LogisticLearner().fit(X, Y)
    chunks = [(TEXT.X[first : first + 100], TEXT.Y[first : first + 100]) for first in range(0, 400, 100)]
    here = LogisticLearner().fit(chunks)
    assert np.array_equal(on_workers.coef_, here.coef_)
    assert np.array_equal(on_workers.intercept_, here.intercept_)


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(whole, client, monkeypatch, tmp_path):
    """A worker that is killed in the middle of a fit, and of a prediction: the answer is the same, nothing hangs."""
    rounds, before = [], part_sums.DaskParts._round

    def kills(self, function, shared, own):
        rounds.append(function.__name__)
        if len(rounds) == 8:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        return before(self, function, shared, own)

    monkeypatch.setattr(part_sums.DaskParts, "_round", kills)
    X, Y = collections()["sparse"]
    model = recipes.bcc(learner=EXACT, random_state=0).fit(X, Y)
    assert len(rounds) > 8
    close(model, whole)
    marker = tmp_path / "killed"
    rows = X.map_blocks(dying_once(str(marker)), dtype=float, meta=sparse.csr_matrix((0, 80)))
    assert np.allclose(model.predict_proba(rows).compute(), whole.predict_proba(TEXT.X), rtol=0, atol=1e-4)
    assert marker.exists()


def dying_once(name):
    """Return a function of a block that ends the process in which it is called for the first time."""

    def dies(block):
        if not os.path.exists(name):
            open(name, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    return dies


@pytest.mark.parametrize("C", [1.0, "cv"])
def test_labels_over_workers_give_equal_bits(client, monkeypatch, C):
    """Rows in memory, a client at hand: each worker solves a share of the labels, with the bits of one process."""
    learner = LogisticLearner(C=C)
    expected = {data: recipes.cc(learner=learner).fit(X, TEXT.Y) for data, X in forms().items()}
    monkeypatch.setattr(prepared_problem, "MANY_ON_WORKERS", 1)
    asked, before = [], prepared_problem.on_cluster
    monkeypatch.setattr(prepared_problem, "on_cluster", lambda *given: (asked.append(1), before(*given))[1])
    for name, X in forms().items():
        found = recipes.cc(learner=learner).fit(X, TEXT.Y).conditionals_
        for attribute in ("coef_", "parent_coef_", "intercept_", "C_"):
            assert np.array_equal(getattr(found, attribute), getattr(expected[name].conditionals_, attribute))
    assert asked


def forms():
    """Return the same rows sparse and dense."""
    return {"sparse": sparse.hstack([TEXT.X] * 6, format="csr"), "dense": np.tile(TEXT.X.toarray(), (1, 6))}
