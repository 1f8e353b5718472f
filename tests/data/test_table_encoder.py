"""`TableEncoder`: every kind of column, names found again, unknown words, scikit-learn's contract."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from skrub import TableVectorizer

from plait import load_model, recipes, save_model
from plait.core.sentences import ParameterError
from plait.data import DataError, DataWarning, TableEncoder

N = 40
WORDS = ["love", "sea", "sun", "blue", "rain", "cold", "warm", "night"]


def songs(n=N, seed=0):
    chance = np.random.default_rng(seed)
    days = pd.to_timedelta(chance.integers(0, 2000, n), "D")
    return pd.DataFrame(
        {
            "file": [f"s{i:03}.mp3" for i in range(n)],
            "id": np.arange(n),
            "tempo": np.where(chance.random(n) < 0.2, np.nan, chance.normal(100, 20, n)),
            "live": chance.choice(["Ja", "nein"], n),
            "key": chance.choice(["C", "G", "D"], n),
            "released": pd.Timestamp("2020-01-01") + days,
            "lyrics": [" ".join(chance.choice(WORDS, 6)) for _ in range(n)],
            "nothing": [None] * n,
        }
    )


@pytest.fixture
def fitted():
    with pytest.warns(DataWarning):
        return TableEncoder().fit(songs())


def test_every_column_has_a_kind_and_features(fitted):
    assert fitted.kinds_ == {
        "file": "left out",
        "id": "left out",
        "tempo": "numbers",
        "live": "yes/no",
        "key": "words",
        "released": "dates",
        "lyrics": "text",
        "nothing": "left out",
    }
    names = fitted.get_feature_names_out().tolist()
    assert names[:8] == [
        *("tempo", "live", "released.year", "released.month", "released.weekday", "released.age"),
        *("tempo=(gap)", "key=C"),
    ]
    X, table = fitted.transform(songs()), songs()
    assert X.shape == (N, len(names))
    column = dict(zip(names, X.T, strict=True))
    gaps = table.tempo.isna().to_numpy()
    assert np.array_equal(column["tempo=(gap)"], gaps)
    assert np.array_equal(column["tempo"], table.tempo.fillna(table.tempo.median()))
    assert np.array_equal(column["live"], table.live == "Ja")
    assert np.array_equal(column["key=G"], table.key == "G")
    assert np.array_equal(column["released.weekday"], table.released.dt.day_of_week)
    assert np.array_equal(column["released.month"], table.released.dt.month)
    assert np.array_equal(column["released.year"], table.released.dt.year)
    age = (table.released.max() - table.released).dt.days / 365.2425
    np.testing.assert_allclose(column["released.age"], age, rtol=1e-12, atol=1e-12)
    assert np.array_equal(column["lyrics:sea"] > 0, table.lyrics.str.contains("sea"))


def test_notes_say_what_is_left_out():
    with pytest.warns(DataWarning) as notes:
        TableEncoder().fit(songs())
    words = " ".join(str(note.message) for note in notes)
    assert "'file', 'id', which only tells rows apart" in words
    assert "'nothing', which is empty" in words


def test_columns_are_found_by_name(fitted):
    table = songs()
    wanted = fitted.transform(table)
    assert np.array_equal(fitted.transform(table[table.columns[::-1]]), wanted)
    with pytest.warns(DataWarning, match="ignores 'more', which was not there"):
        assert np.array_equal(fitted.transform(table.assign(more=1)), wanted)
    # What was left out is not needed.
    assert np.array_equal(fitted.transform(table.drop(columns=["file", "nothing"])), wanted)
    with pytest.raises(DataError, match="'tempo', 'key' among them, but found only 'file'"):
        fitted.transform(table.drop(columns=["key", "tempo"]))
    with pytest.raises(DataError, match="a data frame with the columns"):
        fitted.transform(np.zeros((2, 8)))


def test_unknown_words_are_zeros_and_counted(fitted):
    table = songs()[:3].assign(key=["C", "moon", "H"], live=["ja", "vielleicht", None])
    with pytest.warns(DataWarning) as notes:
        X = fitted.transform(table)
    words = " ".join(str(note.message) for note in notes)
    assert "2 cells of 'key'" in words
    assert "such as 'moon'" in words
    assert "1 cell of 'live'" in words
    column = dict(zip(fitted.get_feature_names_out(), X.T, strict=True))
    assert [column[f"key={key}"].tolist() for key in "CDG"] == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_any_part_of_the_rows_is_encoded_alike(fitted):
    table, whole = songs(), fitted.transform(songs())
    for rows in (slice(0, 1), slice(3, 17), slice(N - 1, N)):
        assert np.array_equal(fitted.transform(table[rows]), whole[rows])


@pytest.mark.filterwarnings("ignore::plait.data.DataWarning")
def test_polars_and_pandas_are_the_same(fitted):
    frame = pl.from_pandas(songs())
    assert np.array_equal(fitted.transform(frame), fitted.transform(songs()))
    assert np.array_equal(TableEncoder().fit_transform(frame), fitted.transform(songs()))
    categories = songs().astype({"key": "category"})
    assert np.array_equal(fitted.transform(categories), fitted.transform(songs()))


def test_words_said_by_the_user():
    table = pd.DataFrame({"code": [1, 2, 1], "note": ["ab", "cd", "ab"], "size": ["1,5", "2", "x"], "day": ["b"] * 3})
    encoder = TableEncoder(words="code", text=["note"], drop="size", min_frequency=1).fit(table)
    assert encoder.kinds_ == {"code": "words", "note": "text", "size": "left out", "day": "words"}
    assert "code=1" in encoder.get_feature_names_out()
    assert TableEncoder(numbers="size").fit_transform(table[["size"]][:2]).tolist() == [[1.5], [2.0]]
    with pytest.raises(DataError, match="a number in every row of column 'size', but found 'x' in row 3"):
        TableEncoder(numbers="size").fit(table)
    with pytest.raises(ParameterError, match=r"text to name columns, but 'notes' is none\. Did you mean 'note'"):
        TableEncoder(text="notes").fit(table)


def test_rare_words_share_a_column_and_gaps_have_one():
    table = pd.DataFrame({"place": ["sea", "sea", "moon", "mars", None, None]})
    encoder = TableEncoder().fit(table)
    assert encoder.get_feature_names_out().tolist() == ["place=(gap)", "place=sea", "place=(rare)"]
    assert encoder.feature_groups().tolist() == [0, 0, 0]
    assert encoder.transform(table).tolist() == [[0, 1, 0]] * 2 + [[0, 0, 1]] * 2 + [[1, 0, 0]] * 2


def test_gaps_stay_for_learners_that_take_them():
    table = pd.DataFrame({"size": [1.0, None, 3.0]})
    assert np.isnan(TableEncoder(fill=None).fit_transform(table)[1, 0])
    assert TableEncoder(fill="mean").fit_transform(table).tolist() == [[1, 0], [2, 1], [3, 0]]
    # Gaps that were never seen are filled, and have no column of their own.
    assert TableEncoder().fit(table[::2]).transform(table).tolist() == [[1], [2], [3]]


def test_arrays_pass():
    X = np.array([[1.0, np.nan], [3.0, 4.0]])
    encoder = TableEncoder().fit(X)
    assert encoder.transform(X).tolist() == [[1, 4, 1], [3, 4, 0]]
    assert encoder.get_feature_names_out(["a", "b"]).tolist() == ["a", "b", "b=(gap)"]
    thin = sparse.random_array((30, 50), density=0.1, random_state=0, format="csr")
    assert (TableEncoder().fit_transform(thin) != thin).nnz == 0
    objects = np.array([["a", 1.5], ["b", 2.5], ["a", None]], dtype=object)
    assert TableEncoder(min_frequency=1).fit_transform(objects)[:, 2:].tolist() == [[1, 0], [0, 1], [1, 0]]


def test_wide_tables_are_sparse_and_that_is_settled_at_fit():
    chance = np.random.default_rng(0)
    table = pd.DataFrame({"lyrics": [" ".join(f"w{k}" for k in chance.integers(0, 500, 8)) for _ in range(100)]})
    encoder = TableEncoder().fit(table)
    assert sparse.issparse(encoder.transform(table))
    assert sparse.issparse(encoder.transform(pd.DataFrame({"lyrics": ["w1"]})))
    frame = encoder.set_output(transform="pandas").transform(table)
    assert isinstance(frame, pd.DataFrame)


@pytest.mark.filterwarnings("ignore::plait.data.DataWarning")
def test_pickled_and_saved(fitted, tmp_path):
    wanted = fitted.transform(songs())
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).transform(songs()), wanted)
    chance = np.random.default_rng(0)
    model = make_pipeline(fitted, recipes.br()).fit(songs(), chance.integers(0, 2, (len(songs()), 2)))
    save_model(model, tmp_path / "songs.plait")
    again = load_model(tmp_path / "songs.plait")
    assert np.array_equal(again[0].transform(songs()), model[0].transform(songs()))
    assert np.array_equal(again.predict_proba(songs()), model.predict_proba(songs()))


def test_described(fitted):
    lines = fitted.describe().splitlines()
    assert any(line.split()[:2] == ["tempo", "numbers"] for line in lines)
    assert "only tells rows apart" in next(line for line in lines if line.startswith("file"))
    assert max(map(len, lines)) <= 100


def test_scikit_learn_contract():
    """None of scikit-learn's checks contradicts frames: order and further columns are no matter of theirs."""
    outcomes = check_estimator(TableEncoder(), on_fail=None, on_skip=None)
    assert [outcome["check_name"] for outcome in outcomes if outcome["status"] == "failed"] == []


@pytest.mark.filterwarnings("ignore::plait.data.DataWarning")
def test_in_pipelines_beside_skrub():
    table = songs()
    Y = np.column_stack([table.live == "Ja", table.key == "C"]).astype(int)
    ours = make_pipeline(TableEncoder(), recipes.br(learner="logistic")).fit(table, Y)
    # What skrub's own vectorizer makes is a frame of numbers with gaps, which are filled here.
    both = make_pipeline(TableVectorizer(), TableEncoder(), recipes.br(learner="logistic")).fit(
        table.drop(columns="nothing"), Y
    )
    assert (ours.predict(table) == Y).mean() > 0.9
    assert (both.predict(table.drop(columns="nothing")) == Y).mean() > 0.9


def test_refusals():
    with pytest.raises(DataError, match="a column to learn from, but found 'file', which only tells rows apart"):
        TableEncoder().fit(songs()[["file"]])
    with pytest.raises(DataError, match=r"numbers, words or dates in column 'tags', but found \['a'\]"):
        TableEncoder().fit(pd.DataFrame({"tags": [["a"], ["b"]]}))
    with pytest.raises(DataError, match="columns with different names, but found 'a' twice"):
        TableEncoder().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    encoder = TableEncoder().fit(pd.DataFrame({"size": [1.5, 2.5]}))
    with pytest.raises(DataError, match="a number in every row of column 'size', but found 'big' in row 2"):
        encoder.transform(pd.DataFrame({"size": ["1", "big"]}))


def test_texts_without_words_are_refused_in_one_sentence():
    with (
        pytest.warns(DataWarning, match="leaves out 'text', which has no words"),
        pytest.raises(DataError, match="a column to learn from, but found texts without words of two letters"),
    ):
        TableEncoder().fit(["a b", "b c !"])
