"""OpenML without a network: through scikit-learn's own recordings of its answers, and through bunches of that shape."""

import gzip
import hashlib
import io
import json
import socket
import warnings
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import Bunch

from plait.data import DataError, DataWarning
from plait.data.readers.openml import NotAtOpenMLError, load_openml

pytest.importorskip("pandas")

SITE = "https://www.openml.org/"


class Answer(io.BytesIO):
    """What `urlopen` returns."""

    def info(self):
        return {"Content-Encoding": ""}


class Site:
    """A small OpenML: answers the calls that scikit-learn makes for one data set."""

    def __init__(self, name, arff, attributes, targets, versions=1, form="ARFF"):
        self.name, self.arff, self.form, self.versions = name, arff.encode(), form, versions
        self.features = [
            {
                "index": str(j),
                "name": attribute,
                "data_type": kind,
                "is_target": str(attribute in targets).lower(),
                "is_ignore": "false",
                "is_row_identifier": "false",
                "number_of_missing_values": "0",
            }
            for j, (attribute, kind) in enumerate(attributes.items())
        ]
        self.n_rows = arff.lower().partition("@data\n")[2].count("\n")
        self.calls = []

    def answer(self, path):
        listed = [{"did": 7, "name": self.name, "version": v + 1, "status": "active"} for v in range(self.versions)]
        if path.startswith("api/v1/json/data/list/data_name/"):
            if path.split("/")[6] != self.name:
                raise HTTPError(SITE + path, 412, "no results", None, io.BytesIO())
            return {"data": {"dataset": listed}}
        if path == "api/v1/json/data/features/7":
            return {"data_features": {"feature": self.features}}
        if path == "api/v1/json/data/qualities/7":
            return {"data_qualities": {"quality": [{"name": "NumberOfInstances", "value": str(self.n_rows)}]}}
        if path == "api/v1/json/data/7":
            description = {"id": "7", "name": self.name, "version": "1", "status": "active", "description": "small"}
            targets = [feature["name"] for feature in self.features if feature["is_target"] == "true"]
            description |= {"default_target_attribute": ",".join(targets)}
            description |= {"format": self.form, "md5_checksum": hashlib.md5(self.arff).hexdigest()}
            return {"data_set_description": description | {"url": SITE + "data/v1/download/9/small.arff"}}
        raise HTTPError(SITE + path, 412, "no such data", None, io.BytesIO())

    def urlopen(self, request, *rest, **options):
        path = urlsplit(request.full_url).path.removeprefix("/")  # versions of scikit-learn ask different hosts
        self.calls.append(path)
        return Answer(self.arff if path.startswith("data/") else json.dumps(self.answer(path)).encode())


@pytest.fixture
def serve(monkeypatch):
    def start(*details, **options):
        site = Site(*details, **options)
        monkeypatch.setattr("sklearn.datasets._openml.urlopen", site.urlopen)
        return site

    return start


DENSE = (
    "small",
    "@relation small\n@attribute size numeric\n@attribute sky {red,blue,grey}\n@attribute open {yes,no}\n"
    "@attribute sea {FALSE,TRUE}\n@attribute sun {TRUE,FALSE}\n@data\n"
    "1.5,red,yes,TRUE,FALSE\n?,blue,no,FALSE,TRUE\n2,?,no,TRUE,TRUE\n",
    {"size": "numeric", "sky": "nominal", "open": "nominal", "sea": "nominal", "sun": "nominal"},
    ("sea", "sun"),
)
SPARSE = (
    "small",
    "@relation small\n@attribute size numeric\n@attribute open {yes,no}\n@attribute wind {0,1}\n"
    "@attribute sea {FALSE,TRUE}\n@attribute sun {FALSE,TRUE}\n@data\n"
    "{0 1.5,3 TRUE}\n{1 no,2 1,4 TRUE}\n{2 1}\n{0 -1,1 no,3 TRUE,4 TRUE}\n",
    {"size": "numeric", "open": "nominal", "wind": "nominal", "sea": "nominal", "sun": "nominal"},
    ("sea", "sun"),
)


def test_dense_data_come_with_all_declared_values(tmp_path, serve):
    site = serve(*DENSE)
    found = load_openml("small", tmp_path)
    nan = np.nan
    assert found.feature_names == ("size", "sky=red", "sky=blue", "sky=grey", "open")
    np.testing.assert_array_equal(found.X, [[1.5, 1, 0, 0, 1], [nan, 0, 1, 0, 0], [2, nan, nan, nan, 0]])
    np.testing.assert_array_equal(found.Y, [[1, 0], [0, 1], [1, 1]])
    assert (found.name, found.label_names) == ("small", ("sea", "sun"))
    n_calls = len(site.calls)
    assert load_openml("7", tmp_path).label_names == ("sea", "sun")
    assert len(site.calls) == n_calls  # all from the cache
    assert list((tmp_path / "openml").rglob("*.arff.gz"))


def test_data_with_free_text_come_as_a_frame(tmp_path, serve, monkeypatch):
    text = (
        "@relation small\n@attribute size numeric\n@attribute note string\n@attribute open {yes,no}\n"
        "@attribute sea {FALSE,TRUE}\n@attribute sun {0,1}\n@data\n"
        "1.5,'a b',yes,TRUE,0\n2,'c',no,FALSE,1\n"
    )
    kinds = {"size": "numeric", "note": "string", "open": "nominal", "sea": "nominal", "sun": "nominal"}
    serve("small", text, kinds, ("sea", "sun"))
    found = load_openml("small", tmp_path)
    assert found.feature_names == ("size", "note", "open")
    assert found.feature_kinds == ("numeric", "words", "words")
    assert found.X["note"].tolist() == ["a b", "c"]
    np.testing.assert_array_equal(found.Y, [[1, 0], [0, 1]])
    monkeypatch.setattr("plait.data.readers.openml.installed", lambda package: False)
    with pytest.raises(DataError, match="STRING attributes are not supported"):
        load_openml("small", tmp_path)


@pytest.mark.parametrize("unset", [0.0, 1.0, 1e300])
def test_sparse_data_stay_sparse_and_targets_come_out_whole(tmp_path, serve, monkeypatch, unset):
    serve(*SPARSE, form="Sparse_ARFF")

    def targets(data, columns):
        """Return what scikit-learn makes of targets, with one choice of what stands in fresh memory."""
        y = np.full((max(data[1]) + 1, len(columns)), unset)
        for value, row, column in zip(*data, strict=True):
            if column in columns:
                y[row, columns.index(column)] = value
        return y

    monkeypatch.setattr("sklearn.datasets._arff_parser._sparse_data_to_array", targets)
    found = load_openml("small", tmp_path)
    assert sparse.issparse(found.X)
    np.testing.assert_array_equal(found.X.toarray(), [[1.5, 1, 0], [0, 0, 1], [0, 1, 1], [-1, 0, 0]])
    np.testing.assert_array_equal(found.Y, [[1, 0], [0, 1], [0, 0], [1, 1]])
    assert found.feature_kinds == ("numeric", "binary", "binary")
    assert found.label_names == ("sea", "sun")


@pytest.mark.parametrize(("details", "form"), [(DENSE, "ARFF"), (SPARSE, "Sparse_ARFF")])
def test_labels_can_be_chosen(tmp_path, serve, details, form):
    serve(*details, form=form)
    found = load_openml("small", tmp_path, labels=["open", "sun"])
    assert found.label_names == ("open", "sun")
    assert "sea" in found.feature_names
    with pytest.raises(DataError, match="small: expected a label column 'moon'"):
        load_openml("small", tmp_path, labels=["moon"])


def test_one_target_is_not_several(tmp_path, serve):
    serve(*DENSE[:3], ("open",))
    with pytest.raises(DataError, match="small: expected several target columns, but found one, 'open'"):
        load_openml("small", tmp_path)
    serve(*DENSE[:3], ())
    with pytest.raises(DataError, match="expected several target columns, but found none"):
        load_openml("small", tmp_path / "other")


def test_several_versions_are_a_warning(tmp_path, serve):
    serve(*DENSE, versions=2)
    with pytest.warns(DataWarning, match="openml.org, small: Multiple active versions .* returning version 1"):
        load_openml("small", tmp_path)


def test_versions_and_numbers_are_asked_for(tmp_path, monkeypatch):
    asked = []

    def fetch(**query):
        asked.append({key: query[key] for key in ("name", "version", "data_id") if key in query})
        raise TimeoutError("slow")

    monkeypatch.setattr("plait.data.readers.openml._datasets.fetch_openml", fetch)
    for source in ("emotions", "yeast", "Yeast", "yeast@2", "40589"):
        with pytest.raises(NotAtOpenMLError, match="expected a way to OpenML"):
            load_openml(source, tmp_path)
    assert asked == [
        {"name": "emotions", "version": "active"},
        {"name": "yeast", "version": 4},
        {"name": "Yeast", "version": 4},
        {"name": "yeast", "version": 2},
        {"data_id": 40589},
    ]
    with pytest.raises(DataError, match="a whole number as version, but found 'four'"):
        load_openml("yeast@four", tmp_path)


@pytest.mark.parametrize("name", ["my data", "a/../b", "a\nb", "día", "@4"])
def test_names_that_no_address_can_hold_are_not_asked_for(tmp_path, monkeypatch, name):
    monkeypatch.setattr("plait.data.readers.openml._datasets.fetch_openml", None)
    with pytest.raises(NotAtOpenMLError, match="expected a name of letters, digits"):
        load_openml(name, tmp_path)


def test_an_unknown_name_is_not_there(tmp_path, serve):
    serve(*DENSE)
    with pytest.raises(NotAtOpenMLError, match="but found No active dataset smull found"):
        load_openml("smull", tmp_path)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (URLError("Name or service not known"), "a way to OpenML, but found no answer .Name or service not known."),
        (TimeoutError("timed out"), "a way to OpenML, but found no answer .timed out."),
        (ConnectionResetError("reset"), "a way to OpenML, but found no answer .reset."),
        (HTTPError(SITE, 503, "busy", None, io.BytesIO()), "a way to OpenML, but found the answer 503 .busy."),
        (PermissionError("read-only"), "a data set that scikit-learn can fetch, but found read-only"),
        (ValueError("md5 checksum\n differs."), "that scikit-learn can fetch, but found md5 checksum differs."),
        (KeyError(), "a data set that scikit-learn can fetch, but found KeyError"),
    ],
)
def test_every_fault_is_one_sentence(tmp_path, monkeypatch, problem, message):
    def fetch(**query):
        warnings.warn("A network error occurred. Retrying...", stacklevel=1)
        raise problem

    monkeypatch.setattr("plait.data.readers.openml._datasets.fetch_openml", fetch)
    before = socket.getdefaulttimeout()
    with pytest.raises(DataError, match=f"openml.org, small: expected .*{message}") as caught:
        load_openml("small", tmp_path)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert socket.getdefaulttimeout() == before


def test_numeric_targets_beside_a_sparse_matrix(tmp_path, monkeypatch):
    """A fetcher that cannot hand the targets over as features."""
    bunch = Bunch(
        data=sparse.csr_matrix([[0, 1.0], [2.0, 0]]),
        target=np.array([[0.0, 1.0], [1.0, 1.0]]),
        frame=None,
        categories={},
        feature_names=["a", "b"],
        target_names=["sea", "sun"],
        details={"name": "small"},
    )
    monkeypatch.setattr("plait.data.readers.openml._datasets.fetch_openml", lambda **query: bunch)
    found = load_openml("small", tmp_path)
    np.testing.assert_array_equal(found.X.toarray(), [[0, 1], [2, 0]])
    np.testing.assert_array_equal(found.Y, [[0, 1], [1, 1]])


def test_emotions_as_scikit_learn_recorded_it(tmp_path, monkeypatch):
    """The answers of openml.org that scikit-learn's tests hold: thirteen rows of the real data set."""
    recordings = pytest.importorskip("sklearn.datasets.tests.data.openml.id_40589")
    (folder,) = recordings.__path__
    files = {
        "api/v1/json/data/list/data_name/emotions/limit/2/status/active/": "api-v1-jdl-dn-emotions-l-2-s-act-.json",
        "api/v1/json/data/40589": "api-v1-jd-40589.json",
        "api/v1/json/data/features/40589": "api-v1-jdf-40589.json",
        "api/v1/json/data/qualities/40589": "api-v1-jdq-40589.json",
        "data/v1/download/4644182/emotions.arff": "data-v1-dl-4644182.arff",
    }

    def urlopen(request, *rest, **options):
        with gzip.open(f"{folder}/{files[urlsplit(request.full_url).path.removeprefix('/')]}.gz") as stream:
            return Answer(stream.read())

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", urlopen)
    found = load_openml("emotions", tmp_path)
    assert (found.X.shape, found.Y.shape) == ((13, 72), (13, 6))
    assert found.label_names[0] == "amazed.suprised"
    assert found.X[0, 0] == 0.034741
    with gzip.open(f"{folder}/data-v1-dl-4644182.arff.gz", "rt") as stream:
        rows = [line.strip().split(",") for line in stream if line[0].isdigit() or line[0] == "-"]
    np.testing.assert_array_equal(found.X, [[float(word) for word in row[:72]] for row in rows])
    np.testing.assert_array_equal(found.Y, [[word == '"TRUE"' for word in row[72:]] for row in rows])
