"""Unknown labels in files: `?` or nothing in a label column is NaN."""

import numpy as np
import pytest

from plait import JointClassifier, load_dataset
from plait.cli import main
from plait.data import DataError

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
