"""The most probable sets by name: as text, as HTML, as frames; what a posterior shows of itself."""

import pickle
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from plait import make_joint_pipeline, recipes
from plait.core.named_answers import RowFrame
from plait.core.sentences import ParameterError
from plait.posterior import LikelySets

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X + RNG.normal(size=(60, 2)) > 0).astype(int)
NAMES = ["sea & <sand>", "sun"]
MODEL = recipes.pcc().fit(X, pd.DataFrame(Y, columns=NAMES))
LIKELY = LikelySets(np.array([[[1, 1], [0, 0]], [[0, 1], [1, 0]]]), np.array([[0.75, 0.2], [1.0, 0.0]]), NAMES)


class Text(HTMLParser):
    """What a reader sees, without styles."""

    def __init__(self, html):
        super().__init__()
        self.words, self.open, self.hidden = [], [], False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.hidden = tag == "style"
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.hidden = False

    def handle_data(self, data):
        if not self.hidden and data.strip():
            self.words.append(data.strip())


def test_names_are_those_of_the_vectors():
    vectors, probabilities = LIKELY
    assert vectors is LIKELY.vectors
    assert probabilities is LIKELY.probabilities
    assert LIKELY.names == [[("sea & <sand>", "sun"), ()], [("sun",)]]
    assert pickle.loads(pickle.dumps(LIKELY)).names == LIKELY.names
    assert LikelySets(LIKELY.vectors, LIKELY.probabilities).names[0][0] == ("y0", "y1")


def test_frames_have_a_row_for_each_set():
    frame = LIKELY.to_frame()
    assert frame.to_dict("list") == {
        "row": [0, 0, 1],
        "rank": [1, 2, 1],
        "labels": ["sea & <sand>|sun", "", "sun"],
        "probability": [0.75, 0.2, 1.0],
    }
    assert isinstance(LIKELY.to_frame("polars"), pl.DataFrame)


def test_text_shows_names_bars_what_is_known_and_what_is_left():
    known = LikelySets(*LIKELY, NAMES, RowFrame(), np.array([[-1, -1], [0, 1]], dtype=np.int8))
    assert repr(known).splitlines() == [
        "row 0",
        "    75.0%  ███████████████       sea & <sand>, sun",
        "    20.0%  ████                  (no label)",
        "     5.0%                        (other sets)",
        "row 1, known: not sea & <sand>, sun",
        "   100.0%  ████████████████████  sun",
    ]


def test_what_is_almost_impossible_is_not_called_impossible():
    rare = LikelySets(np.array([[[1, 1], [0, 0]]]), np.array([[1 - 1e-5, 1e-5]]), NAMES)
    assert repr(rare).splitlines()[2] == "    <0.1%  ▏                     (no label)"
    assert "<0.1%" in Text(rare._repr_html_()).words


def test_many_names_and_many_rows_are_cut():
    names = [f"label {k}" for k in range(30)]
    text = repr(LikelySets(np.ones((8, 1, 30), dtype=int), np.ones((8, 1)), names))
    assert text.splitlines()[1].endswith("label 11, and 18 more")
    assert text.splitlines()[-1] == "... 3 more rows"


def test_html_holds_the_same_and_escapes_names():
    known = LikelySets(*LIKELY, NAMES, RowFrame(), np.array([[-1, -1], [0, 1]], dtype=np.int8))
    html = known._repr_html_()
    assert "<sand>" not in html
    seen = Text(html)
    assert seen.open == []
    first = ["row 0", "75.0%", "sea & <sand>", "sun", "20.0%", "(no label)", "5.0%", "(other sets)"]
    assert seen.words == [*first, "row 1", "known:", "sea & <sand>", "sun", "100.0%", "sun"]
    assert html.count('class="bar" style="width:75.0%"') == 1


def test_a_posterior_shows_its_first_rows():
    answer = MODEL.joint(X).given({"sun": 1})
    text = str(answer).splitlines()
    assert answer.method == "nothing was asked yet"  # looking asks a few rows, not the whole
    assert text[0] == repr(answer) == "Posterior(60 rows, 2 labels, 1 label known)"
    assert text[1] == "row 0, known: sun"
    assert sum(line.startswith("row ") for line in text) == 5
    assert text[-1] == "... 55 more rows"
    assert f"{answer.top(1).probabilities[0, 0]:.1%}" in text[2]
    words = Text(answer._repr_html_()).words
    assert words[0] == repr(answer)
    assert words[-1] == "... 55 more rows"


def test_answers_become_frames_of_what_came_in():
    frame = pd.DataFrame(X, columns=["a", "b"], index=[f"photo {i}" for i in range(60)])
    model = recipes.pcc().fit(frame, pd.DataFrame(Y, columns=NAMES))
    answer = model.joint(frame)[[3, 1]]
    chances = answer.to_frame()
    assert list(chances.index) == ["photo 3", "photo 1"]
    assert list(chances.columns) == NAMES
    np.testing.assert_array_equal(chances, answer.marginals())
    np.testing.assert_array_equal(answer.to_frame(answer.decide("f1")), answer.decide("f1"))
    assert answer.top(1).to_frame()["row"].tolist() == ["photo 3", "photo 1"]
    assert str(answer).splitlines()[1] == "row photo 3"
    assert isinstance(model.joint(pl.DataFrame(X, schema=["a", "b"])).to_frame(), pl.DataFrame)
    with pytest.raises(ParameterError, match=r"to_frame needs values of shape \(2, 2\), but they have \(3, 2\)"):
        answer.to_frame(np.zeros((3, 2)))


def test_a_pipeline_answers_in_the_frames_it_was_given():
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(100, 160))
    pipeline = make_joint_pipeline("passthrough", recipes.pcc()).fit(X, Y)
    pipeline.steps[0] = ("passthrough", Plain())
    assert pipeline.joint(frame).to_frame().index[0] == 100
    assert pipeline.top_labels(frame, 1).to_frame()["row"].tolist() == list(range(100, 160))


class Plain(BaseEstimator):
    """A step that hands on arrays."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.asarray(X)

    def __sklearn_is_fitted__(self):
        return True


def test_a_set_of_as_many_names_as_are_shown_has_no_more():
    likely = LikelySets(np.ones((1, 1, 12)), np.ones((1, 1)), [f"label {k}" for k in range(12)])
    assert repr(likely).splitlines()[1].endswith("label 10, label 11")
    assert Text(likely._repr_html_()).words[-1] == "label 11"
