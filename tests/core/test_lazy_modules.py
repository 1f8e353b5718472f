import sys
import threading

import pytest

from plait.core.lazy_modules import lazy_module


def test_a_module_is_imported_at_first_use(tmp_path, monkeypatch):
    (tmp_path / "odd_little_module.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = lazy_module("odd_little_module")
    assert "odd_little_module" not in sys.modules
    assert repr(module) == "<lazy module odd_little_module>"
    assert module.value == 3
    assert "odd_little_module" in sys.modules
    with pytest.raises(AttributeError, match="nothing"):
        _ = module.nothing


def test_threads_wait_for_a_module_that_another_one_imports(tmp_path, monkeypatch):
    (tmp_path / "slow_little_module.py").write_text("import time\ntime.sleep(0.3)\nvalue = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    module, found = lazy_module("slow_little_module"), []
    threads = [threading.Thread(target=lambda: found.append(module.value)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 8
