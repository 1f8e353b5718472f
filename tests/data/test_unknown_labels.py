"""Unknown labels in files: `?` or nothing in a label column is NaN."""

import json

import numpy as np
import pytest

from plait import JointClassifier, load_dataset
from plait.cli import main
from plait.data import DataError, Dataset, save_dataset

LINES = [f"{k % 7}.5,{'?' if k % 5 == 0 else k % 2},{'' if k % 4 == 0 else (k // 2) % 2}" for k in range(40)]
ROWS = "\n".join(["size,sea,sun", *LINES, ""])


def test_tables_with_gaps_in_label_columns(tmp_path):
    path = tmp_path / "beach.csv"
    path.write_text(ROWS, encoding="utf8")
    data = load_dataset(path, labels=["sea", "sun"])
    assert np.isnan(data.Y).tolist() == [[k % 5 == 0, k % 4 == 0] for k in range(40)]
    words = ROWS.replace(",1", ",yes").replace(",0", ",no")
    path.write_text(words, encoding="utf8")
    with pytest.warns(UserWarning, match="'yes' is taken for 1"):
        np.testing.assert_array_equal(load_dataset(path, labels=["sea", "sun"]).Y, data.Y)
    model = JointClassifier(learner="logistic").fit(data)
    assert model.label_names_.tolist() == ["sea", "sun"]


def test_a_label_without_any_value_is_refused(tmp_path):
    path = tmp_path / "beach.csv"
    path.write_text("size,sea\n1,\n2,?\n", encoding="utf8")
    with pytest.raises(DataError, match="values of label 'sea'"):
        load_dataset(path, labels=["sea"])


def test_commands_take_gaps(tmp_path, capsys):
    path, model = tmp_path / "beach.csv", tmp_path / "model.plait"
    path.write_text(ROWS, encoding="utf8")
    assert main(["describe", str(path), "--labels", "sea,sun"]) == 0
    text = capsys.readouterr().out
    assert "labels unknown" in text
    assert "25.0% unknown" in text
    assert main(["fit", str(path), "--labels", "sea,sun", "--method", "pcc", "-o", str(model)]) == 0
    assert model.exists()


HEAD = "@relation beach\n@attribute size numeric\n@attribute sea {0,1}\n@attribute sun {no,yes}\n@data\n"
WORDS = [("?" if k % 5 == 0 else k % 2, "?" if k % 4 == 0 else ("no", "yes")[k // 2 % 2]) for k in range(40)]
ARFF = HEAD + "".join(f"{k % 7}.5,{sea},{sun}\n" for k, (sea, sun) in enumerate(WORDS))


def test_commands_take_arff_with_unknown_labels(tmp_path, capsys):
    path, model = tmp_path / "beach.arff", tmp_path / "model.plait"
    path.write_text(ARFF, encoding="utf8")
    data = load_dataset(path, labels=["sea", "sun"])
    assert np.isnan(data.Y).tolist() == [[k % 5 == 0, k % 4 == 0] for k in range(40)]
    how = [str(path), "--labels", "sea,sun"]
    assert main(["describe", *how]) == 0
    assert "25.0% unknown" in capsys.readouterr().out
    assert main(["fit", *how, "--method", "pcc", "-o", str(model)]) == 0
    assert main(["evaluate", *how, "--methods", "pcc,br", "--folds", "2"]) == 0
    assert "nan" not in capsys.readouterr().out
    assert main(["evaluate", *how, "--model", str(model)]) == 0
    assert main(["audit", *how, "--method", "pcc", "--folds", "2", "-o", str(tmp_path / "audit.csv")]) == 0
    rows = [line.split(",") for line in (tmp_path / "audit.csv").read_text().splitlines()[1:]]
    unknown = {(k, name) for k in range(40) for name, each in (("sea", 5), ("sun", 4)) if k % each == 0}
    assert len(rows) == 80 - len(unknown)
    assert not {(int(row[0]), row[1]) for row in rows} & unknown


def test_measures_of_whole_rows_are_left_out_where_there_is_none(tmp_path, capsys):
    path = tmp_path / "beach.arff"
    rows = [
        f"{{0 {k % 7}.5,1 {k % 2},2 ?}}" if k % 2 else f"{{0 {k % 5},1 ?,2 {'yes' if k % 4 else 'no'}}}"
        for k in range(40)
    ]
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf8")
    how = [str(path), "--labels", "sea,sun", "--methods", "br", "--folds", "2", "--json"]
    assert main(["evaluate", *how, "--metrics", "exact_match,sample_recall,ranking_loss,hamming_loss,log_loss"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["methods"]
    assert found["exact_match"] is found["sample_recall"] is found["ranking_loss"] is None
    assert len(found["hamming_loss"]) == len(found["log_loss"]) == 2


@pytest.mark.parametrize("name", ["beach.arff", "beach.csv", "beach.parquet"])
def test_unknown_labels_are_saved_and_read_again(tmp_path, name):
    pytest.importorskip("pyarrow")
    Y = [[0, np.nan], [1, 0], [np.nan, 1]]
    save_dataset(Dataset([[0.5], [1.5], [2.5]], Y, ["size"], ["sea", "sun"]), tmp_path / name)
    np.testing.assert_array_equal(load_dataset(tmp_path / name, labels=["sea", "sun"]).Y, Y)


@pytest.mark.parametrize("name", ["beach.svm", "beach.txt"])
def test_formats_that_name_only_labels_that_are_there_refuse_unknown_ones(tmp_path, name):
    with pytest.raises(DataError, match=r"labels that are all known, .* but found NaN. Save it as .arff"):
        save_dataset(Dataset([[0.5], [1.5]], [[0, np.nan], [1, 0]]), tmp_path / name)
    assert not (tmp_path / name).exists()
