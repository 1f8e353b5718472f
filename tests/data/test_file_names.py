"""Names of files."""

from pathlib import Path

import pytest

from plait.data.file_names import plain_stem


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("emotions.arff", "emotions"),
        ("a/b/emotions-train.arff.GZ", "emotions-train"),
        (Path("x.y.csv.xz"), "x.y"),
        ("emotions", "emotions"),
        ("data.gz", "data"),
    ],
)
def test_the_stem_has_no_folder_packing_or_suffix(path, stem):
    assert plain_stem(path) == stem
