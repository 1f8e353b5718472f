import re
import shutil
import subprocess

import numpy as np
import pytest

from plait.data import Dataset
from plait.data.html import dataset_html


def dataset(n_labels=12):
    rng = np.random.default_rng(0)
    Y = (rng.random((50, n_labels)) < 0.3).astype(np.uint8)
    Y[:, 0] = 1
    names = ["<script>alert(1)</script>", *(f"label {j}" for j in range(1, n_labels))]
    return Dataset(rng.random((50, 2)), Y, label_names=names, name="a & b")


def test_names_are_escaped_and_counts_are_right():
    data = dataset()
    page = dataset_html(data)
    assert "<script>" not in page
    assert "a &amp; b" in page
    assert "and 2 more labels" in page
    shown = [int(n) for n in re.findall(r"</td><td>(\d+)</td>", page)]
    assert shown == sorted(data.Y.sum(axis=0).tolist(), reverse=True)[:10]


def test_the_table_shows_in_a_browser(tmp_path):
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs Debian's chromium")
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset=utf8>{dataset()._repr_html_()}", encoding="utf8")
    # What the browser made of it: ten rows of labels, the first name as plain text.
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    dom = subprocess.run(
        [chromium, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert dom.count('class="bar"') == 10
    assert "&lt;script&gt;alert(1)" in dom
