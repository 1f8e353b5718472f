"""Broken inputs of every format, a million of them: `python tools/attack.py [-n 1000000] [--seconds S] [--state FILE]`.

Every input is a sound file with a few places broken: cut, doubled, replaced, mixed with what hurts readers. It must be
read (a model that was read must answer, too), or refused by a `DataError` (a plan by a `PlanError`) of one line;
anything else is a failure, and so are a death of the process and more than twenty seconds of work. Number i always is
the same input. Work is done in child processes of bounded memory, in blocks; progress is kept in a file, so that a run
that was stopped goes on where it was. Inputs that failed are kept beside it. The exit code is 1 if there are any.
"""

import argparse
import gzip
import io
import json
import multiprocessing
import os
import resource
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline, make_pipeline

from plait import AutoJoint, load_dataset, load_model, recipes, save_model
from plait.core.kernel_policy import using_kernels
from plait.data import DataError, Dataset, TableEncoder, save_dataset
from plait.estimators.model_file import answers_of
from plait.experiments import PlanError, open_store, read_plan, run_plan

BLOCK, SAVED = 100_000, 5000
SECONDS = 20  # of processor time
WAIT = 900  # seconds after which an input that does nothing at all is given up
MEMORY = 6 << 30
SPECIAL = (
    *(b":", b",", b";", b"#", b" ", b"\n", b"\r", b'"', b"'", b"\t", b"\0", b"-", b".", b"e", b"{", b"}", b"[", b"]"),
    *(b"=", b"?", b"%", b"@", b"\\", b"<", b">", b"&", b"9" * 25, b"\xff", b"\xef\xbb\xbf", b"nan", b"inf", b"1e999"),
    *(b"-1", b"0", b"1e-400", b"\xc3\xa9", b"null", b"true", b"@data", b"@attribute", b"os.system", b"__class__"),
)
ARFF = (
    b"@relation 'beach: -C 2'\n@attribute sea {0,1}\n@attribute sun {0,1}\n@attribute size numeric\n"
    b"@attribute sky {blue,'light grey'}\n@data\n1,0,1.5,blue\n0,1,?,'light grey'\n1,1,-2e-3,blue\n",
    b'% note\n@RELATION "b: -C -2"\n@ATTRIBUTE a REAL\n@ATTRIBUTE b {x,y}\n@ATTRIBUTE sea {0,1}\n@ATTRIBUTE sun {0,1}\n'
    b"@DATA\n{0 1.5, 2 1}\n{}\n{1 y, 3 1}\n",
)
LIBSVM = (
    b"3,7 1:0.5 4:1 # both\n 2:1.5\n2:-1e-3\n12 1:1 2:2 3:3\n",
    b"+1,-4 10:nan 11:inf\r\n\r\n0 0:1\n# nothing\n5 3:.5 1:2\n",
)
XC = (b"3 5 4\n0,2 1:0.5 3:1\n 0:2\n3 4:-1e5\n", b"2 3 2\r\n\r\n1 0:1 2:0.25\r\n")
CSV = (
    b'size,"sky, today",day,sea,sun\n1.5,blue,2024-01-31,1,0\nNA,"gr""ey",,0,1\n2,\xc3\xa9,2024-02-01 12:30,1,1\n',
    b"a;b;sea;sun\r\ntrue;1e5;yes;no\r\nFALSE;-7;no;yes\r\n\r\n",
)
XML = (
    b'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
    b'<label name="sea"></label>\n<label name="sun"><label name="sand"/></label>\n</labels>\n',
)
LABELLED = b"@relation b\n@attribute size numeric\n" + b"".join(
    b"@attribute %b {0,1}\n" % name for name in (b"sea", b"sun", b"sand")
)
LABELLED += b"@data\n1.5,0,1,1\n2,1,0,0\n"
TABLES = (
    b'id,size,sky,day,note,tags\n1,"1,5",blue,2024-01-31,a long walk,sea|sun\n2,,grey,,no,\n3,2,blue,2024-02-01,,sun\n',
    b"id;size;sky;day;note;tags\r\n7;1,5;x;01.02.2024;fine;sun | sea\r\n8;-2;;03.02.2024;;sea\r\n",
)
PLANS = (
    b'name = "p"\nseeds = [0, 1]\nmetrics = ["exact_match", "log_loss"]\ndatasets = [{name = "beach", '
    b'source = "b.csv", labels = -2}]\nprotocol = {kind = "kfold", folds = 3}\n[methods.br]\n[methods.x]\nuse = "pcc"\n'
    b'learner = {use = "LogisticLearner", C = 0.5}\n'
    b'tune = {grid = {"learner.C" = [0.1, 1.0]}, metric = "micro_f1", folds = 2}\n',
    b'datasets = ["emotions"]\nmethods = ["br", "sklearn.dummy.DummyClassifier"]\n',
    b'datasets = ["emotions"]\n[methods.p]\nsteps = ["StandardScaler", {use = "SCLS", n_features = 3}, "MLkNN"]\n'
    b'on.emotions = {steps = ["br"]}\nskip = []\n',
)


def broken(content: bytes, chance: np.random.Generator) -> bytes:
    """Return the content with a few places broken."""
    for _ in range(int(chance.integers(1, 5))):
        at, to = sorted(chance.integers(0, len(content) + 1, size=2).tolist())
        kind = int(chance.integers(8))
        if kind == 0:
            content = content[:at] + bytes([int(chance.integers(256))]) + content[at + 1 :]
        elif kind in (1, 2):
            content = content[:at] + SPECIAL[int(chance.integers(len(SPECIAL)))] + content[at + kind - 1 :]
        elif kind == 3:
            content = content[:at] + content[min(to, at + 4) :]
        elif kind == 4:
            content = content[:to] + content[at:to] + content[to:]
        elif kind == 5:
            content = content[:to]
        elif kind == 6:
            content = content[at:to] + content[:at] + content[to:]
        elif at < len(content):
            content = content[:at] + bytes([content[at] ^ (1 << int(chance.integers(8)))]) + content[at + 1 :]
    return content


def broken_archive(content: bytes, chance: np.random.Generator, inside: str = "schema.json") -> bytes:
    """Return a zip file one of whose entries is broken, packed soundly again; or the file itself broken."""
    if chance.random() < 0.3:
        return broken(content, chance)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        hit = inside if chance.random() < 0.7 else names[int(chance.integers(len(names)))]
        for name in names:
            whole = old.read(name)
            new.writestr(name, broken(whole, chance) if name == hit else whole)
    return out.getvalue()


def broken_packing(content: bytes, chance: np.random.Generator) -> bytes:
    """Return a packed text that is broken, or whose packing is."""
    if chance.random() < 0.5:
        return broken(content, chance)
    return gzip.compress(broken(gzip.decompress(content), chance), 1)


def broken_store(content: bytes, chance: np.random.Generator) -> bytes:
    """Return a store with a cell of a table replaced, or its file broken."""
    if chance.random() < 0.5:
        return broken(content, chance)
    values = (None, b"\0\xff", "word", "{", "[]", "[" * 3000, -1, 2**62, 1e300, float("inf"), "NaN", "")
    database = sqlite3.connect(":memory:")
    database.deserialize(content)
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    table = tables[int(chance.integers(len(tables)))]
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    column = columns[int(chance.integers(len(columns)))]
    try:
        database.execute(f"UPDATE {table} SET {column} = ?", (values[int(chance.integers(len(values)))],))
    except sqlite3.Error:
        database.execute(f"DELETE FROM {table}")
    database.commit()
    changed = database.serialize()
    database.close()
    return changed


class Format(NamedTuple):
    """How inputs of one format are made and read; `share` is how many of a hundred inputs are of it."""

    name: str
    share: int
    examples: Sequence[bytes]
    read: Callable[[Path], Any]
    breaker: Callable[[bytes, np.random.Generator], bytes] = broken


def formats(folder: Path) -> list[Format]:
    """Return all formats, with examples that are made in a folder."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).round(2)
    Y = (X[:, :2] + rng.normal(size=(60, 2)) > 0).astype(int)
    data = Dataset(X, Y, list("abcd"), ["sea", "sun"], "beach")
    save_dataset(data, folder / "b.csv")
    save_dataset(data.rows(np.arange(6)), folder / "b.parquet")
    made = {"pcc": recipes.pcc(), "bcc": recipes.bcc(learner="logistic"), "mc": recipes.mc(), "auto": AutoJoint("fast")}
    for name, model in made.items():
        save_model(model.fit(X, Y), folder / f"{name}.plait", data=data)
    table = pd.DataFrame({"size": X[:, 0], "sky": np.where(X[:, 1] > 0, "blue", "grey")})
    save_model(make_pipeline(TableEncoder(), recipes.br()).fit(table, Y), folder / "table.plait")
    table.assign(sea=Y[:, 0], sun=Y[:, 1]).iloc[:6].to_excel(folder / "b.xlsx", index=False)
    (folder / "p.toml").write_text(
        'datasets = [{source = "b.csv", labels = -2}]\nprotocol = {kind = "holdout", repeats = 1}\nmethods = ["br"]'
    )
    run_plan(read_plan(folder / "p.toml"), folder / "r.sqlite")
    connection = sqlite3.connect(folder / "r.sqlite")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    models = [(folder / f"{name}.plait").read_bytes() for name in (*made, "table")]
    (folder / "inputs").mkdir()
    (folder / "inputs" / "labels.arff").write_bytes(LABELLED)
    return [
        Format("b.arff", 20, ARFF, load_dataset),
        Format("b.svm", 18, LIBSVM, load_dataset),
        Format("b.txt", 14, XC, load_dataset),
        Format("b.csv", 14, CSV, lambda path: load_dataset(path, labels=-2)),
        Format("t.csv", 6, TABLES, lambda path: load_dataset(path, tags="tags")),
        Format(
            "b.csv.gz",
            2,
            [gzip.compress(text) for text in CSV],
            lambda path: load_dataset(path, labels=-2),
            broken_packing,
        ),
        Format("b.xlsx", 2, [(folder / "b.xlsx").read_bytes()], _read_excel, _broken_excel),
        Format("labels.xml", 4, XML, lambda path: load_dataset(path.with_suffix(".arff"))),
        Format("b.plait", 6, models, lambda path: _answers(path, X, table), broken_archive),
        Format("b.parquet", 4, [(folder / "b.parquet").read_bytes()], lambda path: load_dataset(path, labels=-2)),
        Format("b.toml", 6, PLANS, read_plan),
        Format("b.sqlite", 4, [(folder / "r.sqlite").read_bytes()], _read_store, broken_store),
    ]


def _answers(path: Path, X: Any, table: Any) -> Any:
    model = load_model(path)
    with answers_of(path):
        return model.predict_proba(table[:3] if isinstance(model, Pipeline) else X[:3])


def _read_excel(path: Path) -> Any:
    return load_dataset(path, labels=-2)


def _broken_excel(content: bytes, chance: np.random.Generator) -> bytes:
    return broken_archive(content, chance, "xl/worksheets/sheet1.xml")


def _read_store(path: Path) -> Any:
    for left in path.parent.glob(f"{path.name}-*"):
        left.unlink()
    with open_store(path) as store:
        return store.results(), store.missing(), store.metrics(), store.plans, store.finished()


def attack(number: int, kinds: list[Format], path: Path) -> tuple[str, str, str]:
    """Try one input; return its format, "read", "refused" or "failed", and what went wrong."""
    chance = np.random.default_rng(number)
    shares = np.cumsum([kind.share for kind in kinds])
    kind = kinds[int(np.searchsorted(shares, chance.integers(shares[-1]), side="right"))]
    file = path / kind.name
    file.unlink(missing_ok=True)  # file systems are slow to write over what is there
    file.write_bytes(kind.breaker(kind.examples[int(chance.integers(len(kind.examples)))], chance))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings(), using_kernels("always" if chance.random() < 0.3 else "auto"):
            warnings.simplefilter("ignore")
            kind.read(file)
        return kind.name, "read", ""
    except (DataError, PlanError) as problem:
        lines = problem.lines if isinstance(problem, PlanError) else (str(problem),)
        whole = all("\n" not in line for line in lines)
        return kind.name, "refused" if whole else "failed", "" if whole else str(problem)
    except BaseException:
        return kind.name, "failed", traceback.format_exc()[-1500:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds")


def block(first: int, last: int, state: Path, sender: Any) -> None:
    """Try the inputs of one block in a process of its own; say each number before it is tried."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _too_slow)
    failures = state.with_suffix("")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        kinds = formats(path)
        inputs = path / "inputs"
        with using_kernels("always"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for kind in kinds:  # whole ones first, which compiles what there is to compile
                (inputs / kind.name).write_bytes(kind.examples[0])
                kind.read(inputs / kind.name)
        for number in range(first, last):
            sender.send((number, None))
            found = attack(number, kinds, inputs)
            if found[1] == "failed":
                failures.mkdir(exist_ok=True)
                (failures / f"{number}-{found[0]}").write_bytes((inputs / found[0]).read_bytes())
            sender.send((number, found))


def run_block(first: int, last: int, state: Path) -> Iterator[tuple[int, str, str, str]]:
    """Run a block; yield (number, format, outcome, reason) of every input that was tried."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=block, args=(first, last, state, sender), daemon=True)
    child.start()
    sender.close()
    at = None
    try:
        while receiver.poll(WAIT):
            at, found = receiver.recv()
            if found is not None:
                yield at, *found
        child.kill()
    except EOFError:
        pass
    child.join()
    if at is None:
        raise SystemExit("the attack itself failed: no input could be made")
    if child.exitcode:
        yield at, "?", "failed", f"the process died with exit code {child.exitcode}"


def main() -> int:
    """Go on with the attack; return 1 if anything failed."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("-n", type=int, default=10**6, help="inputs in all")
    words.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many seconds")
    words.add_argument("--state", type=Path, default=Path("attack.json"), help="where progress is kept")
    given = words.parse_args()
    known = json.loads(given.state.read_text()) if given.state.exists() else {"next": 0, "counts": {}, "failures": []}
    end = time.monotonic() + given.seconds
    while known["next"] < given.n and time.monotonic() < end:
        for number, name, outcome, reason in run_block(known["next"], min(known["next"] + BLOCK, given.n), given.state):
            counts = known["counts"].setdefault(name, {})
            counts[outcome] = counts.get(outcome, 0) + 1
            known["next"] = number + 1
            if outcome == "failed":
                known["failures"].append([number, name, reason])
            if known["next"] % SAVED == 0:
                save(known, given.state)
                print(f"{known['next']} of {given.n} tried, {len(known['failures'])} failed", flush=True)
                if time.monotonic() > end:
                    break
        save(known, given.state)
    for number, name, reason in known["failures"]:
        print(f"--- {number} {name}\n{reason}")
    print(json.dumps(known["counts"], indent=1))
    return 1 if known["failures"] else 0


def save(known: dict[str, Any], state: Path) -> None:
    """Write progress, whole or not at all."""
    draft = state.with_suffix(".part")
    draft.write_text(json.dumps(known, indent=1))
    os.replace(draft, state)


if __name__ == "__main__":
    sys.exit(main())
