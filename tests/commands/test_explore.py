"""`plait explore`: a table with names, an id and labels is shown; bad words get one sentence."""

import re
import signal
import subprocess
import sys
from http.client import HTTPConnection

import numpy as np
import pytest

from plait.cli import main


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    pytest.importorskip("skops")
    pytest.importorskip("pandas")
    folder = tmp_path_factory.mktemp("explore")
    chance = np.random.default_rng(0)
    x = chance.normal(size=60)
    lines = [f"p{i},{v:.3f},{int(v > 0)},{int(v > 0.5)}" for i, v in enumerate(x)]
    (folder / "photos.csv").write_text("photo,light,sea,sun\n" + "\n".join(lines) + "\n")
    words = ["--labels", "sea,sun", "--id", "photo", "--method", "ctbn"]
    assert main(["fit", str(folder / "photos.csv"), *words, "-o", str(folder / "m.plait")]) == 0
    return folder


def test_a_static_page_is_written(saved, capsys):
    page = saved / "page.html"
    assert (
        main(["explore", str(saved / "m.plait"), str(saved / "photos.csv"), "--static", str(page), "--rows", "7"]) == 0
    )
    assert "7 of 60 rows" in capsys.readouterr().out
    text = page.read_text()
    assert '"p6"' in text
    assert '"p7"' not in text
    assert '"recorded": [0, 1]' in text


def test_tags_are_read_as_in_the_training_table(saved, tmp_path, capsys):
    rows = [f"{v},{'sea|sun' if v > 1 else 'sea' if v > 0 else ''}" for v in range(-3, 4)]
    (tmp_path / "tags.csv").write_text("light,tags\n" + "\n".join(rows * 9) + "\n")
    (tmp_path / "new.csv").write_text("light,tags\n2,sea\n-2,\n")  # nothing here has the tag sun
    model, page = str(tmp_path / "t.plait"), tmp_path / "page.html"
    assert main(["fit", str(tmp_path / "tags.csv"), "--tags", "tags", "--method", "ctbn", "-o", model]) == 0
    assert main(["explore", model, str(tmp_path / "new.csv"), "--static", str(page)]) == 0
    assert re.findall(r'"recorded": (\[.*?\])', page.read_text()) == ["[0]", "[]"]  # places of labels: sea, sun


def test_it_serves_until_it_is_stopped(saved, tmp_path):
    pytest.importorskip("waitress")
    words = ["explore", saved / "m.plait", saved / "photos.csv", "--no-browser", "--corrections", tmp_path / "c.csv"]
    with subprocess.Popen([sys.executable, "-m", "plait", *words], stdout=subprocess.PIPE, text=True) as running:
        address = re.fullmatch(r"plait explore: http://127\.0\.0\.1:(\d+)(/[\w-]{32}/)\n", running.stdout.readline())
        connection = HTTPConnection("127.0.0.1", int(address[1]), timeout=30)
        connection.request("GET", address[2])
        assert connection.getresponse().status == 200
        connection.close()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) in (0, 130)
    assert (tmp_path / "c.csv").read_text().startswith("time,row,id,label")


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--port", "70000"], "--port to be from 0 to 65535"), (["--rows", "0"], "--rows to be at least 1")],
)
def test_bad_words_get_a_sentence(saved, capsys, words, said):
    assert main(["explore", str(saved / "m.plait"), str(saved / "photos.csv"), *words]) == 2
    assert said in capsys.readouterr().err
