"""What words say of a table, and the encoder that comes of it."""

import pytest

from plait import recipes
from plait.commands.sources import Source
from plait.core.sentences import ParameterError
from plait.data import DataError, DataWarning
from plait.estimators import JointPipeline


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text("song,key,size,sad\n01,C,1.5,1\n02,G,,0\n03,C,2.5,1\n")
    return str(path)


def test_named_columns_are_read_as_they_are(table):
    data = Source(table, labels=["sad"], id_column="song").load()
    assert data.X["song"].tolist() == ["01", "02", "03"]
    assert Source(table, labels=["sad"], words=("size",)).load().X["size"].tolist()[0] == "1.5"


def test_the_encoder_leaves_out_what_names_rows(table):
    source = Source(table, labels=["sad"], id_column="song", drop=("size",), text=("key",))
    model = source.with_encoder(recipes.br(), source.load())
    assert isinstance(model, JointPipeline)
    encoder = model.steps[0][1]
    assert (encoder.drop, encoder.text, encoder.words, encoder.fill) == (("size", "song"), ("key",), None, "median")


def test_gaps_are_told_or_refused(table):
    data = Source(table, labels=["sad"]).load()
    with pytest.warns(DataWarning, match=r"songs, line 3, column 'size' \(1 gap in all\): gaps are filled"):
        Source(table, labels=["sad"]).tell_gaps(data)
    with pytest.raises(DataError, match=r"line 3, column 'size'.*--fill none refuses gaps"):
        Source(table, labels=["sad"], fill="none").tell_gaps(data)
    Source(table, labels=["sad"], fill="none", drop=("size",)).tell_gaps(data)


def test_columns_are_named_in_tables_only():
    with pytest.raises(ParameterError, match=r"needs a table .* where columns are named, but it is emotions"):
        Source("emotions", text=("lyrics",)).load()
