import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from plait import losses
from plait.commands import demo
from plait.commands.demo import run_demonstration
from plait.core.naming import registry
from plait.data import load_dataset
from plait.data.synthetic import make_label_network
from plait.losses import Loss


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "made" / "here"
    return folder, "\n".join(run_demonstration(folder, random_state=0))


def numbers(text, start):
    """Return the numbers of the line that starts with some words."""
    line = next(line for line in text.splitlines() if line.strip().startswith(start))
    return [float(word) for word in re.findall(r"\d\.\d+", line)]


def test_it_writes_what_it_says(shown):
    folder, text = shown
    assert {path.name for path in folder.iterdir()} == {"demo.arff", "demo.xml", "demo.svg", "demo.html"}
    assert str(folder / "demo.html") in text
    root = ElementTree.parse(folder / "demo.svg").getroot()
    words = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    # Both graphs, the bars, the losses.
    assert words.count("amber") == 2
    assert {"the true P(Y | x)", "pcc, exact search", "decided for f1"} <= set(words)


def test_the_written_data_are_the_ones_shown(shown):
    folder, text = shown
    data = load_dataset(folder / "demo.arff")
    assert re.search(rf"rows +{data.n_samples}\n", text)
    assert data.label_names == demo._LABELS
    made = make_label_network(4000, 12, 8, structure="tree", strength=3.0, random_state=0).dataset
    np.testing.assert_array_equal(data.Y, made.Y)


def test_labels_together_beat_labels_alone_and_the_truth_is_found(shown):
    _, text = shown
    exact = {name: numbers(text, name)[0] for name in ("br", "cc", "pcc", "ctbn", "the true P")}
    assert exact["br"] < exact["cc"] < exact["pcc"]
    assert "7 of the 7 true edges, and 0 others" in text


def test_exact_search_proves_all_rows_and_each_loss_is_least_under_its_own_decision(shown):
    _, text = shown
    assert numbers(text, "exact search")[1] == 1.0
    assert numbers(text, "greedy")[0] <= numbers(text, "exact search")[0]
    of_rows = {word: kind for word, kind in registry(losses, Loss).items() if not kind.needs_thresholds}
    decided_on_labels = [word for word, kind in of_rows.items() if kind.answer == "labels"]
    table = np.array([numbers(text, f"decide for {loss}") for loss in decided_on_labels])
    np.testing.assert_array_equal(table.argmin(axis=0), range(len(decided_on_labels)))


def test_same_seed_same_words_but_for_the_clock(shown, tmp_path):
    _, text = shown
    again = "\n".join(run_demonstration(tmp_path, random_state=0))
    clock = re.compile(r"(greedy|beam of 5|exact search|1000 samples)( +\d\.\d+[* ]?){3}")

    def without_clock(words):
        return clock.sub(lambda found: found.group(0)[:-5], words.split("Data:")[0])

    assert without_clock(again) == without_clock(text)


def test_the_page_shows_in_a_browser(shown, tmp_path):
    folder, _ = shown
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs Debian's chromium")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    dom = subprocess.run(
        [chromium, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (folder / "demo.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert dom.count("<table") == 3
    assert dom.count('class="best"') >= 10  # ties are all marked
    assert "src=" not in dom
    assert dom.count("<svg") > 4


def test_nothing_is_compiled(tmp_path):
    script = "import sys; from plait.cli import main; main(sys.argv[1:]); assert 'numba' not in sys.modules"
    words = [sys.executable, "-c", script, "demo", "--output", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
