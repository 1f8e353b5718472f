import csv
import gzip
import io
import json

import numpy as np
import pytest

from plait.commands.select import Selection, selection_dict, selection_text, write_mask
from plait.data import DataError, Dataset
from plait.features import FeatureMask

NAMES = ["warm", 'of,\n"odd" ünits', "Mean_Acc1298_Mean_Mem40_MFCC_0", "Mean_Acc1298_Mean_Mem40_MFCC_1"]
DATA = Dataset(np.zeros((2, 4)), np.zeros((2, 3)), NAMES, ["sea", "sun", "snow"], "beach")
SHARED = Selection(DATA, "scls", FeatureMask.shared([2, 0, 1], [0.5, 0.25, -1.0], 3, 4))
BY_LABEL = Selection(
    DATA,
    "mlig",
    FeatureMask.by_label([[3, 2, 1, 0], [], [1]], [[4.0, 3.0, 2.0, 1.0], [], [np.nan]], 4),
)


def test_one_ranking():
    lines = selection_text(SHARED).splitlines()
    assert lines[0] == "beach: 3 of 4 features for all labels, by scls"
    assert lines[2].split() == ["1.", NAMES[2], "0.5000", "█" * 20]
    assert lines[3].split() == ["2.", "warm", "0.2500", "█" * 10]
    assert lines[4].split() == ["3.", "of,", '"odd"', "ünits", "-1.0000"]


def test_a_line_for_each_label():
    lines = selection_text(BY_LABEL).splitlines()
    assert lines[0] == "beach: 0 to 4 of 4 features for each label, by mlig"
    assert lines[2].split() == ["label", "features", "best", "first"]
    assert lines[3] == (
        '  sea           4  Mean_Acc1…n_Mem40_MFCC_1 4.000, Mean_Acc1…n_Mem40_MFCC_0 3.000, of, "odd" ünits 2.000, ...'
    )
    assert lines[4].rstrip() == "  sun           0"
    assert len(lines) == 6


def test_scores_that_are_all_zero_or_nothing_chosen():
    zeros = Selection(DATA, "scls", FeatureMask.shared([0], [0.0], 3, 4))
    assert selection_text(zeros).splitlines()[2] == "  1. warm  0.0000"
    nothing = Selection(DATA, "scls", FeatureMask.shared([], [], 3, 4))
    assert selection_text(nothing).splitlines()[0] == "beach: 0 of 4 features for all labels, by scls"


def test_plain_objects():
    shared = json.loads(json.dumps(selection_dict(SHARED), allow_nan=False))
    assert shared["features"][0] == {"name": NAMES[2], "column": 2, "score": 0.5}
    assert (shared["method"], shared["n_features"], shared["label_specific"]) == ("scls", 4, False)
    by_label = json.loads(json.dumps(selection_dict(BY_LABEL), allow_nan=False))
    assert [len(label["features"]) for label in by_label["labels"]] == [4, 0, 1]
    assert by_label["labels"][2] == {
        "name": "snow",
        "features": [{"name": NAMES[1], "column": 1, "score": None}],
    }


@pytest.mark.parametrize("name", ["mask.csv", "mask.csv.gz"])
def test_the_file_is_the_mask(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"old")
    write_mask(BY_LABEL, path)
    raw = gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
    header, *rows = csv.reader(io.StringIO(raw.decode("utf8"), newline=""))
    assert header == ["label", *NAMES]
    assert [row[0] for row in rows] == ["sea", "sun", "snow"]
    assert [[int(cell) for cell in row[1:]] for row in rows] == BY_LABEL.mask.support.astype(int).tolist()
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"mask\.csv"):
        write_mask(SHARED, tmp_path / "no" / "mask.csv")
