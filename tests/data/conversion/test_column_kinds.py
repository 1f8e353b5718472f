"""What a column is for a learner."""

import numpy as np
import pytest

from plait.data import DataError
from plait.data.conversion.column_kinds import as_dates, as_numbers, as_words, kind_of
from plait.data.conversion.frame_columns import column_of_objects


def column(*values, name="x"):
    return column_of_objects(name, list(values))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.5, 2.5], "numbers"),
        ([True, None], "yes/no"),
        (["Ja", "nein", None], "yes/no"),
        (["nein"], "yes/no"),
        (["ja", "no"], "words"),
        (["2024-01-31", "31.01.2024", ""], "dates"),
        (["2024-13-31"], "words"),
        (["a", "b", "a"], "words"),
        (["one two three", "two three four five"], "text"),
        (["one two three"] * 4, "words"),
        ([f"row{i}" for i in range(20)], "left out"),
        ([f"row{i}" for i in range(10)], "words"),
        (list(range(10)), "left out"),
        ([0, 2, 3, 5, 7, 8, 9, 12], "left out"),
        ([10 * i for i in range(10)], "numbers"),
        (list(range(10, 0, -1)), "numbers"),
        ([0.5, *range(1, 10)], "numbers"),
        ([None, None], "left out"),
        (["NA", "?"], "left out"),
    ],
)
def test_the_kind_of_a_column(values, kind):
    assert kind_of(column(*values))[0] == kind


def test_names_tell_ids():
    jumbled = [7, 1, 90, 4, 33, 2, 8, 12]
    assert kind_of(column(*jumbled))[0] == "numbers"
    for name in ("id", "song_id", "Song ID", "index"):
        assert kind_of(column(*jumbled, name=name)) == ("left out", "only tells rows apart")
    assert kind_of(column(*jumbled, name="grid"))[0] == "numbers"
    assert kind_of(column(*jumbled[:-1], 1, name="id"))[0] == "numbers"


def test_words_of_any_column():
    assert as_words(column(1.0, 2.5, None)) == ["1", "2.5", None]
    assert as_words(column(True, False)) == ["true", "false"]
    assert as_words(column(" a ", "NA")) == ["a", None]
    assert as_words(column(np.datetime64("2024-01-31"))) == ["2024-01-31"]


def test_numbers_and_dates_of_words():
    assert as_numbers(column("1,5", "2", ""), "f").tolist()[:2] == [1.5, 2.0]
    assert str(as_dates(column("31.01.2024", None), "f")[0])[:10] == "2024-01-31"
    with pytest.raises(DataError, match=r"f: expected a date in every row of column 'x', but found 'soon' in row 2"):
        as_dates(column("2024-01-31", "soon"), "f")
