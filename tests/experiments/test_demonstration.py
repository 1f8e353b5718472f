import re

import numpy as np
import pytest

from plait.data import load_dataset
from plait.data.synthetic import make_label_network
from plait.experiments import demonstration
from plait.experiments.demonstration import run_demonstration


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "made" / "here"
    return folder, "\n".join(run_demonstration(folder, random_state=3))


def test_it_writes_what_it_says(shown):
    folder, text = shown
    assert {path.name for path in folder.iterdir()} == {"demo.arff", "demo.xml", "demo.png"}
    assert str(folder / "demo.png") in text
    assert (folder / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_the_written_data_are_the_ones_shown(shown):
    folder, text = shown
    data = load_dataset(folder / "demo.arff")
    assert re.search(rf"rows +{data.n_samples}\n", text)
    assert data.label_names == demonstration._LABELS
    made = make_label_network(3000, 12, 6, structure="chain", strength=4.0, random_state=3).dataset
    np.testing.assert_array_equal(data.Y, made.Y)


def test_stratified_folds_are_closer_and_the_truth_scores_best(shown):
    _, text = shown
    gaps = [float(mean) for mean in re.findall(r"folds +([\d.]+)%", text)]
    assert gaps[1] < gaps[0]
    exact = [float(line.split()[-5]) for line in re.findall(r"^  (?:each|scikit|most).*", text, re.MULTILINE)]
    assert len(exact) == 3
    assert exact[2] >= max(exact)


def test_same_seed_same_words(shown, tmp_path):
    _, text = shown
    again = "\n".join(run_demonstration(tmp_path, random_state=3))
    assert again.split("Data:")[0] == text.split("Data:")[0]


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setattr(demonstration, "installed", lambda package: False)
    lines = list(run_demonstration(tmp_path))
    assert 'pip install "plait[plots]"' in lines[-1]
    assert not (tmp_path / "demo.png").exists()
