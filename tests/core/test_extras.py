import sys

import pytest

from plait import load_model
from plait.core import extras
from plait.core.extras import installed, optional


def test_present_package_is_handed_on():
    assert optional("json", extra="none", purpose="a test").dumps([1]) == "[1]"
    assert installed("json")
    assert not installed("no_such_package_at_all")


def test_a_fault_inside_a_present_package_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "half_a_package.py").write_text("import no_such_package_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package_at_all"):
        optional("half_a_package", extra="none", purpose="a test")
    assert "half_a_package" not in sys.modules


def import_nothing(package):
    raise ModuleNotFoundError(name=package.split(".")[0])


def test_a_missing_extra_is_no_fault_of_the_file(tmp_path, monkeypatch):
    (tmp_path / "model.plait").write_bytes(b"anything")
    monkeypatch.setattr(extras, "import_module", import_nothing)
    with pytest.raises(ImportError, match=r"^plait needs skops.io for model files, but it is not installed"):
        load_model(tmp_path / "model.plait")
