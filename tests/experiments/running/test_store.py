import math
import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from plait.data import DataError
from plait.experiments.planning.plan import DatasetPlan, MethodPlan, MethodSetup, Plan, Protocol
from plait.experiments.running.cells import CellResult, plan_cells
from plait.experiments.running.claims import Owner, is_gone, this_owner
from plait.experiments.running.store import StoreError, open_store


def plan(name="small", methods=("br", "cc"), metrics=("exact_match", "cll_loss"), text="seeds = [0]"):
    return Plan(
        name,
        (DatasetPlan("beach", "beach.csv"),),
        tuple(MethodPlan(word, MethodSetup({"use": word})) for word in methods),
        Protocol("kfold", 2),
        metrics,
        text=text,
    )


def cells_of(a_plan):
    return list(plan_cells(a_plan, {"beach": "f" * 64}))


def result(cell, **changes):
    values = CellResult(
        cell.dataset,
        cell.method,
        cell.fold,
        cell.seed,
        cell.setup.as_dict(),
        {"exact_match": 1 / 3, "cll_loss": math.inf},
        0.25,
        0.125,
        2**33,
        {"plait": "1"},
        "abc",
        extras={"graphs": [{"parents": [[], [0]]}]},
        digest=cell.digest,
        finished=5.0,
    )
    return replace(values, **changes)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def test_what_is_written_is_read(path):
    small = plan()
    cells = cells_of(small)
    owner = this_owner()
    with open_store(path, create=True) as store:
        store.begin(small, cells)
        for cell in cells[:3]:
            assert store.claim(cell.digest, owner) == "claimed"
            assert store.record(result(cell), owner)
    with open_store(path) as store:
        assert store.results() == [replace(result(cell), plan="small") for cell in cells[:3]]
        assert store.plan_text == "seeds = [0]"
        assert store.metrics() == ("exact_match", "cll_loss")
        assert [(m.method, m.fold) for m in store.missing()] == [("cc", 1)]


def test_a_failure_and_a_number_that_is_none(path):
    small = plan()
    cells, owner = cells_of(small), this_owner()
    with open_store(path, create=True) as store:
        store.begin(small, cells)
        store.record(result(cells[0], metrics={}, error="too hot", traceback="line 1\nline 2"), owner)
        store.record(result(cells[1], metrics={"macro_f1": math.nan}), owner)
        failed, strange = store.results()
        assert store.finished() == {cells[0].digest: True, cells[1].digest: False}
        store.forget([cells[0].digest])
        assert store.finished() == {cells[1].digest: False}
    assert (failed.error, failed.traceback, failed.metrics) == ("too hot", "line 1\nline 2", {})
    assert math.isnan(strange.metrics["macro_f1"])


def test_the_first_result_counts_and_no_other(path):
    small = plan()
    cell, *_ = cells_of(small)
    with open_store(path, create=True) as store:
        store.begin(small, [cell])
        assert store.record(result(cell), this_owner())
        assert not store.record(result(cell, metrics={"exact_match": 0.0, "other": 1.0}), this_owner())
        assert [r.metrics for r in store.results()] == [result(cell).metrics]
        assert store.claim(cell.digest, this_owner()) == "done"


def test_an_edited_plan_keeps_what_it_shares_and_an_older_one_comes_back(path):
    before, after, owner = plan(methods=("br", "cc")), plan(methods=("br", "pcc"), text="new"), this_owner()
    with open_store(path, create=True) as store:
        store.begin(before, cells_of(before))
        for cell in cells_of(before):
            store.record(result(cell), owner)
        store.begin(after, cells_of(after))
        assert [r.method for r in store.results()] == ["br", "br"]
        assert store.plan_text == "new"
        store.begin(before, cells_of(before))
        assert len(store.results()) == 4
        other = plan("other", methods=("cc",), metrics=("micro_f1", "log_loss"))
        store.begin(other, cells_of(other))
        assert [r.plan for r in store.results()] == ["other"] * 2 + ["small"] * 4
        assert len(store.results("other")) == 2
        assert list(store.plans) == ["other", "small"]
        assert (store.metrics(), store.metrics("small")) == (("micro_f1", "log_loss"), ("exact_match", "cll_loss"))


def test_a_renamed_method_finds_its_results(path):
    before = plan(methods=("br",))
    after = replace(before, methods=(MethodPlan("binary relevance", MethodSetup({"use": "br"})),))
    with open_store(path, create=True) as store:
        store.begin(before, cells_of(before))
        for cell in cells_of(before):
            store.record(result(cell), this_owner())
        store.begin(after, cells_of(after))
        assert [r.method for r in store.results()] == ["binary relevance"] * 2


def test_claims_of_the_living_are_kept_and_those_of_the_dead_taken(path):
    mine, yours = this_owner(), this_owner()
    with open_store(path, create=True) as store:
        assert store.claim("a", mine) == "claimed"
        assert store.claim("a", mine) == "claimed"
        assert store.claim("a", yours) == "busy"
        store.release(mine)
        assert store.claim("a", yours) == "claimed"
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        theirs = replace(mine, token="t", pid=child.pid, started=start_of(child.pid))
        assert store.claim("b", theirs) == "claimed"
        assert store.claim("b", mine) == "busy"
        child.kill()
        # Not waited for yet: a zombie, which is dead all the same.
        while not is_gone(theirs, 0.0):
            pass
        assert store.claim("b", mine) == "claimed"
        child.communicate()
        assert is_gone(theirs, 0.0)


def start_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[19]


def test_a_number_given_again_is_another_process():
    mine = this_owner()
    assert not is_gone(mine, 0.0)
    assert is_gone(replace(mine, started="1"), 0.0)


def test_an_owner_out_of_sight_lives_by_its_beats(path):
    far = Owner("far", "elsewhere", os.getpid(), "1")
    with open_store(path, create=True) as store:
        store.claim("a", far)
        assert store.claim("a", this_owner()) == "busy"
        database = sqlite3.connect(path)
        with database:
            database.execute("UPDATE claims SET beat = beat - 3600")
        store.beat(far)
        assert store.claim("a", this_owner()) == "busy"
        with database:
            database.execute("UPDATE claims SET beat = beat - 3600")
        database.close()
        assert store.claim("a", this_owner()) == "claimed"


def test_of_many_who_claim_at_once_one_gets_it(path):
    def take_all(_):
        owner = this_owner()
        with open_store(path, create=True) as store:
            return [store.claim(f"cell {i}", owner) for i in range(50)]

    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(take_all, range(8)))
    assert [sorted(words) for words in zip(*taken, strict=True)] == [["busy"] * 7 + ["claimed"]] * 50


def test_many_who_make_a_store_at_once_get_the_same_one(tmp_path):
    def opened(number):
        with open_store(tmp_path / f"{number // 8}.sqlite", create=True):
            return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(opened, range(8 * 25)))


def test_files_that_are_no_stores_get_one_sentence(path, tmp_path):
    with pytest.raises(StoreError, match="there is no such store"):
        open_store(path)
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all, but long enough to have a header of its own, and some more words")
    for create in (False, True):
        with pytest.raises(StoreError, match=r"notes\.txt: cannot be used as a store, file is not a database"):
            open_store(text, create=create)
    foreign = tmp_path / "foreign.sqlite"
    database = sqlite3.connect(foreign)
    database.execute("CREATE TABLE results (x)")
    database.commit()
    database.close()
    for create in (False, True):
        with pytest.raises(StoreError, match="no store of plait"):
            open_store(foreign, create=create)
    (tmp_path / "empty").touch()
    with pytest.raises(StoreError, match="holds no results"):
        open_store(tmp_path / "empty")
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(tmp_path / "no folder" / "results.sqlite", create=True)
    assert issubclass(StoreError, DataError)


def test_a_newer_store_is_refused(path):
    open_store(path, create=True).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 7")
    database.close()
    for create in (False, True):
        with pytest.raises(StoreError, match=r"version 7, but this plait reads up to version 1\. Upgrade plait"):
            open_store(path, create=create)


def test_a_store_that_cannot_be_written_says_so_and_stays_whole(path):
    small = plan()
    cells, owner = cells_of(small), this_owner()
    with open_store(path, create=True) as store:
        store.begin(small, cells)
        store._database.execute("PRAGMA query_only = ON")
        for write in (
            lambda: store.record(result(cells[0]), owner),
            lambda: store.claim("a", owner),
            lambda: store.begin(small, cells),
            lambda: store.forget(["a"]),
            lambda: store.beat(owner),
            lambda: store.release(owner),
        ):
            with pytest.raises(StoreError, match=r"results\.sqlite: cannot be written, attempt to write a readonly"):
                write()
        store._database.execute("PRAGMA query_only = OFF")
        # Half a result is none: the scores that fail take the rest with them.
        with pytest.raises(StoreError, match="cannot be written"):
            store.record(result(cells[0], metrics={"good": 1.0, "bad": object()}), owner)
        assert store.finished() == {}
        assert store.record(result(cells[0]), owner)


def test_a_broken_store_says_so(path):
    small = plan()
    with open_store(path, create=True) as store:
        store.begin(small, cells_of(small))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x07" * (len(content) - 4096)
    path.write_bytes(content)
    with open_store(path) as store, pytest.raises(StoreError, match="cannot be read as a store"):
        store.results()


def filled(path):
    a_plan = plan()
    with open_store(path, create=True) as store:
        cells = cells_of(a_plan)
        store.begin(a_plan, cells)
        for cell in cells:
            store.record(result(cell), this_owner())
    return a_plan


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE results SET extras = x'00ff'",
        "UPDATE results SET parameters = 'not JSON'",
        "UPDATE results SET parameters = '5'",
        "UPDATE results SET versions = '{'",
        "UPDATE results SET fit_seconds = 'soon'",
        "UPDATE scores SET value = 'high'",
        "UPDATE plan_cells SET seed = 'none'",
        "UPDATE plans SET metrics = '['",
    ],
)
def test_a_damaged_row_gets_one_sentence(path, damage):
    filled(path)
    with sqlite3.connect(path) as database:
        database.execute(damage)
    database.close()
    with open_store(path) as store, pytest.raises(StoreError, match=r"is damaged \(.*\)\. Restore the file"):
        _ = store.metrics(), store.results()


def test_the_plan_run_last_is_last_even_if_the_clock_is_set_back(path, monkeypatch):
    filled(path)
    monkeypatch.setattr("plait.experiments.running.store.time.time", lambda: 1000.0)
    later = plan(name="later", text="seeds = [1]")
    with open_store(path, create=True) as store:
        store.begin(later, cells_of(later))
        assert next(iter(store.plans)) == "later"


READ = (
    "import sys; from plait.experiments.running.store import open_store; print(len(open_store(sys.argv[1]).results()))"
)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare, to make a read-only file system")
def test_a_store_on_a_read_only_file_system_is_read(tmp_path):
    folder = tmp_path / "share"
    folder.mkdir()
    filled(folder / "results.sqlite")
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ! touch "$0/x" 2>/dev/null'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if subprocess.run([*command, mount, str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    script = f'{mount} && "$1" -c "$2" "$0/results.sqlite"'
    done = subprocess.run(
        [*command, script, str(folder), sys.executable, READ], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(cells_of(plan())))]
    assert [file.name for file in folder.iterdir()] == ["results.sqlite"]
