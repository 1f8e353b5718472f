import json
import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

import plait
from plait.cli import command, main
from plait.data import Dataset, load_dataset, save_dataset
from plait.data.conversion.files import replacing


@pytest.fixture
def beach(tmp_path):
    """Return a small ARFF file with its XML beside it."""
    rng = np.random.default_rng(0)
    Y = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 1]])
    data = Dataset(rng.random((4, 2)), Y, ["a", "b"], ["sea", "snow", "sun"], "beach")
    path = tmp_path / "beach.arff.gz"
    save_dataset(data, path)
    return path


def run(*words, **settings):
    return subprocess.run(
        [sys.executable, "-m", "plait", *map(str, words)], capture_output=True, text=True, check=False, **settings
    )


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"plait {plait.__version__}\n"


def test_describe_finds_the_xml_by_itself(beach, capsys):
    assert main(["describe", str(beach)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"rows +4\n", text)
    assert re.search(r"labels never on +1  \(snow\)", text)
    assert re.search(r"sea \+ sun +2  █+  50\.0% of rows", text)


def test_describe_json(beach, capsys):
    assert main(["describe", str(beach), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_samples"] == 4
    assert found["never_on"] == ["snow"]
    assert [label["positives"] for label in found["labels"]] == [3, 0, 3]


def test_convert_and_back(beach, tmp_path, capsys):
    assert main(["convert", str(beach), str(tmp_path / "b.csv")]) == 0
    assert main(["convert", str(tmp_path / "b.csv"), str(tmp_path / "c.arff"), "--labels", "sea,snow,sun"]) == 0
    assert "4 rows, 2 features, 3 labels" in capsys.readouterr().out
    there, back = load_dataset(beach), load_dataset(tmp_path / "c.arff")
    np.testing.assert_array_equal(there.X, back.X)
    np.testing.assert_array_equal(there.Y, back.Y)
    assert back.label_names == there.label_names


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["describe", "no_such_file.arff"], "no_such_file.arff"),
        (["describe"], "DATA"),
        (["describe", "x.arff", "--split", "middle"], "middle"),
        (["frobnicate"], "frobnicate"),
        ([], "COMMAND"),
        (["convert", "no_such_file.arff", "out.arff"], "no_such_file.arff"),
    ],
)
def test_bad_words_are_one_line_and_code_2(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    told = capsys.readouterr()
    assert code == 2
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert told.err.startswith("plait: ")
    assert said in told.err


def test_a_broken_file_is_one_line_and_code_2_in_a_process_of_its_own(tmp_path):
    path = tmp_path / "broken.arff"
    path.write_bytes(b"@relation x\n@attribute a numeric\n@data\n1,2,3\n")
    answer = run("describe", path, "--labels", "1")
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "broken.arff, line 4" in answer.stderr


def test_unknown_output_format(beach, tmp_path, capsys):
    assert main(["convert", str(beach), str(tmp_path / "x.docx")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert ".docx" in told


def test_dropped_columns_are_a_note_not_an_error(tmp_path, capsys):
    path = tmp_path / "ids.arff"
    rows = "\n".join(f"row{i},{i / 7},{i % 2}" for i in range(6))
    path.write_text(f"@relation x\n@attribute id string\n@attribute a numeric\n@attribute y {{0,1}}\n@data\n{rows}\n")
    assert main(["describe", str(path), "--labels", "-1"]) == 0
    assert re.match(r"plait: note: .*'?id'?", capsys.readouterr().err)


def test_a_closed_pipe_is_no_error(beach):
    with subprocess.Popen(
        [sys.executable, "-m", "plait", "describe", str(beach)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        complaint = process.stderr.read()
    assert complaint == b""


def test_a_terminal_without_unicode(beach):
    answer = run("describe", beach, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert answer.returncode == 0
    assert answer.stderr == ""


def test_ctrl_c_is_one_line():
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", "describe", "-", "--labels", "1"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # More than a pipe holds: when it is written, the command is there and reads.
    process.stdin.write(b"a,b\n" + b"1,1\n" * (1 << 16))
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaint == b"plait: stopped.\n"


def test_a_job_that_is_told_to_end_cleans_up(monkeypatch, capsys, tmp_path):
    def run():
        with replacing(tmp_path / "goal.txt") as draft:
            draft.write_text("half")
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)

    parser = SimpleNamespace(parse_args=lambda words: SimpleNamespace(run=run, debug=False))
    monkeypatch.setattr(command, "make_parser", lambda: parser)
    before = signal.getsignal(signal.SIGTERM)
    assert command.main([]) == 143
    assert "stopped." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is before
