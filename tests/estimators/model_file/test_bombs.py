"""Files that would unpack to much more than they hold are refused before they are unpacked."""

import io
import json
import zipfile

import numpy as np
import pytest
from scipy import sparse

skops = pytest.importorskip("skops.io")


def zip_of(path, entries, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


ARRAY = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode", "type": "numpy", "file": "a.npy"}


def list_of(contents):
    return {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": contents, "protocol": 2}


def sparse_entry():
    stream = io.BytesIO()
    sparse.save_npz(stream, sparse.csr_matrix((np.zeros(2 * 10**6), np.zeros(2 * 10**6, int), [0, 2 * 10**6]), (1, 1)))
    return stream.getvalue()


BOMBS = {
    "zeros": lambda: {"schema.json": json.dumps(ARRAY | {"protocol": 2}), "a.npy": npy(np.zeros(2 * 10**6))},
    "schema": lambda: {"schema.json": b"[" + b"0," * (2 * 10**6) + b"0]"},
    "same entry many times": lambda: {
        "schema.json": json.dumps(list_of([ARRAY | {"__id__": k} for k in range(1, 30)])),
        "a.npy": npy(np.zeros(10**5)),
    },
    "same entry without number": lambda: {
        "schema.json": json.dumps(list_of([ARRAY for _ in range(30)])),
        "a.npy": npy(np.zeros(10**5)),
    },
    "sparse": lambda: {
        "schema.json": json.dumps(
            {"__class__": "csr_matrix", "__module__": "scipy.sparse._csr", "__loader__": "SparseMatrixNode"}
            | {"type": "scipy", "file": "a.npz", "protocol": 2}
        ),
        "a.npz": sparse_entry(),
    },
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, name, monkeypatch, small_limits, refused):
    zip_of(tmp_path / "m.plait", BOMBS[name]())
    assert (tmp_path / "m.plait").stat().st_size < 10**6
    monkeypatch.setattr(skops, "get_untrusted_types", lambda **_: pytest.fail("unpacked"))
    refused(tmp_path / "m.plait", "that grows to")


def test_an_array_that_says_it_is_larger_than_it_is(tmp_path, refused):
    head = npy(np.zeros(1)).replace(b"'shape': (1,), }", b"'shape': (99999999999,)}")
    assert b"99999999999" in head
    zip_of(tmp_path / "m.plait", {"schema.json": json.dumps(ARRAY | {"protocol": 2}), "a.npy": head})
    refused(tmp_path / "m.plait")


def test_deep_schemas(tmp_path, refused):
    deep = '{"content": ' * 50_000 + "1" + "}" * 50_000
    zip_of(tmp_path / "m.plait", {"schema.json": deep})
    refused(tmp_path / "m.plait")
    zip_of(tmp_path / "m.plait", {"schema.json": '{"protocol": ' + "9" * 6000 + "}"})
    refused(tmp_path / "m.plait")
