"""Kept predictions: another metric later needs no run."""

import io
import zipfile

import numpy as np
import pytest
from sklearn.metrics import label_ranking_loss

from plait.cli import main
from plait.core.sentences import ParameterError
from plait.experiments import PlanError, StoreError, open_store, plan_from_text, read_plan, run_plan
from plait.experiments.planning.measures import own_measure
from plait.experiments.running.answers import Answers, measured
from plait.experiments.running.kept_answers import packed_answers, unpacked_answers

HEAD = """datasets = [{source = "beach.csv", labels = -3}]
protocol = {kind = "holdout", repeats = 2}
methods = ["br", "pcc"]
"""
METRICS = """
def gain(truth, predicted):
    with open("called", "a") as file:
        file.write("x")
    return float((truth == predicted).mean())

def top_share(truth, scores):
    return float(scores.max())
"""


@pytest.fixture
def bench(write_plan, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gain_metrics.py").write_text(METRICS)

    def run(more="", *flags):
        words = ["bench", str(write_plan(HEAD + more)), "--store", str(tmp_path / "r.sqlite"), *flags]
        code = main(words)
        with open_store(tmp_path / "r.sqlite") as store:
            return code, store.results(), {r.digest: store.predictions(r.digest) for r in store.results()}

    return run


def test_a_metric_is_added_without_running_anything(bench, capsys, tmp_path):
    code, before, kept = bench('keep = "predictions"\nmetrics = ["exact_match"]')
    assert code == 0
    assert len(kept) == 4
    assert "4 of 4 cells done" in capsys.readouterr().out
    metrics = [
        "exact_match",
        "scores:sklearn.metrics.label_ranking_loss",
        "gain_metrics.gain",
        "scores:gain_metrics.top_share",
    ]
    code, after, _ = bench(f'keep = "predictions"\nmetrics = {metrics}', "--allow-imports")
    assert code == 0
    assert "0 of 4 cells done" in capsys.readouterr().out
    assert [r.finished for r in after] == [r.finished for r in before]
    for result in after:
        truth, answers = kept[result.digest]
        assert result.metrics["exact_match"] == (truth == answers.labels).all(axis=1).mean()
        ranking = result.metrics["scores:sklearn.metrics.label_ranking_loss"]
        assert ranking == pytest.approx(label_ranking_loss(truth, answers.scores), rel=1e-12)
        assert result.metrics["gain_metrics.gain"] == (truth == answers.labels).mean()
        assert result.metrics["scores:gain_metrics.top_share"] == answers.scores.max()


def test_what_is_kept_is_what_a_run_measures(bench):
    """Metrics from kept predictions are those of the run itself, bit for bit."""
    _, results, kept = bench('keep = "predictions"')
    for result in results:
        truth, answers = kept[result.digest]
        assert dict(result.metrics) == measured(answers, truth)


def test_cells_without_predictions_run_again_when_they_are_to_be_kept(bench, capsys):
    bench('metrics = ["exact_match", "ranking_loss", "log_loss"]')
    capsys.readouterr()
    _, _, kept = bench('metrics = ["exact_match", "ranking_loss", "log_loss"]\nkeep = "predictions"')
    assert "4 of 4 cells done" in capsys.readouterr().out
    assert None not in kept.values()
    bench('metrics = ["exact_match", "ranking_loss", "log_loss"]\nkeep = "predictions"')
    assert "0 of 4 cells done" in capsys.readouterr().out


def test_without_keeping_a_metric_of_ones_own_costs_a_run(bench, capsys):
    bench('metrics = ["exact_match"]')
    _, results, kept = bench('metrics = ["exact_match", "sklearn.metrics.hamming_loss"]')
    assert "4 of 4 cells done" in capsys.readouterr().out.splitlines()[-1]
    for result in results:
        assert result.metrics["sklearn.metrics.hamming_loss"] == pytest.approx(
            result.metrics["hamming_loss"], rel=1e-12
        )
    assert set(kept.values()) == {None}


def test_metrics_of_others_need_leave_and_are_not_imported_while_checking(write_plan, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loud_metrics.py").write_text("open('made', 'w').close()\ndef gain(a, b): return 1.0\n")
    path = write_plan(HEAD + 'metrics = ["loud_metrics.gain"]')
    with pytest.raises(PlanError, match="outside plait and scikit-learn"):
        read_plan(path)
    plan = read_plan(path, allow_imports=True)
    assert main(["bench", str(path), "--store", "r.sqlite", "--dry-run", "--allow-imports"]) == 0
    assert not (tmp_path / "made").exists()
    run_plan(plan, tmp_path / "r.sqlite")
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "word",
    [
        "sklearn.base.clone",
        "sklearn.metrics._ranking.auc",
        "plait.data.load_dataset",
        "sklearn.metrics.nothing",
        "os.system",
    ],
)
def test_what_is_no_metric(word):
    with pytest.raises(ParameterError):
        own_measure(word)
    with pytest.raises(PlanError, match="line 4"):
        plan_from_text(HEAD + f'metrics = ["{word}"]')


def test_keep_is_predictions_or_nothing():
    assert not plan_from_text(HEAD).keep
    assert plan_from_text(HEAD + 'keep = "predictions"').keep
    with pytest.raises(PlanError, match="keep to be"):
        plan_from_text(HEAD + 'keep = "models"')


def bomb():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(300):
            archive.writestr(f"{k}.npy", bytes(10**6))
    return stream.getvalue()


@pytest.mark.parametrize("content", [b"", b"PK", b"\0" * 100, bomb(), "word", None, 3])
def test_damaged_predictions(content, tmp_path):
    with pytest.raises(ValueError, match="no predictions"):
        unpacked_answers(content)


def test_damaged_predictions_in_a_store(bench, tmp_path):
    _, results, _ = bench('keep = "predictions"')
    with open_store(tmp_path / "r.sqlite") as store:
        store._database.execute("UPDATE predictions SET content = 'x'")
        with pytest.raises(StoreError, match=r"what was kept of cell .* is damaged"):
            store.predictions(results[0].digest)


def test_packed_answers_without_scores():
    truth, answers = unpacked_answers(packed_answers(Answers(np.eye(3, dtype=np.uint8)), np.ones((3, 3))))
    assert (truth.sum(), answers.labels.tolist(), answers.scores, answers.joint) == (9, np.eye(3).tolist(), None, None)
