import csv
import gzip
import io
import json

import numpy as np
import pytest

from plait.commands.feature_files import read_mask, write_mask
from plait.commands.select import Selection, select_features, selection_dict, selection_text, selector_names
from plait.core.sentences import ParameterError
from plait.counts import MeanStdDiscretizer
from plait.data import DataError, Dataset
from plait.features import FeatureMask, GainRatio, PrunedReliefF


def toy(kinds=None):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(60, 4)).astype(float)
    Y = np.column_stack([X[:, 1] > 2, X[:, 2] > 2]).astype(np.uint8)
    return Dataset(X, Y, feature_kinds=kinds)


def test_names_are_those_of_selectors_that_can_be_made():
    names = selector_names()
    assert names == sorted(names)
    assert {"scls", "mlig", "wrapper", "pruned_relieff", "label_dependent_features"} <= set(names)
    assert not {"selector", "information_selector", "mddm", "feature_mask"} & set(names)


@pytest.mark.parametrize("name", selector_names())
def test_every_method_by_name(name):
    found = select_features(toy(), name)
    assert found.method == name
    assert found.mask.support.shape == (2, 4)
    assert found.mask.support.any()


def test_spelling():
    assert select_features(toy(), "Gain-Ratio", 2).method == "gain_ratio"


def test_sizes():
    assert select_features(toy(), "gain_ratio", 2).mask.support.sum() == 4
    assert select_features(toy(), "gain_ratio", 0.25).mask.support.sum() == 2
    with pytest.raises(ParameterError, match="needs -n to be left out for label_dependent_features"):
        select_features(toy(), "label_dependent_features", 2)
    with pytest.raises(ParameterError, match="GainRatio needs n_features to be"):
        select_features(toy(), "gain_ratio", 0)


def test_by_label():
    assert select_features(toy(), "mlig", label_specific=True).mask.label_specific
    with pytest.raises(ParameterError, match=r"but pruned_relieff chooses for all labels .* one of .*, mlig, "):
        select_features(toy(), "pruned_relieff", label_specific=True)


def test_wrong_method_lists_the_right_ones():
    with pytest.raises(ParameterError, match=r"--method to be one of .*scls.* but it is 'best'"):
        select_features(toy(), "best")


def test_nominal_features_are_taken_as_such():
    kinds = ("numeric", "nominal", "numeric", "numeric")
    data = toy(kinds)
    expected = GainRatio(discretizer=MeanStdDiscretizer(nominal=[1])).select(data.X, data.Y)
    assert select_features(data, "gain_ratio").mask == expected
    assert select_features(data, "gain_ratio").mask != select_features(toy(), "gain_ratio").mask
    assert select_features(data, "pruned_relieff").mask == PrunedReliefF(nominal=[1]).select(data.X, data.Y)


def test_data_a_method_cannot_take():
    data = toy()
    X = np.array(data.X)
    X[0, 0] = np.nan
    with pytest.raises(ParameterError, match=r"^PearsonSubset needs X to hold finite .*row 0, column 0 holds NaN"):
        select_features(Dataset(X, data.Y), "pearson_subset")
    assert select_features(Dataset(X, data.Y), "mlig").mask.support.any()


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
    write_mask(path, BY_LABEL.mask.support, ["sea", "sun", "snow"], NAMES)
    assert read_mask(path, ["snow", "sea"], NAMES[:2]) == BY_LABEL.mask.support[[2, 0], :2].astype(int).tolist()
    raw = gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
    header, *rows = csv.reader(io.StringIO(raw.decode("utf8"), newline=""))
    assert header == ["label", *NAMES]
    assert [row[0] for row in rows] == ["sea", "sun", "snow"]
    assert [[int(cell) for cell in row[1:]] for row in rows] == BY_LABEL.mask.support.astype(int).tolist()
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"mask\.csv"):
        write_mask(tmp_path / "no" / "mask.csv", SHARED.mask.support, ["sea", "sun", "snow"], NAMES)
