"""Large files go through `plait fit` and `plait predict` chunk by chunk, with the answers of one reading."""

import re
import tracemalloc

import numpy as np
import pytest

from plait import load_model
from plait.cli import main
from plait.commands import streaming
from plait.core.chunked import recognition
from plait.data import save_dataset
from plait.data.conversion import files
from plait.data.synthetic import make_label_network, make_tagged_text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with text, a table, and a model of each that was fitted on all rows at once."""
    found = tmp_path_factory.mktemp("streams")
    text, table = make_tagged_text(300, 60, 5, random_state=0), make_label_network(200, 4, 3, random_state=0).dataset
    save_dataset(text, found / "text.svm")
    save_dataset(table, found / "table.csv")
    labels = ",".join(table.label_names)
    assert main(["fit", str(found / "text.svm"), "--method", "bcc", "-o", str(found / "text.plait")]) == 0
    words = ["fit", str(found / "table.csv"), "--labels", labels, "--method", "br", "-o", str(found / "table.plait")]
    assert main(words) == 0
    return found


@pytest.fixture
def small_chunks(monkeypatch):
    """Let every file be large, and a chunk a few lines."""
    monkeypatch.setattr(streaming, "LARGE", 1)
    monkeypatch.setattr(files, "_BLOCK", 4000)
    before = streaming.chunks
    monkeypatch.setattr(streaming, "chunks", lambda *args, **form: before(*args, **form, chunk_bytes=1))


QUESTIONS = [(), ("--proba",), ("--top", "2"), ("--form", "tags"), ("--joint",), ("--given", "{0}=1", "--proba")]


@pytest.mark.parametrize("data", ["text.svm", "table.csv"])
@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_answers_are_those_of_one_reading(folder, request, data, words, suffix):
    """Every form of an answer, row numbers too, in every form that can be written bit by bit."""
    model = folder / data.replace(".svm", ".plait").replace(".csv", ".plait")
    words = [word.format(load_model(model).label_names_[0]) for word in words]
    at_once, in_chunks = folder / f"whole{suffix}", folder / f"parts{suffix}"
    assert main(["predict", str(model), str(folder / data), *words, "-o", str(at_once)]) == 0
    request.getfixturevalue("small_chunks")
    assert main(["predict", str(model), str(folder / data), *words, "-o", str(in_chunks)]) == 0
    assert in_chunks.read_text() == at_once.read_text()


@pytest.mark.usefixtures("small_chunks")
def test_fit_in_chunks(folder, capsys):
    """The model is that of all rows, to the tolerance, and knows the same names."""
    out = folder / "parts.plait"
    assert main(["fit", str(folder / "text.svm"), "--method", "bcc", "-o", str(out)]) == 0
    assert "in chunks" in capsys.readouterr().out
    ours, theirs = load_model(out), load_model(folder / "text.plait")
    assert ours.label_names_.tolist() == theirs.label_names_.tolist()
    assert np.allclose(ours.conditionals_.coef_, theirs.conditionals_.coef_, rtol=0, atol=0.01)


def test_folder_of_files(folder, tmp_path, capsys):
    """A folder is read in chunks whatever its size."""
    text = make_tagged_text(300, 60, 5, random_state=0)
    for number in range(3):
        save_dataset(text.rows(np.arange(100 * number, 100 * number + 100)), tmp_path / f"{number}.svm")
    assert main(["predict", str(folder / "text.plait"), str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("\n") == 301


def test_a_folder_for_methods_that_need_rows_in_memory(folder, tmp_path, capsys, monkeypatch):
    """They are fitted on all files, or on a sample of the rows, and a line says how many these are."""
    text = make_tagged_text(300, 60, 5, random_state=0)
    for number in range(3):
        save_dataset(text.rows(np.arange(100 * number, 100 * number + 100)), tmp_path / f"{number}.svm")
    out = folder / "neighbours.plait"
    assert main(["fit", str(tmp_path), "--method", "MLkNN", "-o", str(out)]) == 0
    assert "note: MLkNN needs all rows in memory: 3 chunks were read" in capsys.readouterr().err
    monkeypatch.setattr(recognition, "MOST_GATHERED", 12 * text.X.nnz // 2)
    assert main(["fit", str(tmp_path), "--method", "MLkNN", "-o", str(out)]) == 0
    assert re.search(r"note: MLkNN needs all rows in memory: a sample of \d+ of 300 rows", capsys.readouterr().err)
    assert load_model(out).predict(text.X).shape == (300, 5)


@pytest.mark.usefixtures("small_chunks")
def test_what_cannot_be_streamed(folder, capsys):
    """Parquet is refused in a sentence, and so is an address at which nobody answers."""
    words = ["predict", str(folder / "text.plait"), str(folder / "text.svm"), "-o", str(folder / "a.parquet")]
    assert main(words) == 2
    assert "for a large file" in capsys.readouterr().err
    pytest.importorskip("distributed")
    assert main([*words[:-1], str(folder / "a.csv"), "--dask", "nowhere"]) == 2
    assert re.search("--dask to be the address of a Dask scheduler", capsys.readouterr().err)


@pytest.mark.usefixtures("small_chunks")
def test_memory_does_not_grow_with_rows(folder, tmp_path):
    """Ten times the rows take no more than a tenth more memory."""
    lines, peaks = (folder / "text.svm").read_text(), []
    for times in (1, 10):
        file = tmp_path / f"{times}.svm"
        file.write_text(lines * times)
        tracemalloc.start()
        assert main(["predict", str(folder / "text.plait"), str(file), "-o", str(tmp_path / "out.csv")]) == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] + 2**20


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_workers_answer(folder):
    """With `--dask` the workers of a cluster answer, in the order of the rows."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with distributed.LocalCluster(host="127.0.0.1", **options) as cluster:
        words = ["predict", str(folder / "text.plait"), str(folder / "text.svm"), "--proba"]
        assert main([*words, "-o", str(folder / "dask.csv"), "--dask", cluster.scheduler_address]) == 0
        assert main([*words, "-o", str(folder / "here.csv")]) == 0
    assert (folder / "dask.csv").read_text() == (folder / "here.csv").read_text()
